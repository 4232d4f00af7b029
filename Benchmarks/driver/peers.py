"""The processes that are measured: workers that answer commands, servers on loopback, and programs that start and end."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from table import progress


class Worker:
    """A process that reads a command a line, and answers with the seconds of one operation, or with several figures."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def seconds(self, *words):
        return self.figures(*words)[0]

    def figures(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        try:
            if figures := [float(word) for word in answer.split()]:
                return figures
        except ValueError:
            pass
        raise SystemExit(f"bench: {' '.join(map(str, words))}: {answer or 'the worker ended'}")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def threads_of_trees(roots):
    """The threads of processes and of all that they have started, by their numbers."""
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{name}/stat") as file:
                # The name of the program, in brackets, may hold anything.
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
            children.setdefault(parent, []).append(int(name))
    threads, left = [], list(roots)
    while left:
        process = left.pop()
        left += children.get(process, [])
        with contextlib.suppress(OSError):
            threads += [int(name) for name in os.listdir(f"/proc/{process}/task")]
    return threads


def keep_on(cores, processes):
    """Moves the threads of processes, and of all that they have started, to these cores, those too that begin meanwhile.

    Returns the error of one that could not be moved; `None` if all were.
    """
    moved, refusal = set(), None
    try:
        while left := set(threads_of_trees(processes)) - moved:
            for thread in left:
                try:
                    os.sched_setaffinity(thread, cores)
                except ProcessLookupError:
                    pass  # One that has ended needs no core.
                except OSError as error:
                    refusal = error
            moved |= left
    except (OSError, AttributeError) as error:
        refusal = error
    return refusal


@contextlib.contextmanager
def one_core(*servers):
    """Keeps this process, these servers, and all that they have started, on one core. Linux only.

    Each call to a server wakes two threads. A wake-up takes 10 µs on the same core, and 50 on another one. The scheduler moves processes
    every few seconds. Without this, a ratio shows where it has put them.

    Start no worker of Swift in it: Dispatch counts the cores once, when a process begins.
    """
    every = os.sched_getaffinity(0) if sys.platform == "linux" else {0}
    processes = [os.getpid(), *servers]
    if refusal := keep_on({max(every)}, processes):
        progress(f"calls one at a time depend on where this system puts processes: {refusal}")
    try:
        yield
    finally:
        keep_on(every, processes)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port, process):
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise SystemExit(f"bench: {process.args[0]} ended with {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise SystemExit(f"bench: nobody listens on {port}")


class Nginx:
    """nginx on a free port of loopback, from a configuration of its own; it serves the files of a folder."""

    def __init__(self, folder):
        self.port = free_port()
        files = f"{folder}/files"
        os.makedirs(files, exist_ok=True)
        self.files = files
        configuration = f"{folder}/nginx.conf"
        temporary = "".join(
            f"{name}_temp_path {folder}/nginx-{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root;" if os.getuid() == 0 else ""
        with open(configuration, "w") as file:
            file.write(f"""{user}
                worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx-error.log; daemon off;
                events {{ worker_connections 1024; }}
                http {{
                    access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000;
                    default_type application/json; {temporary}
                    proxy_cache_path {folder}/nginx-kept keys_zone=kept:1m;
                    server {{
                        listen 127.0.0.1:{self.port}; root {files};
                        location /kept/ {{
                            proxy_pass http://127.0.0.1:{self.port}/; proxy_cache kept; proxy_cache_valid 200 1h;
                        }}
                    }}
                }}""")
        self.process = subprocess.Popen(["nginx", "-c", configuration, "-p", folder, "-e", f"{folder}/nginx-error.log"])
        wait_for_port(self.port, self.process)

    def put(self, name, data):
        with open(f"{self.files}/{name}", "wb") as file:
            file.write(data)
        return f"http://127.0.0.1:{self.port}/{name}"

    def kept(self, name):
        """The address of a file that was put, from the cache of the proxy."""
        return f"http://127.0.0.1:{self.port}/kept/{name}"

    def close(self):
        self.process.terminate()
        self.process.wait()


class Sink:
    """The server of `sink.py`, to which anything can be sent."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, f"{sys.path[0]}/sink.py"], stdout=subprocess.PIPE, text=True)
        port = self.process.stdout.readline().strip()
        if not port:
            raise SystemExit("bench: sink.py did not start")
        self.url = f"http://127.0.0.1:{port}/"

    def close(self):
        self.process.terminate()
        self.process.wait()


class Serve:
    """`aquifer serve` on a free port."""

    def __init__(self, aquifer, data):
        self.process = subprocess.Popen(
            [aquifer, "serve", "--no-token", "--port", "0", "--data", data], stdout=subprocess.PIPE, text=True)
        self.base = re.search(r"http://\S+?(?=/?\s*$)", self.process.stdout.readline()).group()

    def saved(self):
        self.url = f"{self.base}/api/feed/saved"
        with urllib.request.urlopen(self.url) as answer:
            return answer.read()

    def close(self):
        self.process.terminate()
        self.process.wait()


def wrk(url, seconds):
    """Requests a second, 64 connections kept open."""
    text = subprocess.run(
        ["wrk", "-t1", "-c64", f"-d{seconds}s", url], capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in text or "Socket errors" in text:
        raise SystemExit(f"bench: {url} did not answer well:\n{text}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))


def curl(url, width, count):
    """The seconds that the curl command takes for one of many loads."""
    many = ["-Z", "--parallel-max", str(width)] if width > 1 else []
    with tempfile.NamedTemporaryFile("w", suffix=".curl") as names:
        for _ in range(count):
            names.write(f'url = "{url}"\noutput = "/dev/null"\n')
        names.flush()
        start = time.perf_counter()
        subprocess.run(["curl", "-q", "-sS", "--no-progress-meter", "-f", "--noproxy", "*", *many, "-K", names.name],
            check=True, stderr=subprocess.DEVNULL)
        return (time.perf_counter() - start) / count


def curl_upload(url, path):
    """The seconds that the curl command takes to upload a file."""
    start = time.perf_counter()
    subprocess.run(["curl", "-q", "-sS", "-f", "--noproxy", "*", "-o", "/dev/null", "-T", path, url], check=True)
    return time.perf_counter() - start


def curl_to_file(url, path, flush):
    """The seconds that the curl command takes to save a URL under a new name; with `flush` until it is on the device."""
    if os.path.exists(path):
        os.remove(path)
    start = time.perf_counter()
    subprocess.run(["curl", "-q", "-sS", "-f", "--noproxy", "*", "-o", path, url], check=True)
    if flush:
        with open(path, "rb") as file:
            os.fsync(file.fileno())
    return time.perf_counter() - start


def to_last_byte(command):
    """From starting a program to the last byte that it writes. It must write something, unless it is the peer."""
    reader, writer = os.pipe()
    null = os.open(os.devnull, os.O_RDWR)
    start = time.perf_counter()
    child = os.posix_spawn(
        command[0], command, os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, writer, 1), (os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 2)])
    os.close(writer)
    count = 0
    while chunk := os.read(reader, 1 << 16):
        count += len(chunk)
    seconds = time.perf_counter() - start
    os.close(reader)
    os.close(null)
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise SystemExit(f"bench: {' '.join(command)} ended with {status}")
    return seconds, count
