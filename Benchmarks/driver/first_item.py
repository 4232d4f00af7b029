"""How long a phone on a slow network waits for the first item of a page, beside another version of the program.

    python first_item.py PROGRAM [--base PROGRAM] [--rounds 7]

Network: 150 ms there and back, 1.6 Mbit/s down, 750 kbit/s up. Processor: four times slower. Cold: nothing is in the browser's
cache. Warm: the page was open before. The programs take turns in each round, so a busy machine is busy for both; each
figure is the median of the rounds. Exits with 1 if a figure is above its limit."""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

#: A page, and what is there when its first item is.
PAGES = {"/": "feed-item", "/contacts": "contact", "/foaas": "phrase-message", "/audio": "clip"}
#: Milliseconds: cold and warm, of the feed.
LIMITS = {"cold": 1500, "warm": 600}
NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 1_600_000 / 8, "uploadThroughput": 750_000 / 8}

#: Notes the time since the navigation began at which the first item is painted.
WATCH = """(() => {
  const seen = () => {
    const item = document.querySelector('[data-test="%s"]');
    if (!item || !item.getBoundingClientRect().height || !item.textContent.trim()) return requestAnimationFrame(seen);
    requestAnimationFrame(() => setTimeout(() => { window.__first = performance.now(); }));
  };
  seen();
})();"""


class Program:
    def __init__(self, path, folder):
        self.process = subprocess.Popen([path, "serve", "--port", "0", "--data", folder], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env={**os.environ, "XDG_CONFIG_HOME": folder + "/config"})
        for line in self.process.stdout:
            found = re.search(r"Aquifer is at (http://\S+)", line)
            if found:
                self.base, _, self.token = found[1].partition("#")
                self.base = self.base.rstrip("/")
                return
        raise SystemExit(f"{path} did not start")

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=20)


def first(page, program, path):
    """Milliseconds from the beginning of the navigation to the first item."""
    page.goto("about:blank")
    page.goto(program.base + path, wait_until="commit")
    for _ in range(2000):
        at = page.evaluate("window.__first ?? null")
        if at is not None:
            return at
        page.wait_for_timeout(10)
    raise SystemExit(f"{program.base}{path}: no item in 20 s")


def round_of(browser, program, path, ready):
    context = browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page = context.new_page()
    page.add_init_script(WATCH % ready)
    page.goto(f"{program.base}/#{program.token}" if program.token else program.base)
    page.wait_for_timeout(500)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", NETWORK)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    session.send("Network.clearBrowserCache")
    times = {"cold": first(page, program, path), "warm": first(page, program, path)}
    context.close()
    return times


def main():
    wanted = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    wanted.add_argument("program")
    wanted.add_argument("--base")
    wanted.add_argument("--rounds", type=int, default=7)
    wanted = wanted.parse_args()
    missed = False
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM_BIN") or "/usr/bin/chromium", args=["--no-sandbox"])
        programs = {"this": Program(wanted.program, folder + "/this")}
        if wanted.base:
            programs["base"] = Program(wanted.base, folder + "/base")
        print(f"{'page':18}" + "".join(f"{column:>9}" for column in ("this", "base", "ratio", "limit")))
        for path, ready in PAGES.items():
            times = {name: {"cold": [], "warm": []} for name in programs}
            for number in range(wanted.rounds):
                # A, B, then B, A.
                for name in list(programs)[:: -1 if number % 2 else 1]:
                    for kind, took in round_of(browser, programs[name], path, ready).items():
                        times[name][kind].append(took)
            for kind in ("cold", "warm"):
                took = {name: statistics.median(times[name][kind]) for name in programs}
                limit = LIMITS[kind] if path == "/" else None
                missed |= bool(limit and took["this"] > limit)
                columns = [f"{took['this']:.0f}ms", *((f"{took['base']:.0f}ms", f"{took['this'] / took['base']:.2f}") if wanted.base else ("", ""))]
                print(f"{path:12}{kind:6}" + "".join(f"{column:>9}" for column in [*columns, f"{limit}ms" if limit else ""]))
        browser.close()
        for program in programs.values():
            program.stop()
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
