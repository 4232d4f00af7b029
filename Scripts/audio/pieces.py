"""The speech and music in the clips of the reference audio feed. All of it is made up."""

# Oldest first. `say` is spoken by espeak-ng's `voice` at `speed` words a minute and `pitch`; `play` names a sound of
# sounds.py that is heard alone or, with words, beneath them.
PIECES = [
    dict(
        slug="wind-chimes", title="Wind chimes, hardly any wind", author="Ines Moura", created="2026-02-03T07:40:12",
        play="chimes", seconds=9,
    ),
    dict(
        slug="harbour-weather", title="Weather for a small harbour", author="Harbour desk",
        created="2026-02-11T05:55:00",
        say="Weather for a small harbour. Wind from the south west, gentle, later moderate. Visibility good, except "
            "where the bakery has opened its window. Seagulls: confident.",
        voice="en-gb-x-rp+f3", speed=150, pitch=46, play="waves",
    ),
    dict(
        slug="music-box", title="Music box, found in a drawer", author="Tomás Verdi", created="2026-02-20T19:12:30",
        play="music_box", seconds=12,
    ),
    dict(
        slug="bus", title="The bus is early", author="Line 27", created="2026-03-04T08:03:09",
        say="Attention please. The bus to the hill is three minutes early. It will wait, and it would like you to know "
            "that it does not mind.",
        voice="en-us+m3", speed=145, pitch=38,
    ),
    dict(
        slug="tin-roof", title="Rain on a tin roof", author="Ines Moura", created="2026-03-15T22:31:47",
        play="rain", seconds=14, waveform=False,
    ),
    dict(
        slug="sabado", title="Previsão para sábado", author="Rádio Quintal", created="2026-03-27T11:20:00",
        say="Previsão para sábado. De manhã, neblina fina sobre o rio. À tarde, sol entre nuvens e cheiro de café. "
            "À noite, leve um casaco, e alguém para conversar.",
        voice="pt-br+f4", speed=150, pitch=48,
    ),
    dict(
        slug="greenhouse", title="Notes from the greenhouse", created="2026-04-08T15:05:55",
        say="Greenhouse, a quarter past three. Water drips from the third shelf, about once a breath. A bee tries every "
            "pane, then finds the door. The tomatoes say nothing, but they are listening.",
        voice="en-gb-scotland+f2", speed=140, pitch=50, play="drips",
    ),
    dict(
        slug="pier", title="Waves, from the far end of the pier", author="Harbour desk", created="2026-04-19T18:44:21",
        play="waves", seconds=16,
    ),
    dict(
        slug="five-steps", title="A walk in five steps", author="Noor Halim", created="2026-05-02T09:30:00",
        say="One: shoes. Two: keys, which are not where you left them. Three: the door. Four: the corner, and a tree in "
            "flower. Five: there is no five. Keep going.",
        voice="en-us+f2", speed=142, pitch=44,
    ),
    dict(
        slug="lighthouse", title="The lighthouse that wrote postcards", author="Marta Ellery",
        created="2026-05-21T20:15:00",
        say="There was once a lighthouse that wrote postcards. Each night it turned its lamp, and with every turn it "
            "wrote one word on the water. Dear ship, it wrote. Today a cloud came by that looked like you. "
            "The ships could not read, but they slowed down all the same, because the words were bright. "
            "Then, one winter, a small grey boat came close and stayed. It had no lamp to answer with. So it rang its "
            "bell, twice. The lighthouse turned, and thought about this for eleven nights. "
            "On the twelfth it wrote: Dear boat. I did not know that there were answers.",
        voice="en-gb-x-rp+m2", speed=158, pitch=40, play="pad",
    ),
    dict(
        slug="low-sky", title="Low sky, slow chords", author="Tomás Verdi", created="2026-06-09T06:02:38",
        play="pad", seconds=18,
    ),
    dict(
        slug="gato", title="O gato e a janela", author="Rádio Quintal", created="2026-07-01T16:48:10",
        say="O gato olha a janela. A janela olha a rua. A rua não olha ninguém, e por isso o gato gosta dela.",
        voice="pt-br+m2", speed=140, pitch=42, play="drips",
    ),
    dict(
        slug="kettle", title="Kettle, window, cat", author="Noor Halim", created="2026-08-13T07:15:33",
        say="The kettle hums. The window clears. The cat decides that it is Tuesday.",
        voice="en-gb+f5", speed=136, pitch=47,
    ),
    dict(
        slug="three-notes", title="Three notes for a door", author="Ines Moura", created="2026-09-07T12:00:00",
        play="door", seconds=4,
    ),
]
