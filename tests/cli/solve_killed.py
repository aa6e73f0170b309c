#!/usr/bin/env python3
"""speedwell solve killed while it saves: solve_killed.py PROGRAM [blast]. KILLS (3) times SIGKILL hits a run that writes a
checkpoint after every step or so; it goes on each time, never from before what it had, and ends with the bits and the
history of a run that nobody stopped. Its fields are read here longhand and held against the checkpoint."""
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

FLOW = """schema = 1
[mesh]
cells = [16, 12, 20]
size = [24, 18, 30]
[fluid]
viscosity = 0.5
[cubes]
count = 3
edge = 4
[stirring]
acceleration = 80
interval = 0.06
stop = 0.2
remove = 0.4
[strain]
rate = 1.5
begin = 0.4
end = 0.5
[time]
scheme = "s3"
end = 0.6
[output]
history_every = 0.01
fields_every = 0.2
checkpoint_every = 0.01
spectra_every = 0.1
decay_from = 0.4
"""
BLAST = """schema = 1
solver = "blast"
[mesh]
points = [7, 6, 9]
[time]
steps = 160
[output]
history_every = 1
fields_every = 40
checkpoint_every = 1
"""


def newest(folder):
    names = os.listdir(f"{folder}/checkpoints") if os.path.isdir(f"{folder}/checkpoints") else []
    return max((int(n[5:]) for n in names if re.fullmatch(r"step-\d+", n)), default=-1)


def content(path):
    with open(path, "rb") as f:
        return f.read()


def compare(folder, whole, fields, names):
    last = newest(whole)
    assert newest(folder) == last, f"{folder} ended at step {newest(folder)}, not {last}"
    for name in fields:
        a, b = (content(f"{f}/checkpoints/step-{last:09}/{name}.raw") for f in (folder, whole))
        assert a == b, f"{name} has other bits"
    for name in (n.format(last=last) for n in names):
        assert content(f"{folder}/{name}") == content(f"{whole}/{name}"), f"{name} is another"


def check_fields(folder):
    """Velocities at cell centres are half sums of those on faces; every point of the file is looked at."""
    image = content(f"{folder}/fields/flow-{newest(folder):08}.vti")
    n = [int(x) for x in re.search(rb'WholeExtent="0 (\d+) 0 (\d+) 0 (\d+)"', image).groups()]
    offset = int(re.search(rb'Name="velocity" NumberOfComponents="3" format="appended" offset="(\d+)"', image).group(1))
    begin = image.index(b"_", image.index(b'<AppendedData encoding="raw">')) + 1 + offset
    cells = n[0] * n[1] * n[2]
    assert struct.unpack_from("<Q", image, begin)[0] == 12 * cells
    centres = struct.unpack_from(f"<{3 * cells}f", image, begin + 8)
    for c, name in enumerate("uvw"):
        raw = content(f"{folder}/checkpoints/step-{newest(folder):09}/{name}.raw")
        faces = struct.unpack(f"<{cells}d", raw)
        for k in range(n[2]):
            for j in range(n[1]):
                for i in range(n[0]):
                    at, before = [i, j, k], [i, j, k]
                    before[c] = (at[c] - 1) % n[c]
                    place = at[0] + n[0] * (at[1] + n[1] * at[2])
                    low = faces[before[0] + n[0] * (before[1] + n[1] * before[2])]
                    value = 0.5 * (low + faces[place])
                    assert abs(centres[3 * place + c] - value) <= 1e-6 * max(1, abs(value)), (name, at)


def check_blast(folder):
    """Density and pressure of the last file are those of the last checkpoint's five variables."""
    image = content(f"{folder}/fields/blast-000160.vti")
    raw = content(f"{folder}/checkpoints/step-{newest(folder):09}/q.raw")
    points = len(raw) // 40
    q = struct.unpack(f"<{5 * points}d", raw)
    begin = image.index(b"_", image.index(b'<AppendedData encoding="raw">')) + 1

    def field(name):
        offset = int(re.search(rb'Name="' + name + rb'"[^>]*offset="(\d+)"', image).group(1))
        return struct.unpack_from(f"<{points}f", image, begin + offset + 8)

    density, pressure = field(b"density"), field(b"pressure")
    for p in range(points):
        rho, energy = q[p], q[4 * points + p]
        kinetic = sum(q[c * points + p] ** 2 for c in (1, 2, 3)) / (2 * rho)
        assert abs(density[p] - rho) <= 1e-6 * rho, p
        assert abs(pressure[p] - 0.4 * (energy - kinetic)) <= 1e-6, p


KINDS = {
    "flow": (FLOW, ("u", "v", "w", "p"), ("history.csv", "scales.csv", "decay.csv", "flow.pvd", "fields/flow-{last:08}.vti"), check_fields),
    "blast": (BLAST, ("q",), ("history.csv", "flow.pvd", "fields/blast-000040.vti", "fields/blast-000160.vti"), check_blast),
}


def main():
    program, kills = sys.argv[1], int(os.environ.get("KILLS", "3"))
    case_text, fields, files, check = KINDS[sys.argv[2] if len(sys.argv) > 2 else "flow"]
    root = tempfile.mkdtemp(prefix="speedwell-killed-")
    chance = random.Random(6)
    try:
        case = f"{root}/case.toml"
        with open(case, "w", encoding="ascii") as f:
            f.write(case_text)
        solve = [program, "solve", case, "--threads", "1", "-q", "--variant", "openmp", "--output"]
        began = time.monotonic()
        subprocess.run(solve + [f"{root}/whole"], check=True, stdout=subprocess.DEVNULL)
        lasts = time.monotonic() - began
        check(f"{root}/whole")
        done = rounds = partial = 0
        folder = None
        while done < kills:
            if folder is None:
                folder, seen, rounds = f"{root}/run-{rounds}", -1, rounds + 1
            how = ["--resume"] if newest(folder) >= 0 else ["--force"]
            run = subprocess.Popen(solve + [folder] + how, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                said = run.communicate(timeout=chance.uniform(0.02, 0.7 * lasts))[1]
            except subprocess.TimeoutExpired:
                run.send_signal(signal.SIGKILL)
                said = run.communicate()[1]
                done += 1
            if run.returncode == 0:
                litter = [n for _, folders, files in os.walk(folder) for n in folders + files
                          if n.endswith((".tmp", ".partial", ".removed", ".lock"))]
                assert not litter, f"left behind: {litter}"
            names = os.listdir(f"{folder}/checkpoints") if os.path.isdir(f"{folder}/checkpoints") else []
            partial += any(n.endswith(".partial") for n in names)
            assert newest(folder) >= seen, f"a checkpoint was lost: {newest(folder)} after {seen}"
            assert b"error" not in said and b"going back" not in said, said
            seen = newest(folder)
            if run.returncode == 0:
                compare(folder, f"{root}/whole", fields, files)
                shutil.rmtree(folder)
                folder = None
            else:
                assert run.returncode == -signal.SIGKILL, run.returncode
        if folder is not None:
            how = ["--resume"] if newest(folder) >= 0 else ["--force"]
            subprocess.run(solve + [folder] + how, check=True, stdout=subprocess.DEVNULL)
            compare(folder, f"{root}/whole", fields, files)
        print(f"{done} kills, {partial} of them while a checkpoint was being written, {rounds} runs: nothing lost")
    finally:
        shutil.rmtree(root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
