"""The type check of the benchmarks' programs. `make check` runs it on the project itself."""

import subprocess


def test_without_a_build_it_says_what_to_do(root, tmp_path):
    result = subprocess.run([root / "Scripts/check-benchmarks", tmp_path], capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr == f"check-benchmarks: nothing is built in {tmp_path}: swift build\n"
