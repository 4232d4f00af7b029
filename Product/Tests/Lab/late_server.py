"""A server of pages of which one call is late, and who must not notice it."""

import contextlib
import itertools
import shutil
import threading
import time

from pages import PICTURES, LabRemote, Probes, Site, identifier, is_shown
from sessions import Waited, require, require_prompt

#: What the rest of a command may take on a machine that is busy with other work, in seconds.
SLACK = 12
#: The time for which a user waits for a page of a server of which one call is late.
PROMPT = 3.0
#: A user who waits for this much less than the late call takes may have waited for a busy machine, which is looked at again.
MARGIN = 2
#: The time that a request which is left gets to reach the late call, in seconds.
REACH = 5.0
#: Calls of the loops of the network, which the kernel answers at once: a late one delays the loop itself.
LOOPS = {
    "epoll_wait", "epoll_ctl", "poll", "recv", "send", "recvfrom", "sendto", "connect", "socket", "socketpair", "getsockopt",
    "setsockopt", "getsockname", "eventfd", "timerfd_create", "pipe", "fcntl", "close", "accept", "bind", "listen", "epoll_create1", "pthread_create",
}

#: Calls with which the form of a clip reads and removes its file on the screens' thread.
FORM = {"open", "fstat", "read", "pread", "close", "unlink"}
#: Calls with which the server reads the files of its pages on its thread, and an upload its file on that of the transfers.
OWN_FILES = {("aquifer", call) for call in ("open", "fstat", "pread", "read", "close")}


class LateServer:
    """The part of `Late` that is about a server. It has a lab, and a delay in seconds."""

    def serve(self, fault, count_file=None):
        """Pages are used while a call of the server is late; most of them leave. Returns the outcome's name.

        A wait that is too long, and shorter than the late call, is looked at again: a busy machine has caused it once, and a server that
        waits for something makes others wait each time.
        """
        for is_last in (False, False, True):
            try:
                return self.serve_once(fault, count_file)
            except Waited as wait:
                if is_last or wait.seconds > self.delay - MARGIN:
                    raise
        return None

    def serve_once(self, fault, count_file):
        remotes = self.lab.remotes_of_this_thread()
        with self.lab.lock:
            self.lab.number += 1
            folder = self.lab.folder / f"serve{self.lab.number}"
        folder.mkdir()
        struck = folder / "struck"
        # Clips are posted where no session lists them.
        remote = LabRemote(int(remotes.addresses["posts"].rpartition(":")[2].partition("/")[0]))
        environment = {"LD_PRELOAD": str(self.lab.library), "LAB_NAMES": "1", "LAB_STRUCK": str(struck)}
        if count_file:
            environment["LAB_COUNT"] = str(count_file)
        else:
            caller, call, number, _ = fault
            environment["LAB_FAULT"] = f"{caller} {call} {number} late:{self.delay}"
        site = Site(folder, remote.options(), environment)
        try:
            site.serve_began = time.monotonic()
            outcome = self.use(site, struck, None if count_file else fault)
            site.end(self.delay + SLACK)
            return outcome
        finally:
            site.kill()
            remote.stop()
            shutil.rmtree(folder, ignore_errors=True)

    def use(self, site, struck, fault):
        patience = self.delay + SLACK
        numbers = itertools.count(PICTURES // 2 + 10)

        def picture(number, timeout=patience):
            return site.ask(f"/api/screens/feed/images/{identifier(number)}?tab=probe", timeout=timeout)[0] == 200

        def load():
            return site.ask("/api/feed", timeout=patience)[0] == 200

        probes = Probes(site, **{
            "a page": lambda: site.ask("/index.html", timeout=patience)[0] == 200,
            "a script": lambda: site.ask("/js/main.js", timeout=patience)[0] == 200,
            "the state of the connection": lambda: site.ask("/api/connection", timeout=patience)[0] == 200})

        def until_struck():
            """Waits until the late call has begun, and at least half a second: enough, except on a busy machine. A run that only counts
            has none to wait for."""
            time.sleep(0.5)
            end = time.monotonic() + (REACH if fault else 0)
            while not struck.exists() and time.monotonic() < end:
                time.sleep(0.05)

        def guarded(work, *arguments):
            # These users may fail: their own work needs the late call. The judges are the probes, and a try afterwards.
            with contextlib.suppress(OSError, KeyError, IndexError):
                work(*arguments)

        try:
            site.screen("feed", "probe", lambda state: state.get("items"), patience)
            screens = Probes(site, **{"another's screen": lambda: site.ask(
                "/api/screens/feed/intents?tab=probe", b'{"intent":"dismissError"}', timeout=patience)[0] == 204})
            pictures = Probes(site, **{"another's picture": lambda: picture(next(numbers)), "a load": load})
            try:
                users = [threading.Thread(target=guarded, args=work) for work in [
                    *((site.leave, f"/api/screens/feed/images/{identifier(number)}?tab=probe", until_struck) for number in range(0, 12)),
                    *((picture, PICTURES // 2 + number) for number in range(4)),
                    *((site.screen, name, "t", is_shown, patience) for name in ("contacts", "audio", "drive", "foaas-operations")),
                    (site.post, "t", "late clip", patience),
                ]]
                for user in users:
                    user.start()
                for user in users:
                    user.join()
                time.sleep(1)
            finally:
                pictures.stop()
                screens.stop()
            reached = struck.exists()
            self.judge(fault, probes, screens, pictures, reached)
            # Everything works afterwards, for everybody.
            require(load(), "afterwards the feed cannot be loaded")
            require(picture(next(numbers)), "afterwards a picture cannot be loaded")
        finally:
            probes.stop()
        return "others were served" if reached else "not reached"

    def judge(self, fault, probes, screens, transfers, reached):
        caller, call = fault[:2] if fault and reached else (None, None)
        late = self.delay + SLACK
        # A late call of the loop that takes all requests is late for all. It finds the files of the pages, too.
        is_of_loop = caller == "aquifer" and call in {*LOOPS, "stat", "realpath"}
        own = late if caller == "microhttpd" or is_of_loop or (caller, call) in OWN_FILES else PROMPT
        probes.judge({"a page": late, "a script": late, "the state of the connection": own})
        # The late call may be that of a page's own file. Then the others do not wait.
        pages = min(probes.longest["a page"], probes.longest["a script"])
        require_prompt(pages, own, f"pages waited: {probes.longest}")
        screens.judge({"another's screen": late if call in FORM else own})
        transfers.judge(dict.fromkeys(transfers.longest, late))
        # A transfer waits for the loop of the network if it stands still itself, and for the store that it needs. Lists
        # and pictures have a store each. A look-up of a name is nobody else's.
        if own == PROMPT and (call not in LOOPS or call == "getaddrinfo"):
            among = max if call in (None, "getaddrinfo") else min
            require_prompt(among(transfers.longest.values()), PROMPT, f"others waited: {transfers.longest}")
