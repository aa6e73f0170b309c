#!/usr/bin/env python3
"""Tests invalid blast cases at the command line: blast_refusals.py PROGRAM [--markdown]. Every row must give its exit status, one line on standard
error that begins with 'speedwell: error: ' and contains the message, nothing on standard output, and a folder only if the run began. --markdown
prints the table of README.md."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

HEAD = 'schema = 1\nsolver = "blast"\n'
SMALL = "[mesh]\npoints = [7, 5, 6]\n[time]\nsteps = 2\n"
# what is wrong, the case after its head, status, message
ROWS = [
    ("too few points", "[mesh]\npoints = [2, 8, 8]\n", 3, "mesh.points: 2; three whole numbers from 5 to 4096 are required"),
    ("more points than are counted", "[mesh]\npoints = [4000, 4000, 4000]\n", 3, "nx ny nz is 6.4e+10; allowed: fewer than 2^31 / 5 points"),
    ("two extents", "[mesh]\npoints = [8, 8]\n", 3, "mesh.points: three whole numbers from 5 to 4096 are required"),
    ("half a point", "[mesh]\npoints = [8, 8, 8.5]\n", 3, "mesh.points: three whole numbers from 5 to 4096 are required"),
    ("misspelt key", "[mesh]\npoint = [8, 8, 8]\n", 3, "unknown key 'point'; the nearest is 'points'"),
    ("misspelt table", "[mseh]\n", 3, "unknown key 'mseh'; the nearest is 'mesh'"),
    ("table that is a number", "gas = 3\n", 3, "'gas' is not a table: write [gas] and its keys below"),
    ("not TOML", "[mesh\n", 3, "case.toml:3:"),
    ("no steps", "[time]\nsteps = 0\n", 3, "time.steps: 0; a whole number from 1 to 2^31 - 1 is required"),
    ("CFL of 0", "[scheme]\ncfl = 0\n", 3, "scheme.cfl: 0; a number above 0 and at most 20 is required"),
    ("CFL that means nothing", "[scheme]\ncfl = 25\n", 3, "scheme.cfl: 25; a number above 0 and at most 20 is required"),
    ("tolerance below 0", "[scheme]\ntolerance = -1\n", 3, "scheme.tolerance: -1; a number above 0 is required"),
    ("theta below 1/2", "[scheme]\ntheta = 0.3\n", 3, "scheme.theta: 0.3; a number from 0.5 to 1 is required"),
    ("dissipation below 0", "[scheme]\nkappa4 = -0.1\n", 3, "scheme.kappa4: -0.1; a number at least 0 is required"),
    ("ratio of specific heats", "[gas]\ngamma = 1\n", 3, "gas.gamma: 1; a number above 1 is required"),
    ("Reynolds number of 0", "[gas]\nreynolds = 0\n", 3, "gas.reynolds: 0; a number above 0 is required"),
    ("Prandtl number without end", "[gas]\nprandtl = inf\n", 3, "gas.prandtl: inf; a number above 0 is required"),
    ("a number for true", "[gas]\nviscous = 1\n", 3, "gas.viscous: true or false is required"),
    ("pressure below 0", "[blast]\npressure = -5\n", 3, "blast.pressure: -5; a number above 0 is required"),
    ("density below 0", "[blast]\ndensity = -1\n", 3, "blast.density: -1; a number above 0 is required"),
    ("radius beyond the box", "[blast]\nradius = 0.7\n", 3, "blast.radius: 0.7; a number from 0 to 0.5 is required"),
    ("edge without width", "[blast]\nwidth = 0\n", 3, "blast.width: 0; a number above 0 is required"),
    ("start file that is not there", '[blast]\nstart_file = "none.raw"\n', 3, "none.raw: cannot be read"),
    ("start file of another mesh", SMALL + '[blast]\nstart_file = "short.raw"\n', 3,
     "8 bytes where the mesh has 8400: 5 variables in f64"),
    ("start with a density below 0", SMALL + '[blast]\nstart_file = "negative.raw"\n', 3,
     "at point (3,1,0) the density is -1 and the pressure"),
    ("start that is not finite", SMALL + '[blast]\nstart_file = "nan.raw"\n', 3, "at point (3,1,0) the density is nan"),
    ("too few iterations", SMALL + "[scheme]\niterations = 3\n", 1, "after 3 iterations: BiCGSTAB did not reach"),
    ("blast beyond the scheme", SMALL + "[blast]\npressure = 1e9\ndensity = 1e-6\nwidth = 1e-6\n[scheme]\ncfl = 20\n", 1, "step "),
]


def main():
    program, markdown = os.path.abspath(sys.argv[1]), "--markdown" in sys.argv
    root = tempfile.mkdtemp(prefix="speedwell-refusals-")
    environment = dict(os.environ, OMP_WAIT_POLICY="passive")
    failures = 0
    try:
        points = 7 * 5 * 6
        q = [1.0] * points + [0.0] * (3 * points) + [2.0] * points
        for name, value in (("negative", -1.0), ("nan", float("nan"))):
            q[10] = value
            with open(f"{root}/{name}.raw", "wb") as f:
                f.write(struct.pack(f"<{len(q)}d", *q))
        with open(f"{root}/short.raw", "wb") as f:
            f.write(b"12345678")
        if markdown:
            print("| what is wrong | status | message |\n|---|---:|---|")
        for name, text, status, message in ROWS:
            with open(f"{root}/case.toml", "w", encoding="ascii") as f:
                f.write(HEAD + text)
            done = subprocess.run([program, "solve", "case.toml", "--output", "out", "-q", "--threads", "1", "--variant", "openmp"],
                                  cwd=root, env=environment, capture_output=True, text=True, timeout=120)
            errors = [line for line in done.stderr.splitlines() if line.startswith("speedwell: error: ")]
            began = os.path.exists(f"{root}/out")
            right = (done.returncode == status and len(errors) == 1 and message in errors[0] and began == (status == 1) and
                     (status == 1 or not done.stdout))
            if not right:
                failures += 1
                print(f"{name}: status {done.returncode}, {status} expected; '{message}' in {errors} of {done.stderr!r}")
            elif markdown:
                text_of_error = errors[0].removeprefix("speedwell: error: ").replace("|", "\\|")
                print(f"| {name} | {status} | `{text_of_error}` |")
            if began:
                saved = os.listdir(f"{root}/out/checkpoints")
                if status == 1 and not saved:
                    failures += 1
                    print(f"{name}: the state was not saved")
                shutil.rmtree(f"{root}/out")
    finally:
        shutil.rmtree(root)
    if not markdown:
        print(f"{len(ROWS)} bad cases, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
