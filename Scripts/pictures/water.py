"""Seas, lakes, coasts and ice."""

import numpy as np

from .canvas import mix


def sea(c, sky, water, sun, horizon=0.56, boat=None, clouds=None, birds=None, island=None):
    c.sky(*[(i / (len(sky) - 1) * horizon, k) for i, k in enumerate(sky)], (1, sky[-1]))
    if clouds:
        streaks = np.clip((c.cloud(4, 9, 4) - 0.48) * 3.2, 0, 1) * (c.y < horizon * c.H)
        c.over(clouds, (streaks * 0.7).astype(np.float32))
    c.glow(sun[0], sun[1], sun[2] * 5, sun[3], 0.6, 1.15)
    c.disc(sun[0], sun[1], sun[2], sun[3])
    if island:
        c.below(np.where(np.abs(np.linspace(0, 1, c.W) - island[0]) < island[1],
                         c.ridge(horizon - 0.035, 0.03, 6, 4) + ((np.linspace(0, 1, c.W) - island[0]) / island[1]) ** 2 * 0.05 * c.H,
                         c.H).astype(np.float32), island[2], sky[-1], 0.12)
    row = int(horizon * c.H)
    depth = np.linspace(0, 1, c.H - row)[:, None, None].astype(np.float32)
    c.a[row:] = mix(sky[-1], water, 0.45) * (1 - depth**0.6) + mix(water, water, 0) * depth**0.6

    def swell(pen):
        for _ in range(420):
            far = c.rng.uniform(0, 1) ** 1.1
            y, long = row + far * (c.H - row), (0.02 + 0.10 * far) * c.W * c.rng.uniform(0.4, 1)
            x, high = c.rng.uniform(0, c.W), max(1, 0.003 * far * c.H)
            pen.ellipse([x - long, y - high, x + long, y + high], fill=int(c.rng.uniform(60, 200)))
    c.shapes(mix(water, "#000010", 0.35), swell, 0.35)
    c.glitter(sun[0], horizon, sun[3], 0.13, 320, 0.75)
    if boat:
        sail(c, boat[0], horizon + boat[1], boat[2], boat[3], boat[4])
    if birds:
        c.birds(*birds)
    c.vignette(0.15)


def sail(c, x, y, size, cloth, hull):
    X, Y, s = x * c.W, y * c.H, size * c.unit
    c.shapes(hull, lambda pen: pen.ellipse([X - s * 0.5, Y + s * 0.05, X + s * 0.5, Y + s * 0.14], fill=255), 0.45, 0.002)
    c.shapes(hull, lambda pen: pen.polygon([(X - s * 0.5, Y - s * 0.06), (X + s * 0.55, Y - s * 0.06), (X + s * 0.36, Y + s * 0.08), (X - s * 0.36, Y + s * 0.08)], fill=255))
    bend = [(X + s * (0.05 + 0.42 * np.sin(t * 1.4)), Y - s * (1.15 - 1.02 * t)) for t in np.linspace(0, 1, 14)]
    c.shapes(cloth, lambda pen: pen.polygon([(X + s * 0.05, Y - s * 0.13)] + bend, fill=255))
    jib = [(X - s * (0.02 + 0.34 * t**1.3), Y - s * (1.0 - 0.87 * t)) for t in np.linspace(0, 1, 10)]
    c.shapes(mix(cloth, hull, 0.22), lambda pen: pen.polygon([(X - s * 0.02, Y - s * 0.13)] + jib, fill=255))
    c.shapes(hull, lambda pen: pen.line([(X + s * 0.015, Y - s * 1.2), (X + s * 0.015, Y)], fill=255, width=max(2, int(s * 0.025))))


def lake(c, sky, near, mist, tint, moon=None, sun=None, stars=0, horizon=0.60, cabin=None, reeds=None, trees=None):
    """Mountains twice: once above the water and once in it."""
    c.sky(*[(i / (len(sky) - 1) * horizon, k) for i, k in enumerate(sky)], (1, sky[-1]))
    if stars:
        c.stars(stars, horizon)
    if moon:
        c.moon(*moon)
    if sun:
        c.glow(sun[0], sun[1], sun[2] * 5, sun[3], 0.55, 1.1)
        c.disc(sun[0], sun[1], sun[2], sun[3])
    for i in range(4):
        t = i / 3
        line = c.ridge(horizon - 0.20 + 0.17 * t, 0.10 - 0.075 * t, 7, 2 + 2 * i, 0.47, 0.5 * (1 - t))
        line = np.minimum(line, horizon * c.H)
        colour = mix(sky[-1], near, 0.25 + 0.75 * t)
        c.below(line, colour, mix(colour, mist, 0.7 * (1 - 0.6 * t)), 0.18)
    if trees:
        from .land import conifer

        def draw(pen):
            x = 0.0
            while x < c.W:
                edge = abs(x / c.W - 0.5) * 2
                h = c.H * (0.025 + 0.09 * edge**2) * c.rng.uniform(0.6, 1.1)
                conifer(pen, x, horizon * c.H + 4, h, c.rng)
                x += h * c.rng.uniform(0.15, 0.4)
        c.shapes(trees, draw)
    if cabin:
        hut(c, cabin[0], horizon, cabin[1], mix(near, "#0a0a10", 0.5), cabin[2])
    c.mist(horizon - 0.015, 0.02, mist, 0.55)
    c.mirror(horizon, tint)
    light = moon or sun
    if light:
        c.glitter(light[0], horizon, light[3] if len(light) > 3 else "#fdf6e3", 0.07, 150, 0.5)
    if reeds:
        def draw(pen):
            for _ in range(70):
                x = c.rng.choice([c.rng.uniform(0, 0.28), c.rng.uniform(0.74, 1)]) * c.W
                h, lean = c.rng.uniform(0.10, 0.26) * c.H, c.rng.normal(0, 0.02) * c.W
                pen.line([(x, c.H), (x + lean * 0.4, c.H - h * 0.6), (x + lean, c.H - h)], fill=255, width=int(c.unit * 0.0035) + 1)
                pen.ellipse([x + lean - 5, c.H - h - 26, x + lean + 5, c.H - h + 14], fill=255)
        c.shapes(reeds, draw)
    c.vignette(0.18)


def hut(c, x, foot, size, dark, light):
    X, Y, s = x * c.W, foot * c.H, size * c.unit
    c.shapes(dark, lambda pen: (
        pen.rectangle([X - s, Y - s * 0.8, X + s, Y + 3], fill=255),
        pen.polygon([(X - s * 1.3, Y - s * 0.75), (X + s * 1.3, Y - s * 0.75), (X, Y - s * 1.75)], fill=255),
        pen.rectangle([X + s * 0.5, Y - s * 1.7, X + s * 0.72, Y - s], fill=255)))
    c.glow(x, foot - size * 0.35 * c.unit / c.H, size * 2.2, light, 0.5, 1.4)
    c.shapes(light, lambda pen: [pen.rectangle([X + k * s - s * 0.18, Y - s * 0.55, X + k * s + s * 0.18, Y - s * 0.18], fill=255) for k in (-0.45, 0.42)])


def lighthouse(c, sky, water, rock, tower, stripe, beam=None, stars=0, side=0.68):
    horizon = 0.66
    c.sky(*[(i / (len(sky) - 1) * horizon, k) for i, k in enumerate(sky)], (1, sky[-1]))
    if stars:
        c.stars(stars, 0.6)
    clouds = np.clip((c.cloud(4, 6, 4) - 0.5) * 2.6, 0, 1) * (c.y < horizon * c.H)
    c.over(mix(sky[-1], "#ffffff", 0.3), (clouds * 0.5).astype(np.float32))
    row = int(horizon * c.H)
    depth = np.linspace(0, 1, c.H - row)[:, None, None].astype(np.float32)
    c.a[row:] = mix(sky[-1], water, 0.6) * (1 - depth) + mix(water, "#000010", 0.2) * depth
    x0 = np.linspace(0, 1, c.W)
    cliff = horizon - 0.14 * np.exp(-(((x0 - side) / 0.22) ** 2)) + 0.17 * np.clip((side - x0) * 1.8, 0, 1) + c.noise(6, 6) * 0.018
    cliff = (cliff * c.H).astype(np.float32)
    X, Y, s = side * c.W, cliff[int(side * c.W)] + 8, 0.42 * c.unit
    lamp = Y - s * 0.92
    if beam:
        for far in (-1, 1):
            c.shapes(beam, lambda pen: pen.polygon([(X, lamp), (X + far * c.W * 1.2, lamp - c.H * 0.16), (X + far * c.W * 1.2, lamp + c.H * 0.03)], fill=255), 0.30, 0.012)
    wide = lambda t: s * (0.115 - 0.045 * t)
    c.shapes(tower, lambda pen: pen.polygon([(X - wide(0), Y), (X + wide(0), Y), (X + wide(1), Y - s * 0.8), (X - wide(1), Y - s * 0.8)], fill=255))
    for k in (0.12, 0.42, 0.66):
        c.shapes(stripe, lambda pen: pen.polygon([(X - wide(k), Y - s * 0.8 * k), (X + wide(k), Y - s * 0.8 * k), (X + wide(k + 0.15), Y - s * 0.8 * (k + 0.15)), (X - wide(k + 0.15), Y - s * 0.8 * (k + 0.15))], fill=255))
    c.shapes("#000000", lambda pen: pen.polygon([(X + wide(0) * 0.35, Y), (X + wide(0), Y), (X + wide(1), Y - s * 0.8), (X + wide(1) * 0.35, Y - s * 0.8)], fill=255), 0.16)
    dark = mix(rock, "#101018", 0.5)
    c.shapes(dark, lambda pen: (pen.rectangle([X - s * 0.105, Y - s * 0.83, X + s * 0.105, Y - s * 0.80], fill=255),
                                pen.polygon([(X - s * 0.085, Y - s * 0.97), (X + s * 0.085, Y - s * 0.97), (X, Y - s * 1.08)], fill=255)))
    c.shapes(beam or "#ffe9b0", lambda pen: pen.rectangle([X - s * 0.055, Y - s * 0.97, X + s * 0.055, Y - s * 0.83], fill=255))
    if beam:
        c.glow(side, lamp / c.H, 0.16, beam, 0.85, 1.2)
    c.below(cliff, mix(rock, sky[-1], 0.12), mix(rock, "#0b0b14", 0.55), 0.3)
    c.below(np.maximum(cliff + 0.12 * c.H, (0.90 + 0.03 * c.noise(5, 5)) * c.H).astype(np.float32), mix(rock, "#0b0b14", 0.6))

    def foam(pen):
        for _ in range(260):
            x = c.rng.uniform(0, 1)
            y = (0.70 + 0.26 * c.rng.uniform(0, 1)) * c.H
            long = c.rng.uniform(0.01, 0.05) * c.W
            if y < cliff[int(x * (c.W - 1))]:
                pen.ellipse([x * c.W - long, y - 2.5, x * c.W + long, y + 2.5], fill=int(c.rng.uniform(60, 230)))
    c.shapes("#ffffff", foam, 0.4)
    c.vignette(0.18)


def waves(c, sky, colours, foam, sun=None, count=9):
    """Scales of concentric arcs, row over row, like a woodblock print; they grow towards the shore."""
    c.sky(*sky)
    if sun:
        c.glow(sun[0], sun[1], sun[2] * 2.4, sun[3], 0.3, 1.4)
        c.disc(sun[0], sun[1], sun[2], sun[3])
    for i in range(count):
        t = i / (count - 1)
        r = c.W * (0.075 + 0.115 * t**1.2)
        foot = (0.47 + 0.66 * t**1.15) * c.H
        x = -r * (0.2 + 1.6 * ((i * 0.618) % 1))
        while x < c.W + r:
            y = foot + c.rng.uniform(-0.10, 0.10) * r
            base = mix(mix(colours[0], colours[1], t), "#ffffff", c.rng.uniform(0, 0.09))
            rings = ((1.0, foam), (0.94, base), (0.76, foam), (0.715, mix(base, colours[1], 0.12)),
                     (0.53, foam), (0.495, mix(base, colours[1], 0.25)), (0.30, foam), (0.275, mix(base, colours[1], 0.4)))
            for share, colour in rings[: 4 if t < 0.3 else 8]:
                c.shapes(colour, lambda pen: pen.ellipse([x - r * share, y - r * share, x + r * share, y + r * share], fill=255))
            x += r * 1.72

        def spray(pen):
            for _ in range(14):
                at, s = c.rng.uniform(0, c.W), r * c.rng.uniform(0.015, 0.05)
                top = foot - r * c.rng.uniform(1.0, 1.25)
                pen.ellipse([at - s, top - s, at + s, top + s], fill=255)
        c.shapes(foam, spray, 0.8)
    c.vignette(0.14)


def iceberg(c, sky, water, ice, stars=0, aurora=None):
    horizon = 0.56
    c.sky(*[(i / (len(sky) - 1) * horizon, k) for i, k in enumerate(sky)], (1, sky[-1]))
    if stars:
        c.stars(stars, horizon)
    if aurora:
        curtains(c, aurora, 0.32)
    for x, wide, high, share in ((0.82, 0.16, 0.10, 0.5), (0.14, 0.13, 0.07, 0.55), (0.47, 0.27, 0.30, 0.0)):
        tips = [(x - wide, horizon)]
        for k, h in enumerate(c.rng.uniform(0.35, 0.8, 6)):
            tips.append((x - wide + wide * 2 * (k + 0.6) / 6.6, horizon - high * (1.0 if k == 2 else h) * (1 - abs(k - 2.5) / 5)))
        tips.append((x + wide, horizon))
        face = [(px * c.W, py * c.H) for px, py in tips]
        c.shapes(mix(ice, sky[-1], share), lambda pen: pen.polygon(face, fill=255))
        for k in range(1, len(face) - 2):
            # Each facet has a lit and a shaded side.
            low = (face[k][0] + (face[k + 1][0] - face[k][0]) * 0.3, horizon * c.H)
            c.shapes(mix(water, ice, 0.25 + 0.14 * (k % 3)), lambda pen: pen.polygon([face[k], face[k + 1], (face[k + 1][0], horizon * c.H), low], fill=255), 0.55 * (1 - share))
    c.mirror(horizon, water, 0.42, 0.008)
    c.vignette(0.15)


def curtains(c, colours, at=0.38):
    """Northern lights: three curtains, each a band that fades upwards."""
    for k, colour in enumerate(colours):
        line = at + 0.10 * c.noise(3, 2, 0.4) + 0.05 * k
        rays = np.interp(np.arange(c.W), np.linspace(0, c.W, 90), c.rng.uniform(0.35, 1, 90))
        y = (line * c.H)[None, :] - c.y
        tall = (0.16 + 0.20 * rays) * c.H
        light = np.exp(-np.clip(y, 0, None) / tall[None, :]) * (1 / (1 + np.exp(-y / (0.012 * c.H))))
        c.screen(colour, (light * (0.35 + 0.5 * rays)[None, :] * (0.75 - 0.12 * k)).astype(np.float32))


def aurora(c, sky, colours, near, cabin=None, water=False):
    c.sky(*sky)
    c.stars(260, 0.75)
    curtains(c, colours)
    horizon = 0.76 if water else 0.80
    for i in range(3):
        line = c.ridge(horizon - 0.08 + 0.05 * i, 0.07 - 0.02 * i, 7, 3 + i, 0.48, 0.5)
        if water:
            line = np.minimum(line, horizon * c.H)
        c.below(line, mix(sky[-1], near, 0.45 + 0.27 * i), near, 0.3)
    if water:
        c.mirror(horizon, near, 0.28, 0.007, 2.0)
    else:
        from .land import conifer

        def draw(pen):
            x = 0.0
            while x < c.W:
                h = c.H * c.rng.uniform(0.05, 0.15)
                conifer(pen, x, 0.97 * c.H, h, c.rng)
                x += h * c.rng.uniform(0.2, 0.7)
        c.below(c.ridge(0.93, 0.012, 4, 3), "#c9d8ea" if cabin else near, near, 0.2)
        c.shapes(mix(near, "#000000", 0.45), draw)
        if cabin:
            hut(c, 0.32, 0.945, 0.05, mix(near, "#000000", 0.4), cabin)
    c.vignette(0.2)
