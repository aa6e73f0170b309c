"""Runs the variants on ranks of every application that has some to their ends, again and again, on more ranks than there are cores: none may hang, fail or
give another answer than the oracle's. Collective decisions that ranks take differently show as hangs, in one run of many."""
import subprocess

from kinds import Kind
from process import Finding
from ranks import Launch

RANKS = 4
# Several passes and rounds: whatever ranks decide together is decided often.
RUNS = [f"run {application} --size test --variant mpi* --repeat 2 --passes 2 -q {more}" for application, more in (
    ("stream", ""), ("two_stream", ""), ("npb", "--set class=S"), ("stencil", ""), ("cg", ""), ("vector_calculus", ""),
    ("binary_fluid", ""), ("wavefront", ""), ("uts", ""), ("gups", ""), ("fft", ""), ("matvec", ""), ("alignment", ""), ("ssca1", ""),
    ("incompressible_flow", ""), ("blast_wave", ""))]


class RankedRuns(Kind):
    name = "ranked"
    title = f"whole runs on {RANKS} ranks"
    share = 5

    def begin(self):
        if not self.context.launcher:
            self.skipped.append("there is no MPI launcher (--launcher)")

    def count(self):
        return (400 if self.context.long else 4) if self.context.launcher else 0

    def one(self, n, folder, chance):
        words = RUNS[n % len(RUNS)].split()
        try:
            done = Launch(self.context.launcher, RANKS, [self.context.program, *words], folder)
        except subprocess.TimeoutExpired:
            return 1, [Finding("hung", f"{RANKS} ranks: {' '.join(words)}")]
        # Problems that cannot be divided among so many ranks are skipped (status 4 if all are).
        if done.status not in (0, 4):
            return 1, [Finding("wrong", f"{' '.join(words)}: {done}")]
        return 1, []
