#!/usr/bin/env python3
"""The reliability campaign: malformed input, failing calls, kills, flipped bits, full disks, little memory, signals and
processes at odds, all against the program itself. What it looks for, and what is promised: docs/reliability.md.

reliability.py PROGRAM [--long] [--budget SECONDS] [--state FILE] [--seed N] [--kind NAME,...] [--jobs N]
               [--library FAILING_CALLS] [--launcher MPIEXEC] [--document docs/reliability.md]

--state keeps what was done, and continues there. The exit status is 1 if anything was found."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import random
import shutil
import sys
import tempfile
import time
import traceback

import process
from calls import FailingCalls
from flips import Flips
from kills import Kills, KilledRanks
from kinds import Context, read, write
from limits import FullDisks, SmallLimits
from malformed import Malformed
from process import Finding
from ranked_runs import RankedRuns
from signals import Signals
from words import CommandLines
from writers import Writers

# What a campaign does not use of its share goes to those after: the longest comes last.
ALL = [Malformed, CommandLines, Kills, KilledRanks, RankedRuns, Flips, FullDisks, SmallLimits, Signals, Writers, FailingCalls]
SHOWN = 20  # findings of a kind that are kept and printed
BEGIN, END = "<!-- reliability: begin -->\n", "<!-- reliability: end -->\n"


class State:
    """What was done of each kind, kept in a file between campaigns. Another program or seed begins anew."""

    def __init__(self, path, key):
        self.path = path
        self.kinds = {}
        if path and os.path.exists(path):
            kept = json.loads(read(path))
            if kept["key"] != key:
                sys.exit(f"{path} is of another program, seed or form: {kept['key']}; remove it to begin anew")
            self.kinds = kept["kinds"]
        self.key = key

    def of(self, name):
        empty = {"next": 0, "tried": 0, "seconds": 0, "MiB": 0, "findings": []} | {kind: 0 for kind in process.KINDS}
        return self.kinds.setdefault(name, empty)

    def save(self):
        if self.path:
            write(self.path + ".new", json.dumps({"key": self.key, "kinds": self.kinds}, indent=1))
            os.replace(self.path + ".new", self.path)


def one(kind, n):
    """Makes a try in a folder of its own. What the campaign itself cannot do counts as a finding."""
    with tempfile.TemporaryDirectory(prefix="try-", dir=kind.context.folder) as folder:
        try:
            return kind.one(n, folder, kind.chance(n))
        except AssertionError as problem:
            return 1, [Finding("lost", f"{kind.name} {n}: {problem}")]
        except Exception:
            return 1, [Finding("wrong", f"{kind.name} {n}: {traceback.format_exc()}")]


def campaign(kind, done, deadline, jobs, save):
    """Makes tries until the deadline or the last one, some at a time, in an order that depends on the seed, so that a part is a sample of all."""
    total = kind.count()
    order, rest = list(range(kind.first())), list(range(kind.first(), total))
    random.Random(kind.context.seed).shuffle(rest)
    order += rest
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        while done["next"] < total and time.monotonic() < deadline:
            begin = time.monotonic()
            numbers = order[done["next"]:done["next"] + 4 * jobs]
            for tried, findings in pool.map(lambda n: one(kind, n), numbers):
                done["tried"] += tried
                for finding in findings:
                    done[finding.kind] += 1
                    if len(done["findings"]) < SHOWN:
                        done["findings"].append(f"{finding.kind}: {finding.text}")
                        print(f"{kind.name}: {done['findings'][-1]}", flush=True)
            done["next"] += len(numbers)
            done["seconds"] += time.monotonic() - begin
            save()
    return total


def table(rows):
    lines = ["| kind | tried | wrong status or message | crashed: signals, 134, 139, 70 | hung: over 10 s | lost or damaged |",
             "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for title, done in rows:
        lines.append(f"| {title} | {done['tried']} | " + " | ".join(str(done[kind]) for kind in process.KINDS) + " |")
    return "\n".join(lines) + "\n"


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--budget", type=float, default=60)
    parser.add_argument("--state", default="")
    parser.add_argument("--seed", type=int, default=29)
    parser.add_argument("--kind", default=",".join(kind.name for kind in ALL))
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--library", default="")
    parser.add_argument("--launcher", default="")
    parser.add_argument("--hang", type=float, default=10, help="seconds after which a command counts as hung")
    parser.add_argument("--document", default="")
    chosen = parser.parse_args()
    names = chosen.kind.split(",")
    known = {kind.name for kind in ALL}
    for name in names:
        if name not in known:
            parser.error(f"unknown kind '{name}' (allowed: {', '.join(sorted(known))})")
    return chosen, [kind for kind in ALL if kind.name in names]


def allow_ranks_here():
    """Tells Open MPI by its environment, which other launchers do not read, that there are fewer cores than ranks and that root may start them."""
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"):
        os.environ.setdefault(name, "1")
    os.environ.setdefault("OMPI_MCA_hwloc_base_binding_policy", "none")


def main():
    chosen, kinds = options()
    allow_ranks_here()
    program = os.path.abspath(chosen.program)
    key = {"program": hashlib.sha256(read(program)).hexdigest(), "seed": chosen.seed, "long": chosen.long}
    state = State(chosen.state, key)
    begin = time.monotonic()
    rows, notes = [], []
    folder = tempfile.mkdtemp(prefix="speedwell-reliability-")
    try:
        context = Context(program, folder, chosen.long, chosen.hang, chosen.seed,
                          chosen.library and os.path.abspath(chosen.library), chosen.launcher)
        context.prepare()
        made = [kind(context) for kind in kinds]
        for i, kind in enumerate(made):
            done = state.of(kind.name)
            left = chosen.budget - (time.monotonic() - begin)
            deadline = time.monotonic() + left * kind.share / sum(later.share for later in made[i:])
            try:
                kind.begin()
                total = campaign(kind, done, deadline, chosen.jobs, state.save)
            finally:
                kind.end()
            rows.append((kind.title, done))
            if done["next"] < total:
                notes.append(f"{kind.title}: {done['next']} of {total} were reached in the time")
            notes += [f"{kind.title}: not tried here: {reason}" for reason in kind.skipped]
            print(f"{kind.name}: {done['tried']} tried in {done['seconds']:.0f} s", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    seconds = sum(done["seconds"] for _, done in rows)
    text = table(rows) + "".join(f"\n{note}." for note in notes)
    print(f"\n{text}\n{seconds:.0f} s in all, seed {chosen.seed}")
    if chosen.document:
        whole = read(chosen.document).decode()
        before, after = whole.split(BEGIN)[0], whole.split(END)[1]
        form = "the long form" if chosen.long else "the short form"
        text = f"{text}\nSeed {chosen.seed}, {form}, {seconds / 60:.0f} minutes.\n"
        write(chosen.document, before + BEGIN + text + END + after)
    return 1 if any(done[kind] for _, done in rows for kind in process.KINDS) else 0


if __name__ == "__main__":
    sys.exit(main())
