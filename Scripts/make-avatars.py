#!/usr/bin/env python3
"""Draws the contacts of the reference payments: users.json and an avatar for most of them.

Needs Pillow (`python3 -m venv V && V/bin/pip install pillow`). Nothing is left to chance: the same version of Pillow
draws the same files again.

    python3 Scripts/make-avatars.py             # all of them
    python3 Scripts/make-avatars.py 1003 1017   # only these
"""

import json
import sys
import unicodedata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from avatars.face import Face  # noqa: E402
from avatars.people import PEOPLE  # noqa: E402

FOLDER = Path(__file__).resolve().parent.parent / "Product/Sources/ReferenceAPIs/Media/payments"
LARGEST = 8 << 10


def username(name):
    """`@first.last`, without accents."""
    plain = unicodedata.normalize("NFD", name).encode("ascii", "ignore").decode().lower().split()
    return f"@{plain[0]}.{plain[-1]}"


def main():
    (FOLDER / "avatars").mkdir(parents=True, exist_ok=True)
    only = {int(a) for a in sys.argv[1:]}
    users = []
    for number, (name, look) in enumerate(PEOPLE, 1001):
        file = f"{number - 1000:02}.jpg"
        users.append({
            "id": number, "name": name, "username": username(name), "avatar": file, "lacksAvatar": look is None,
        })
        if look is None or (only and number not in only):
            continue
        Face(**look).draw().save(FOLDER / "avatars" / file, quality=84, optimize=True)
        size = (FOLDER / "avatars" / file).stat().st_size
        assert size <= LARGEST, f"{file} takes {size} bytes"
        print(f"{file} {size:5} bytes  {name}")
    assert len({user["username"] for user in users}) == len(users)
    (FOLDER / "users.json").write_text(json.dumps(users, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
