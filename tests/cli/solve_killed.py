#!/usr/bin/env python3
"""Tests `speedwell solve` killed while it saves: solve_killed.py PROGRAM [blast|fluid]. KILLS (3) times SIGKILL hits a run that writes a checkpoint
after every step or so; it continues each time, never from an earlier state than its last, and ends with the bits and the history of a run that was
not stopped. Its fields are read here longhand and compared with the checkpoint."""
import os
import random
import shutil
import signal
import struct
import sys
import tempfile
import time

from solve_support import Program, blast_case, content, fluid_case, newest_step, read_vtk, write

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


def compare(folder, whole, fields, names):
    last = newest_step(whole)
    assert newest_step(folder) == last, f"{folder} ended at step {newest_step(folder)}, not {last}"
    for name in fields:
        a, b = (content(f"{f}/checkpoints/step-{last:09}/{name}.raw") for f in (folder, whole))
        assert a == b, f"{name} has other bits"
    for name in (n.format(last=last) for n in names):
        assert content(f"{folder}/{name}") == content(f"{whole}/{name}"), f"{name} is another"


def check_fields(folder):
    """Checks that velocities at cell centres are half sums of those on faces, at every point of the file."""
    points, _, arrays = read_vtk(f"{folder}/fields/flow-{newest_step(folder):08}.vti")
    n = [p - 1 for p in points]
    cells = n[0] * n[1] * n[2]
    centres = struct.unpack(f"<{3 * cells}f", arrays["velocity"])
    for c, name in enumerate("uvw"):
        raw = content(f"{folder}/checkpoints/step-{newest_step(folder):09}/{name}.raw")
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
    """Checks that density and pressure of the last file are those of the last checkpoint's five variables."""
    raw = content(f"{folder}/checkpoints/step-{newest_step(folder):09}/q.raw")
    points = len(raw) // 40
    q = struct.unpack(f"<{5 * points}d", raw)
    arrays = read_vtk(f"{folder}/fields/blast-000160.vti")[2]
    density, pressure = (struct.unpack(f"<{points}f", arrays[name]) for name in ("density", "pressure"))
    for p in range(points):
        rho, energy = q[p], q[4 * points + p]
        kinetic = sum(q[c * points + p] ** 2 for c in (1, 2, 3)) / (2 * rho)
        assert abs(density[p] - rho) <= 1e-6 * rho, p
        assert abs(pressure[p] - 0.4 * (energy - kinetic)) <= 1e-6, p


# The case, its fields in checkpoints, what else is compared, and a check of the fields that were written.
KINDS = {
    "flow": (FLOW, ("u", "v", "w", "p"), ("history.csv", "scales.csv", "decay.csv", "flow.pvd", "fields/flow-{last:08}.vti"), check_fields),
    "blast": (blast_case([7, 6, 9], (1, 40, 1)).format(end=160), ("q",), ("history.csv", "flow.pvd", "fields/blast-000040.vti", "fields/blast-000160.vti"), check_blast),
    "fluid": (fluid_case([12, 10, 8], (1, 60, 4)).format(end=120), ("f-less-weights", "g"), ("history.csv", "flow.pvd", "fields/fluid-{last:08}.vti"), None),
}


def kill_until_done(program, case, folder, whole, lasts, kind, chance, max_kills):
    """Kills a run that takes `lasts` seconds at random moments and resumes it each time, until it ends, but at most `max_kills` times. Returns how
    often it was killed, and how often while a checkpoint was being written."""
    _, fields, files, _ = KINDS[kind]
    kills = partial = 0
    seen = -1
    while True:
        how = ["--resume"] if newest_step(folder) >= 0 else ["--force"]
        run = program.begin(case, "--output", folder, *how)
        killed = False
        if kills < max_kills:
            time.sleep(chance.uniform(0.02, 0.7 * lasts))
            killed = run.poll() is None
            run.send_signal(signal.SIGKILL)
        errors = run.communicate(timeout=300)[1]
        killed = killed and run.returncode == -signal.SIGKILL
        kills += killed
        names = os.listdir(f"{folder}/checkpoints") if os.path.isdir(f"{folder}/checkpoints") else []
        partial += killed and any(n.endswith(".partial") for n in names)
        assert newest_step(folder) >= seen, f"a checkpoint was lost: {newest_step(folder)} after {seen}"
        assert "error:" not in errors and "going back" not in errors, errors
        seen = newest_step(folder)
        if killed:
            continue
        assert run.returncode == 0, (run.returncode, errors)
        litter = [n for _, folders, names in os.walk(folder) for n in folders + names if n.endswith((".tmp", ".partial", ".removed", ".lock"))]
        assert not litter, f"left behind: {litter}"
        compare(folder, whole, fields, files)
        return kills, partial


def run_whole(program, case, folder, kind):
    """Makes the run that is not killed and returns how many seconds it takes."""
    began = time.monotonic()
    done = program.solve(case, "--output", folder, timeout=600)
    assert done.returncode == 0, done.stderr
    lasts = time.monotonic() - began
    if KINDS[kind][3]:
        KINDS[kind][3](folder)
    return lasts


def main():
    program, kills = Program(sys.argv[1]), int(os.environ.get("KILLS", "3"))
    kind = sys.argv[2] if len(sys.argv) > 2 else "flow"
    root = tempfile.mkdtemp(prefix="speedwell-killed-")
    chance = random.Random(6)
    try:
        case = write(f"{root}/case.toml", KINDS[kind][0])
        lasts = run_whole(program, case, f"{root}/whole", kind)
        done = partial = rounds = 0
        while done < kills:
            more = kill_until_done(program, case, f"{root}/run", f"{root}/whole", lasts, kind, chance, kills - done)
            done, partial, rounds = done + more[0], partial + more[1], rounds + 1
            shutil.rmtree(f"{root}/run")
        print(f"{done} kills, {partial} of them while a checkpoint was being written, {rounds} runs: nothing lost")
    finally:
        shutil.rmtree(root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
