"""A server of pages whose remote does harm, and the others whom it serves meanwhile."""

import itertools
import json
import shutil
import threading
import time

from hostile import VALUES, HostileProxy, places
from more_sessions import MORE
from pages import PICTURES, LabRemote, Probes, Site, identifier, is_shown
from sessions import DRIVE, require

MEBIBYTE = 1 << 20
MOST = 64 * MEBIBYTE
#: A million small elements are 3 MB of JSON, and reading JSON takes up to some twenty times its size (SECURITY.md).
MOST_OF_JSON = 20 * 3 * MEBIBYTE + MOST
#: A value may take 32 MiB, and a page asks for forty pictures at once.
MOST_OF_PICTURES = 40 * 32 * MEBIBYTE + MOST
#: The time for which others wait for an answer of the server of pages, in seconds, on a machine that is busy with other work.
PROMPT = 5.0
#: The kinds of requests that pages make.
PAGES = [
    "GET /feed/pictures/NAME", "GET /feed/v1/feed", "GET /feed/v1/image/ID/comments", "GET /payments/users", "GET /audio/v1/audio",
    "POST /audio/v1/audio", "GET /foaas/operations", "POST /drive/storage-account-info", "POST /drive/list-objects-and-sizes",
    "POST /drive/rpc getTokenAccountBalance", "POST /drive/rpc getBalance",
]


class HarmedPages:
    """The part of `Harms` that is about pages. It makes worlds, and has remotes behind a proxy."""

    def page(self, kind, harm):
        """A server of pages whose remote does harm to one kind of request. Returns the outcome's name."""
        world = self.world(next(session for session in MORE if session.name == "drive info"))
        upstreams = self.remotes.proxy.upstreams
        good = LabRemote(int(upstreams["feed"].port))
        proxy = HostileProxy({
            **{name: upstream.geturl() for name, upstream in upstreams.items()}, "feed": f"http://127.0.0.1:{good.port}/feed"})
        # Half of the feed's pictures come through the proxy, half past it.
        good.feed = lambda headers: feed(proxy.port, good.port)
        facts = {**world.facts, "rpc": f"{proxy.addresses['drive']}/rpc"}
        options = [word for name in ("feed", "payments", "foaas", "audio", "drive") for word in ("--remote", f"{name}={proxy.addresses[name]}")]
        site = Site(world.folder, [*options, *(word.format(**facts) for word in DRIVE)])
        site.account = f"&account={facts['account']}"
        proxy.do(kind, harm)
        try:
            outcome = self.use(site, proxy, kind)
            site.end()
            return outcome
        finally:
            site.kill()
            proxy.stop()
            good.stop()
            shutil.rmtree(world.folder, ignore_errors=True)

    def use(self, site, proxy, kind):
        numbers = itertools.count(PICTURES // 2)

        def picture(number, timeout=40):
            return site.ask(f"/api/screens/feed/images/{identifier(number)}?tab=t", timeout=timeout)[0] == 200

        wanted = proxy.harm
        is_feed = kind.startswith("GET /feed/v1/feed")
        if is_feed:
            proxy.harm = None
        site.screen("feed", "t", lambda state: state.get("items"), 30)
        proxy.harm = wanted
        site.forget_peak()
        rest = site.peak
        probes = Probes(site, **{
            "a page": lambda: site.ask("/index.html")[0] == 200,
            "the state of the connection": lambda: site.ask("/api/connection")[0] == 200,
            "another's picture": lambda: picture(next(numbers)),
            **({} if is_feed else {"a load": lambda: site.ask("/api/feed")[0] == 200})})
        try:
            asked = [
                *((site.ask, f"/api/screens/feed/images/{identifier(number)}?tab=t") for number in range(40)),
                (site.ask, "/api/feed"), (site.post, "p", "hostile clip"), (self.list, site, "drive-account", site.account),
                (self.list, site, "comments", f"&image={identifier(0)}"),
                *((self.list, site, name) for name in ("contacts", "audio", "drive", "foaas-operations")),
            ]
            users = [threading.Thread(target=quietly, args=work, daemon=True) for work in asked]
            for user in users:
                user.start()
            until = time.monotonic() + 12
            while any(user.is_alive() for user in users) and time.monotonic() < until:
                time.sleep(0.1)
            time.sleep(1)
        finally:
            probes.stop()
        struck = proxy.struck
        if not struck:
            return "not reached"
        require(site.process.poll() is None, f"the server ended with {site.process.returncode}: {site.words()}")
        most = MOST_OF_JSON if wanted in ("many", "deep") else MOST
        if kind == "GET /feed/pictures/NAME" and wanted in ("endless", "endless list", "many", "deep"):
            most = MOST_OF_PICTURES
        require(site.peak - rest < most, f"it took {(site.peak - rest) / MEBIBYTE:.0f} MiB more than at rest")
        probes.judge(dict.fromkeys(probes.longest, PROMPT))
        proxy.do(None, None)
        require(site.ask("/api/feed")[0] == 200, "afterwards the feed cannot be loaded")
        return "others were served"

    # Fields in pages

    def page_fields(self, name, step=1):
        """One server of pages; each field of each answer that a screen loads is replaced, and the screen loads it anew.

        With `step`, only one of so many replacements is made.
        """
        session = next(session for session in MORE if session.name == "drive info")
        world = self.world(session)
        second = world.run("drive", "create", "second" + world.name, "1MB", *world.remotes.options("drive"),
                           *(word.format(**world.facts) for word in DRIVE))
        require(second.exit == 0, second.described)
        proxy, remotes = self.remotes.proxy, self.remotes
        options = [*remotes.options("feed", "payments", "foaas", "audio", "drive"),
                   *(word.format(**world.facts) for word in DRIVE)]
        site = Site(world.folder, options)
        subject = {"comments": f"&image={identifier(0)}", "drive-account": f"&account={world.facts['account']}"}.get(name, "")
        count = itertools.count()

        def load():
            tab = f"f{next(count)}{subject}"
            try:
                site.screen(name, tab, is_shown, 15)
            except (OSError, KeyError):
                pass  # the judge is whether the server lives

        try:
            proxy.seen.clear()
            load()
            work = [(kind, (place, value)) for kind, answer in sorted(dict(proxy.seen).items()) if answer is not None
                    for place in places(answer) for value in VALUES][::step]
            require(work, f"{name} loads nothing")
            for kind, harm in work:
                proxy.do(kind, harm)
                load()
                words = f"{kind}: {'.'.join(map(str, harm[0]))} = {harm[1]}"
                require(site.process.poll() is None, f"{words}: the server ended with {site.process.poll()}: {site.words()}")
                began = time.monotonic()
                require(site.ask("/api/connection")[0] == 200, f"{words}: no state of the connection")
                require(time.monotonic() - began < PROMPT, f"{words}: others waited")
            proxy.do(None, None)
            site.end()
            return f"{len(work)} fields, others were served"
        finally:
            proxy.do(None, None)
            site.kill()
            shutil.rmtree(world.folder, ignore_errors=True)

    def list(self, site, name, subject=""):
        site.screen(name, "h" + subject, is_shown, 20)


def feed(hostile, good):
    items = [{"id": identifier(number), "image": f"http://127.0.0.1:{hostile if number < PICTURES // 2 else good}/feed/pictures/01.jpg?{number}"}
             for number in range(PICTURES)]
    return 200, {"Content-Type": "application/json"}, json.dumps({"items": items}).encode()


def quietly(work, *arguments):
    try:
        work(*arguments)
    except (OSError, KeyError):
        pass  # a harmed request may fail in any way; the judges ask others
