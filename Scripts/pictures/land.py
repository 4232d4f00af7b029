"""Mountains, dunes, forests and fields."""

import numpy as np

from .canvas import mix


def mountains(c, sky, near, mist, sun=None, layers=6, base=0.42, sharp=0.55, birds=None, snow=None):
    c.sky(*sky)
    if sun:
        c.glow(sun[0], sun[1], sun[2] * 5, sun[3], 0.55, 1.1)
        c.disc(sun[0], sun[1], sun[2], sun[3])
    far = sky[-1] if not isinstance(sky[-1], tuple) else sky[-1][1]
    for i in range(layers):
        t = i / (layers - 1)
        at = base + (0.95 - base) * t**1.15
        line = c.ridge(at, 0.13 - 0.045 * t, 7, 2 + i // 2, 0.47, sharp * (1 - t * 0.7))
        colour = mix(far, near, 0.18 + 0.82 * t**1.1)
        c.below(line, colour, mix(colour, mist, 0.75 * (1 - t * 0.75)), 0.16 + 0.05 * i)
        if snow and i < 2:
            cap = c.noise(5, 24) * 0.018 * c.H
            reach = (line - line.min()) / max(1, np.ptp(line))
            depth = np.clip(0.10 * c.H * (0.75 - reach), 0, None) + cap * (reach < 0.7)
            y = c.y
            mask = ((y > line) & (y < line + depth)).astype(np.float32)
            c.over(mix(snow, far, 0.25 * i), mask * 0.85)
    if birds:
        c.birds(*birds)
    c.vignette()


def dunes(c, sky, light, shade, sun=None, count=6, horizon=0.38, caravan=False):
    c.sky(*sky)
    if sun:
        c.glow(sun[0], sun[1], sun[2] * 4, sun[3], 0.6, 1.2)
        c.disc(sun[0], sun[1], sun[2], sun[3])
    far = sky[-1]
    for i in range(count):
        t = i / (count - 1)
        at = horizon + (1.0 - horizon) * t**1.3
        line = c.ridge(at, 0.05 + 0.075 * t, 2, 2, 0.3)
        haze = 0.55 * (1 - t) ** 1.5
        c.below(line, mix(light, far, haze), mix(mix(light, shade, 0.45), far, haze), 0.3)
        # The slope away from the sun lies in shadow, under a crest that swings to and fro.
        slope = np.gradient(line)
        lee = np.convolve((slope > 0).astype(float), np.ones(61) / 61, "same")
        y = c.y - line[None, :]
        crest = (0.02 + 0.16 * t + 0.06 * c.noise(2, 2)) * c.H
        mask = np.clip(y + 0.5, 0, 1) * np.clip(1 - y / np.maximum(crest, 1), 0, 1) * lee[None, :]
        c.over(mix(shade, far, haze), np.clip(mask * 1.5, 0, 0.92).astype(np.float32))
        if caravan and i == count - 3:
            walkers(c, line, mix(shade, "#1a0e12", 0.6))
    c.vignette(0.12)


def walkers(c, line, colour):
    def draw(pen):
        for k in range(6):
            x = int((0.34 + 0.055 * k) * c.W)
            y, s = line[x] + 2, 0.020 * c.unit
            pen.ellipse([x - s, y - s * 2.0, x + s, y - s * 1.0], fill=255)
            pen.ellipse([x - s * 0.4, y - s * 2.5, x + s * 0.4, y - s * 1.5], fill=255)
            pen.line([(x + s * 0.8, y - s * 1.5), (x + s * 1.5, y - s * 2.3)], fill=255, width=int(s * 0.32))
            pen.ellipse([x + s * 1.2, y - s * 2.6, x + s * 1.9, y - s * 2.1], fill=255)
            for leg in (-0.7, -0.4, 0.4, 0.7):
                pen.line([(x + leg * s, y - s * 1.3), (x + leg * s, y)], fill=255, width=max(2, int(s * 0.16)))
    c.shapes(colour, draw)


def conifer(pen, x, foot, height, rng):
    tiers = 7
    for k in range(tiers):
        t = k / tiers
        top = foot - height * (1 - t * 0.86)
        wide = height * 0.20 * (0.22 + t)
        low = top + height * 0.24
        lean = rng.uniform(-0.07, 0.07) * wide
        pen.polygon([(x, top), (x + wide + lean, low), (x + wide * 0.35, low - height * 0.025),
                     (x - wide * 0.35, low - height * 0.025), (x - wide + lean, low)], fill=255)
    pen.rectangle([x - height * 0.012, foot - height * 0.1, x + height * 0.012, foot + 4], fill=255)


def forest(c, sky, near, mist, layers=5, base=0.5, moon=None, stars=0, tall=0.13):
    c.sky(*sky)
    if stars:
        c.stars(stars, 0.5)
    if moon:
        c.moon(*moon)
    far = sky[-1]
    for i in range(layers):
        t = i / (layers - 1)
        line = c.ridge(base + (1.02 - base) * t, 0.07 - 0.02 * t, 4, 2, 0.4)
        colour = mix(far, near, 0.22 + 0.78 * t)
        high = tall * (0.45 + 1.5 * t) * c.H

        def draw(pen):
            x = -10.0
            while x < c.W + 10:
                column = int(np.clip(x, 0, c.W - 1))
                conifer(pen, x, line[column] + high * 0.12, high * c.rng.uniform(0.55, 1.1), c.rng)
                x += high * c.rng.uniform(0.13, 0.34)
        c.shapes(colour, draw)
        c.below(line, colour, mix(colour, mist, 0.8 * (1 - t)), 0.12)
        if i < layers - 1:
            c.mist(base + (1.0 - base) * (t + 0.17), 0.05, mist, 0.75 * (1 - t * 0.7))
    c.vignette(0.2)


def birches(c, sky, ground, leaf, count=15):
    c.sky(*sky)
    c.glow(0.55, 0.42, 0.55, sky[1], 0.6, 1.5)
    for depth in (0.0, 0.35, 0.7, 1.0):
        foot = 0.70 + 0.24 * depth

        def leaves(pen):
            for _ in range(int(700 - 260 * depth)):
                x, y = c.rng.uniform(0, c.W), abs(c.rng.normal(0, 0.17)) * c.H
                s = c.unit * (0.004 + 0.007 * depth) * c.rng.uniform(0.6, 1.4)
                pen.ellipse([x - s, y - s * 0.7, x + s, y + s * 0.7], fill=int(c.rng.uniform(120, 255)))

        line = c.ridge(foot, 0.015, 3, 2)
        c.below(line, mix(ground, sky[-1], 0.6 * (1 - depth)), ground, 0.4)
        tint = mix("#f4efe6", sky[-1], 0.62 * (1 - depth))
        for _ in range(int(count * (1.0 - 0.62 * depth))):
            x = c.rng.uniform(-0.02, 1.02) * c.W
            w = c.unit * (0.006 + 0.019 * depth) * c.rng.uniform(0.8, 1.2)
            lean = c.rng.normal(0, 0.025) * c.W
            bottom = foot * c.H + c.rng.uniform(0, 0.06) * c.H
            c.shapes(tint, lambda pen: pen.polygon(
                [(x - w + lean, -5), (x + w * 0.8 + lean, -5), (x + w * 1.25, bottom), (x - w * 1.25, bottom)], fill=255))

            def bark(pen):
                for _ in range(int(6 + 5 * depth)):
                    y = c.rng.uniform(0, bottom)
                    at = x + lean * (1 - y / bottom) + c.rng.uniform(-0.7, 0.5) * w
                    s = w * c.rng.uniform(0.25, 0.7)
                    pen.ellipse([at - s, y - s * 0.16 - 1, at + s, y + s * 0.16 + 1], fill=220)
            c.shapes(mix("#2d2a2e", sky[-1], 0.62 * (1 - depth)), bark)
        c.shapes(mix(leaf, sky[-1], 0.5 * (1 - depth)), leaves, 0.85)
    c.vignette(0.15)


def rows(c, sky, hills, colours, soil, horizon=0.42, windmill=False, vanish=0.5, trees=None):
    """Fields of flowers in stripes that meet at the horizon."""
    c.sky(*sky)
    for i in range(2):
        c.below(c.ridge(horizon - 0.02 + 0.015 * i, 0.04, 4, 3), mix(hills, sky[-1], 0.55 - 0.35 * i), sky[-1], 0.2)
    row = int(horizon * c.H)
    depth = (np.arange(c.H - row) + 1) / (c.H - row)
    across = (c.x / c.W - vanish) / (0.06 + depth[:, None] * 1.0)
    lane = across * 7.5 + 200.25
    index, part = np.floor(lane).astype(int), lane % 1
    table = np.array([mix(k, k, 0) for k in colours], dtype=np.float32)
    field = table[index % len(colours)]
    haze = ((1 - depth) ** 2.2 * 0.6)[:, None, None].astype(np.float32)
    furrow = (np.clip((np.abs(part - 0.5) - 0.36) / 0.1, 0, 1))[..., None].astype(np.float32)
    light = (0.86 + 0.28 * (1 - np.abs(part - 0.5) * 2))[..., None].astype(np.float32)
    field = np.clip(field * light, 0, 1) * (1 - furrow) + mix(soil, soil, 0) * furrow
    c.a[row:] = field * (1 - haze) + mix(sky[-1], sky[-1], 0) * haze
    dots = [(c.rng.uniform(0, 1) ** 0.6, c.rng.uniform(0, 1)) for _ in range(2600)]
    for tone, part_of in (("#ffffff", dots[::2]), ("#000000", dots[1::2])):
        def draw(pen):
            for d, x in part_of:
                y, s = row + d * (c.H - row), c.unit * 0.0052 * d
                pen.ellipse([x * c.W - s, y - s * 1.3, x * c.W + s, y + s * 1.3], fill=255)
        c.shapes(tone, draw, 0.13)
    if windmill:
        mill(c, 0.72, horizon + 0.005, 0.26, mix(hills, "#1d1a22", 0.55))
    if trees:
        def draw(pen):
            for k in range(9):
                x, h = (0.08 + 0.035 * k + c.rng.uniform(-0.01, 0.01)) * c.W, c.H * c.rng.uniform(0.07, 0.12)
                pen.ellipse([x - h * 0.11, row - h, x + h * 0.11, row + h * 0.05], fill=255)
        c.shapes(trees, draw)
    c.vignette(0.12)


def mill(c, x, foot, size, colour):
    X, Y, s = x * c.W, foot * c.H, size * c.unit
    hub = (X, Y - s * 0.78)

    def draw(pen):
        pen.polygon([(X - s * 0.17, Y), (X + s * 0.17, Y), (X + s * 0.10, Y - s * 0.72), (X - s * 0.10, Y - s * 0.72)], fill=255)
        pen.pieslice([X - s * 0.11, Y - s * 0.88, X + s * 0.11, Y - s * 0.60], 180, 360, fill=255)
        for k in range(4):
            angle = 0.5 + k * np.pi / 2
            along, side = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
            at = np.array(hub)
            pen.line([tuple(at), tuple(at + along * s * 0.6)], fill=255, width=int(s * 0.022))
            for step in np.linspace(0.16, 0.58, 8):
                p = at + along * s * step
                pen.line([tuple(p), tuple(p + side * s * 0.085)], fill=255, width=max(2, int(s * 0.012)))
            p, q = at + along * s * 0.16 + side * s * 0.085, at + along * s * 0.58 + side * s * 0.085
            pen.line([tuple(p), tuple(q)], fill=255, width=max(2, int(s * 0.012)))
    c.shapes(colour, draw)


def terraces(c, sky, top, bottom, water, count=17):
    c.sky(*sky)
    c.below(c.ridge(0.22, 0.09, 6, 2, 0.5, 0.4), mix(top, sky[-1], 0.55), sky[-1], 0.25)
    c.mist(0.30, 0.06, sky[-1], 0.7)
    shape = c.noise(3, 2, 0.45)
    drift = c.noise(3, 2, 0.45)
    for i in range(count):
        t = i / (count - 1)
        at = 0.30 + 0.74 * t**1.35
        sway = shape * (1 - t) + drift * t
        line = ((at + sway * (0.035 + 0.05 * t) + c.noise(2, 5) * 0.006) * c.H).astype(np.float32)
        step = (0.010 + 0.030 * t) * c.H
        green = mix(top, bottom, t)
        c.below(line, mix(green, "#ffffff", 0.18), green, 0.02)
        if i % 3 != 1:
            c.below(line + step * 0.32, mix(water, sky[0], 0.45 * (1 - t)), mix(water, green, 0.25), 0.09)
        c.below(line + step * 1.1, mix(green, "#10201a", 0.35), mix(green, "#10201a", 0.18), 0.03)
    c.vignette(0.15)


def hills(c, sky, near, far, cypress, house=None, sun=None):
    """Rolling hills with cypresses along the crests."""
    c.sky(*sky)
    if sun:
        c.glow(sun[0], sun[1], sun[2] * 5, sun[3], 0.5, 1.2)
        c.disc(sun[0], sun[1], sun[2], sun[3])
    for i in range(6):
        t = i / 5
        line = c.ridge(0.46 + 0.50 * t**1.2, 0.06, 2, 2, 0.35)
        colour = mix(mix(far, near, t), sky[-1], 0.45 * (1 - t) ** 1.5)
        dark = mix(cypress, sky[-1], 0.5 * (1 - t))

        def draw(pen):
            for _ in range(2 + i % 3):
                start, gap = c.rng.uniform(0, 0.9), c.rng.uniform(0.012, 0.02)
                for k in range(c.rng.integers(2, 6)):
                    x = int(np.clip((start + k * gap * (1 + t)) * c.W, 0, c.W - 1))
                    h = (0.035 + 0.06 * t) * c.H * c.rng.uniform(0.8, 1.15)
                    pen.ellipse([x - h * 0.13, line[x] - h, x + h * 0.13, line[x] + h * 0.12], fill=255)
        if 0 < i < 5:
            c.shapes(dark, draw)
        if house and i == 3:
            x = int(0.66 * c.W)
            s, y = 0.05 * c.unit, line[int(0.66 * c.W)] + 6
            c.shapes(house, lambda pen: pen.rectangle([x - s, y - s * 0.9, x + s, y + s * 0.2], fill=255))
            c.shapes("#b4553b", lambda pen: pen.polygon([(x - s * 1.2, y - s * 0.85), (x + s * 1.2, y - s * 0.85), (x + s * 0.8, y - s * 1.4), (x - s * 0.8, y - s * 1.4)], fill=255))
            c.shapes("#5d4037", lambda pen: [pen.rectangle([x + k * s - s * 0.12, y - s * 0.6, x + k * s + s * 0.12, y - s * 0.25], fill=255) for k in (-0.5, 0.1, 0.6)])
        c.below(line, mix(colour, "#fff3c4", 0.22), colour, 0.09)
        if i > 1:
            for k in range(9):
                furrow = line + (0.012 + 0.014 * k) * (1 + t) * c.H + c.noise(2, 3) * 3
                y = c.y - furrow[None, :]
                c.over(mix(colour, cypress, 0.4), (np.exp(-((y / 2.2) ** 2)) * 0.28).astype(np.float32))
    c.vignette(0.12)


def mesas(c, sky, rock, ground, sun=None):
    c.sky(*sky)
    if sun:
        c.glow(sun[0], sun[1], sun[2] * 5, sun[3], 0.6, 1.2)
        c.disc(sun[0], sun[1], sun[2], sun[3])
    for i, (at, count) in enumerate(((0.62, 4), (0.67, 3), (0.74, 2))):
        line = np.full(c.W, at * c.H, dtype=np.float32)
        for _ in range(count):
            mid, wide = c.rng.uniform(0.02, 0.98), c.rng.uniform(0.05, 0.13) * (1 + i * 0.3)
            high = c.rng.uniform(0.10, 0.25) * (0.75 + 0.3 * i)
            edge = np.abs(np.linspace(0, 1, c.W) - mid) / wide
            profile = np.clip((1.06 - edge) / 0.06, 0, 1) * 0.66 + np.clip((1.55 - edge) / 0.55, 0, 1) ** 1.7 * 0.34
            line = np.minimum(line, (at - high * profile) * c.H + c.noise(5, 30) * 5)
        colour = mix(rock, sky[-1], 0.55 - 0.24 * i)
        c.below(line.astype(np.float32), mix(colour, "#ffd9a0", 0.18), mix(colour, ground, 0.45), 0.3)
        strata = 0.5 + 0.5 * np.sin(c.y / c.H * 150 + c.noise(3, 4)[None, :] * 2.0)
        mask = np.clip(c.y - line[None, :], 0, 1) * (c.y < at * c.H) * strata * 0.14
        c.over(mix(rock, "#20080a", 0.5), mask.astype(np.float32))
    for i in range(3):
        c.below(c.ridge(0.74 + 0.09 * i, 0.012, 4, 3), mix(ground, sky[-1], 0.25 - 0.12 * i), mix(ground, rock, 0.6), 0.35)

    def scrub(pen):
        for _ in range(120):
            d = c.rng.uniform(0, 1)
            x, y, s = c.rng.uniform(0, c.W), (0.77 + 0.23 * d) * c.H, c.unit * (0.003 + 0.013 * d)
            pen.ellipse([x - s * 1.5, y - s, x + s * 1.5, y + s * 0.5], fill=230)
    c.shapes(mix(ground, "#24180f", 0.65), scrub)
    c.vignette(0.15)
