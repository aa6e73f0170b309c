#!/usr/bin/env python3
"""Tests `speedwell solve --ranks N`: solve_ranks.py PROGRAM LAUNCHER. Exits 77 (skipped) without a launcher.

Binary fluids and blasts on 1 to 6 ranks give the files of one process, byte for byte, also where a run continues on another number of ranks, after a signal or a
time limit, and where the solver fails. What cannot run on ranks is refused with one message, and nobody hangs.
"""
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time

from expectations import Expectations
from processes import leaves_below, wait_for_lines
from solve_support import content, newest_step, steps_in, tree, write

FLUID = 'schema = 1\nsolver = "binary_fluid"\n'
BLAST = 'schema = 1\nsolver = "blast_wave"\n'
OUTPUT = "[output]\nhistory_every = 1\nfields_every = 6\ncheckpoint_every = 6\n"
# Periodic and walls, every collision and precision, both stencils and energies; boxes that are divided along one, two and all axes.
FLUIDS = {
    "spinodal": "[lattice]\nsites = [12, 10, 9]\n[fluid]\nforce = [1e-4, 0, 2e-4]\n",
    "walls": '[lattice]\nsites = [9, 8, 7]\n[walls]\naxes = "yz"\nz_high_velocity = [0.01, 0.02, 0]\n[scheme]\ncollision = "trt"\nprecision = "f32"\n',
    "layers": '[lattice]\nsites = [8, 7, 10]\n[fluid]\nenergy = "brazovskii"\na = -5e-4\nb = 5e-4\nkappa = -6e-4\nc = 7.6e-4\n[scheme]\ncollision = "bgk"\n',
    "seven": '[lattice]\nsites = [20, 3, 1]\n[walls]\naxes = "x"\n[scheme]\nstencil = 7\nprecision = "mixed"\n',
}
# With and without viscosity, both schemes in time; slabs that end within planes.
BLASTS = {
    "blast": "[mesh]\npoints = [7, 6, 20]\n",
    "trapezoidal": "[mesh]\npoints = [5, 9, 19]\n[gas]\nviscous = false\n[scheme]\ntheta = 0.5\ncfl = 1\n",
}
CASES = {name: FLUID + text for name, text in FLUIDS.items()} | {name: BLAST + text for name, text in BLASTS.items()}
KILLED = 10  # seconds within which the others end when a rank was killed
SOON = 60  # seconds within which a job ends, on a machine that builds and tests other things beside


class Solves:
    def __init__(self, program, launcher):
        self.program, self.launcher = program, launcher
        self.expect = Expectations()

    def words(self, ranks, *words):
        on = ["--ranks", str(ranks), "--oversubscribe"] if ranks else ["--variant", "openmp", "--threads", "2"]
        return [self.program, "solve", "-q", *on, *words]

    def run(self, ranks, *words):
        return subprocess.run(self.words(ranks, *words), capture_output=True, text=True, timeout=SOON, stdin=subprocess.DEVNULL)

    def begin(self, *words):
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)

    def expect_same(self, folder, other, what, but=("case.toml", "run.json")):
        """Expects the same files with the same bytes in two folders."""
        one, two = tree(folder), tree(other)
        different = sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name) and os.path.basename(name) not in but)
        self.expect(not different, f"{what}: {different} differ")

    def expect_same_failure(self, bad, what):
        """Expects that a case fails on any number of ranks with the one message and the files of one process."""
        messages, name = [], os.path.splitext(os.path.basename(bad))[0]
        for ranks in (0, 2, 3):
            done = self.run(ranks, bad, "--output", f"{name}-{ranks}")
            self.expect(done.returncode == 1, f"{what} on {ranks or 1} ranks", done)
            messages.append([line for line in done.stderr.splitlines() if line.startswith("speedwell: error: ")])
            self.expect(len(messages[-1]) == 1 and messages[-1] == messages[0], f"{what}: the message of one process", done)
            self.expect_same(f"{name}-{ranks}", f"{name}-0", f"{what} on {ranks or 1} ranks", but=())


def case(name, steps):
    return write(f"{name}-{steps}.toml", CASES[name] + f"[time]\nsteps = {steps}\n" + OUTPUT)


def same_files(solves):
    for name in CASES:
        whole = f"{name}-whole"
        done = solves.run(0, case(name, 20), "--output", whole)
        solves.expect(done.returncode == 0, f"{name} in one process", done)
        for ranks in (1, 6):  # 2, 3 and 4 begin and continue runs below, whose files are the same
            folder = f"{name}-{ranks}"
            done = solves.run(ranks, case(name, 20), "--output", folder)
            solves.expect(done.returncode == 0 and done.stdout.count("20 steps") == 1, f"{name} on {ranks} ranks", done)
            solves.expect_same(folder, whole, f"{name} on {ranks} ranks", but=())
        # 9 is between checkpoints: the state of the end is saved.
        for first, second in ((0, 3), (3, 0), (2, 4), (4, 2)):
            folder = f"{name}-{first}-then-{second}"
            done = solves.run(first, case(name, 9), "--output", folder)
            solves.expect(done.returncode == 0 and newest_step(folder) == 9, f"{name}: a part on {first or 1}", done)
            done = solves.run(second, case(name, 20), "--resume", "--output", folder)
            solves.expect(done.returncode == 0, f"{name}: the rest on {second or 1}", done)
            solves.expect_same(folder, f"{name}-whole", f"{name} continued on {second or 1} after {first or 1}", but=("run.json",))


LONG = (FLUID + "[lattice]\nsites = [20, 20, 24]\n[time]\nsteps = {}\n[output]\nhistory_every = 10\nfields_every = 0\ncheckpoint_every = 0\n")


def wait_for(folder, lines):
    """Waits until the history of a run has so many lines."""
    wait_for_lines(f"{folder}/history.csv", lines)


def stopped(solves):
    endless = write("endless.toml", LONG.format(100000000))
    saved_at = {}
    open_mpi = "Open MPI" in subprocess.run([solves.launcher, "--version"], capture_output=True, text=True).stdout
    starts = [("", given, status, solves.words(2)) for given, status in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGUSR1, 7))]
    by_hand = [solves.launcher, "-n", "3", solves.program, "solve", "-q"]
    if open_mpi:
        starts += [("by hand ", signal.SIGUSR1, 7, by_hand), ("by hand ", signal.SIGTERM, None, by_hand)]
    for how, given, status, words in starts:
        folder = f"stopped-{how.strip()}-{given.name}"
        run = solves.begin(*words, endless, "--output", folder)
        wait_for(folder, 5)
        run.send_signal(given)
        out, err = run.communicate(timeout=SOON)
        what = f"{how}{given.name}"
        right = run.returncode == status if status else run.returncode != 0
        solves.expect(right and newest_step(folder) > 0, f"{what}: a checkpoint and status {status}, not {run.returncode}", out + err)
        solves.expect("speedwell: error: " not in err, f"{what} is no error", err)
        saved_at[folder] = newest_step(folder)
    limited = solves.run(2, endless, "--output", "limited", "--time-limit", "2s")
    solves.expect(limited.returncode == 7 and newest_step("limited") > 0, "a time limit saves on ranks", limited)
    saved_at["limited"] = newest_step("limited")
    # What was stopped continues, on any number of ranks, to the bits of one process.
    end = max(saved_at.values()) // 10 * 10 + 30
    longer = write("longer.toml", LONG.format(end))
    done = solves.run(0, longer, "--output", "not-stopped")
    solves.expect(done.returncode == 0, "a run that is not stopped", done)
    for ranks, folder in enumerate(saved_at):
        done = solves.run(ranks % 4, longer, "--resume", "--output", folder)
        solves.expect(done.returncode == 0, f"{folder} continues", done)
        solves.expect(content(f"{folder}/history.csv") == content("not-stopped/history.csv"), f"{folder} has the history of one process")
        for field in ("f-less-weights", "g"):
            path = f"checkpoints/step-{end:09}/{field}.raw"
            solves.expect(content(f"{folder}/{path}") == content(f"not-stopped/{path}"), f"{folder} has the bits of one process: {field}")
    # Killed: the launcher's process, and a rank.
    for victim in ("launcher", "rank"):
        run = solves.begin(*solves.words(2), endless, "--output", f"killed-{victim}")
        wait_for(f"killed-{victim}", 5)
        ranks = leaves_below(run.pid)
        began = time.monotonic()
        os.kill(run.pid if victim == "launcher" else ranks[-1], signal.SIGKILL)
        run.communicate(timeout=SOON)  # until all ranks have closed its streams
        while any(os.path.exists(f"/proc/{rank}") for rank in ranks) and time.monotonic() - began < SOON:
            time.sleep(0.01)
        lasted = time.monotonic() - began
        solves.expect(run.returncode != 0 and lasted < KILLED and len(ranks) >= 2, f"killed {victim}: {run.returncode} after {lasted:.1f} s, {ranks}")


def blowing_up():
    """Writes a case of phases thirty times too strong: the chemical potential blows up within a few steps."""
    phi = [30 if n % 3 == 0 else -15 for n in range(9 * 8 * 7)]
    with open("phi.raw", "wb") as file:
        file.write(struct.pack(f"<{len(phi)}d", *phi))
    return write("bad.toml", FLUID + '[lattice]\nsites = [9, 8, 7]\n[time]\nsteps = 400\n[start]\nfile = "phi.raw"\n' + OUTPUT.replace("= 1", "= 2"))


def blown_up(solves):
    solves.expect_same_failure(blowing_up(), "a fluid that blows up")
    few = write("few.toml", CASES["blast"] + "[scheme]\niterations = 23\n[time]\nsteps = 30\n" + OUTPUT)
    solves.expect_same_failure(few, "a blast that needs more iterations in its eighth step")


def refused(solves):
    good = case("spinodal", 20)
    blast = case("blast", 20)
    write("full", "")
    plain = [solves.program, "solve"]
    by_hand = [solves.launcher, "-n", "2", *plain]
    crowded = ["--ranks", "3", "--oversubscribe"]
    many = str((os.cpu_count() or 1) + 1)
    for words, status, message in [
            ([*plain, blast, "--ranks", "20", "--oversubscribe"], 2, "on 20 ranks one has 8 points of the box, and each needs two planes, 84"),
            ([*plain, good, "--ranks", "2000", "--oversubscribe"], 2, "2000 ranks over 9 x 10 x 12 points: some tile would have no points"),
            ([*plain, good, "--ranks", many], 2, f"--ranks {many}: there are "),
            ([*plain, good, "--ranks", "0"], 2, "--ranks: 0 is not between"),
            ([*plain, good, "--ranks", "two"], 2, "--ranks: "),
            ([*plain, good, "--oversubscribe"], 2, "--oversubscribe is for --ranks"),
            ([*plain, good, *crowded, "--variant", "cuda"], 2, "--variant cuda: runs on ranks are runs on CPUs"),
            ([*by_hand, good, "--variant", "cuda"], 2, "--variant cuda"),
            ([*plain, good, *crowded, "--threads", "2"], 2, "--threads 2: each rank runs on one core"),
            ([*by_hand, good, "--ranks", "3"], 2, "--ranks 3, and the launcher has started 2"),
            ([*plain, good, *crowded, "--output", "spinodal-whole"], 2, "'spinodal-whole' is not empty"),
            ([*plain, "none.toml", *crowded], 3, "none.toml"),
            ([*plain, *crowded, "--resume", "--output", "none"], 3, "none"),
            ([*plain, good, *crowded, "--output", "full/flow"], 5, "full/flow"),
            ([*plain, case("walls", 20), *crowded, "--resume", "--output", "spinodal-whole"], 3, "the case says")]:
        before = tree(".")
        words = words if "--output" in words else [*words, "--output", "refused"]
        began = time.monotonic()
        done = subprocess.run(words, capture_output=True, text=True, timeout=SOON, stdin=subprocess.DEVNULL)
        lines = [line for line in done.stderr.splitlines() if "speedwell: error: " in line]
        what = " ".join(words[1:])
        solves.expect(done.returncode == status and len(lines) == 1 and message in lines[0], f"{what}: one message, status {status}", done)
        solves.expect(time.monotonic() - began < SOON and tree(".") == before, f"{what}: nothing is written", done)
    planned = subprocess.run([*plain, good, *crowded, "--dry-run"], capture_output=True, text=True, timeout=SOON)
    solves.expect(planned.returncode == 0 and planned.stdout.count("12 x 10 x 9 sites") == 1 and " on 3 ranks now" in planned.stdout,
                  "--dry-run takes steps on ranks, and the first one prints", planned)
    solves.expect(steps_in("refused") == [], "nothing ran")
    keys = subprocess.run([*by_hand, "--keys", "binary_fluid"], capture_output=True, text=True, timeout=SOON)
    solves.expect(keys.returncode == 0 and keys.stdout.count("[lattice]") == 1, "--keys is printed once", keys)


def run_tests(tests):
    """Runs the tests in a new folder, with the program and the launcher of the command line. Returns the exit status."""
    if not sys.argv[2]:
        print("skipped: no MPI launcher was found")
        return 77
    solves = Solves(os.path.abspath(sys.argv[1]), sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="speedwell-ranks-") as folder:
        os.chdir(folder)
        for test in tests:
            began = time.monotonic()
            test(solves)
            print(f"{test.__name__}: {time.monotonic() - began:.0f} s")
    return solves.expect.report()


if __name__ == "__main__":
    sys.exit(run_tests([same_files, stopped, blown_up, refused]))
