"""A running `aquifer serve`, and the requests of its clients."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY = os.environ.get("AQUIFER_BIN", str(ROOT / ".build/aquifer"))


class Server:
    """An `aquifer serve` with its log."""

    def __init__(self, aquifer, *words):
        self.process = subprocess.Popen(
            [BINARY, "serve", "--port", "0", "--data", str(aquifer.data), "--metrics-port", "0", *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=aquifer.environment)
        self.line = self.process.stdout.readline()
        assert self.line.startswith("Aquifer is at "), self.line + self.process.stderr.read()
        self.port = int(re.search(r":(\d+)/", self.line)[1])
        self.token = (re.search(r"token=(\w+)", self.line) or [None, None])[1]
        line = self.process.stdout.readline()
        self.metrics_port = int(re.fullmatch(r"Metrics are at http://127\.0\.0\.1:(\d+)/metrics\n", line)[1])
        self.log = []
        self.reader = threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True)
        self.reader.start()

    def ask(self, path, port=None, host=None, method="GET", body=None, **headers):
        """The status, the headers and the body."""
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=30)
        try:
            if host:
                headers["Host"] = host
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def api(self, path, **options):
        return self.ask(path, Authorization=f"Bearer {self.token}", **options)

    @contextlib.contextmanager
    def stream(self):
        """A page that listens to a screen: gives the answer, after its first line."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/screens/feed/events?tab=t", headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert answer.readline()
            yield answer

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        status = self.process.wait(timeout=60)
        self.reader.join(timeout=20)
        return status

    def samples(self):
        """The metrics, as a collector on this machine gets them."""
        return samples(self.ask("/metrics", port=self.metrics_port)[2])


def heard(stream):
    """For each line of a stream of a screen: the state that it brings, or None. The news of all screens are no state."""
    event = None
    for line in stream:
        if line.startswith(b"event:"):
            event = line[6:].strip()
        yield json.loads(line[5:]) if line.startswith(b"data:") and event == b"state" else None


def states(stream):
    """The states of a screen, as its page gets them."""
    return (state for state in heard(stream) if state is not None)


def samples(text):
    """All samples, as the parser of Prometheus' own client reads them: it refuses what OpenMetrics does not allow."""
    found = {}
    for family in text_string_to_metric_families(text):
        assert family.documentation
        for sample in family.samples:
            found[sample.name, tuple(sorted(sample.labels.items()))] = sample.value
    return found
