#!/usr/bin/env python3
"""Paints the demo feed: 48 JPEG pictures and the feed.json that names them.

Needs Pillow and numpy. Every picture has a fixed seed, so the same versions paint the same feed again.

    python3 Scripts/make-pictures.py            # all of them
    python3 Scripts/make-pictures.py 3 17       # only these
    python3 Scripts/make-pictures.py --small    # only the small ones, from the pictures that are there
"""

import json
import sys
import uuid
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from PIL import Image

sys.path.insert(0, str(Path(__file__).parent))
from pictures.canvas import Canvas  # noqa: E402
from pictures.catalogue import AUTHORS, PICTURES  # noqa: E402

FEED = Path(__file__).resolve().parent.parent / "Product/Sources/ReferenceAPIs/Media/feed"
SPACE = uuid.UUID("5b1c3b52-6b53-4c1b-9a3e-0a9d6f1f5a10")


# The width of a small picture in pixels: that of a column of the feed.
SMALL = 400


def identity(name):
    """The same name always has the same id."""
    return str(uuid.uuid5(SPACE, name)).upper()


def paint(number):
    size, seed, scene, arguments = PICTURES[number - 1][:4]
    canvas = Canvas(*size, seed)
    scene(canvas, **arguments)
    size = canvas.save(FEED / f"pictures/{number:02}.jpg")
    shrink(number)
    return number, size


def shrink(number):
    with Image.open(FEED / f"pictures/{number:02}.jpg") as picture:
        small = picture.resize((SMALL, round(picture.height * SMALL / picture.width)), Image.LANCZOS)
    small.save(FEED / f"pictures/{number:02}-{SMALL}.jpg", "JPEG", quality=74, optimize=True, progressive=True)


def feed():
    items, minutes = [], 0
    for number, (size, *_, location, description, comments) in enumerate(PICTURES, 1):
        # A post is older than the one above it, and than all that was said about it.
        minutes = max([minutes + 19, *(after + 11 for after, _, _ in comments)])
        items.append({
            "id": identity(f"image {number}"),
            "description": description,
            "location": location,
            "picture": f"{number:02}.jpg",
            "width": size[0],
            "height": size[1],
            "variants": [{"picture": f"{number:02}-{SMALL}.jpg", "width": SMALL}],
            "author": AUTHORS[(number * 7) % len(AUTHORS)],
            "minutes_ago": minutes,
            "comments": [
                {"id": identity(f"image {number} comment {k}"), "message": message, "minutes_ago": minutes, "author": author}
                for k, (minutes, author, message) in enumerate(comments, 1)
            ],
        })
    return items


def main():
    (FEED / "pictures").mkdir(parents=True, exist_ok=True)
    numbers = [int(a) for a in sys.argv[1:] if a != "--small"] or range(1, len(PICTURES) + 1)
    (FEED / "feed.json").write_text(json.dumps(feed(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    if "--small" in sys.argv:
        for number in numbers:
            shrink(number)
        return
    with ProcessPoolExecutor(2) as pool:
        for number, size in pool.map(paint, numbers):
            print(f"{number:02}.jpg {size:6} bytes")
    total = sum(p.stat().st_size for p in (FEED / "pictures").glob("*.jpg"))
    print(f"{total:,} bytes in all")


if __name__ == "__main__":
    main()
