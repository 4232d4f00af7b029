"""The files of deploy/, read as their programs would read them: there is no container engine and no systemd where tests run."""

import configparser
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import time

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
BINARY = os.environ.get("AQUIFER_BIN", str(ROOT / ".build/aquifer"))
FILES = sorted(path for path in DEPLOY.rglob("*") if path.is_file())


def help_of(*words):
    return subprocess.run([BINARY, *words, "--help"], capture_output=True, text=True, timeout=20, check=True).stdout


@pytest.fixture(scope="module")
def options():
    """The options of `aquifer serve`, and whether each takes a value."""
    return {name: bool(value) for name, value in re.findall(
        r"^  (--[a-z-]+)(?: ([A-Z][A-Z=]*))?", help_of("serve") + help_of(), re.MULTILINE)}


def instructions(text):
    """The instructions of a Dockerfile: the word, and the rest as one line."""
    joined = re.sub(r"\\\n", " ", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE))
    return [(line.split(maxsplit=1)[0], " ".join(line.split()[1:])) for line in joined.splitlines() if line.strip()]


@pytest.fixture(scope="module")
def image():
    return instructions((DEPLOY / "Dockerfile").read_text())


def the(image, word):
    """The last instruction of a word, in the last stage."""
    last = max(place for place, (name, _) in enumerate(image) if name == "FROM")
    return [rest for name, rest in image[last:] if name == word][-1]


def assert_serves(words, options):
    """The words are options of `aquifer serve`. Returns their values."""
    assert words[0] == "serve"
    values, words = {}, words[1:]
    while words:
        name = words.pop(0)
        assert name in options, f"aquifer serve has no {name}"
        values[name] = words.pop(0) if options[name] else True
    return values


def is_understood(arguments, environment=()):
    """The program takes all of the arguments and variables, but for the argument that is wrong on purpose."""
    result = subprocess.run(
        [BINARY, *arguments, "--at", "never"], capture_output=True, text=True, timeout=20, env={**os.environ, **dict(environment)})
    return "--at takes a time" in result.stderr


def test_the_image_serves_on_the_port_that_it_exposes_and_asks_itself_there(image, options):
    command = json.loads(the(image, "CMD"))
    values = assert_serves(command, options)
    port = the(image, "EXPOSE")
    assert values["--port"] == port and values["--host"] == "0.0.0.0"
    assert f"http://127.0.0.1:{port}/healthz" in the(image, "HEALTHCHECK")
    assert the(image, "STOPSIGNAL") == "SIGTERM" and 0 < int(values["--drain"]) <= 8, "docker kills after 10 seconds"
    assert is_understood(command)


def test_the_image_runs_as_a_user_without_rights_whose_folders_are_its_own(image):
    user = the(image, "USER")
    assert user not in ("root", "0")
    making = " ".join(rest for name, rest in image if name == "RUN")
    assert re.search(rf"useradd .*--uid [1-9]\d+ .* {user}\b", making)
    for folder in json.loads(the(image, "VOLUME")):
        assert re.search(rf"install -d -o {user} -g {user} -m 700 .*{folder}\b", making), folder


def test_the_image_copies_what_exists_and_what_the_build_needs(image):
    copied = {rest.split()[0] for name, rest in image if name == "COPY" and "--from" not in rest}
    allowed = {line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line.startswith("!")}
    assert copied == allowed and all((ROOT / name).exists() for name in copied)
    package = (ROOT / "Package.swift").read_text()
    # SwiftPM wants the folder of every target, whatever it builds.
    folders = set(re.findall(r'(?:path|in): "(\w+)', package)) | {"Sources", "Tests"}
    assert folders <= copied and "Product" in folders
    assert re.search(r'name: "AquiferCLI"', package)


@pytest.mark.skipif(not shutil.which("dpkg") or not shutil.which("readelf"), reason="the names of packages are Debian's")
def test_the_image_has_the_libraries_that_the_program_needs(image):
    runs = [rest for name, rest in image if name == "RUN"]
    at_build, at_run = (set(re.findall(r"[a-z0-9.+-]+", re.search(r"--no-install-recommends (.*?)&&", run)[1])) for run in
                        [run for run in runs if "apt-get install" in run])
    needed = re.findall(r"NEEDED.*\[(.+?)\]", subprocess.run(["readelf", "-d", BINARY], capture_output=True, text=True, check=True).stdout)
    loaded = {name for header in [*ROOT.glob("Sources/*/*.h"), *ROOT.glob("Product/Sources/*/*.h")]
              for name in re.findall(r'dlopen\("(\S+\.so\.\d+)"', header.read_text())}
    assert {"libcurl.so.4", "libmicrohttpd.so.12", "libz.so.1"} <= loaded
    assert needed
    for name in loaded | set(needed):
        # The runtime of Swift is linked into the program of the image; what every Debian has needs no package.
        if re.match(r"ld-linux|lib(swift|Foundation|_Foundation|dispatch|BlocksRuntime|c\.so|m\.so|stdc\+\+|gcc_s|dl|pthread)", name):
            continue
        owners = subprocess.run(["dpkg", "-S", f"*/{name}"], capture_output=True, text=True).stdout
        assert any(line.split(":")[0] in at_run for line in owners.splitlines()), f"{name}: {owners}"
    wanted = re.search(r"packages=\((pkg-config .*?)\)", (ROOT / "Scripts/setup").read_text())[1].split()
    libraries = {name for name in wanted if name.endswith("-dev")} | {"pkg-config"}
    assert len(libraries) == 8 and libraries == at_build, "Scripts/setup knows what a build needs"
    assert {"ca-certificates", "curl"} <= at_run, "the health check is curl"


def test_the_image_starts_the_program_that_it_has_copied(image):
    source, folder = next(rest.split()[-2:] for name, rest in image if name == "COPY" and "--from=build" in rest)
    assert json.loads(the(image, "ENTRYPOINT")) == [f"{folder}aquifer"] and source == "/program/"
    build = " ".join(rest for name, rest in image if name == "RUN" and "swift build" in rest)
    assert "--product AquiferCLI" in build and f"cp .build/release/AquiferCLI {source}aquifer" in build
    folders = json.loads(the(image, "VOLUME"))
    variables = dict(pair.split("=") for pair in the(image, "ENV").split())
    assert set(variables) == {"HOME", "XDG_CONFIG_HOME"} and set(variables.values()) == set(folders)


# MARK: compose.yaml

PASSWORD = "0123456789abcdef"


def filled(value):
    """A value with the variables of the shell in it, as compose fills them in; all of them must be given."""
    if isinstance(value, dict):
        return {key: filled(each) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each) for each in value]
    return re.sub(r"\$\{POSTGRES_PASSWORD:\?[^}]+\}", PASSWORD, value) if isinstance(value, str) else value


@pytest.fixture(scope="module")
def compose():
    return filled(yaml.safe_load((DEPLOY / "compose.yaml").read_text()))


def replicas(compose):
    return {name: service for name, service in compose["services"].items() if name.startswith("aquifer-")}


def seconds(text):
    return int(re.fullmatch(r"(\d+)s", text)[1])


def test_compose_knows_no_key_that_compose_does_not_know(compose):
    assert set(compose) == {"x-aquifer", "services", "volumes"}
    known = {
        "image", "build", "command", "environment", "depends_on", "restart", "stop_grace_period", "read_only", "tmpfs", "cap_drop",
        "security_opt", "volumes", "healthcheck", "ports"}
    for name, service in compose["services"].items():
        assert set(service) <= known and service["restart"] == "unless-stopped", name


def test_each_replica_serves_with_options_and_addresses_that_the_program_takes(compose, image, options):
    for name, service in replicas(compose).items():
        values = assert_serves(service["command"], options)
        assert values["--port"] == the(image, "EXPOSE") and values["--host"] == "0.0.0.0", name
        assert values["--data"] in json.loads(the(image, "VOLUME")), name
        assert set(service["environment"]) == {"AQUIFER_STORE", "AQUIFER_CACHE"}, name
        assert is_understood(service["command"], service["environment"]), name
        assert seconds(service["stop_grace_period"]) > int(values["--drain"]) + 10, "it finishes in 10 seconds after its drain"
        assert service["read_only"] and service["tmpfs"] == ["/tmp"] and service["cap_drop"] == ["ALL"], name
    built = [service["build"] for service in replicas(compose).values() if "build" in service]
    assert len(built) == 1, "one image for all"
    assert (DEPLOY / built[0]["context"]).resolve() == ROOT and (ROOT / built[0]["dockerfile"]).is_file()


def test_each_replica_has_its_data_alone_and_all_have_one_key_which_is_apart_from_the_data(compose, image):
    data, keys = json.loads(the(image, "VOLUME"))
    mounts = [dict(reversed(text.split(":")) for text in service["volumes"]) for service in replicas(compose).values()]
    assert all(set(each) == {data, keys} for each in mounts)
    alone = [each[data] for each in mounts]
    assert len(set(alone)) == len(mounts), "two servers on one folder"
    shared = {each[keys] for each in mounts}
    assert len(shared) == 1, "a replica without the key of the others does not start"
    others = [text.split(":")[0] for name in ("postgres", "remotes") for text in compose["services"][name]["volumes"]]
    assert sorted([*alone, *shared, *others]) == sorted(compose["volumes"])


def test_the_replicas_wait_for_servers_that_are_there_and_know_their_user(compose):
    services = compose["services"]
    for name, service in replicas(compose).items():
        store = re.fullmatch(
            r"postgresql://(\w+):(\w+)@(\w+)/(\w+)\?target_session_attrs=read-write", service["environment"]["AQUIFER_STORE"])
        user, password, host, database = store.groups()
        server = services[host]
        given = server["environment"]
        assert (given["POSTGRES_USER"], given["POSTGRES_PASSWORD"], given["POSTGRES_DB"]) == (user, password, database), name
        assert server["healthcheck"]["test"][:3] == ["CMD", "pg_isready", "-U"] and server["healthcheck"]["test"][3] == user
        cache = re.fullmatch(r"redis://(\w+):6379/0", service["environment"]["AQUIFER_CACHE"])[1]
        assert service["depends_on"] == {
            **{each: {"condition": "service_healthy"} for each in (host, cache)}, "remotes": {"condition": "service_started"}}, name
        assert all("healthcheck" in services[each] for each in service["depends_on"])
    front = services["nginx"]
    assert set(front["depends_on"]) == set(replicas(compose))
    published = {name for name, service in services.items() if "ports" in service}
    assert published == {"nginx"}, "nothing but the proxy can be reached from outside"


def test_all_replicas_speak_with_the_same_remotes_which_are_those_of_compose(compose, image):
    """Replicas with remotes of their own would each have another world: a payment at one was never made at the other."""
    service = compose["services"]["remotes"]
    assert service["image"] == "aquifer" and service["command"][0] == "remotes"
    port = free_port()
    words = [{"8090": str(port), "0.0.0.0": "127.0.0.1", "/var/lib/aquifer": None}.get(word, word) for word in service["command"]]
    words = [word for place, word in enumerate(words) if word and word != "--data"]
    remotes = subprocess.Popen([BINARY, *words, "--json"], stdout=subprocess.PIPE, text=True)
    try:
        told = {each["name"]: each["address"] for each in json.loads(remotes.stdout.readline())["value"]}
    finally:
        remotes.kill()
        remotes.communicate(timeout=20)
    for replica in replicas(compose).values():
        words = replica["command"]
        given = dict(words[place + 1].split("=", 1) for place, word in enumerate(words) if word == "--remote")
        assert given == {name: address.replace(f"127.0.0.1:{port}", "remotes:8090") for name, address in told.items()}
        about = help_of("remotes").replace("\n", " ")
        assert words[words.index("--uploader") + 1] == re.search(r"signs with (\w+)", about)[1]
        assert words[words.index("--rpc") + 1] == given["drive"] + "/rpc" and words[words.index("--files-url") + 1] == given["drive"] + "/files"


def test_postgres_takes_the_settings_of_compose_and_has_room_for_all_replicas(compose):
    command = compose["services"]["postgres"]["command"]
    assert command[0] == "postgres" and command[1::2] == ["-c"] * (len(command) // 2)
    settings = dict(word.split("=") for word in command[2::2])
    programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if programs:
        known = subprocess.run([programs[-1], "--describe-config"], capture_output=True, text=True, timeout=20, check=True).stdout
        assert set(settings) <= {line.split("\t")[0] for line in known.splitlines()}
    # Product/Tests/Acceptance/test_replicas.py counts those of a replica.
    each = int(re.search(r"Each replica has up to (\d+) connections", (DEPLOY / "compose.yaml").read_text())[1])
    # A replica that was killed keeps its connections until the server notices; three are kept for the administrator.
    assert 2 * each * len(replicas(compose)) + 3 <= int(settings["max_connections"])


@pytest.mark.skipif(not shutil.which("redis-server"), reason="Redis is not here")
def test_redis_takes_the_settings_of_compose_is_a_cache_and_answers_its_health_check(compose, tmp_path):
    service = compose["services"]["redis"]
    port = free_port()
    server = subprocess.Popen(
        [*service["command"], "--port", str(port), "--bind", "127.0.0.1", "--dir", tmp_path], stdout=subprocess.PIPE, text=True)
    try:
        assert service["healthcheck"]["test"][0] == "CMD"
        check = [*service["healthcheck"]["test"][1:2], "-p", str(port), *service["healthcheck"]["test"][2:]]
        until(lambda: subprocess.run(check, capture_output=True, text=True, timeout=20).stdout == "PONG\n", server)
        for name, value in [("save", ""), ("appendonly", "no"), ("maxmemory-policy", "allkeys-lru"), ("maxmemory", str(256 << 20))]:
            words = ["redis-cli", "-p", str(port), "CONFIG", "GET", name]
            assert subprocess.run(words, capture_output=True, text=True, timeout=20).stdout.splitlines() == [name, value]
    finally:
        server.kill()
        server.communicate(timeout=20)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def until(condition, process):
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end and process.poll() is None, process.args
        time.sleep(0.02)


# MARK: nginx.conf

@pytest.fixture(scope="module")
def site():
    """The lines of nginx.conf, without comments."""
    return re.sub(r"^\s*#.*\n", "", (DEPLOY / "nginx.conf").read_text(), flags=re.MULTILINE)


def test_nginx_knows_each_replica_at_its_port_and_listens_where_compose_publishes_it(compose, image, site, options):
    port = the(image, "EXPOSE")
    upstreams = re.findall(r"^    server (\S+?):(\d+) ", site, re.MULTILINE)
    assert sorted(upstreams) == sorted((name, port) for name in replicas(compose))
    front = compose["services"]["nginx"]
    (published,) = front["ports"]
    address, outside, inside = published.rsplit(":", 2)
    assert address == "127.0.0.1" and f"listen {inside};" in site
    (mount,) = front["volumes"]
    source, target, mode = mount.split(":")
    assert (DEPLOY / source).resolve() == DEPLOY / "nginx.conf" and mode == "ro"
    assert target == "/etc/nginx/conf.d/default.conf", "the image of nginx reads it there"
    # The pages' own address is the proxy's: without it the gate refuses what comes through it.
    for service in replicas(compose).values():
        words = service["command"]
        origins = {words[place + 1] for place, word in enumerate(words) if word == "--origin"}
        # A collector of metrics asks each replica by its name.
        collected = {f"http://{name}:{port}" for name in replicas(compose)}
        assert origins == {f"http://127.0.0.1:{outside}", f"http://localhost:{outside}"} | collected


def test_nginx_hides_what_only_those_who_run_a_replica_may_see(site):
    hidden = set(re.findall(r"location = (\S+) \{ return 404; \}", site))
    assert hidden == {"/metrics", "/readyz"}
    server = (ROOT / "Product/Sources/App/Operations/Operations.swift").read_text()
    assert all(f'"{path}"' in server for path in hidden)
    # A heartbeat keeps a stream of states open: the proxy must wait for longer than the pause between two.
    events = re.search(r"location ~ (\S+) \{(.*?)\}", site, re.DOTALL)
    assert re.fullmatch(events[1], "/api/screens/feed/events") and "proxy_buffering off" in events[2]
    pause = re.search(r"heartbeat: Duration = \.seconds\((\d+)\)", "".join(
        path.read_text() for path in (ROOT / "Product/Sources").rglob("*.swift")))
    assert int(pause[1]) * 2 < seconds(re.search(r"proxy_read_timeout (\S+);", events[2])[1])


def cluster():
    """Scripts/cluster as a module."""
    loader = importlib.machinery.SourceFileLoader("cluster", str(ROOT / "Scripts/cluster"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("cluster", loader))
    loader.exec_module(module)
    return module


NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/opt/homebrew/bin")


@pytest.mark.skipif(not NGINX, reason="nginx is not here")
def test_nginx_takes_its_configuration_with_the_replicas_on_loopback(tmp_path):
    module = cluster()
    (tmp_path / "nginx.conf").write_text(module.nginx_configuration(tmp_path, free_port(), [free_port() for _ in range(3)]))
    words = [NGINX, "-t", "-p", tmp_path, "-c", tmp_path / "nginx.conf", "-e", tmp_path / "error.log"]
    seen = subprocess.run(words, capture_output=True, text=True, timeout=20)
    assert seen.returncode == 0 and "[warn]" not in seen.stderr, seen.stderr


def test_the_service_serves_with_options_that_exist_and_has_time_to_drain(options):
    unit = read_unit()
    command = unit["Service"]["ExecStart"].split()
    values = assert_serves(command[1:], options)
    assert is_understood(command[1:])
    assert int(values["--drain"]) + 10 < int(unit["Service"]["TimeoutStopSec"])
    assert values["--data"] == "/var/lib/" + unit["Service"]["StateDirectory"].split()[0]


def read_unit():
    # A key may come several times; all of them matter, and the last is kept.
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read(DEPLOY / "aquifer.service")
    return parser


def test_the_service_has_no_right_that_it_does_not_need():
    service = read_unit()["Service"]
    for name, value in [
        ("DynamicUser", "yes"), ("ProtectSystem", "strict"), ("ProtectHome", "yes"), ("NoNewPrivileges", "yes"),
        ("CapabilityBoundingSet", ""), ("PrivateDevices", "yes"), ("MemoryDenyWriteExecute", "yes"),
    ]:
        assert service[name] == value
    assert service["StandardOutput"] == "null", "the address has the token"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not here")
def test_systemd_understands_the_service_and_finds_it_safe(tmp_path):
    unit = tmp_path / "aquifer.service"
    # The program lies elsewhere here.
    unit.write_text((DEPLOY / "aquifer.service").read_text().replace("/opt/aquifer/aquifer", str(pathlib.Path(BINARY).resolve())))
    seen = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, timeout=60)
    about = [line for line in seen.stderr.splitlines() if "aquifer" in line]
    assert about == [] , seen.stderr
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", unit], capture_output=True, text=True, timeout=60)
    assert rated.returncode == 0, rated.stdout[-400:] + rated.stderr


def test_each_variable_of_the_environment_is_one_that_the_program_reads():
    sources = "".join(path.read_text() for folder in ("Product/Sources", "Sources") for path in (ROOT / folder).rglob("*.swift"))
    for path in FILES:
        for name in set(re.findall(r"\b(?:AQUIFER|XDG)_[A-Z_]+", path.read_text())):
            assert f'"{name}"' in sources, f"{path.name}: nothing reads {name}"


def test_no_file_has_a_secret():
    for path in FILES:
        for line in path.read_text().splitlines():
            if line.strip().startswith("#"):
                continue
            secret = re.search(r"(?i)(password|secret|token)[\"']?\s*[=:]\s*[\"']?([\w-]+)", line)
            assert not secret or secret[2].startswith("file"), f"{path.name}: {line}"
            address = re.search(r"://[^/\s:@]*:([^/\s@]+)@", line)
            assert not address or address[1].startswith("${"), f"{path.name}: {line}"
