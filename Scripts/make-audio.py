#!/usr/bin/env python3
"""Makes the clips of the reference audio feed: clips.json and an MP3 for each, with the waveforms of the samples.

Needs espeak-ng, sox, lame and numpy (`apt-get install espeak-ng sox lame python3-numpy`). Nothing is left to chance:
the same versions of these make the same files again.

    python3 Scripts/make-audio.py              # all of them
    python3 Scripts/make-audio.py pier gato    # only these
"""

import hashlib
import json
import subprocess
import sys
import tempfile
import uuid
import wave
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).parent))
from audio.pieces import PIECES  # noqa: E402
from audio.sounds import RATE, SOUNDS  # noqa: E402

FOLDER = Path(__file__).resolve().parent.parent / "Product/Sources/ReferenceAPIs/Media/audio"
NAMES = uuid.UUID("5d4e7a7e-4a0d-4b52-9b0c-8f6c1b1f2a10")
LARGEST = 1_500_000
BITRATE = "48"
LOUDNESS = 10 ** (-20 / 20)
PEAK = 10 ** (-1.5 / 20)
VALUES = 64


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stderr}")


def sox(*arguments):
    run("sox", "-R", "-V1", *map(str, arguments))


def read(path):
    plain = f"{path}.16.wav"
    sox(path, "-r", RATE, "-c", "1", "-b", "16", "-e", "signed", plain)
    with wave.open(plain) as file:
        return numpy.frombuffer(file.readframes(file.getnframes()), dtype="<i2").astype(float) / 32768


def write(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(int(RATE))
        file.writeframes((samples.clip(-1, 1) * 32767).round().astype("<i2").tobytes())


def level(samples, loudness=LOUDNESS):
    """The same loudness for every clip, measured where there is sound, and never past full scale."""
    blocks = samples[: len(samples) // 480 * 480].reshape(-1, 480)
    power = numpy.sqrt((blocks**2).mean(axis=1))
    heard = power[power > power.max() * 0.1]
    samples = samples * (loudness / numpy.sqrt((heard**2).mean()))
    return samples * min(1, PEAK / numpy.abs(samples).max())


def spoken(piece, folder):
    raw, voice = folder / "raw.wav", folder / "voice.wav"
    run("espeak-ng", "-v", piece["voice"], "-s", str(piece["speed"]), "-p", str(piece["pitch"]), "-g", "6",
        "-w", str(raw), piece["say"])
    # A little warmth and a small room: a synthetic voice is hard to listen to without.
    sox(raw, "-r", RATE, "-c", "1", "-b", "16", voice, "gain", "-6", "highpass", "80", "bass", "+2", "treble", "-4",
        "6000", "compand", "0.02,0.15", "6:-40,-30,-12", "-4", "reverb", "16", "40", "30", "pad", "0.4", "0.7",
        "rate", RATE)
    return level(read(voice))


def samples_of(piece, folder):
    voice = spoken(piece, folder) if "say" in piece else None
    if "play" not in piece:
        return voice
    seconds = piece.get("seconds") or len(voice) / int(RATE)
    sound = folder / "sound.wav"
    SOUNDS[piece["play"]](sox, sound, seconds)
    bed = read(sound)
    if voice is None:
        return level(bed)
    bed = level(bed, LOUDNESS / 7)[: len(voice)]
    mix = voice.copy()
    mix[: len(bed)] += bed
    return level(mix)


def waveform(samples):
    """The peak of each of the clip's parts, the loudest being 1."""
    peaks = numpy.array([numpy.abs(part).max() for part in numpy.array_split(samples, VALUES)])
    return [round(float(value), 2) for value in peaks / peaks.max()]


def make(piece, number):
    file = f"{number:02}.mp3"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        samples = samples_of(piece, folder)
        edge = int(int(RATE) * 0.02)
        samples[:edge] *= numpy.linspace(0, 1, edge)
        samples[-edge:] *= numpy.linspace(1, 0, edge)
        write(folder / "clip.wav", samples)
        run("lame", "--silent", "-m", "m", "-b", BITRATE, "--resample", "24", "-q", "2", "--id3v2-only",
            "--tt", piece["title"], "--ta", piece.get("author", ""), str(folder / "clip.wav"),
            str(FOLDER / "clips" / file))
    clip = {"id": str(uuid.uuid5(NAMES, piece["slug"])).upper(), "title": piece["title"]}
    if "author" in piece:
        clip["author"] = piece["author"]
    clip["duration"] = round(len(samples) / int(RATE), 2)
    clip["created_at"] = piece["created"]
    clip["file"] = file
    clip["etag"] = hashlib.sha256((FOLDER / "clips" / file).read_bytes()).hexdigest()[:20]
    if piece.get("waveform", True):
        clip["waveform"] = waveform(samples)
    return clip


def main():
    (FOLDER / "clips").mkdir(parents=True, exist_ok=True)
    only = set(sys.argv[1:])
    unknown = only - {piece["slug"] for piece in PIECES}
    if unknown:
        sys.exit(f"no such piece: {', '.join(sorted(unknown))}")
    listing = FOLDER / "clips.json"
    known = {clip["file"]: clip for clip in json.loads(listing.read_text("utf-8"))} if only else {}
    clips = []
    for number, piece in enumerate(PIECES, 1):
        if only and piece["slug"] not in only:
            clips.append(known[f"{number:02}.mp3"])
            continue
        clips.append(make(piece, number))
        size = (FOLDER / "clips" / clips[-1]["file"]).stat().st_size
        print(f"{clips[-1]['file']} {size:7} bytes {clips[-1]['duration']:6.2f} s  {piece['title']}")
    total = sum(file.stat().st_size for file in (FOLDER / "clips").iterdir())
    assert total <= LARGEST, f"the clips take {total} bytes"
    lines = ",\n".join(json.dumps(clip, ensure_ascii=False) for clip in clips)
    listing.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
