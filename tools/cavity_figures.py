#!/usr/bin/env python3
"""Computes the lid-driven cavity at a Reynolds number of 3200 on uniform and stretched meshes and compares it with Ghia, Ghia and Shin (J. Comput.
Phys. 48 (1982) 387, table I): the largest difference of u on the middle line, and the speed of each pressure solver.

cavity_figures.py PROGRAM OUT.csv. It takes some minutes; the host should do nothing else. Exit status: 1 if a run fails."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

GHIA = {0.9766: 0.53236, 0.9531: 0.46547, 0.8516: 0.34682, 0.5: -0.04272, 0.2813: -0.24427, 0.1016: -0.41933, 0.0547: -0.35344}
CASE = """schema = 1
[mesh]
cells = [{n}, {n}, 1]
size = [1, 1, 0.01]
{spacing}
[edges]
x = "wall"
y = "wall"
y_high_velocity = [1, 0, 0]
[fluid]
viscosity = 0.0003125
[time]
end = {end}
[pressure]
solver = "{solver}"
[output]
history_every = {end}
lines = [[0.5, 0, 0.005, 0.5, 1, 0.005]]
lines_points = 10001
"""
STRETCHED = "\n".join(f'{d}_spacing = "two-sided"\n{d}_stretching = 1.6' for d in "xy")


def solve(program, folder, **values):
    with open(os.path.join(folder, "case.toml"), "w") as f:
        f.write(CASE.format(**values))
    done = subprocess.run([program, "solve", "case.toml", "--output", "run", "--force", "--variant", "openmp"], cwd=folder, capture_output=True,
                          text=True)
    if done.returncode != 0:
        sys.exit(f"cavity_figures.py: {done.stderr.strip()}")
    rate = re.findall(r"([0-9.e+-]+) Mcells/s", done.stdout + done.stderr)[-1]
    lines = os.path.join(folder, "run", "lines")
    with open(os.path.join(lines, max(os.listdir(lines)))) as f:
        points = [(float(row["y"]), float(row["u"])) for row in csv.DictReader(f)]
    off = max(abs(min(points, key=lambda p: abs(p[0] - y))[1] - u) for y, u in GHIA.items())
    return float(rate), off


def main():
    program, out = os.path.abspath(sys.argv[1]), sys.argv[2]
    info = json.loads(subprocess.run([program, "info", "--format", "json"], capture_output=True, text=True, check=True).stdout)
    build, machine = info["build"], info["machine"]
    commit = build["commit"] + (" with local changes" if build["dirty"] else "")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for mesh, spacing in (("uniform", ""), ("stretched", STRETCHED)):
            for n in (64, 96, 128):
                rate, off = solve(program, folder, n=n, spacing=spacing, end=200, solver="auto")
                rows.append([mesh, n, "direct", 200, rate, f"{off:.4f}"])
        for solver in ("auto", "cg"):
            rate, _ = solve(program, folder, n=96, spacing=STRETCHED, end=2, solver=solver)
            rows.append(["stretched", 96, {"auto": "direct", "cg": "conjugate gradients"}[solver], 2, rate, ""])
    with open(out, "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(["mesh", "cells_along_x_and_y", "pressure", "end_time", "Mcells_per_s", "largest_difference_of_u", "commit", "processor",
                         "cores"])
        writer.writerows([*row, commit, machine["cpu"]["name"], machine["cpu"]["cores"]] for row in rows)


if __name__ == "__main__":
    main()
