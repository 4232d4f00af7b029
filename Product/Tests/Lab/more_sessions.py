"""Sessions beside those of `sessions.py`, so that every kind of request is made."""

from sessions import DRIVE, SESSIONS, Session, require, with_account


def stored(world):
    with_account(world)
    done = world.run("drive", "upload", world.facts["account"], world.facts["file"], *world.remotes.options("drive"),
                     *(word.format(**world.facts) for word in DRIVE))
    require(done.exit == 0, done.described)
    world.facts["location"] = done.value[0]["location"]


def listed(command, name, remote):
    """What makes the first of a list known as `first`."""
    def prepare(world):
        world.facts["first"] = world.run(command, "list", *world.remotes.options(remote)).value[0][name]
    return prepare


MORE = [
    Session("feed comments", ["feed", "comments", "{first}"], listed("feed", "id", "feed"), remotes=["feed"]),
    Session("feed image", ["feed", "image", "{first}", "-o", "{folder}/picture"], listed("feed", "id", "feed"), remotes=["feed"]),
    Session("audio get", ["audio", "get", "{first}", "-o", "{folder}/sound"], listed("audio", "id", "audio"), remotes=["audio"]),
    Session("drive files", ["drive", "files", "{account}", "--sizes", *DRIVE], stored, remotes=["drive"]),
    Session("drive objects", ["drive", "objects", "{account}", *DRIVE], stored, remotes=["drive"]),
    Session("drive object", ["drive", "object", "{location}", *DRIVE], stored, remotes=["drive"]),
    Session("drive get", ["drive", "get", "{location}", "-o", "{folder}/file", *DRIVE], stored, remotes=["drive"]),
    Session("drive info", ["drive", "info", "{account}", *DRIVE], stored, remotes=["drive"]),
    Session("drive edit", ["drive", "edit", "{account}", "{file}", *DRIVE], stored, remotes=["drive"]),
    Session("drive delete", ["drive", "delete", "{location}", "--yes", *DRIVE], stored, remotes=["drive"]),
    Session("drive add-storage", ["drive", "add-storage", "{account}", "1MB", "--yes", *DRIVE], stored, remotes=["drive"]),
    Session("drive reduce-storage", ["drive", "reduce-storage", "{account}", "10KB", "--yes", *DRIVE], stored, remotes=["drive"]),
    Session("drive make-immutable", ["drive", "make-immutable", "{account}", "--yes", *DRIVE], stored, remotes=["drive"]),
    Session("drive delete-account", ["drive", "delete-account", "{account}", "--yes", *DRIVE], stored, remotes=["drive"]),
]
ALL = [session for session in SESSIONS if session.remotes and "offline" not in session.name] + MORE
