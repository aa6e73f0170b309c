#!/usr/bin/env python3
"""Tests `speedwell solve --ranks N` of flows: solve_flow_ranks.py PROGRAM LAUNCHER. Exits 77 (skipped) without a launcher.

Flows on 1 to 4 ranks give the files of one process, byte for byte, also where a run continues on another number of ranks, after a signal, and where
conjugate gradients fail. What cannot be divided is refused with one message.
"""
import os
import signal
import subprocess
import sys

from solve_ranks import SOON, run_tests, wait_for
from solve_support import content, newest_step, write

OUTPUT = "[output]\nhistory_every = 0.01\nfields_every = 0.04\ncheckpoint_every = 0.04\nspectra_every = {spectra}\nprofiles_every = {profiles}\n"
PROBES = "probes = [[0.3, 0.4, 0.5], [0.9, 0.02, 0.97]]\nprobes_every = 0.02\nlines = [[0.1, 0.9, 0, 0.7, 0.2, 1]]\nlines_points = 9\nlines_every = 0.06\n"
# Periodic boxes and walls, both precisions, pressure solvers and kinds of diffusion; cubes that are removed, and strain.
CASES = {
    "vortices": '[mesh]\ncells = [12, 10, 9]\n[fluid]\nviscosity = 0.01\n[start]\nflow = "taylor-green"\nnoise = 0.3\n[time]\nlargest_step = 0.007\n',
    "channel": '[mesh]\ncells = [8, 11, 10]\ny_spacing = "two-sided"\n[edges]\ny = "wall"\n[fluid]\nviscosity = 0.02\nbulk_velocity_x = 1\n[start]\nnoise = 0.3\n'
               '[time]\nlargest_step = 0.007\n',
    "implicit": 'precision = "f32"\n[mesh]\ncells = [7, 8, 9]\nx_spacing = "wavy"\nz_spacing = "one-sided"\n[edges]\nz = "wall"\nz_high_velocity = [1, 0, 0]\n'
                '[fluid]\nviscosity = 0.1\n[start]\nnoise = 0.3\n[time]\nlargest_step = 0.007\ndiffusion = "trapezoidal"\nscheme = "s3"\n',
    # Which is steady before its end.
    "steady": '[mesh]\ncells = [6, 8, 7]\n[edges]\ny = "wall"\n[fluid]\nviscosity = 1\n[start]\nnoise = 0.3\n[time]\nlargest_step = 0.004\nsteady = 40\n',
    "cubes": '[mesh]\ncells = [12, 12, 12]\n[fluid]\nviscosity = 0.02\n[cubes]\ncount = 3\nedge = 3\n[stirring]\nacceleration = 5\ninterval = 0.02\nstop = 0.05\n'
             'remove = 0.07\n[strain]\nstretched = "x"\ncompressed = "z"\nrate = 1\nbegin = 0.08\nend = 0.2\n[time]\nlargest_step = 0.007\nscheme = "s3"\n',
}


def case(name, end):
    """Writes a case that ends at a time."""
    uniform = name in ("vortices", "cubes")
    output = OUTPUT.format(spectra=0.05 if uniform else 0, profiles=0.01 if name == "channel" else 0)
    text = CASES[name].replace("[time]\n", f"[time]\nend = {end}\n")
    return write(f"{name}-{end}.toml", "schema = 1\n" + text + output + PROBES)


def same_files(solves):
    for name in CASES:
        whole = f"{name}-whole"
        done = solves.run(0, case(name, 0.12), "--output", whole)
        solves.expect(done.returncode == 0, f"{name} in one process", done)
        for ranks in (1, 3):
            folder = f"{name}-{ranks}"
            done = solves.run(ranks, case(name, 0.12), "--output", folder)
            solves.expect(done.returncode == 0, f"{name} on {ranks} ranks", done)
            solves.expect_same(folder, whole, f"{name} on {ranks} ranks", but=())
        for first, second in ((0, 2), (2, 4)):
            folder = f"{name}-{first}-then-{second}"
            done = solves.run(first, case(name, 0.06), "--output", folder)
            solves.expect(done.returncode == 0, f"{name}: a part on {first or 1}", done)
            done = solves.run(second, case(name, 0.12), "--resume", "--output", folder)
            solves.expect(done.returncode == 0, f"{name}: the rest on {second or 1}", done)
            # The step that ends at 0.06 is one of the whole run, too, as a line of history is due then.
            solves.expect_same(folder, whole, f"{name} continued on {second or 1} after {first or 1}", but=("run.json",))


def stopped(solves):
    text = "schema = 1\n" + CASES["vortices"].replace("[time]\n", "[time]\nend = {}\n") + "[output]\nhistory_every = 0.01\n"
    endless = write("endless.toml", text.format(1e6))
    run = solves.begin(*solves.words(2), endless, "--output", "stopped")
    wait_for("stopped", 5)
    run.send_signal(signal.SIGTERM)
    out, err = run.communicate(timeout=SOON)
    solves.expect(run.returncode == 143 and newest_step("stopped") > 0 and "speedwell: error: " not in err, "SIGTERM saves on ranks", out + err)
    last = float(content("stopped/history.csv").splitlines()[-1].split(b",")[0])
    longer = write("longer.toml", text.format(round(last + 0.3, 2)))
    done = [solves.run(3, longer, "--resume", "--output", "stopped"), solves.run(0, longer, "--output", "not-stopped")]
    solves.expect(all(d.returncode == 0 for d in done), "a stopped run continues on three ranks", done[0])
    solves.expect(content("stopped/history.csv") == content("not-stopped/history.csv"), "with the history of one process")


def failed(solves):
    """A tolerance that single precision cannot reach: conjugate gradients fail on all ranks, and the first one says so."""
    text = CASES["implicit"].replace("[time]\n", '[pressure]\nsolver = "cg"\ntolerance = 1e-14\n[time]\nend = 0.1\n')
    bad = write("bad.toml", "schema = 1\n" + text)
    solves.expect_same_failure(bad, "a flow whose conjugate gradients fail")


def refused(solves):
    thin = write("thin.toml", "schema = 1\n[mesh]\ncells = [8, 8, 2]\n[fluid]\nviscosity = 0.1\n[time]\nend = 1\n")
    for words, status, message in [
            ([thin, "--ranks", "3", "--oversubscribe"], 2, "3 ranks, and the box has 2 planes to divide: each rank needs one"),
            ([thin, "--ranks", "2", "--oversubscribe", "--variant", "cuda"], 2, "runs on ranks are runs on CPUs")]:
        done = subprocess.run([solves.program, "solve", *words, "--output", "refused"], capture_output=True, text=True, timeout=SOON)
        lines = [line for line in done.stderr.splitlines() if "speedwell: error: " in line]
        solves.expect(done.returncode == status and len(lines) == 1 and message in lines[0] and not os.path.exists("refused"), " ".join(words), done)
    done = subprocess.run([solves.program, "solve", case("vortices", 0.12), "--ranks", "2", "--oversubscribe", "--dry-run"], capture_output=True, text=True,
                          timeout=SOON)
    solves.expect(done.returncode == 0 and done.stdout.count("12 x 10 x 9 cells") == 1 and " on 2 ranks" in done.stdout, "--dry-run on ranks", done)


if __name__ == "__main__":
    sys.exit(run_tests([same_files, stopped, failed, refused]))
