"""The pages of many users on several replicas behind nginx, beside one replica behind nginx."""

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

import psycopg

import peers
import shared
from table import Row, duration, measured, progress, ratios

ROOT = os.path.dirname(os.path.dirname(sys.path[0]))
USERS = 100
#: The visits of each user in one measurement.
VISITS = 5
#: The page itself, its stream of states, what it tells its screen, and the saved feed.
REQUESTS = 4


class Replicas:
    """`aquifer serve`, so many times, on one database of their own, and nginx with the configuration of deploy/ before them."""

    def __init__(self, bench, count):
        self.folder = tempfile.mkdtemp(prefix=f"replicas-{count}-", dir=bench.folder)
        self.port, self.processes, self.metrics = peers.free_port(), [], []
        # They end before the database.
        bench.closing.insert(0, self)
        server = shared.servers(bench)["postgres"]
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE replicas{count}")
        store = f"{server.rpartition('/')[0]}/replicas{count}"
        remotes, line = self.start(bench.aquifer, "remotes", "--port", "0", "--json", "--data", f"{self.folder}/remotes")
        feed = next(each["address"] for each in json.loads(line)["value"] if each["name"] == "feed")
        # The address that a replica prints is nginx's.
        ports = [peers.free_port() for _ in range(count)]
        for number, port in enumerate(ports):
            _, line = self.start(
                bench.aquifer, "serve", "--no-token", "--port", str(port), "--metrics-port", "0", "--json", "--log", "off", "--store", store,
                "--data", f"{self.folder}/{number}", "--origin", f"http://127.0.0.1:{self.port}", "--remote", f"feed={feed}")
            self.metrics.append(json.loads(line)["value"]["metrics"])
        self.nginx(ports)

    def start(self, *words):
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.processes.append(process)
        return process, process.stdout.readline()

    def nginx(self, ports):
        with open(f"{ROOT}/deploy/nginx.conf", encoding="utf-8") as file:
            site = file.read().replace("listen 80;", f"listen 127.0.0.1:{self.port};")
        site = site.replace("access_log /dev/stdout aquifer;", "")
        replicas = "".join(f"    server 127.0.0.1:{port};\n" for port in ports)
        site = re.sub(r"(    server aquifer-\d.*\n)+", replicas, site)
        paths = "".join(
            f"{name}_temp_path {self.folder}/nginx-{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root;" if os.getuid() == 0 else ""
        configuration = f"{self.folder}/nginx.conf"
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(
                f"{user} worker_processes 1; pid {self.folder}/nginx.pid; daemon off;\n"
                f"events {{ worker_connections 1024; }}\nhttp {{ access_log off; {paths} {site} }}\n")
        process = subprocess.Popen(["nginx", "-c", configuration, "-p", self.folder, "-e", f"{self.folder}/error.log"])
        self.processes.append(process)
        peers.wait_for_port(self.port, process)

    def processor(self):
        """The seconds of processor time of all replicas, as they tell it themselves."""
        total = 0
        for address in self.metrics:
            with urllib.request.urlopen(address) as answer:
                total += float(re.search(r"^process_cpu_seconds_total (\S+)", answer.read().decode(), re.MULTILINE)[1])
        return total

    def measure(self):
        """The processor time of a request in the replicas, and the pages that were opened in a second."""
        before, begin = self.processor(), time.monotonic()
        asyncio.run(self.all_users())
        seconds = time.monotonic() - begin
        return (self.processor() - before) / (USERS * VISITS * REQUESTS), USERS * VISITS / seconds

    async def all_users(self):
        await asyncio.gather(*(self.user(number) for number in range(USERS)))

    async def user(self, number):
        for _ in range(VISITS):
            await self.open_page(f"user-{number}")

    async def open_page(self, tab):
        await self.ask("GET", f"/?tab={tab}")
        reader, writer = await self.send("GET", f"/api/screens/feed/events?tab={tab}")
        await self.ask("POST", f"/api/screens/feed/intents?tab={tab}", b'{"intent":"appear"}')
        while b'"items":[{' not in await asyncio.wait_for(reader.readline(), 60):
            pass
        writer.close()
        await self.ask("GET", f"/api/feed/saved?tab={tab}")

    async def send(self, method, path, body=b""):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 24)
        host = f"Host: 127.0.0.1:{self.port}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(f"{method} {path} HTTP/1.1\r\n{host}".encode() + body)
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
        if not head.startswith(b"HTTP/1.1 20"):
            with open(f"{self.folder}/error.log", encoding="utf-8") as log:
                why = log.read().strip().splitlines()[-1:]
            raise SystemExit(f"bench: {method} {path}: {head[:80]} {why}")
        return reader, writer

    async def ask(self, method, path, body=b""):
        reader, writer = await self.send(method, path, body)
        await asyncio.wait_for(reader.read(), 60)
        writer.close()

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait()


def replicas(bench):
    progress(f"pages of {USERS} users on one and on three replicas")
    one, three = Replicas(bench, 1), Replicas(bench, 3)
    yield from measured(min(bench.rounds, 5), {"one": one.measure, "three": three.measure}, of_replicas)


def of_replicas(f):
    (ours, pages), (alone, pages_alone) = zip(*f["three"]), zip(*f["one"])
    work = f"pages of {USERS} users, 3 replicas"
    # The replicas share the cores of one machine. As many cores as replicas would have done this many times the work.
    yield Row(
        f"{work}: requests a CPU second", f"{duration(ours)} each", f"1 replica {duration(alone)} each", ratios(alone, ours),
        judged=True)
    yield Row(
        f"{work}: pages a second", f"{sorted(pages)[len(pages) // 2]:.0f}/s",
        f"1 replica {sorted(pages_alone)[len(pages) // 2]:.0f}/s", ratios(pages, pages_alone))
