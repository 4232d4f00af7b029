"""The judges of a soak: each reads the history alone, and returns what was promised and not kept.

A history can be judged again: `soak.py --judge FILE`.
"""

import collections
import datetime
import json

from sessions import BOUND, KINDS

#: Signals that a process dies of when it traps.
TRAPS = {4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV"}
WEEK = 7 * 86_400
#: What the processes may take longer than their own time-outs allow on a machine that is busy with other work, in seconds.
SLACK = 5


def document(done):
    try:
        return json.loads(done["out"])
    except ValueError:
        return None


def value(done):
    found = document(done)
    return found.get("value") if isinstance(found, dict) else None


class Judge:
    def __init__(self, events):
        self.events = events
        self.invoked = {event["id"]: event for event in events if event["event"] == "invoke"}
        self.done = [event for event in events if event["event"] == "done"]
        self.answered = [event for event in events if event["event"] == "answered"]
        self.final = next((event for event in reversed(events) if event["event"] == "final"), None)
        self.problems = []

    def blame(self, text, *events):
        where = ", ".join(f"{event['op']} #{event['id']}" for event in events)
        self.problems.append(f"{text} ({where})" if where else text)

    def judge(self):
        self.processes()
        self.servers()
        self.versions()
        if self.final is None:
            self.blame("the history has no end")
        else:
            self.posts()
            self.payments()
            self.drive()
            self.leftovers()
        return self.problems

    # Every process ends in its time, with a known code and one document.

    def processes(self):
        for done in self.done:
            killed = "SIGKILL" in done["sent"]
            if done["hung"]:
                self.blame(f"did not end in {BOUND} s", done)
            elif done["exit"] == -2 and "SIGINT" in done["sent"] and not done["out"]:
                pass  # it was interrupted before it had begun to listen
            elif done["exit"] < 0 and not (killed and done["exit"] == -9):
                self.blame(f"died of {TRAPS.get(-done['exit'], 'signal ' + str(-done['exit']))}: {done['said'][-300:]}", done)
            elif "Fatal error" in done["said"]:
                self.blame(f"trapped: {done['said'][-300:]}", done)
            elif done["exit"] >= 0:
                self.honest(done)

    def honest(self, done):
        if done["exit"] not in {0, *KINDS.values()}:
            return self.blame(f"exit code {done['exit']}: {done['said'][-300:]}", done)
        found = document(done)
        if found is None:
            return self.blame(f"no document: {done['out'][:200]!r} {done['said'][-200:]}", done)
        if "error" in found:
            if not KINDS.get(found["error"]["kind"]) == found["error"]["exit"] == done["exit"]:
                self.blame(f"kind and exit code differ: {done['exit']}, {found}", done)
        elif "value" not in found:
            self.blame(f"neither value nor error: {done['out'][:200]}", done)

    def servers(self):
        for event in self.events:
            if event["event"] == "server ended" and not event["killed"] and (event["hung"] or event["exit"] != 0 or event["trap"]):
                self.blame(f"server {event['server']} ended with {event['exit']}, hung: {event['hung']}: {event['said']}")
            if event["event"] == "server ended" and event["killed"] and event["trap"]:
                self.blame(f"server {event['server']} trapped: {event['said']}")
            if event["event"] == "server did not start":
                self.blame(f"server {event['server']} did not start: {event['said']}")
            if event["event"] == "descriptors" and event["after"] > event["before"] + 60:
                self.blame(f"server {event['server']} keeps {event['after']} descriptors, and had {event['before']}")
        killed = {event["server"]: event["at"] for event in self.events if event["event"] == "server ended"}
        paused = collections.defaultdict(float)
        for event in self.events:
            if event["event"] == "server paused":
                paused[event["server"]] += event["seconds"]
        for answer in self.answered:
            alive = answer["at"] < killed.get(answer["server"], float("inf")) - 0.2
            if alive and answer["status"] is None and not answer.get("leaving"):
                self.blame(f"server {answer['server']} gave no answer: {answer['out'][:200]}", answer)
            if answer["seconds"] > BOUND + paused[answer["server"]] + SLACK:
                self.blame(f"an answer took {answer['seconds']} s", answer)
            if answer["status"] == 500:
                self.blame(f"500: {answer['out'][:300]}", answer)

    # Saved copies: never expired, never older than what was shown, never lost.

    def versions(self):
        jumps = [0.0] + [event["at"] for event in self.events if event["event"] == "jump"]
        deletions = [event["at"] for event in self.events if event["event"] == "done" and event["op"] == "cache validate"]
        saved, shown = [], {}
        for event in self.events:
            if event["event"] not in ("done", "answered") or event["op"] not in ("feed list", "feed list --offline", "page feed", "page saved feed"):
                continue
            found = document(event)
            if event["event"] == "answered" and event["status"] != 200:
                found = None
            began = self.invoked[event["id"]]
            steady = max(at for at in jumps if at <= event["at"]) < began["at"] and event["clock"] >= 0
            if not found or "value" not in found or not found["value"]:
                if event["op"] == "feed list --offline" and event["exit"] == 69:
                    self.not_lost(event, began, saved, deletions)
                continue
            version = int(found["value"][0]["description"].split()[1])
            if found["source"] == "cache":
                self.fresh(event, began, found)
            if not steady:
                continue
            jump = max(at for at in jumps if at <= began["at"])
            newest = max((save for save in saved if jump < save["began"] and save["ended"] < began["at"]), key=lambda save: save["version"], default=None)
            if newest and version < newest["version"]:
                self.blame(f"version {version} was shown after {newest['version']} was saved", event, newest["event"])
            if "server" in event:
                since, last, other = shown.get(event["server"], (0, 0, None))
                if since > jump and version < last:
                    self.blame(f"a process showed version {version} after {last}", event, other)
                shown[event["server"]] = (began["at"], version, event)
            if found["source"] == "remote" and not found["saveError"]:
                saved.append({"version": version, "began": began["at"], "ended": event["at"], "event": event, "savedAt": found["savedAt"]})

    def fresh(self, event, began, found):
        """A saved copy is at most seven days old, by each clock that the process may have seen."""
        savedAt = datetime.datetime.fromisoformat(found["savedAt"]).timestamp()
        start = self.start + began["at"] + min(began["clock"], event["clock"])
        if start - savedAt > WEEK + 2 and began["clock"] == event["clock"]:
            self.blame(f"a copy was shown that is {start - savedAt:.0f} s old", event)

    def not_lost(self, event, began, saved, deletions):
        for save in reversed(saved):
            if save["ended"] < began["at"] and not any(at > save["began"] for at in deletions):
                savedAt = datetime.datetime.fromisoformat(save["savedAt"]).timestamp()
                now = self.start + event["at"] + event["clock"]
                if began["clock"] == event["clock"] and -2 < now - savedAt < WEEK - 5:
                    self.blame("a saved copy is gone", event, save["event"])
                return

    @property
    def start(self):
        return next(event["unix"] for event in self.events if event["event"] == "round")

    # Posts: what was acknowledged is at the server once, in order; what was told as not kept is not there.

    def posts(self):
        titles = collections.Counter(clip["title"] for clip in self.final["clips"])
        left = {item["label"] for item in self.final["outbox"]}
        if left:
            self.blame(f"the outbox keeps {sorted(left)}")
        for title, count in titles.items():
            if count > 1:
                self.blame(f"{title} is at the server {count} times")
        renamed = self.renamed(titles)
        arrivals = {}
        for event in self.events:
            if event["event"] == "posted" and event.get("title") and event["status"] in (200, 201):
                arrivals.setdefault(event["title"], event["at"])
        acknowledged = []
        for event in self.done + self.answered:
            if not event["op"].startswith(("audio post", "page post")):
                continue
            title = event["title"]
            found = document(event) or {}
            kept = "value" in found or found.get("phase") in ("queued", "sent") or event.get("exit") == 75
            if kept and not titles[title] and not titles[renamed.get(title)]:
                self.blame(f"{title} was acknowledged and is lost", event)
            if event.get("exit") in (1, 65, 69) and titles[title]:
                self.blame(f"{title} was told as not posted ({event['exit']}), and is there", event)
            if kept and event["op"] != "audio post":
                acknowledged.append((event["at"], self.invoked[event["id"]]["at"], title, event))
        for at, _, title, event in acknowledged:
            for _, invoked, other, later in acknowledged:
                if at < invoked and title in arrivals and other in arrivals and arrivals[other] < arrivals[title]:
                    self.blame(f"{other} was queued after {title} and arrived before it", later, event)

    def renamed(self, titles):
        """The other titles that users gave to clips that waited. A clip has one of both, and the new one if that was shown."""
        edits = [event for event in self.answered if event["op"] == "page edit"]
        for event in edits:
            title, other = event["title"], event["other"]
            if titles[title] and titles[other]:
                self.blame(f"{title} is at the server under its new title, too", event)
            if (document(event) or {}).get("phase") == "shown" and not titles[other]:
                self.blame(f"{title} was shown as {other}, and is not at the server under that title", event)
        return {event["title"]: event["other"] for event in edits}

    # Payments: the server's book and the list agree; nothing is paid twice.

    def payments(self):
        booked = self.final["booked"]
        cents = collections.Counter(round(float(entry["value"]) * 100) for entry in booked.values())
        for amount, count in cents.items():
            if count > 1:
                self.blame(f"{amount} cents were paid {count} times")
        listed = {payment["id"]: payment for payment in self.final["payments"]}
        for key, entry in booked.items():
            if key not in listed:
                self.blame(f"payment {key} is booked and not in the list")
            elif listed[key]["state"] != "approved":
                self.blame(f"payment {key} is booked and listed as {listed[key]['state']}")
        for key, payment in listed.items():
            if payment["state"] == "approved" and key not in booked:
                self.blame(f"payment {key} is listed as approved and not booked")
            if payment["state"] not in ("approved", "failed"):
                self.blame(f"payment {key} stays {payment['state']}")
        first = {}
        for event in self.events:
            if event["event"] == "posted" and event.get("cents") and event["status"] == 200:
                first.setdefault(event["cents"], event["at"])
        known = {round(payment["value"] * 100) for payment in listed.values()}
        for event in self.done:
            if event["op"] in ("pay", "payments retry", "payments check"):
                amount = event["cents"]
                if value(event) and value(event)["state"] == "approved" and not cents[amount]:
                    self.blame(f"{amount} cents were told as paid, and are not booked", event)
                if value(event) and amount not in known:
                    self.blame(f"the record of {amount} cents is lost", event)
                if event["exit"] == 69 and first.get(amount, float("inf")) < (
                        self.invoked[event["id"]]["at"] if event["op"] == "payments check" else event["at"]):
                    if not self.beside(event, amount):
                        self.blame(f"{amount} cents were told as not made after they were booked", event)
            if event["op"] == "payments list" and value(event):
                for payment in value(event):
                    amount = round(payment["value"] * 100)
                    if payment["state"] == "failed" and first.get(amount, float("inf")) < self.invoked[event["id"]]["at"]:
                        self.blame(f"{amount} cents are listed as failed after they were booked", event)

        for event in self.answered:
            if event["op"] != "page pay":
                continue
            amount, phase = event["cents"], (document(event) or {}).get("phase")
            if phase == "approved" and not cents[amount]:
                self.blame(f"{amount} cents were shown as paid, and are not booked", event)
            if phase in ("approved", "unknown", "declined") and amount not in known:
                self.blame(f"the record of {amount} cents is lost", event)
            if phase in ("failed", "declined") and first.get(amount, float("inf")) < event["at"]:
                self.blame(f"{amount} cents were shown as not paid after they were booked", event)

    def beside(self, event, amount):
        """True if another process sent this payment meanwhile: what this one tells may be older."""
        began = self.invoked[event["id"]]["at"]
        return any(other["id"] != event["id"] and other.get("cents") == amount and other["op"] != "payments check"
                   and other["at"] > began and self.invoked[other["id"]]["at"] < event["at"] for other in self.done)

    # Drive: what was told as made is there, once.

    def drive(self):
        names = collections.Counter(account["identifier"] for account in self.final["accounts"])
        for name, count in names.items():
            if count > 1:
                self.blame(f"account {name} exists {count} times")
        for event in self.done:
            if event["op"] == "drive create" and value(event) and not names[event["account"]]:
                self.blame(f"account {event['account']} was told as created, and is not there", event)
            if event["op"] == "drive upload" and value(event) and value(event)[0]["error"] is None:
                if event["file"] not in self.final["files"].get(event["account"], []):
                    self.blame(f"file {event['file']} was told as stored, and is not there", event)

    # The things that are left in the end.

    def leftovers(self):
        names = self.final["leftovers"]
        # A download that was interrupted waits to be resumed. A name does not say whose journal it is, so they are counted.
        journals = [name for name in names if name.startswith("audio/") and name.endswith(".part")]
        resumable = self.interrupted_downloads()
        for name in names:
            if name not in journals:
                self.blame(f"{name} is left over")
        if len(journals) > resumable:
            self.blame(f"{len(journals)} journals of downloads are left over ({', '.join(journals)}); {resumable} were interrupted")

    def interrupted_downloads(self):
        """The number of clips whose last download was interrupted."""
        last = {}
        for done in self.done:
            if done["op"] == "audio get":
                last[self.invoked[done["id"]]["words"][2]] = done["exit"]
        return sum(exit != 0 for exit in last.values())
        for done in self.final["opening"]:
            self.blame(f"afterwards, {done['op']} ended with {done['exit']}: {done['out'][:200]} {done['said'][-200:]}")
