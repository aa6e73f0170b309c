"""Shared code of all kinds of tries: the program, small inputs of everything that it reads, and how often each is tried."""
import dataclasses
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cli"))
import process  # noqa: E402
from solve_support import blast_case, flow_case, fluid_case, newest_step, tree  # noqa: E402

# Small, so that there is time for many: a case, an end, and one that is later.
CASES = {"flow": (flow_case([4, 4, 4], 0.1, (0.1, 0.2, 0.2)), "0.4", "0.8"), "fluid": (fluid_case([8, 8, 8], (1, 2, 2)), "4", "8"),
         "blast": (blast_case([5, 5, 5], (1, 2, 2)), "4", "8")}
FLOW, FLUID, BLAST = (CASES[name][0] for name in ("flow", "fluid", "blast"))
PROTEINS = b">a first\nMKVLAWRRTMKVLAW\n>b\nMKVLAAGIVGLCAKAYLE\n"
MATRIX = b"   A R N\nA 4 -1 -2\nR -1 5 0\nN -2 0 6\n"
SPRINGS = b"%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 2\n2 2 2\n3 3 2\n2 1 -1\n3 2 -1\n"


@dataclasses.dataclass
class Context:
    program: str
    folder: str  # what is shared by all tries is here
    long: bool
    hang_s: float
    seed: int
    library: str = ""
    launcher: str = ""

    def __post_init__(self):
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("SPEEDWELL_")}
        self.environment |= {"OMP_WAIT_POLICY": "passive", "SPEEDWELL_CACHE_DIR": os.path.join(self.folder, "cache")}

    def prepare(self):
        """Measures the ceilings once, for all runs, and makes records to read."""
        for variant in ("openmp --threads 2", "serial"):
            done = self.run(f"run stream --size test --variant {variant} --repeat 2 --max-time 10ms --set kernel=copy -q "
                            "--json good.json", self.folder, limit_s=300)
            if done.status != 0:
                sys.exit(f"the program does not run here: {done}")
        self.records = read(os.path.join(self.folder, "good.json"))

    def run(self, words, folder, limit_s=None, **more):
        words = words.split() if isinstance(words, str) else list(words)
        environment = more.pop("environment", self.environment)
        return process.run([self.program, *words], folder, environment, limit_s or self.hang_s, **more)

    def solve(self, folder, *words, **more):
        return self.run(["solve", "-q", "--variant", "openmp", "--threads", "1", *words], folder, **more)


class Kind:
    """Tries of one kind. A try depends on its number and the seed alone, so that a campaign can continue where it was stopped."""
    name = ""
    title = ""  # in the table
    share = 1  # of the time

    def __init__(self, context):
        self.context = context
        self.skipped = []  # reasons of what cannot be done here

    def begin(self):
        """Prepares what all tries need; not called if there are no tries."""

    def end(self):
        """Removes what begin() has made."""

    def count(self):
        """Returns how many tries there are."""
        raise NotImplementedError

    def first(self):
        """Returns how many tries at the beginning come first in every campaign: those for faults that were found before."""
        return 0

    def one(self, n, folder, chance):
        """Makes try n in an empty folder and returns how many commands, faults or kills it took, and the findings."""
        raise NotImplementedError

    def chance(self, n):
        return random.Random(f"{self.context.seed} {self.name} {n}")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, content):
    with open(path, "wb") as f:
        f.write(content if isinstance(content, bytes) else content.encode())
    return path


def good_inputs(context, folder):
    """Writes small files of every kind that the program reads."""
    write(f"{folder}/q.fa", PROTEINS)
    write(f"{folder}/d.fa", PROTEINS)
    write(f"{folder}/arn.fa", b">q\nARNARN\n")
    write(f"{folder}/arn.txt", MATRIX)
    write(f"{folder}/good.mtx", SPRINGS)
    write(f"{folder}/good.json", context.records)
    for kind, (text, end, _) in CASES.items():
        write(f"{folder}/{kind}.toml", text.format(end=end))


def different(folder, other):
    """Returns the names of the results in which two runs differ. Among checkpoints the newest counts, whose manifests give the number of the run in
    the folder; case.toml, run.json and run.lock are no results."""
    a, b = results(folder), results(other)
    return sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))


def results(folder):
    newest = f"checkpoints/step-{newest_step(folder):09}/"
    files = {}
    for name, content in tree(folder).items():
        if name in ("case.toml", "run.json", "run.lock") or (name.startswith("checkpoints/") and not name.startswith(newest)):
            continue
        if name.endswith("/manifest.json"):
            content = {k: v for k, v in json.loads(content).items() if k not in ("run", "manifest_xxh3_128")}
        files[name] = content
    return files
