#!/usr/bin/env python3
"""Tests flows that begin with a spectrum: solve_spectrum.py PROGRAM. The spectrum at time 0 is that of the case, after a development too, which
brings derivatives to their skewness; spectra are written at the times of spectra_at; a run has the same bits with another number of threads and
when it is resumed. A development that is stopped, or does not get there, saves nothing."""
import csv
import math
import os
import signal
import subprocess
import sys
import tempfile

from solve_support import content

POINTS = [(1, 0.2), (4, 0.3), (12, 0.01)]
CASE = f"""schema = 1
[mesh]
cells = [32, 32, 32]
size = [6.283185307179586, 6.283185307179586, 6.283185307179586]
[fluid]
viscosity = 0.02
[start]
spectrum = {[list(p) for p in POINTS]}
skewness = SKEWNESS
seed = 3
[time]
end = END
[output]
history_every = 0.05
spectra_at = [0.1, 0.25]
"""


def energy_at(kappa):
    """Returns E of the case by the power laws between its points."""
    (a, p), (b, q) = POINTS[:2] if kappa < POINTS[1][0] else POINTS[1:]
    return p * (kappa / a) ** (math.log(q / p) / math.log(b / a))


def rows(path):
    with open(path, newline="", encoding="utf-8") as lines:
        return [{key: (value if key == "file" else float(value or "nan")) for key, value in row.items()} for row in csv.DictReader(lines)]


def write(name, skewness, end):
    with open(name, "w", encoding="utf-8") as f:
        f.write(CASE.replace("SKEWNESS", str(skewness)).replace("END", str(end)))


def solve(program, *words):
    return subprocess.run([program, "solve", *words, "--variant", "openmp", "--progress", "never"], capture_output=True, text=True, timeout=300)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as top:
        os.chdir(top)
        for skewness in (0, -0.3):
            write("case.toml", skewness, 0.3)
            name = f"run{-skewness}"
            done = solve(program, "case.toml", "--output", name, "--threads", "2")
            assert done.returncode == 0, done.stderr
            assert ("develops before time 0" in done.stderr) == (skewness < 0), done.stderr
            scales = rows(f"{name}/scales.csv")
            assert [row["t"] for row in scales] == [0, 0.1, 0.25], scales
            for shell, row in enumerate(rows(f"{name}/{scales[0]['file']}")):
                wanted = energy_at(row["kappa"]) if 0 < shell <= 16 else 0
                assert abs(row["E"] - wanted) < 1e-12, (skewness, row, wanted)
            history = rows(f"{name}/history.csv")
            assert history[0]["t"] == 0 and history[0]["step"] == 0, history[0]
            # The spectrum is scaled back after the skewness was reached, which changes it less than random phases do.
            first = history[0]["skewness"]
            assert abs(first) < 0.05 if skewness == 0 else first < -0.2, (skewness, first)

        again = solve(program, "case.toml", "--output", "again", "--threads", "1")
        assert again.returncode == 0, again.stderr
        write("shorter.toml", -0.3, 0.1)
        shorter = solve(program, "shorter.toml", "--output", "parts", "--threads", "2")
        assert shorter.returncode == 0, shorter.stderr
        resumed = solve(program, "case.toml", "--output", "parts", "--resume", "--threads", "2")
        assert resumed.returncode == 0, resumed.stderr
        for folder in ("again", "parts"):
            for file in ("history.csv", "scales.csv"):
                assert content(f"{folder}/{file}") == content(f"run0.3/{file}"), f"{file} of {folder} has other bits"

        # In single precision, whose rounding is that of the largest velocities.
        with open("case.toml", encoding="utf-8") as f:
            text = f.read().replace("schema = 1\n", 'schema = 1\nprecision = "f32"\n')
        with open("single.toml", "w", encoding="utf-8") as f:
            f.write(text)
        single = solve(program, "single.toml", "--output", "single")
        assert single.returncode == 0, single.stderr
        for shell, row in enumerate(rows(f"single/{rows('single/scales.csv')[0]['file']}")):
            wanted = energy_at(row["kappa"]) if 0 < shell <= 16 else 0
            assert abs(row["E"] - wanted) < 1e-6, (row, wanted)

        # A mesh without a shell that all axes resolve, and a folder that is not empty: refused before anything else.
        with open("thin.toml", "w", encoding="utf-8") as f:
            f.write(CASE.replace("SKEWNESS", "-0.3").replace("END", "0.3").replace("[32, 32, 32]", "[16, 16, 1]"))
        thin = solve(program, "thin.toml", "--output", "thin")
        assert thin.returncode == 3 and "start.spectrum" in thin.stderr and not os.path.exists("thin"), thin
        taken = solve(program, "case.toml", "--output", "again")
        assert taken.returncode == 2 and "is not empty" in taken.stderr, taken

        write("never.toml", -0.9, 0.3)
        never = solve(program, "never.toml", "--output", "never")
        assert never.returncode == 1 and "start.skewness = -0.9" in never.stderr, never
        assert not os.path.exists("never/checkpoints"), os.listdir("never")

        write("long.toml", -0.9, 1)
        with open("long.toml", encoding="utf-8") as f:
            text = f.read().replace("[32, 32, 32]", "[96, 96, 96]")
        with open("long.toml", "w", encoding="utf-8") as f:
            f.write(text)
        for stop, status in ((signal.SIGINT, 130), (None, 7)):
            words = [program, "solve", "long.toml", "--variant", "openmp", "--output", "stopped", "--force", *(() if stop else ("--time-limit", "1s"))]
            process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if stop:
                while "develops before time 0" not in (line := process.stderr.readline()):
                    assert line, "the run ended before its development"
                process.send_signal(stop)
            errors = process.communicate(timeout=60)[1]
            assert process.returncode == status and "nothing is saved" in errors, (process.returncode, errors)
            assert not os.path.exists("stopped/checkpoints")
    print("solve_spectrum: ok")


if __name__ == "__main__":
    main()
