"""The files of deploy/, read as their programs would read them: there is no container engine and no systemd where tests run."""

import configparser
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

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


def is_understood(arguments):
    """The program takes all of the arguments, but for the one that is wrong on purpose."""
    result = subprocess.run([BINARY, *arguments, "--at", "never"], capture_output=True, text=True, timeout=20)
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
    libraries = set(re.search(r"^ +pkg-config (libcurl4.*?)\\$", (ROOT / "Scripts/setup").read_text(), re.MULTILINE)[1].split())
    assert libraries <= at_build, "Scripts/setup knows what a build needs"


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
