"""The history of a soak: each operation as it was invoked and as it ended, each nemesis, and what the server took."""

import json
import pathlib
import threading
import time


class History:
    """A file of JSON lines, which is kept in memory for the judges as well. Any thread may write.

    Every line has `at`, the seconds since the beginning, and `clock`, the seconds by which the clock of the processes is wrong.
    """

    def __init__(self, file):
        self.file = open(pathlib.Path(file), "w", buffering=1)
        self.lock = threading.Lock()
        self.events, self.number, self.began, self.clock = [], 0, time.monotonic(), 0.0

    def note(self, event, **facts):
        with self.lock:
            line = {"at": round(time.monotonic() - self.began, 4), "clock": self.clock, "event": event, **facts}
            self.events.append(line)
            self.file.write(json.dumps(line, ensure_ascii=False) + "\n")
            return line

    def next(self):
        """The number of a new operation."""
        with self.lock:
            self.number += 1
            return self.number

    def close(self):
        self.file.close()


def read(file):
    return [json.loads(line) for line in pathlib.Path(file).read_text().splitlines()]
