"""Cities, bridges, windows and things in the air."""

import numpy as np

from .canvas import mix


def skyline(c, sky, near, light, moon=None, stars=0, water=True, horizon=0.74):
    c.sky(*[(i / (len(sky) - 1) * horizon, k) for i, k in enumerate(sky)], (1, sky[-1]))
    if stars:
        c.stars(stars, 0.5)
    if moon:
        c.moon(*moon)
    row = horizon * c.H
    for depth in (0, 1, 2):
        colour = mix(sky[-1], near, 0.35 + 0.32 * depth)
        x, towers = -0.02 * c.W, []
        while x < c.W:
            wide = c.unit * c.rng.uniform(0.04, 0.10)
            bulge = np.exp(-((x / c.W - (0.35, 0.66, 0.5)[depth]) ** 2) / 0.05)
            high = c.H * (0.08 + c.rng.uniform(0.02, 0.14) + 0.26 * bulge * c.rng.uniform(0.35, 1)) * (1.15 - 0.2 * depth)
            towers.append((x, wide, high, c.rng.integers(0, 4)))
            x += wide * c.rng.uniform(0.95, 1.25)

        def draw(pen):
            for x, w, h, kind in towers:
                pen.rectangle([x, row - h, x + w, row], fill=255)
                if kind == 1:
                    pen.polygon([(x, row - h), (x + w, row - h), (x + w * 0.5, row - h - w * 0.7)], fill=255)
                if kind == 2:
                    pen.rectangle([x + w * 0.2, row - h - w * 0.3, x + w * 0.8, row - h], fill=255)
                    pen.line([(x + w * 0.5, row - h - w * 1.1), (x + w * 0.5, row - h)], fill=255, width=4)
        c.shapes(colour, draw)

        def windows(pen):
            for x, w, h, _ in towers:
                step = c.unit * 0.0135
                lit = c.rng.uniform(0.15, 0.5)
                for wy in np.arange(row - h + step, row - step, step * 1.25):
                    for wx in np.arange(x + step * 0.6, x + w - step * 0.8, step):
                        if c.rng.uniform() < lit:
                            pen.rectangle([wx, wy, wx + step * 0.5, wy + step * 0.6], fill=int(c.rng.uniform(110, 255)))
        if depth:
            c.shapes(light, windows, 0.45 + 0.22 * depth)
    if water:
        c.glow(0.5, horizon, 0.5, light, 0.22, 1.6)
        c.mirror(horizon, near, 0.25, 0.012)
    c.vignette(0.2)


def rain(c, sky, lights, drops=230):
    """A city through a wet window: soft lights behind, sharp drops before."""
    c.sky(*sky)
    for _ in range(58):
        x, y, r = c.rng.uniform(0, 1), c.rng.normal(0.56, 0.18), c.rng.uniform(0.018, 0.075)
        colour = lights[c.rng.integers(0, len(lights))]
        c.shapes(colour, lambda pen: pen.ellipse([x * c.W - r * c.unit, y * c.H - r * c.unit, x * c.W + r * c.unit, y * c.H + r * c.unit], fill=255), c.rng.uniform(0.16, 0.55), 0.004)
    back = c.a.copy()
    for _ in range(drops):
        x, y = c.rng.uniform(0.01, 0.99) * c.W, c.rng.uniform(0, 1) * c.H
        r = c.unit * c.rng.choice([0.006, 0.010, 0.017, 0.024], p=[0.5, 0.3, 0.14, 0.06])
        tail = c.rng.uniform() < 0.13 and r > 0.009 * c.unit
        if tail:
            c.shapes("#ffffff", lambda pen: pen.rectangle([x - r * 0.45, y - r * c.rng.uniform(8, 26), x + r * 0.45, y], fill=255), 0.07, 0.0015)
        x0, x1, y0, y1 = [int(np.clip(v, 0, m)) for v, m in ((x - r, c.W), (x + r + 1, c.W), (y - r * 1.15, c.H), (y + r * 1.15 + 1, c.H))]
        if x1 - x0 < 4 or y1 - y0 < 4:
            continue
        yy, xx = np.mgrid[y0:y1, x0:x1]
        d = np.hypot(xx - x, (yy - y) / 1.15) / r
        # A drop shows the room behind it upside down.
        sy = np.clip((2 * y - yy + (y - yy) * 7).astype(int), 0, c.H - 1)
        sx = np.clip((xx + (x - xx) * 7).astype(int), 0, c.W - 1)
        inside = np.clip((1 - d) * r, 0, 1)[..., None].astype(np.float32)
        shade = (1.12 - 0.55 * d**3)[..., None].astype(np.float32)
        part = c.a[y0:y1, x0:x1]
        part += (np.clip(back[sy, sx] * shade + 0.03, 0, 1) - part) * inside * 0.92
        c.shapes("#ffffff", lambda pen: pen.ellipse([x - r * 0.5, y - r * 0.75, x - r * 0.12, y - r * 0.4], fill=255), 0.6)
    c.vignette(0.25)


def bridge(c, sky, steel, mist, water):
    horizon = 0.74
    c.sky(*sky)
    c.below(c.ridge(0.62, 0.07, 5, 2), mix(steel, sky[-1], 0.75), mist, 0.16)
    deck, high = 0.62, 0.42
    tone = lambda t: mix(steel, mist, t)

    def span(towers, y, tall, colour, thick):
        def draw(pen):
            for x in towers:
                for side in (-1, 1):
                    X = x * c.W + side * thick * 2.6
                    pen.rectangle([X - thick, (y - tall) * c.H, X + thick, (y + 0.30) * c.H], fill=255)
                for k in (0.02, 0.32, 0.62):
                    pen.rectangle([x * c.W - thick * 3, (y - tall + tall * k) * c.H, x * c.W + thick * 3, (y - tall + tall * k) * c.H + thick * 2], fill=255)
            pen.rectangle([0, y * c.H, c.W, y * c.H + thick * 2.4], fill=255)
            line = lambda a, b, sag: [((a + (b - a) * t) * c.W, (y - tall + sag * 4 * t * (1 - t)) * c.H) for t in np.linspace(0, 1, 60)]
            a, b = towers
            for start, end in ((a, b), (a - (b - a), a), (b, b + (b - a))):
                cable = line(start, end, tall * 0.93)
                pen.line(cable, fill=255, width=int(thick * 0.55) + 1)
                for px, py in cable[::2]:
                    pen.line([(px, py), (px, y * c.H)], fill=170, width=2)
        c.shapes(colour, draw)
    span((0.22, 0.80), deck, high, tone(0.05), c.unit * 0.011)
    row = int(0.86 * c.H)
    depth = np.linspace(0, 1, c.H - row)[:, None, None].astype(np.float32)
    c.over(mix(water, mist, 0.5) * (1 - depth) + mix(water, water, 0) * depth, np.ones((c.H - row, c.W), np.float32), row)
    c.mist(0.80, 0.10, mist, 1.0, 3)
    c.mist(0.50, 0.05, mist, 0.5, 3)
    c.vignette(0.15)


def balloons(c, sky, ground, colours, count=9):
    c.sky(*sky)
    for i in range(4):
        c.below(c.ridge(0.72 + 0.08 * i, 0.05, 5, 3, 0.45, 0.3), mix(sky[-1], ground, 0.3 + 0.23 * i), mix(sky[-1], ground, 0.15 + 0.2 * i), 0.16)
    spots = []
    while len(spots) < count:
        x, y = c.rng.uniform(0.06, 0.94), c.rng.uniform(0.10, 0.66)
        r = 0.022 + 0.085 * c.rng.uniform(0, 1) ** 2.2
        if all(np.hypot((x - p) * c.W, (y - q) * c.H) > (r + s) * 1.5 * c.unit for p, q, s in spots):
            spots.append((x, y, r))
    for x, y, size in sorted(spots, key=lambda s: s[2]):
        X, Y, r = x * c.W, y * c.H, size * c.unit
        haze = 0.45 * (1 - size / 0.107)
        first, second = c.rng.choice(len(colours), 2, replace=False)
        edge = [(X + r * np.sin(a) * (1 if a < 1.9 else 1 - 0.10 * (a - 1.9)), Y - r * np.cos(a) * (1.04 if a < 1.57 else 1.18)) for a in np.linspace(0, 2.72, 40)]
        outline = edge + [(2 * X - px, py) for px, py in reversed(edge)]
        c.shapes(mix(colours[first], sky[-1], haze), lambda pen: pen.polygon(outline, fill=255))
        for wide in (0.72, 0.28):
            gore = [(X + (px - X) * wide, py) for px, py in outline]
            c.shapes(mix(colours[second if wide > 0.5 else first], sky[-1], haze), lambda pen: pen.polygon(gore, fill=255))
        shade = [(X + (px - X) * (1 if px > X else -0.25), py) for px, py in outline]
        c.shapes("#20102a", lambda pen: pen.polygon(shade, fill=255), 0.15)
        c.shapes(mix("#4a2f24", sky[-1], haze), lambda pen: (
            pen.rectangle([X - r * 0.13, Y + r * 1.42, X + r * 0.13, Y + r * 1.62], fill=255),
            pen.line([(X - r * 0.34, Y + r * 1.05), (X - r * 0.11, Y + r * 1.45)], fill=255, width=2),
            pen.line([(X + r * 0.34, Y + r * 1.05), (X + r * 0.11, Y + r * 1.45)], fill=255, width=2)))
    c.vignette(0.12)


def houses(c, sky, walls, roof, street, tram=None):
    """A row of old houses on a hill street."""
    c.sky(*sky)
    for depth in (0, 1):
        foot = 0.62 + 0.22 * depth
        x = -0.03 * c.W
        while x < c.W:
            wide = c.unit * c.rng.uniform(0.13, 0.20) * (0.7 + 0.5 * depth)
            high = c.H * c.rng.uniform(0.24, 0.40) * (0.85 + 0.45 * depth)
            wall = mix(walls[c.rng.integers(0, len(walls))], sky[-1], 0.5 - 0.5 * depth)
            top, bottom = foot * c.H - high, (foot + 0.02) * c.H if depth else c.H
            c.shapes(wall, lambda pen: pen.rectangle([x, top, x + wide - 3, bottom], fill=255))
            c.shapes(mix(roof, sky[-1], 0.45 - 0.45 * depth), lambda pen: pen.polygon([(x - wide * 0.06, top), (x + wide * 1.04, top), (x + wide * 0.86, top - wide * 0.28), (x + wide * 0.12, top - wide * 0.28)], fill=255))
            c.shapes("#1b1730", lambda pen: pen.rectangle([x + wide * 0.86, top, x + wide - 3, bottom], fill=255), 0.10)
            if depth:
                columns, step = 3 if wide > 0.19 * c.unit else 2, wide * 0.46
                for wy in np.arange(top + wide * 0.16, foot * c.H - wide * 0.2, step):
                    for k in range(columns):
                        wx, ww = x + wide * (k + 0.5) / columns, wide * 0.34 / columns
                        hh = ww * 1.65
                        frame = lambda g: [wx - ww * g, wy - (g - 1) * ww, wx + ww * g, wy + hh + (g - 1) * ww]
                        c.shapes("#fffaf0", lambda pen: pen.rectangle(frame(1.28), fill=255), 0.95)
                        c.shapes(mix("#34506b", sky[0], c.rng.uniform(0, 0.4)), lambda pen: pen.rectangle(frame(1.0), fill=255))
                        c.shapes("#fffaf0", lambda pen: pen.line([(wx, wy), (wx, wy + hh)], fill=255, width=3))
                        c.shapes("#33302f", lambda pen: [pen.rectangle([wx - ww * 1.5, wy + hh * 0.8, wx + ww * 1.5, wy + hh * 0.84], fill=255)] + [pen.line([(wx + q * ww, wy + hh * 0.8), (wx + q * ww, wy + hh * 1.12)], fill=255, width=2) for q in np.linspace(-1.4, 1.4, 9)], 0.75)
            x += wide
    line = ((0.865 + 0.02 * np.linspace(0, 1, c.W)) * c.H).astype(np.float32)
    c.below(line, street, mix(street, "#20202a", 0.4), 0.2)
    if tram:
        X, Y, s = 0.36 * c.W, 0.925 * c.H, 0.20 * c.unit
        c.shapes("#15131a", lambda pen: pen.ellipse([X - s * 1.1, Y - 4, X + s * 1.1, Y + s * 0.09], fill=255), 0.4, 0.004)
        c.shapes(tram, lambda pen: pen.rounded_rectangle([X - s, Y - s * 0.95, X + s, Y - s * 0.06], radius=s * 0.12, fill=255))
        c.shapes("#fff8e7", lambda pen: pen.rounded_rectangle([X - s * 0.98, Y - s * 0.93, X + s * 0.98, Y - s * 0.42], radius=s * 0.1, fill=255))
        c.shapes("#3b5268", lambda pen: [pen.rounded_rectangle([X + k * s - s * 0.14, Y - s * 0.82, X + k * s + s * 0.14, Y - s * 0.48], radius=s * 0.03, fill=255) for k in (-0.75, -0.38, 0, 0.38, 0.75)])
        c.shapes("#3a3436", lambda pen: (pen.rectangle([X - s * 0.9, Y - s * 1.02, X + s * 0.9, Y - s * 0.94], fill=255),
                                         pen.line([(X, Y - s), (X + s * 0.3, Y - s * 1.5)], fill=255, width=4),
                                         pen.ellipse([X - s * 0.6, Y - s * 0.12, X - s * 0.4, Y + s * 0.08], fill=255),
                                         pen.ellipse([X + s * 0.4, Y - s * 0.12, X + s * 0.6, Y + s * 0.08], fill=255)))
        c.shapes("#2a2a33", lambda pen: pen.line([(0, Y - s * 1.52), (c.W, Y - s * 1.46)], fill=255, width=2))
    c.vignette(0.12)


def blossom(c, sky, disc, bark, petals):
    c.sky(*sky)
    c.glow(disc[0], disc[1], disc[2] * 1.8, disc[3], 0.35, 1.5)
    c.disc(*disc)
    c.below(c.ridge(0.86, 0.05, 5, 2), mix(sky[-1], bark, 0.22), sky[-1], 0.2)
    c.below(c.ridge(0.93, 0.03, 5, 2), mix(sky[-1], bark, 0.34), sky[-1], 0.3)
    twigs, tips = [], []

    def grow(x, y, angle, length, thick, depth):
        points = [(x, y)]
        for _ in range(8):
            angle += c.rng.normal(0, 0.10)
            x, y = x + np.cos(angle) * length / 8, y + np.sin(angle) * length / 8
            points.append((x, y))
            if depth >= 2:
                tips.append((x, y))
        twigs.append((points, thick))
        if depth < 4:
            for k in range(3 if depth < 3 else 2):
                at = points[c.rng.integers(3, 9)]
                grow(*at, angle + c.rng.choice([-1, 1]) * c.rng.uniform(0.35, 0.8), length * 0.60, thick * 0.55, depth + 1)
    grow(-0.04 * c.W, 0.20 * c.H, 0.10, 0.82 * c.W, 0.022 * c.unit, 0)
    grow(1.04 * c.W, 0.02 * c.H, 2.5, 0.42 * c.W, 0.014 * c.unit, 1)
    c.shapes(bark, lambda pen: [pen.line(p, fill=255, width=max(2, int(t)), joint="curve") for p, t in twigs])
    for colour, share, size in ((petals[0], 1.0, 0.014), (petals[1], 0.8, 0.012), (petals[2], 0.4, 0.008)):
        def draw(pen):
            for x, y in tips:
                for _ in range(2):
                    if c.rng.uniform() < share:
                        X, Y = x + c.rng.normal(0, 0.012) * c.unit, y + c.rng.normal(0, 0.012) * c.unit
                        s = size * c.unit * c.rng.uniform(0.6, 1)
                        turn = c.rng.uniform(0, 6)
                        for k in range(5):
                            px, py = X + np.cos(turn + k * 1.257) * s * 0.6, Y + np.sin(turn + k * 1.257) * s * 0.6
                            pen.ellipse([px - s * 0.5, py - s * 0.5, px + s * 0.5, py + s * 0.5], fill=255)
        c.shapes(colour, draw, 0.92)

    def falling(pen):
        for _ in range(45):
            x, y, s = c.rng.uniform(0, c.W), c.rng.uniform(0.25, 1) * c.H, c.unit * c.rng.uniform(0.003, 0.007)
            pen.ellipse([x - s, y - s * 0.6, x + s, y + s * 0.6], fill=220)
    c.shapes(petals[1], falling)
    c.vignette(0.1)


def aqueduct(c, sky, stone, water, birds=None):
    horizon = 0.78
    c.sky(*[(i / (len(sky) - 1) * horizon, k) for i, k in enumerate(sky)], (1, sky[-1]))
    for i in range(3):
        line = np.minimum(c.ridge(0.62 + 0.06 * i, 0.05, 5, 2), horizon * c.H)
        c.below(line, mix(sky[-1], "#4c6a55", 0.25 + 0.2 * i), sky[-1], 0.25)
    wide = c.W / 5.2
    tiers = ((0.26, 0.34, 0.5), (0.36, 0.56, 1.0), (0.58, horizon, 1.0))
    for top, foot, step in tiers:
        def draw(pen):
            pen.rectangle([0, top * c.H, c.W, foot * c.H], fill=255)
            x = -0.4 * wide
            while x < c.W:
                w = wide * step
                pen.rectangle([x + w * 0.16, (top + 0.025) * c.H + w * 0.34, x + w * 0.84, foot * c.H], fill=0)
                pen.pieslice([x + w * 0.16, (top + 0.025) * c.H, x + w * 0.84, (top + 0.025) * c.H + w * 0.68], 180, 360, fill=0)
                x += w
        c.shapes(stone, draw)
        c.shapes(mix(stone, "#fff1d0", 0.5), lambda pen: pen.rectangle([0, top * c.H, c.W, top * c.H + 7], fill=255))
        c.shapes(mix(stone, "#2a1c20", 0.5), lambda pen: pen.rectangle([0, top * c.H + 7, c.W, top * c.H + 15], fill=255), 0.6)
    c.mirror(horizon, water, 0.35, 0.008)
    if birds:
        c.birds(*birds)
    c.vignette(0.15)


def jellyfish(c, sky, glow_colours, count=7):
    c.sky(*sky)
    c.glow(0.5, -0.05, 0.9, sky[0], 0.45, 1.6)
    for k in range(count):
        size = 0.035 + 0.10 * (k / (count - 1)) ** 1.6
        x, y = c.rng.uniform(0.12, 0.88), c.rng.uniform(0.12, 0.62)
        if k == count - 1:
            x, y = 0.42, 0.36
        X, Y, r = x * c.W, y * c.H, size * c.unit
        colour = glow_colours[k % len(glow_colours)]
        fade = 0.35 + 0.6 * k / (count - 1)
        c.glow(x, y, size * 2.3, colour, 0.36 * fade, 1.4)
        for _ in range(9):
            start, sway, length = c.rng.uniform(-0.75, 0.75), c.rng.uniform(0.05, 0.2), c.rng.uniform(1.6, 3.6)
            phase = c.rng.uniform(0, 6)
            line = [(X + start * r * (1 - 0.35 * t) + np.sin(phase + t * 6) * sway * r * t, Y + t * length * r) for t in np.linspace(0, 1, 40)]
            c.shapes(mix(colour, "#ffffff", 0.25), lambda pen: pen.line(line, fill=255, width=max(2, int(r * 0.022)), joint="curve"), 0.5 * fade)
        dome = [(X + r * np.cos(a), Y - r * 0.95 * np.sin(a)) for a in np.linspace(0, np.pi, 40)]
        frill = [(X - r + 2 * r * t, Y + r * 0.10 * np.sin(t * np.pi * 7) ** 2) for t in np.linspace(0, 1, 60)]
        c.shapes(colour, lambda pen: pen.polygon(dome + frill, fill=255), 0.62 * fade)
        inner = [(X + (px - X) * 0.66, Y + (py - Y) * 0.70 - r * 0.04) for px, py in dome]
        c.shapes(mix(colour, "#ffffff", 0.55), lambda pen: pen.polygon(inner, fill=255), 0.4 * fade, 0.006)
    c.stars(70, 1.0, "#bfe9ff")
    c.vignette(0.3)


def palms(c, sky, sun, sand, dark):
    from .water import sea
    sea(c, sky, mix(sky[-1], "#1a2b52", 0.6), sun, 0.62)
    line = ((0.93 - 0.10 * np.linspace(1, 0, c.W) ** 2 + 0.008 * c.noise(3, 2)) * c.H).astype(np.float32)
    c.below(line, sand, mix(sand, dark, 0.7), 0.14)

    def palm(pen, x, foot, high, lean):
        trunk = [(x + lean * t**1.7, foot - high * t) for t in np.linspace(0, 1, 24)]
        for k, (px, py) in enumerate(trunk):
            w = c.unit * (0.011 - 0.00022 * k)
            pen.ellipse([px - w, py - w * 1.8, px + w, py + w * 1.8], fill=255)
        top = trunk[-1]
        for a in np.linspace(-0.35, np.pi + 0.35, 11):
            length = high * c.rng.uniform(0.36, 0.46)
            rib = [(top[0] + np.cos(a) * length * t, top[1] - np.sin(a) * length * t * 0.75 + length * 0.62 * t**2.1) for t in np.linspace(0, 1, 30)]
            pen.line(rib, fill=255, width=4)
            for k, (px, py) in enumerate(rib[2:], 2):
                drop = length * 0.17 * np.sin(k / 30 * np.pi) ** 0.6
                for side in (-0.55, 0.55):
                    pen.line([(px, py), (px + np.cos(a) * drop * 0.5 + side * drop * 0.5, py + drop)], fill=255, width=4)
    c.shapes(dark, lambda pen: (palm(pen, 0.10 * c.W, 0.90 * c.H, 0.62 * c.H, 0.16 * c.W), palm(pen, 0.20 * c.W, 0.92 * c.H, 0.42 * c.H, -0.07 * c.W), palm(pen, 0.02 * c.W, 0.90 * c.H, 0.36 * c.H, 0.07 * c.W)))
    c.vignette(0.1)


def milkyway(c, sky, band, near, tent=None):
    c.sky(*sky)
    along = (c.x / c.W - 0.28) * 0.9 - (c.y / c.H - 0.42) * 1.1 * 0.6
    cloud = c.cloud(6, 1.4, 5)
    light = np.exp(-((along + (cloud - 0.5) * 0.22) / 0.20) ** 2) * (0.35 + 0.75 * cloud)
    c.screen(band[0], (np.clip(light, 0, 1) * 0.55).astype(np.float32))
    c.screen(band[1], (np.exp(-((along + (cloud - 0.5) * 0.3) / 0.08) ** 2) * cloud * 0.5).astype(np.float32))
    c.stars(900, 0.95)
    for i in range(3):
        c.below(c.ridge(0.78 + 0.06 * i, 0.05, 6, 3, 0.5, 0.4), mix(sky[-1], near, 0.5 + 0.25 * i), near, 0.2)
    if tent:
        X, Y, s = 0.64 * c.W, 0.925 * c.H, 0.10 * c.unit
        c.glow(0.64, 0.90, 0.20, tent, 0.55, 1.3)
        c.shapes(tent, lambda pen: pen.polygon([(X - s, Y), (X + s, Y), (X, Y - s * 0.95)], fill=255))
        c.shapes(mix(tent, "#40200a", 0.45), lambda pen: pen.polygon([(X, Y - s * 0.95), (X + s, Y), (X + s * 0.28, Y)], fill=255))
        c.shapes("#fff6d8", lambda pen: pen.polygon([(X, Y - s * 0.62), (X - s * 0.26, Y), (X + s * 0.2, Y)], fill=255), 0.8)
        c.below(c.ridge(0.93, 0.006, 4, 3), mix(near, "#000000", 0.4))
    c.vignette(0.2)


def volcano(c, sky, cone, lava=None, smoke=None, snow=None):
    c.sky(*sky)
    x0 = np.linspace(0, 1, c.W)
    slope = np.abs(x0 - 0.52)
    line = 0.30 + 0.62 * np.clip(slope - 0.035, 0, 1) ** 0.72 * 0.95 + c.noise(6, 8) * 0.008
    line = (line * c.H).astype(np.float32)
    if smoke:
        puff = c.cloud(7, 1.0, 5)
        y = c.y / c.H
        rise = np.clip(0.31 - y, 0, 1)
        plume = np.exp(-(((c.x / c.W - 0.52 - rise * 0.55) / (0.045 + 0.32 * rise)) ** 2)) * (y < 0.315) * np.clip(0.3 + 1.2 * (puff - 0.25), 0, 1)
        c.over(smoke, np.clip(plume * 1.15, 0, 0.95).astype(np.float32))
    c.below(line, cone, mix(cone, sky[-1], 0.7), 0.5)
    if snow:
        rough = c.noise(6, 26) * 0.03 * c.H
        limit = 0.475 * c.H + rough + 0.02 * c.H * np.sin(x0 * 90)
        mask = ((c.y > line[None, :]) & (c.y < limit[None, :])).astype(np.float32)
        c.over(snow, mask * 0.95)
        c.over(mix(snow, cone, 0.35), mask * np.clip((x0 - 0.53) * 12, 0, 0.55)[None, :].astype(np.float32))
    if lava:
        c.glow(0.52, 0.30, 0.16, lava, 0.8, 1.2)
        for drift in (-0.05, 0.015, 0.07):
            path = [((0.52 + drift * t + 0.008 * np.sin(t * 9 + drift * 50)) * c.W, (0.315 + 0.33 * t) * c.H) for t in np.linspace(0, 1, 30)]
            c.shapes(lava, lambda pen: pen.line(path, fill=255, width=int(c.unit * 0.012), joint="curve"), 0.6, 0.008)
            c.shapes("#ffe0a0", lambda pen: pen.line(path, fill=255, width=int(c.unit * 0.004), joint="curve"), 0.9)
    c.mist(0.70, 0.07, sky[-1], 0.8)
    for i in range(3):
        c.below(c.ridge(0.80 + 0.07 * i, 0.03, 5, 3), mix(sky[-1], mix(cone, "#0c1512", 0.4), 0.45 + 0.25 * i), mix(sky[-1], cone, 0.5), 0.2)
    c.vignette(0.15)
