#!/usr/bin/env python3
"""Draws the app's icons: a drop over the layers of an aquifer. Needs Pillow and numpy."""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

ICONS = Path(__file__).resolve().parent.parent / "Product/Sources/App/Public/icons"
TOP, BOTTOM = (0x2B, 0x7F, 0xD6), (0x0B, 0x2F, 0x6B)
SIZE = 1024

SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
<defs><linearGradient id="g" x1="0" y1="0" x2="0" y2="1"><stop stop-color="#2b7fd6"/><stop offset="1" stop-color="#0b2f6b"/></linearGradient>
<clipPath id="c"><path d="{drop}"/></clipPath></defs>
<rect width="64" height="64" rx="15" fill="url(#g)"/>
<path d="{drop}" fill="#fff"/>
<g clip-path="url(#c)"><path d="M0 39q8-5 16 0t16 0 16 0 16 0v30H0z" fill="#8fd0f5"/><path d="M0 46q8-5 16 0t16 0 16 0 16 0v30H0z" fill="#3b94e0"/></g>
</svg>
"""
DROP = "M32 9C25 20 17 28 17 38.5a15 15 0 0 0 30 0C47 28 39 20 32 9z"


def bezier(a, b, c, d, steps=60):
    t = np.linspace(0, 1, steps)[:, None]
    a, b, c, d = (np.array(p, float) for p in (a, b, c, d))
    return (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d


def drop_outline():
    left = bezier((32, 9), (25, 20), (17, 28), (17, 38.5))
    turn = np.linspace(np.pi, 0, 90)
    bowl = np.stack([32 + 15 * np.cos(turn), 38.5 + 15 * np.sin(turn)], axis=1)
    right = bezier((47, 38.5), (47, 28), (39, 20), (32, 9))
    return np.concatenate([left, bowl, right])


def icon(scale, rounded):
    """The mark at `scale` of the square (a maskable icon keeps it within the safe zone)."""
    t = np.linspace(0, 1, SIZE)[:, None, None]
    ground = Image.fromarray((np.array(TOP) * (1 - t) + np.array(BOTTOM) * t + np.zeros((SIZE, SIZE, 1))).astype("uint8"))
    place = lambda points: [tuple(((p - 32) * scale + 32) * SIZE / 64) for p in points]
    drop = Image.new("L", (SIZE, SIZE))
    ImageDraw.Draw(drop).polygon(place(drop_outline()), fill=255)
    drop = drop.filter(ImageFilter.GaussianBlur(1))
    ground.paste((255, 255, 255), mask=drop)
    for level, colour in ((39, (0x8F, 0xD0, 0xF5)), (46, (0x3B, 0x94, 0xE0))):
        x = np.linspace(-64, 128, 400)
        wave = np.stack([x, level - 2.5 * np.sin(x / 16 * np.pi)], axis=1)
        mask = Image.new("L", (SIZE, SIZE))
        ImageDraw.Draw(mask).polygon(place(np.concatenate([wave, [(128, 128), (-64, 128)]])), fill=255)
        ground.paste(colour, mask=Image.fromarray((np.asarray(mask) * (np.asarray(drop) / 255)).astype("uint8")))
    if rounded:
        shape = Image.new("L", (SIZE, SIZE))
        ImageDraw.Draw(shape).rounded_rectangle([0, 0, SIZE - 1, SIZE - 1], radius=SIZE * 15 // 64, fill=255)
        ground.putalpha(shape)
    return ground


def main():
    ICONS.mkdir(parents=True, exist_ok=True)
    (ICONS / "favicon.svg").write_text(SVG.format(drop=DROP))
    for name, size, scale, rounded in (("icon-192", 192, 1, True), ("icon-512", 512, 1, True),
                                       ("maskable-512", 512, 0.8, False), ("apple-touch-icon", 180, 0.9, False)):
        icon(scale, rounded).resize((size, size), Image.LANCZOS).save(ICONS / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
