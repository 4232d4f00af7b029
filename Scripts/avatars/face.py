"""A flat portrait of plain shapes, drawn four times larger than it is kept."""

from PIL import Image, ImageDraw

SIZE, SCALE = 160, 4

SKIN = ["#f8d9c0", "#eebf98", "#d9a066", "#b87a48", "#8d5530", "#724629"]
HAIR = {
    "black": "#26201f", "brown": "#4c3022", "chestnut": "#7d4a28", "blond": "#d9ab5c", "red": "#b5502b",
    "grey": "#a3a3a6", "white": "#e4e2de",
}


def shade(colour, factor):
    """Darker below 1, lighter above."""
    parts = [int(colour[i:i + 2], 16) for i in (1, 3, 5)]
    if factor <= 1:
        parts = [round(p * factor) for p in parts]
    else:
        parts = [round(p + (255 - p) * (factor - 1)) for p in parts]
    return "#%02x%02x%02x" % tuple(parts)


class Face:
    def __init__(
        self, ground, skin, hair, style, cloth, neckline="crew", beard=None, glasses=None, smile="closed",
        earrings=None, width=25,
    ):
        self.ground, self.skin, self.cloth = ground, SKIN[skin], cloth
        self.hair = HAIR.get(hair, hair)
        self.style, self.neckline, self.beard, self.glasses = style, neckline, beard, glasses
        self.smile, self.earrings, self.width = smile, earrings, width

    # Shapes, in units of the finished picture

    def oval(self, x, y, rx, ry, fill):
        self.pen.ellipse([v * SCALE for v in (x - rx, y - ry, x + rx, y + ry)], fill=fill)

    def arc(self, x, y, rx, ry, start, end, fill, width):
        self.pen.arc([v * SCALE for v in (x - rx, y - ry, x + rx, y + ry)], start, end, fill=fill, width=int(width * SCALE))

    def pie(self, x, y, rx, ry, start, end, fill):
        self.pen.chord([v * SCALE for v in (x - rx, y - ry, x + rx, y + ry)], start, end, fill=fill)

    def box(self, x0, y0, x1, y1, radius, fill=None, outline=None, width=0):
        self.pen.rounded_rectangle(
            [v * SCALE for v in (x0, y0, x1, y1)], radius * SCALE, fill=fill, outline=outline, width=int(width * SCALE))

    def shape(self, points, fill):
        self.pen.polygon([(x * SCALE, y * SCALE) for x, y in points], fill=fill)

    def both(self, draw):
        """Draws on the left, then on the right."""
        for side in (-1, 1):
            draw(side)

    def draw(self):
        image = Image.new("RGB", (SIZE * SCALE, SIZE * SCALE), self.ground)
        self.pen = ImageDraw.Draw(image)
        self.oval(80, 78, 66, 66, shade(self.ground, 1.18))
        getattr(self, f"back_{self.style}", lambda: None)()
        self.body()
        self.head()
        if self.beard:
            getattr(self, f"beard_{self.beard}")()
        getattr(self, f"front_{self.style}")()
        self.features()
        if self.glasses:
            self.spectacles()
        if self.earrings:
            self.both(lambda s: self.oval(80 + s * (self.width + 3), 92, 2.6, 2.6, self.earrings))
        return image.resize((SIZE, SIZE), Image.LANCZOS)

    def body(self):
        dark = shade(self.skin, 0.86)
        self.box(32, 124, 128, 190, 34, self.cloth)
        self.box(69, 98, 91, 134, 9, dark)
        if self.neckline == "crew":
            self.pie(80, 124, 15, 11, 0, 180, dark)
            self.arc(80, 124, 17, 13, 0, 180, shade(self.cloth, 0.82), 3)
        elif self.neckline == "v":
            self.shape([(66, 124), (94, 124), (80, 146)], dark)
        elif self.neckline == "shirt":
            self.shape([(69, 122), (91, 122), (80, 138)], dark)
            self.both(lambda s: self.shape(
                [(80 + s * 10, 119), (80 + s * 20, 126), (80 + s * 12, 142), (80, 137)], shade(self.cloth, 1.35)))
            self.box(79, 138, 81, 160, 1, shade(self.cloth, 0.8))
        elif self.neckline == "blazer":
            self.shape([(62, 124), (98, 124), (80, 168)], "#f4f1ec")
            self.shape([(69, 122), (91, 122), (80, 136)], dark)
            self.both(lambda s: self.shape(
                [(80 + s * 15, 122), (80 + s * 28, 132), (80 + s * 3, 168), (80, 160)], shade(self.cloth, 0.78)))
        elif self.neckline == "turtle":
            self.box(67, 114, 93, 132, 6, shade(self.cloth, 0.88))

    def head(self):
        dark = shade(self.skin, 0.86)
        self.both(lambda s: self.oval(80 + s * (self.width + 1), 80, 5, 7, dark))
        self.oval(80, 72, self.width, 30, self.skin)
        self.oval(80, 84, self.width - 2, 27, self.skin)

    def features(self):
        line = shade(self.skin, 0.5)
        brow = shade(self.hair, 0.75) if self.style not in ("bald", "scarf") else shade(self.skin, 0.45)
        self.both(lambda s: self.arc(80 + s * 10.5, 74, 6, 4.5, 205, 335, brow, 2))
        self.both(lambda s: self.oval(80 + s * 10.5, 79, 2.5, 3.1, "#2a1f1c"))
        self.both(lambda s: self.oval(80 + s * 10.5 + 0.9, 77.9, 0.8, 0.8, "#ffffff"))
        self.both(lambda s: self.oval(80 + s * 15.5, 89, 4, 2.8, self.blush()))
        self.arc(80, 85.5, 3.6, 3, 20, 160, shade(self.skin, 0.72), 1.8)
        if self.smile == "open":
            self.pie(80, 94, 8, 7.5, 0, 180, "#7a2a2c")
            self.box(74.5, 94, 85.5, 96.4, 1, "#ffffff")
        elif self.smile == "lips":
            self.pie(80, 95, 7, 5, 0, 180, "#b8434c")
            self.arc(80, 93.6, 7.4, 4, 10, 170, "#8f2d38", 1.4)
        else:
            self.arc(80, 92, 8, 6, 20, 160, line, 2)

    def blush(self):
        parts = [int(self.skin[i:i + 2], 16) for i in (1, 3, 5)]
        return "#%02x%02x%02x" % (min(255, parts[0] + 4), int(parts[1] * 0.86), int(parts[2] * 0.84))

    def spectacles(self):
        frame = "#2b2b33" if self.glasses is True else self.glasses
        self.both(lambda s: self.box(80 + s * 10.5 - 8, 72, 80 + s * 10.5 + 8, 86.5, 6, outline=frame, width=1.8))
        self.box(77, 77.4, 83, 79.2, 0.5, frame)

    # Beards

    def beard_full(self):
        self.pie(80, 88, self.width - 0.5, 27, 8, 172, self.hair)
        self.oval(80, 94.5, 11, 6.5, self.skin)
        self.arc(80, 93, 13, 6, 200, 340, self.hair, 4)

    def beard_short(self):
        colour = shade(self.skin, 0.74)
        self.pie(80, 86, self.width - 1, 26, 14, 166, colour)
        self.oval(80, 93, 11, 6, self.skin)

    def beard_goatee(self):
        self.oval(80, 104, 8.5, 7, self.hair)
        self.oval(80, 96, 9, 5.5, self.skin)

    def beard_moustache(self):
        self.both(lambda s: self.oval(80 + s * 5, 90.4, 6, 2.7, self.hair))

    # Hair: what is behind the head, and what is before it

    def cap_of_hair(self, top=40, low=76):
        w = self.width + 2
        self.pie(80, low, w, low - top, 180, 360, self.hair)

    def forehead(self, x, y, rx, ry):
        self.oval(x, y, rx, ry, self.skin)

    def front_crop(self):
        self.pie(80, 68, self.width + 1.5, 30, 188, 352, self.hair)
        self.both(lambda s: self.box(80 + s * self.width - 2.2, 62, 80 + s * self.width + 2.2, 76, 2, self.hair))

    def front_quiff(self):
        self.front_crop()
        self.oval(74, 45, 21, 10, self.hair)
        self.oval(92, 46, 14, 9, self.hair)
        self.arc(78, 50, 18, 9, 190, 320, shade(self.hair, 1.2), 1.6)

    def front_parted(self):
        self.front_crop()
        self.pie(86, 56, 22, 17, 170, 350, self.hair)
        self.shape([(56, 58), (70, 42), (104, 48), (106, 66), (84, 57)], self.hair)

    def front_bald(self):
        self.arc(76, 60, 17, 14, 215, 265, shade(self.skin, 1.35), 2.4)

    def front_receding(self):
        self.both(lambda s: self.box(80 + s * self.width - 3.5, 60, 80 + s * self.width + 3.5, 80, 3.5, self.hair))
        self.both(lambda s: self.oval(80 + s * (self.width - 3), 60, 6, 8, self.hair))
        self.arc(78, 58, 14, 11, 220, 275, shade(self.skin, 1.35), 2.2)

    def back_long(self):
        self.box(80 - self.width - 9, 44, 80 + self.width + 9, 134, 30, self.hair)
        self.oval(80, 66, self.width + 9, 33, self.hair)

    def front_long(self):
        self.pie(80, 66, self.width + 3, 28, 180, 360, self.hair)
        self.shape([(80 - self.width - 3, 84), (80 - self.width - 3, 60), (86, 44), (74, 60), (80 - self.width + 3, 66)], self.hair)
        self.forehead(84, 69, self.width - 6, 12)
        self.arc(80, 62, self.width + 5, 27, 225, 300, shade(self.hair, 1.18), 2)

    def back_waves(self):
        self.both(lambda s: [self.oval(80 + s * (self.width + 4 + d), y, 11, 14, self.hair)
                             for y, d in ((62, 0), (82, 3), (102, 2), (118, -2))])
        self.oval(80, 58, self.width + 10, 29, self.hair)

    def front_waves(self):
        self.pie(80, 66, self.width + 3, 28, 180, 360, self.hair)
        self.forehead(73, 71, self.width - 9, 13)
        self.both(lambda s: self.oval(80 + s * (self.width + 1), 66, 6, 12, self.hair))
        self.arc(84, 56, 22, 20, 200, 320, shade(self.hair, 1.18), 2)

    def back_bob(self):
        self.box(80 - self.width - 8, 40, 80 + self.width + 8, 108, 30, self.hair)

    def front_bob(self):
        self.pie(80, 68, self.width + 3, 30, 180, 360, self.hair)
        self.both(lambda s: self.box(80 + s * (self.width + 1) - 4, 58, 80 + s * (self.width + 1) + 4, 100, 4, self.hair))
        self.box(80 - self.width, 54, 80 + self.width, 69, 6, self.hair)
        self.arc(80, 62, self.width, 19, 225, 290, shade(self.hair, 1.2), 2)

    def back_afro(self):
        self.oval(80, 62, 44, 41, self.hair)

    def front_afro(self):
        for x, y in ((60, 58), (67, 50), (76, 46.5), (85, 46.5), (94, 50), (101, 58)):
            self.oval(x, y, 8, 8, self.hair)
        for x, y in ((56, 42), (74, 32), (94, 34), (108, 50)):
            self.arc(x, y, 5, 4, 190, 340, shade(self.hair, 1.22), 1.6)

    def back_curls(self):
        for x, y in ((52, 52), (48, 68), (47, 84), (51, 99), (108, 52), (112, 68), (113, 84), (109, 99), (64, 40), (80, 35), (96, 40)):
            self.oval(x, y, 13, 13, self.hair)

    def front_curls(self):
        for x, y in ((58, 60), (64, 52), (73, 48), (82, 47), (91, 49), (98, 54), (103, 62)):
            self.oval(x, y, 7.5, 7.5, self.hair)
        for x, y in ((62, 44), (80, 40), (98, 45), (48, 66), (112, 68), (50, 90), (110, 90)):
            self.arc(x, y, 5, 4, 180, 330, shade(self.hair, 1.22), 1.6)

    def front_shortcurls(self):
        self.front_crop()
        for x, y in ((57, 56), (63, 47), (71, 41), (80, 39), (89, 41), (97, 47), (103, 56)):
            self.oval(x, y, 8, 8, self.hair)

    def back_bun(self):
        self.oval(80, 33, 15, 14, self.hair)

    def front_bun(self):
        self.pie(80, 68, self.width + 2, 31, 185, 355, self.hair)
        self.forehead(80, 74, self.width - 3, 17)
        self.arc(80, 36, 12, 9, 200, 300, shade(self.hair, 1.2), 1.8)
        self.both(lambda s: self.box(80 + s * self.width - 2, 60, 80 + s * self.width + 2, 76, 2, self.hair))

    def back_ponytail(self):
        self.oval(108, 50, 13, 12, self.hair)
        self.oval(117, 74, 11, 24, self.hair)
        self.oval(113, 100, 8, 16, self.hair)

    def front_ponytail(self):
        self.pie(80, 68, self.width + 2, 31, 185, 355, self.hair)
        self.forehead(76, 74, self.width - 5, 17)
        self.oval(103, 50, 4.5, 4.5, self.cloth)

    def back_braids(self):
        self.oval(80, 62, self.width + 8, 32, self.hair)
        for side in (-1, 1):
            for k, y in enumerate(range(80, 136, 8)):
                self.oval(80 + side * (self.width + 5), y, 7.5 - k * 0.35, 6.5, self.hair)

    def front_braids(self):
        self.pie(80, 67, self.width + 3, 29, 180, 360, self.hair)
        self.both(lambda s: self.forehead(80 + s * 9, 70, self.width - 12, 12))
        self.box(79.2, 38, 80.8, 56, 0.8, shade(self.hair, 1.3))
        self.both(lambda s: self.oval(80 + s * (self.width + 5), 128, 5, 3, self.cloth))

    def back_scarf(self):
        self.oval(80, 72, self.width + 12, 41, self.hair)
        self.box(54, 92, 106, 134, 18, shade(self.hair, 0.9))

    def front_scarf(self):
        self.arc(80, 76, self.width + 8, 39, 0, 360, self.hair, 9)
        self.arc(80, 74, self.width + 9, 38, 200, 300, shade(self.hair, 1.2), 2)

    def front_cap(self):
        self.both(lambda s: self.box(80 + s * self.width - 2.2, 62, 80 + s * self.width + 2.2, 78, 2, "#3a2a22"))
        self.pie(80, 64, self.width + 3, 30, 180, 360, self.hair)
        self.box(76, 58, 116, 66, 4, shade(self.hair, 0.8))
        self.oval(80, 34.5, 3, 2.4, shade(self.hair, 0.8))
