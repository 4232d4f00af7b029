"""A small painter: gradients, silhouettes, glows and mist on a float canvas, twice the final size."""

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

SCALE = 2


def rgb(value):
    """`#rrggbb` (or a triple) as three floats from 0 to 1."""
    if isinstance(value, str):
        value = [int(value[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return np.asarray(value, dtype=np.float32)


def mix(first, second, share):
    return rgb(first) * (1 - share) + rgb(second) * share


class Canvas:
    def __init__(self, width, height, seed):
        self.size = (width, height)
        self.W, self.H = width * SCALE, height * SCALE
        self.unit = min(self.W, self.H)
        self.rng = np.random.default_rng(seed)
        self.a = np.zeros((self.H, self.W, 3), dtype=np.float32)
        self.y = np.arange(self.H, dtype=np.float32)[:, None]
        self.x = np.arange(self.W, dtype=np.float32)[None, :]

    # Colour over everything

    def sky(self, *stops):
        """A vertical gradient. `stops` are colours, evenly spread, or (position, colour)."""
        if not isinstance(stops[0], tuple):
            stops = [(i / (len(stops) - 1), c) for i, c in enumerate(stops)]
        at = [s[0] for s in stops]
        colours = np.array([rgb(s[1]) for s in stops])
        t = np.linspace(0, 1, self.H)
        # Smooth steps between the stops keep the eye from finding the seams.
        column = np.stack([np.interp(t, at, colours[:, i]) for i in range(3)], axis=1)
        kernel = np.ones(max(3, self.H // 18)) / max(3, self.H // 18)
        pad = len(kernel)
        column = np.stack(
            [np.convolve(np.pad(column[:, i], pad, mode="edge"), kernel, "same")[pad:-pad] for i in range(3)], axis=1)
        self.a[:] = column[:, None, :]

    def over(self, colour, mask, top=0):
        """Paints a colour (or an array of them) through a mask of 0…1, from row `top` on."""
        part = self.a[top : top + mask.shape[0]]
        mask = mask[..., None]
        part += (rgb(colour) if not isinstance(colour, np.ndarray) else colour) * mask - part * mask

    def screen(self, colour, mask):
        """Adds light, never past white."""
        self.a = 1 - (1 - self.a) * (1 - rgb(colour) * mask[..., None])

    # Shapes

    def glow(self, cx, cy, radius, colour, strength=0.8, power=2.0):
        d = np.hypot(self.x - cx * self.W, self.y - cy * self.H) / (radius * self.unit)
        self.screen(colour, (strength * np.exp(-(d**power))).astype(np.float32))

    def disc(self, cx, cy, radius, colour, alpha=1.0):
        d = radius * self.unit - np.hypot(self.x - cx * self.W, self.y - cy * self.H)
        self.over(colour, np.clip(d + 0.5, 0, 1) * alpha)

    def moon(self, cx, cy, radius, colour="#fdf6e3", shade="#d9d2c2"):
        self.glow(cx, cy, radius * 4.2, colour, 0.30, 1.2)
        self.disc(cx, cy, radius, colour)
        for _ in range(7):
            angle, far = self.rng.uniform(0, 6.28), self.rng.uniform(0, 0.62)
            size = radius * self.rng.uniform(0.08, 0.24)
            self.disc(cx + np.cos(angle) * far * radius * self.unit / self.W,
                      cy + np.sin(angle) * far * radius * self.unit / self.H, size, shade, 0.5)

    def stars(self, count, below=0.7, colour="#ffffff"):
        layer = np.zeros((self.H, self.W), dtype=np.float32)
        for _ in range(count):
            x, y = self.rng.uniform(0, self.W), self.rng.uniform(0, 1) ** 1.3 * below * self.H
            r, light = self.rng.choice([1.1, 1.5, 2.4], p=[0.6, 0.3, 0.1]), self.rng.uniform(0.25, 0.95)
            x0, y0 = int(x) - 4, int(y) - 4
            if 0 <= x0 < self.W - 9 and 0 <= y0 < self.H - 9:
                yy, xx = np.mgrid[y0 : y0 + 9, x0 : x0 + 9]
                layer[y0 : y0 + 9, x0 : x0 + 9] += light * np.exp(-((xx - x) ** 2 + (yy - y) ** 2) / r**2)
        self.screen(colour, np.clip(layer, 0, 1))

    def noise(self, octaves=5, first=3, fall=0.5):
        """Fractal noise along x, about -1…1."""
        line, weight, total = np.zeros(self.W), 1.0, 0.0
        t = np.linspace(0, 1, self.W)
        for octave in range(octaves):
            points = first * 2**octave + 3
            knots = self.rng.uniform(-1, 1, points)
            p = t * (points - 1.001)
            i, f = p.astype(int), p % 1
            f = f * f * (3 - 2 * f)
            line += weight * (knots[i] * (1 - f) + knots[i + 1] * f)
            total += weight
            weight *= fall
        return line / total * 1.6

    def cloud(self, scale=6, stretch=3.0, octaves=4):
        """Soft two-dimensional noise, 0…1, wider than high."""
        out, weight = np.zeros((self.H, self.W), dtype=np.float32), 1.0
        for octave in range(octaves):
            n = scale * 2**octave
            small = self.rng.uniform(0, 255, (max(3, int(n * stretch * self.H / self.W)), n)).astype(np.uint8)
            big = Image.fromarray(small).resize((self.W, self.H), Image.BICUBIC)
            out += weight * np.asarray(big, dtype=np.float32) / 255
            weight *= 0.5
        low, high = out.min(), out.max()
        return (out - low) / (high - low)

    def ridge(self, base, height, octaves=6, first=3, fall=0.5, sharp=0.0):
        """Heights (in rows) of a silhouette around `base` (0 top … 1 bottom)."""
        line = self.noise(octaves, first, fall)
        if sharp:
            line = line * (1 - sharp) + (1 - 2 * np.abs(self.noise(octaves, first, fall))) * sharp
        return ((base - line * height) * self.H).astype(np.float32)

    def below(self, line, colour, fade_to=None, fade=0.3, curve=1.0):
        """Fills under a silhouette; the colour fades into another (mist, light) within `fade`."""
        top = max(0, int(line.min()) - 1)
        if top >= self.H:
            return
        y = self.y[top:]
        mask = np.clip(y - line[None, :] + 0.5, 0, 1).astype(np.float32)
        if fade_to is None:
            self.over(rgb(colour), mask, top)
        else:
            t = (np.clip((y - line[None, :]) / (fade * self.H), 0, 1) ** curve).astype(np.float32)[..., None]
            self.over(rgb(colour) * (1 - t) + rgb(fade_to) * t, mask, top)

    def shapes(self, colour, draw, alpha=1.0, blur=0.0):
        """`draw(pen)` with a Pillow pen whose fill is 0…255 coverage, in pixels."""
        image = Image.new("L", (self.W, self.H))
        draw(ImageDraw.Draw(image))
        if blur:
            image = image.filter(ImageFilter.GaussianBlur(blur * self.unit))
        box = image.getbbox()
        if not box:
            return
        mask = np.asarray(image, dtype=np.float32)[box[1] : box[3]] / 255 * alpha
        self.over(rgb(colour), mask, box[1])

    def mist(self, at, thickness, colour, strength=0.6, scale=4):
        band = np.exp(-(((self.y / self.H - at) / thickness) ** 2))
        wisps = 0.45 + 0.75 * self.cloud(scale, 2.5, 3)
        self.over(rgb(colour), np.clip(band * wisps * strength, 0, 1).astype(np.float32))

    def mirror(self, horizon, tint, share=0.35, ripple=0.006, squeeze=1.0):
        """Water: what is above the horizon, upside down, wavering more the nearer it is."""
        row = int(horizon * self.H)
        depth = np.arange(self.H - row)
        source = np.clip(row - 1 - (depth * squeeze).astype(int), 0, row - 1)
        far = depth / max(1, self.H - row)
        wave = np.sin(depth / (3 + 22 * far) * 1.7) * ripple * self.W * (0.15 + far)
        for i, (s, w) in enumerate(zip(source, wave)):
            self.a[row + i] = np.roll(self.a[s], int(w), axis=0)
        t = (share + 0.25 * far)[:, None, None].astype(np.float32)
        self.a[row:] = self.a[row:] * (1 - t) + rgb(tint) * t

    def glitter(self, cx, horizon, colour, width=0.12, count=260, strength=0.7):
        """The path of light on water below a sun or moon."""
        def draw(pen):
            for _ in range(count):
                far = self.rng.uniform(0, 1) ** 1.25
                y = (horizon + far * (1 - horizon)) * self.H
                spread = width * (0.25 + far)
                x = (cx + self.rng.normal(0, spread * 0.42)) * self.W
                long = (0.006 + 0.05 * far * self.rng.uniform(0.3, 1)) * self.W
                high = max(1.5, (0.0008 + 0.0035 * far) * self.H)
                light = int(255 * self.rng.uniform(0.35, 1))
                pen.ellipse([x - long, y - high, x + long, y + high], fill=light)
        self.shapes(colour, draw, strength)

    def birds(self, cx, cy, colour, count=5, size=0.018, spread=0.09):
        def draw(pen):
            for _ in range(count):
                x = (cx + self.rng.normal(0, spread)) * self.W
                y = (cy + self.rng.normal(0, spread * 0.35)) * self.H
                s = size * self.unit * self.rng.uniform(0.6, 1.1)
                for side in (-1, 1):
                    points = [(x + side * s * t, y - s * 0.55 * np.sin(t * 2.6)) for t in np.linspace(0, 1, 8)]
                    pen.line(points, fill=255, width=max(2, int(s * 0.13)), joint="curve")
        self.shapes(colour, draw)

    def vignette(self, strength=0.18):
        d = ((self.x / self.W - 0.5) ** 2 + (self.y / self.H - 0.5) ** 2) * 2
        self.a *= (1 - strength * d**1.3)[..., None].astype(np.float32)

    def save(self, path, limit=58_000):
        """Writes a JPEG below `limit` bytes: a whisper of grain against banding, best quality that fits."""
        width, height = self.size
        whole = Image.fromarray((np.clip(self.a, 0, 1) * 255).astype(np.uint8))
        small = np.asarray(whole.resize((width, height), Image.LANCZOS), dtype=np.float32)
        grain = np.random.default_rng(7).normal(0, 1.1, (height, width, 1))
        image = Image.fromarray(np.clip(small + grain, 0, 255).astype(np.uint8))
        for quality in range(76, 24, -4):
            image.save(path, "JPEG", quality=quality, optimize=True, progressive=True)
            if path.stat().st_size <= limit:
                return path.stat().st_size
        raise SystemExit(f"{path} cannot be made smaller than {limit} bytes")
