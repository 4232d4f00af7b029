"""Sounds out of sox's synthesiser. Each takes a runner of sox, a file to write and a length in seconds."""

RATE = "24000"


def chimes(sox, out, seconds):
    """A few tubes, each struck once or twice, ringing on."""
    strikes = [(0.2, "A5"), (0.9, "E6"), (1.7, "C6"), (2.1, "G5"), (3.4, "D6"), (4.4, "A5"), (4.7, "E6"), (6.0, "C6")]
    _notes(sox, out, seconds, strikes, ring=3.0, wave="sine", effects=["reverb", "60", "gain", "-3"])


def music_box(sox, out, seconds):
    """A tune of sixteen notes in three-four time."""
    tune = ["C5", "E5", "G5", "B5", "A5", "G5", "E5", "F5", "A5", "C6", "B5", "G5", "E5", "D5", "G4", "C5"]
    strikes = [(0.1 + 0.62 * i, note) for i, note in enumerate(tune)]
    _notes(sox, out, seconds, strikes, ring=2.0, wave="pluck", effects=["treble", "-3", "reverb", "35"])


def door(sox, out, seconds):
    """A doorbell that has manners."""
    _notes(sox, out, seconds, [(0.1, "E5"), (0.7, "C5"), (1.3, "G4")], ring=2.4, wave="sine", effects=["reverb", "40"])


def pad(sox, out, seconds):
    """Two slow chords that swell into each other."""
    half = f"{seconds / 2 + 1.5}"
    chords = [["D3", "A3", "D4", "F4"], ["G2", "G3", "B3", "E4"]]
    for number, chord in enumerate(chords):
        voices = [word for note in chord for word in ("sine", "%" + str(_semitones(note)))]
        sox("-n", "-r", RATE, "-c", str(len(chord)), f"{out}.{number}.wav", "synth", half, *voices,
            "remix", "-", "fade", "q", "2", half, "2.5", "tremolo", "0.3", "30")
    sox("-m", f"{out}.0.wav", "|sox " + f"{out}.1.wav" + f" -p pad {seconds / 2 - 1.5}", out,
        "lowpass", "1800", "reverb", "70", "trim", "0", str(seconds))


def waves(sox, out, seconds):
    """Brown noise that comes and goes as the sea does."""
    sox("-n", "-r", RATE, "-c", "1", out, "synth", str(seconds), "brownnoise", "synth", str(seconds), "sine", "amod",
        "0.16", "15", "lowpass", "1400", "highpass", "90", "reverb", "30", "trim", "0", str(seconds))


def rain(sox, out, seconds):
    """A steady hiss, and drops of all sizes on metal."""
    sox("-n", "-r", RATE, "-c", "1", f"{out}.hiss.wav", "synth", str(seconds), "pinknoise", "highpass", "900",
        "lowpass", "6500", "gain", "-9")
    strikes, at, step = [], 0.05, 0
    while at < seconds - 0.3:
        step += 1
        strikes.append((at, ["C6", "D6", "F6", "A5", "G6", "B5", "E6"][step * step % 7]))
        at += 0.05 + 0.19 * ((step * 37 % 11) / 10)
    _notes(sox, f"{out}.drops.wav", seconds, strikes, ring=0.07, wave="pluck", effects=["gain", "-16", "reverb", "25"])
    sox("-m", f"{out}.hiss.wav", f"{out}.drops.wav", out, "trim", "0", str(seconds))


def drips(sox, out, seconds):
    """One drop, about once a breath."""
    strikes = [(0.4 + 2.3 * i, ["E6", "D6", "G6"][i % 3]) for i in range(max(1, int((seconds - 0.5) / 2.3)))]
    _notes(sox, out, seconds, strikes, ring=0.5, wave="sine", effects=["reverb", "55", "gain", "-4"])


def _notes(sox, out, seconds, strikes, ring, wave, effects):
    """Notes that ring for `ring` seconds each from their moments on."""
    commands = []
    for at, note in strikes:
        fade = f"fade h 0.004 {ring} {ring * 0.96:.3f}" if wave == "sine" else f"fade h 0.002 {ring} {ring * 0.5:.3f}"
        commands.append(f"|sox -R -n -r {RATE} -c 1 -p synth {ring} {wave} %{_semitones(note)} {fade} pad {at:.3f}")
    mixed = f"{out}.notes.wav"
    if len(commands) > 1:
        # In portions: sox opens a process for each note.
        parts = []
        for start in range(0, len(commands), 12):
            portion, part = commands[start:start + 12], f"{mixed}.{start}.wav"
            sox(*(["-m"] if len(portion) > 1 else []), *(w for c in portion for w in ("-v", "0.35", c)), part)
            parts.append(part)
        sox(*(["-m"] if len(parts) > 1 else []), *(w for p in parts for w in ("-v", "0.9", p)), mixed)
    else:
        sox(commands[0], mixed)
    sox(mixed, out, *effects, "pad", "0", str(seconds), "trim", "0", str(seconds), "fade", "t", "0", str(seconds), "0.6")


def _semitones(note):
    """Half-tones above (or below) the A of 440 Hz."""
    steps = {"C": -9, "D": -7, "E": -5, "F": -4, "G": -2, "A": 0, "B": 2}
    return steps[note[0]] + 12 * (int(note[1:]) - 4)


SOUNDS = {
    f.__name__: f for f in (chimes, music_box, door, pad, waves, rain, drips)
}
