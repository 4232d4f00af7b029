"""The pages of a server that waits for its database."""

import os
import shutil
import socket
import subprocess
import tempfile
import threading
import urllib.request

import pytest
from playwright.sync_api import expect

from conftest import ROOT


class Postgres:
    """A database of `Scripts/postgres`, which can be killed and started again."""

    script = ROOT / "Scripts/postgres"

    def __init__(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]
        # Its own user must reach the folder.
        self.folder = tempfile.mkdtemp(prefix="aquifer-starting-", dir="/tmp")
        os.rmdir(self.folder)
        self.process = subprocess.Popen(
            [self.script, "run", self.folder, str(self.port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == b"ready\n"
        self.address = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def kill(self):
        subprocess.run([self.script, "kill", self.folder], check=True, timeout=60)

    def start(self):
        subprocess.run([self.script, "start", self.folder, str(self.port)], check=True, timeout=60)

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture
def postgres():
    database = Postgres()
    yield database
    database.end()


@pytest.mark.parametrize("locale, words", [
    ("en-US", ["Aquifer is starting", "It’s waiting for its database."]),
    ("pt-BR", ["O Aquifer está iniciando", "Ele está esperando o banco de dados."]),
], ids=["en", "pt"])
@pytest.mark.parametrize("comes", ["before", "while"])
def test_a_page_says_that_its_server_waits_and_comes_back_when_the_database_does(
    postgres, stopped_server, open_page, locale, words, comes
):
    server = stopped_server
    server.start("--store", postgres.address)
    if comes == "while":
        page = open_page(server, locale=locale, fails=True)
    server.stop()
    postgres.kill()
    waiting = threading.Thread(target=server.start, args=("--store", postgres.address))
    waiting.start()
    try:
        if comes == "before":
            answers(server)
            page = open_page(server, locale=locale, wait=False, fails=True)
        for each in words:
            expect(page.by("server-lost")).to_contain_text(each)
        expect(page.by("toast")).to_have_count(0)
    finally:
        postgres.start()
        waiting.join(timeout=60)
    expect(page.by("server-lost")).to_have_count(0)
    expect(page.items.first).to_be_visible()


def answers(server):
    """Returns when the server listens."""
    for _ in range(1000):
        try:
            return urllib.request.urlopen(f"{server.base}/healthz", timeout=20).close()
        except OSError:
            threading.Event().wait(0.01)
    raise AssertionError("the server does not listen")
