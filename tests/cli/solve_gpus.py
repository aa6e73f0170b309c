#!/usr/bin/env python3
"""Tests `speedwell solve --gpus N`: solve_gpus.py PROGRAM LAUNCHER refused|run. Exits 77 (skipped) without a launcher, and `run` without a GPU.

refused: what is not done on several GPUs is refused with one message before anything is written, and without a GPU the status is 4.
run: ranks that share a GPU give a fluid the fields and checkpoints of one GPU, byte for byte, and its history but for the order of sums, also where a
run continues on another number of GPUs, after a signal, and where the fluid blows up; flows are those of one GPU but for rounding.
"""
import csv
import os
import signal
import subprocess
import sys
import tempfile

import solve_flow_ranks
import solve_ranks
from solve_ranks import SOON, Solves, wait_for
from solve_support import content, newest_step, tree, write

FLOW = "schema = 1\n[mesh]\ncells = [12, 10, 9]\n{mesh}{edges}[fluid]\nviscosity = 0.01\n{fluid}[start]\nnoise = {noise}\n[time]\nend = {end}\n{time}"
OUTPUT = ("[output]\nhistory_every = 0.01\nfields_every = 0.04\ncheckpoint_every = 0.04\nspectra_every = {spectra}\n"
          "probes = [[0.1, 0.4, 0.05], [0.3, 0.4, 0.5], [0.7, 0.2, 0.95]]\nprobes_every = 0.01\n")


# A mesh that moves before and after the end of a part of a run, by a factor of 1.2 in all.
STRAIN = '[strain]\nstretched = "x"\ncompressed = "z"\nrate = 3\nbegin = 0.025\nend = 0.085\n'


def flow(name, mesh="", edges="", fluid="", time="", more="", noise=0.3, end=0.12, spectra=0):
    text = FLOW.format(mesh=mesh, edges=edges, fluid=fluid, time=time, noise=noise, end=end)
    return write(f"{name}-{end}.toml", text + OUTPUT.format(spectra=spectra) + more)


class OnGpus(Solves):
    """Runs on so many ranks that share the GPUs there are; 0: in one process on one GPU."""

    def words(self, ranks, *words):
        on = ["--gpus", str(ranks), "--oversubscribe"] if ranks else ["--variant", "cuda"]
        return [self.program, "solve", "-q", *on, *words]


def refusals(solves, gpus, reason):
    fluid, vortices, plain = solve_ranks.case("spinodal", 20), flow("vortices"), [solves.program, "solve"]
    by_hand = [solves.launcher, "-n", "2", *plain]
    two = ["--gpus", "2"]
    all_cases = [
        ([*plain, solve_ranks.case("blast", 20), *two], 2,
         "2 GPUs, and blast_wave runs on one; incompressible_flow and binary_fluid run on several"),
        ([*plain, flow("gradients", more='[pressure]\nsolver = "cg"\n'), *two], 2,
         "2 GPUs: several GPUs do not do conjugate gradients for the pressure together"),
        ([*plain, solve_flow_ranks.case("cubes", 0.12), *two], 2, "several GPUs do not do "),
        ([*plain, vortices, "--gpus", "10"], 2, "10 GPUs, and the box has 9 planes to divide: each GPU needs one"),
        ([*plain, fluid, "--gpus", "10"], 2, "10 GPUs, and the box has 9 planes along z to divide: each GPU needs one"),
        ([*plain, "none.toml", *two, "--oversubscribe"], 4 if gpus == 0 else 3, "--gpus: " if gpus == 0 else "none.toml"),
        ([*plain, fluid, "--gpus", "0"], 2, "--gpus: 0 is not between 1 and"),
        ([*plain, fluid, "--gpus", "two"], 2, "--gpus: 'two'"),
        ([*plain, fluid, *two, "--ranks", "2"], 2, "--ranks and --gpus: one of them"),
        ([*plain, fluid, "--ranks", "2", "--variant", "multi"], 2, "--ranks and --variant multi: one of them"),
        ([*plain, fluid, *two, "--variant", "cuda"], 2, "--gpus 2, and --variant cuda does not run on several GPUs"),
        ([*plain, fluid, *two, "--variant", "openmp"], 2, "--gpus 2, and --variant openmp does not run on several GPUs"),
        ([*plain, fluid, "--variant", "multi", "--oversubscribe"], 2, "--oversubscribe is for --ranks and --gpus"),
        ([*by_hand, fluid, "--gpus", "3"], 2, "--gpus 3, and the launcher has started 2"),
        ([*by_hand, fluid, "--variant", "multi", "--devices", "none"], 4, "has no GPU")]
    if gpus == 0:
        for words in (two, ["--gpus", "1"], ["--gpus", "all"], [*two, "--oversubscribe"], [*two, "--dry-run"], ["--variant", "multi"]):
            all_cases += [([*plain, case, *words], 4, f"--gpus: {reason}") for case in (fluid, vortices)]
        all_cases += [([*by_hand, case, "--variant", "multi"], 4, reason) for case in (fluid, vortices)]
        all_cases += [([*plain, fluid, "--variant", "cuda", "--devices", "0"], 4, "GPU 0 is not here")]
    else:
        many = write("many.toml", solve_ranks.FLUID + "[lattice]\nsites = [4, 4, 64]\n[time]\nsteps = 4\n")
        here = "there is 1 GPU here" if gpus == 1 else f"there are {gpus} GPUs here"
        all_cases += [([*plain, many, "--gpus", "64"], 2, here), ([*plain, fluid, *two, "--devices", "none"], 2, "--gpus: no GPU is to be used"),
                      ([*plain, fluid, "--variant", "cuda", "--devices", "none"], 4, "--variant cuda: --devices none")]
    before = tree(".")
    for words, status, message in all_cases:
        done = subprocess.run([*words, "--output", "refused"], capture_output=True, text=True, timeout=SOON, stdin=subprocess.DEVNULL)
        lines = [line for line in done.stderr.splitlines() if "speedwell: error: " in line]
        what = " ".join(words[1:])
        solves.expect(done.returncode == status and len(lines) == 1 and message in lines[0], f"{what}: one message, status {status}", done)
        solves.expect(tree(".") == before, f"{what}: nothing is written", done)


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def expect_close(solves, folder, other, name, tolerance, but, what):
    """Expects the same rows, whose numbers differ by at most the tolerance times the larger of 1 and their magnitude."""
    one, two = rows(f"{folder}/{name}"), rows(f"{other}/{name}")
    solves.expect(len(one) == len(two) > 1 and one[0].keys() == two[0].keys(), f"{what}: {len(one)} and {len(two)} rows of {name}")
    worst = max(((abs(float(a[key]) - float(b[key])) / max(1, abs(float(b[key]))), key) for a, b in zip(one, two) for key in a
                 if key not in but and a[key] and b[key]), default=(0, ""))
    solves.expect(worst[0] <= tolerance, f"{what}: {name}: {worst[1]} differs by {worst[0]:.2g}, more than {tolerance:.2g}")


def fluids(solves):
    # A sum of n numbers of at most 1 is rounded n times, each time by at most n 2^-53, in either order: n <= 1080 sites. The length is written with
    # nine digits, and is another function of one sum.
    rounding = 2 * 1080 * 1080 * 2.0 ** -53

    def same_but_for_sums(folder, whole, what, but=()):
        solves.expect_same(folder, whole, what, but=("history.csv", *but))
        expect_close(solves, folder, whole, "history.csv", rounding, ("length",), what)

    for name in solve_ranks.FLUIDS:
        planes = {"spinodal": 9, "walls": 7, "layers": 10, "seven": 1}[name]
        whole, case = f"{name}-whole", solve_ranks.case(name, 20)
        done = solves.run(0, case, "--output", whole)
        solves.expect(done.returncode == 0, f"{name} on one GPU", done)
        for gpus in (g for g in (1, 2, 3) if g <= planes):
            done = solves.run(gpus, case, "--output", f"{name}-{gpus}")
            solves.expect(done.returncode == 0 and done.stdout.count("20 steps") == 1, f"{name} on {gpus} GPUs", done)
            same_but_for_sums(f"{name}-{gpus}", whole, f"{name} on {gpus} GPUs")
        for first, second in ((0, 2), (2, 0), (3, 2)) if planes > 1 else ():
            folder = f"{name}-{first}-then-{second}"
            done = solves.run(first, solve_ranks.case(name, 9), "--output", folder)
            solves.expect(done.returncode == 0 and newest_step(folder) == 9, f"{name}: a part on {first or 1}", done)
            done = solves.run(second, case, "--resume", "--output", folder)
            solves.expect(done.returncode == 0, f"{name}: the rest on {second or 1}", done)
            same_but_for_sums(folder, whole, f"{name} continued on {second or 1} after {first or 1}", but=("run.json",))
    done = subprocess.run([solves.program, "solve", "-q", solve_ranks.case("spinodal", 30), "--resume", "--output", "spinodal-2", "--ranks", "2",
                           "--oversubscribe"], capture_output=True, text=True, timeout=SOON)
    solves.expect(done.returncode == 0 and newest_step("spinodal-2") == 30, "a run of GPUs continues on cores", done)


def flows(solves):
    # Rounding of 1e-16, in single precision 1e-7, grows little in some dozen steps, and the columns have at least six digits. A plane that was not
    # exchanged changes most numbers by more than a tenth. The fast flow's steps are those that its convection rate allows. The force that keeps a
    # velocity is its change over a step of at least 1e-3, so that rounding makes 1e-13 of it. Steps end when a mesh begins and ends to move.
    for name, tolerance, more in (("fast", 2e-5, {"noise": 20}), ("channel", 2e-5, {"edges": '[edges]\ny = "wall"\nz = "slip"\n'}),
                                  ("kept", 2e-5, {"edges": '[edges]\ny = "wall"\n', "fluid": "bulk_velocity_x = 1\nbulk_velocity_z = -0.2\n"}),
                                  ("strained", 2e-5, {"noise": 3, "more": STRAIN, "spectra": 0.05}),
                                  ("implicit", 2e-5, {"edges": '[edges]\nz = "wall"\nz_high_velocity = [1, 0, 0]\n', "time": 'diffusion = "trapezoidal"\n'}),
                                  ("single", 1e-3, {"mesh": 'x_spacing = "wavy"\n', "time": 'scheme = "s3"\n'})):
        case, part = flow(name, **more), flow(name, **more, end=0.06)
        if name == "single":
            for path in (case, part):
                write(path, content(path).decode().replace("schema = 1\n", 'schema = 1\nprecision = "f32"\n'))
        whole = f"{name}-whole"
        done = solves.run(0, case, "--output", whole)
        solves.expect(done.returncode == 0, f"{name} on one GPU", done)
        solves.expect(bool(tree(f"{whole}/spectra")) == ("spectra" in more), f"{name} on one GPU: spectra", done)

        def close(folder, what):
            # The divergence and the imbalance are themselves of the size of rounding.
            expect_close(solves, folder, whole, "history.csv", tolerance, ("divergence", "imbalance"), what)
            expect_close(solves, folder, whole, "probes.csv", tolerance, (), what)
            for path in tree(f"{whole}/spectra"):
                expect_close(solves, folder, whole, f"spectra/{path}", tolerance, (), what)
            solves.expect(tree(folder).keys() == tree(whole).keys(), f"{what}: other files")

        for gpus in (2, 3):
            done = solves.run(gpus, case, "--output", f"{name}-{gpus}")
            solves.expect(done.returncode == 0 and done.stdout.count(" steps: energy") == 1, f"{name} on {gpus} GPUs", done)
            close(f"{name}-{gpus}", f"{name} on {gpus} GPUs")
        for first, second in ((2, 3), (0, 2), (2, 0)):
            folder = f"{name}-{first}-then-{second}"
            done = [solves.run(first, part, "--output", folder), solves.run(second, case, "--resume", "--output", folder)]
            solves.expect(all(d.returncode == 0 for d in done), f"{name} continued on {second or 1} after {first or 1}", done[-1])
            close(folder, f"{name} continued on {second or 1} after {first or 1}")


def steady(solves):
    # max |du/dt| / max |u| is 7.8 after 50 steps and 8.03 after 40, and rounding changes it by less than 1e-10 of itself.
    case = flow("settled", edges='[edges]\ny = "wall"\n', time="largest_step = 0.001\nsteady = 8\n", more="lines = [[0.1, 0.9, 0, 0.7, 0.2, 1]]\nlines_every = 0.02\n")
    for gpus in (0, 2, 3):
        done = solves.run(gpus, case, "--output", f"settled-{gpus}")
        solves.expect(done.returncode == 0 and "after 50 steps" in done.stdout and "steady: " in done.stdout, f"a steady flow on {gpus or 1} GPUs", done)
        expect_close(solves, f"settled-{gpus}", "settled-0", "lines/line-1-00000040.csv", 2e-5, (), f"a line on {gpus or 1} GPUs")


def stopped(solves):
    endless = {"fluid": write("endless-fluid.toml", solve_ranks.LONG.format(10 ** 9)), "flow": flow("endless", end=1e6)}
    for name, case in endless.items():
        run = solves.begin(*solves.words(2), case, "--output", f"stopped-{name}")
        wait_for(f"stopped-{name}", 5)
        run.send_signal(signal.SIGTERM)
        out, err = run.communicate(timeout=SOON)
        solves.expect(run.returncode == 143 and newest_step(f"stopped-{name}") > 0 and "speedwell: error: " not in err, f"{name}: SIGTERM saves", out + err)
    done = solves.run(2, endless["fluid"], "--output", "limited", "--time-limit", "1s")
    solves.expect(done.returncode == 7 and newest_step("limited") > 0, "a time limit saves", done)


def blown_up(solves):
    bad, messages = solve_ranks.blowing_up(), []
    for gpus in (0, 2):
        done = solves.run(gpus, bad, "--output", f"bad-{gpus}")
        messages.append([line for line in done.stderr.splitlines() if line.startswith("speedwell: error: ")])
        solves.expect(done.returncode == 1 and len(messages[-1]) == 1 and messages[-1] == messages[0], "a fluid that blows up", done)
    solves.expect_same("bad-2", "bad-0", "a fluid that blows up on two GPUs", but=("history.csv",))


def planned(solves):
    for case, what in ((solve_ranks.case("spinodal", 20), "12 x 10 x 9 sites"), (flow("planned"), "12 x 10 x 9 cells")):
        done = solves.run(2, case, "--output", "planned", "--dry-run")
        solves.expect(done.returncode == 0 and done.stdout.count(what) == 1 and " on 2 GPUs now" in done.stdout and " of each GPU\n" in done.stdout
                      and not os.path.exists("planned"), "--dry-run on GPUs", done)
    by_hand = [solves.launcher, "-n", "2", solves.program, "solve", solve_ranks.case("spinodal", 20), "--output", "by-hand"]
    done = subprocess.run([*by_hand, "--variant", "multi", "--oversubscribe"], capture_output=True, text=True, timeout=SOON)
    solves.expect(done.returncode == 0 and "on 2 GPUs (slabs along z)" in done.stderr, "two ranks by hand", done)


def main():
    if not sys.argv[2]:
        print("skipped: no MPI launcher was found")
        return 77
    solves = OnGpus(os.path.abspath(sys.argv[1]), sys.argv[2])
    devices = subprocess.run([solves.program, "list", "devices"], capture_output=True, text=True, timeout=SOON).stdout
    gpus = sum(line.startswith("gpu ") for line in devices.splitlines())
    if sys.argv[3] == "run" and gpus == 0:
        print("skipped: there is no GPU")
        return 77
    with tempfile.TemporaryDirectory(prefix="speedwell-solve-gpus-") as folder:
        os.chdir(folder)
        if sys.argv[3] == "refused":
            refusals(solves, gpus, "" if gpus else devices.split("gpu: none: ")[1].splitlines()[0])
        else:
            for test in (fluids, flows, steady, stopped, blown_up, planned):
                test(solves)
    return solves.expect.report()


if __name__ == "__main__":
    sys.exit(main())
