#!/usr/bin/env python3
"""Writes traces of runs on one process and on ranks, and tests that they are what a viewer reads.

Usage: trace.py PROGRAM LAUNCHER. Without a launcher only one process is tested.
"""
import json
import os
import sys
import tempfile

from expectations import Expectations, run

PHASES = ["prepare", "allocate", "plan", "upload", "first execute", "execute", "download", "verify"]


def overlaps(spans):
    """Returns the pairs of spans (begin, end, name) of one track that are neither nested nor apart."""
    found, around = [], []
    for begin, end, name in sorted(spans, key=lambda s: (s[0], -s[1])):
        while around and around[-1][1] <= begin + 1e-6:
            around.pop()
        if around and end > around[-1][1] + 2e-6:
            found.append((around[-1], (begin, end, name)))
        around.append((begin, end, name))
    return found


class Trace:
    def __init__(self, path):
        with open(path) as file:
            self.document = json.load(file)
        self.events = self.document["traceEvents"]
        self.spans = [e for e in self.events if e["ph"] == "X"]

    def names(self, rank):
        return [e["name"] for e in self.spans if e["pid"] == rank]

    def mistakes(self, ranks):
        """Returns what is wrong with a trace on so many ranks."""
        wrong = []
        if {e["pid"] for e in self.events} != set(range(ranks)):
            wrong.append("other processes than the ranks")
        for rank in range(ranks):
            wrong += [f"rank {rank} has no phase '{phase}'" for phase in PHASES if phase not in self.names(rank)]
            own = [e for e in self.spans if e["pid"] == rank]
            if [e["ts"] for e in own] != sorted(e["ts"] for e in own):
                wrong.append(f"rank {rank}: not in the order of the beginnings")
            named = {e["tid"] for e in self.events if e["ph"] == "M" and e["name"] == "thread_name" and e["pid"] == rank}
            for track in {e["tid"] for e in own}:
                if track not in named:
                    wrong.append(f"rank {rank}: track {track} has no name")
                spans = [(e["ts"], e["ts"] + e["dur"], e["name"]) for e in own if e["tid"] == track]
                wrong += [f"rank {rank}, track {track}: {a} and {b} overlap" for a, b in overlaps(spans)]
        if any(e["dur"] < 0 for e in self.spans):
            wrong.append("a span that ends before it begins")
        # Every message that begins ends.
        begun, ended = ([(e["pid"], e["id"], e["name"]) for e in self.events if e["ph"] == phase] for phase in "be")
        if sorted(begun) != sorted(ended) or len(set(begun)) != len(begun):
            wrong.append("messages do not begin and end once")
        return wrong


def main():
    program, launcher = os.path.abspath(sys.argv[1]), sys.argv[2]
    expect = Expectations()

    with tempfile.TemporaryDirectory() as folder:
        def here(words):
            return run(program, folder, words)

        def trace(name):
            return Trace(os.path.join(folder, name))

        def expect_right(traced, ranks, what):
            for mistake in traced.mistakes(ranks):
                expect(False, f"{what}: {mistake}")

        status, out, error = here("run stream --size test --set kernel=triad --precision f64 --variant serial,openmp --repeat 3 --trace one.json --json records.json")
        expect(status == 0, f"one process: status {status}: {error}")
        one = trace("one.json")
        expect_right(one, 1, "one process")
        expect(sum(": serial" in n or ": openmp" in n for n in one.names(0)) == 2, "one process: a span for each variant")
        expect("--trace one.json" in one.document["otherData"]["command_line"], "one process: its command line")
        with open(os.path.join(folder, "records.json")) as file:
            counts = {r["phases"]["execute_s"]["n"] for r in json.load(file)["runs"]}
        expect(counts == {3}, f"samples of the traced pass: {counts}")

        status, out, error = here("run stream --size test --set kernel=triad --variant serial --repeat 1 --trace none.json --dry-run")
        expect(status == 0 and not os.path.exists(os.path.join(folder, "none.json")), f"dry run: status {status}: {error}")
        status, out, error = here("run stream --size test --repeat 1 --trace no/such/folder.json")
        expect(status == 5 and "folder.json" in error and out == "", f"a file that cannot be written: status {status}: {error}")
        expect(sorted(os.listdir(folder)) == ["one.json", "records.json"], "nothing else is left")

        if launcher:
            for words, names in (
                    ("run stencil --size test --set kernel=e0 --variant mpi", ("start halo", "interior", "finish halo", "rim")),
                    ("run cg --size test --variant mpi", ("iteration", "sum over ranks", "solution and residual")),
                    ("compare binary_fluid --size test --variant mpi", ("step", "finish halo"))):
                status, out, error = here(f"{words} --ranks 2 --oversubscribe --repeat 1 --trace two.json")
                expect(status == 0, f"{words}: status {status}: {error}")
                two = trace("two.json")
                expect_right(two, 2, words)
                for rank in (0, 1):
                    expect(set(names) <= set(two.names(rank)), f"{words}: rank {rank} lacks one of {names}: {sorted(set(two.names(rank)))}")
                expect(any(e["ph"] == "b" and e["args"]["bytes"] > 0 for e in two.events), f"{words}: messages")
                expect(0 < two.document["otherData"]["clock_uncertainty_us_between_ranks"] < 1e4, f"{words}: uncertainty")
                expect(two.document["otherData"]["dropped_events"] == 0, f"{words}: nothing dropped")
            status, out, error = here("run stream --size test --variant mpi --ranks 2 --oversubscribe --repeat 1 --trace no/such/folder.json")
            expect(status == 5, f"ranks: a file that cannot be written: status {status}: {error}")
            status, out, error = here("scale stencil --size test --set kernel=e0 --set n=16 --precision f64 --ranks 1,2 --oversubscribe --repeat 1 --output scaled --trace t.json")
            expect(status == 0, f"scale: status {status}: {error}")
            for ranks in (1, 2):
                expect_right(trace(f"t-{ranks}.json"), ranks, f"scale on {ranks}")

    return expect.report()


if __name__ == "__main__":
    sys.exit(main())
