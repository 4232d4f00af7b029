"""diskcache as a worker: the same commands as ours, timed in this process, so that no pipe is in the figure."""

import sys
import time

import diskcache


class Store:
    def __init__(self, folder, size):
        self.cache = diskcache.Cache(f"{folder}/diskcache-{size}")  # its defaults: synchronous=NORMAL, as ours
        self.keys = max(16, min(1000, (16 << 20) // size))
        # The seven values are made beforehand and written in turn: making them is not timed, and each replaces other
        # bytes.
        self.values = [bytes(((i + number) * 31 + (i >> 8)) & 0xFF for i in range(size)) for number in range(7)]
        self.size = size
        self.fresh = 0
        self.turn = 0
        for key in range(self.keys):
            self.put(f"k{key}")
        time.sleep(0.3)  # as ours

    def put(self, key):
        self.fresh += 1
        self.cache[key] = self.values[self.fresh % 7]

    def next_key(self):
        self.turn += 1
        return f"k{self.turn * 7919 % self.keys}"

    def run(self, work, count):
        start = time.perf_counter()
        if work == "insert":
            for _ in range(count):
                self.put(f"n{self.fresh}")
        elif work == "replace":
            for _ in range(count):
                self.put(self.next_key())
        elif work == "retrieve":
            for _ in range(count):
                assert len(self.cache[self.next_key()]) == self.size
        else:
            raise ValueError(work)
        return (time.perf_counter() - start) / count


def main():
    folder = sys.argv[1]
    stores = {}
    for line in sys.stdin:
        _, work, size, count = line.split()
        if size not in stores:
            stores[size] = Store(folder, int(size))
        print(stores[size].run(work, int(count)), flush=True)


main()
