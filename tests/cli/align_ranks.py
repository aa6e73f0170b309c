#!/usr/bin/env python3
"""Runs `speedwell align` on ranks and tests that it writes the bytes of one process, and what a rank that fails or is stopped leaves.

Usage: align_ranks.py PROGRAM LAUNCHER. Exits 77 (skipped) without a launcher.
"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from expectations import Expectations
from processes import leaves_below, wait_until

PROTEIN, DNA = "ACDEFGHIKLMNPQRSTVWY", "ACGT"


def write(path, generator, symbols, lengths, relatives_of=None):
    """Writes random sequences; every third is an altered part of one of `relatives_of`, if given. Returns the sequences."""
    sequences = []
    for i, length in enumerate(lengths):
        text = "".join(generator.choices(symbols, k=length))
        if relatives_of and i % 3 == 0:
            text = "".join(c for c in generator.choice(relatives_of) if generator.random() > 0.05) or text
        sequences.append(text)
    with open(path, "w") as file:
        for i, text in enumerate(sequences):
            file.write(f">{os.path.basename(path)}-{i} number {i}\n{text}\n")
    return sequences


class Tests:
    def __init__(self, program, launcher, folder):
        self.program, self.launcher, self.folder = program, launcher, folder
        self.expect = Expectations()

    def run(self, words, ranks=None, **options):
        line = [self.program, "align", *words.split()]
        if ranks:
            line = [self.launcher, "-n", str(ranks), *line]
        return subprocess.run(line, cwd=self.folder, capture_output=True, timeout=300, **options)

    def same_bytes(self):
        for words in ("queries.fa database.fa --devices none", "queries.fa database.fa --out-format sam --sam-md --devices none",
                      "queries.fa database.fa --outfmt 7 --top 5 --devices none", "queries.fa database.fa --out-format pairwise --top 2 --devices none",
                      "queries.fa database.fa --mask seg --devices none", "queries.fa database.fa --db-block 5e3 --top 7 --devices none",
                      "queries.fa database.fa --query-cover 50 --devices none", "queries.fa one.fa --devices none", "one.fa one.fa --devices none",
                      "queries.fa huge.fa --min-score 30 --devices none", "dna.fa dna-database.fa --out-format sam --devices none",
                      "queries.fa database.fa --columns qseqid,sseqid,score --top 3 --devices none", "queries.fa database.fa --top 0 --devices none"):
            alone = self.run(words)
            self.expect(alone.returncode == 0 and (alone.stdout or "--top 0" in words), f"{words}: {alone.stderr}")
            for ranks in (2, 3, 4):
                done = self.run(words, ranks)
                self.expect(done.returncode == 0 and done.stdout == alone.stdout, f"{words} on {ranks} ranks: {done.returncode} {done.stderr}")
                self.expect(done.stderr == alone.stderr, f"{words} on {ranks} ranks, messages: {done.stderr} {alone.stderr}")

    def options(self):
        alone = self.run("queries.fa database.fa --devices none --out alone.tsv")
        done = self.run("queries.fa database.fa --ranks 2 --oversubscribe --out two.tsv -v")
        self.expect(alone.returncode == 0 and done.returncode == 0, f"--ranks 2: {done.stderr}")
        self.expect(b"2 ranks, each on 1 thread of " in done.stderr, f"--ranks 2 says where: {done.stderr}")
        with open(os.path.join(self.folder, "alone.tsv")) as one, open(os.path.join(self.folder, "two.tsv")) as two:
            self.expect(one.read() == two.read(), "--ranks 2 --out")
        with open(os.path.join(self.folder, "queries.fa")) as queries:
            done = self.run("- database.fa --devices none", 2, stdin=queries)
        self.expect(done.returncode == 0 and done.stdout == self.run("queries.fa database.fa --devices none").stdout, f"standard input: {done.stderr}")
        for words, ranks, status, message in (
                ("queries.fa database.fa --ranks 0", None, 2, b"--ranks: 0 is not"), ("queries.fa database.fa --gpus 0", None, 2, b"--gpus: 0 is not"),
                ("queries.fa database.fa --ranks 2 --gpus 2", None, 2, b"--ranks and --gpus: one of them"),
                ("queries.fa database.fa --ranks 2", 3, 2, b"the launcher has started 3"),
                ("queries.fa database.fa --oversubscribe", None, 2, b"--oversubscribe is for"),
                ("queries.fa none.fa", 3, 3, b"none.fa"), ("queries.fa database.fa --sam-md", 3, 2, b"--sam-md is for"),
                ("queries.fa database.fa --out no/such/folder", 2, 5, b"no/such/folder")):
            done = self.run(words, ranks)
            self.expect(done.returncode == status and done.stderr.count(b"speedwell: error: ") == 1 and message in done.stderr,
                        f"{words} on {ranks} ranks: {done.returncode} {done.stderr}")

    def ranks_of(self, process):
        """Returns the processes below the program with --ranks that run it, too."""
        def runs_it(pid):
            try:
                return os.readlink(f"/proc/{pid}/exe") == os.path.realpath(self.program)
            except OSError:
                return False  # it has ended meanwhile

        return [pid for pid in leaves_below(process.pid) if runs_it(pid)]

    def ends_early(self, what, send, status=None):
        """A job that is ended while it searches leaves no result."""
        process = subprocess.Popen([self.program, *"align long.fa long.fa --devices none --ranks 3 --oversubscribe --out ended.tsv".split()],
                                   cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        wait_until(lambda: len(self.ranks_of(process)) == 3 or process.poll() is not None, f"{what}: three ranks")
        time.sleep(1)  # so that they search; all of it takes minutes
        send(process)
        begin = time.monotonic()
        try:
            _, error = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            error = b"it goes on"
        self.expect(time.monotonic() - begin < 30, f"{what}: {time.monotonic() - begin} s until the end: {error}")
        self.expect(process.returncode not in (0, None) and (status is None or process.returncode == status), f"{what}: {process.returncode} {error}")
        self.expect(not os.path.exists(os.path.join(self.folder, "ended.tsv")), f"{what}: a result is there")

    def ended(self):
        self.ends_early("SIGTERM", lambda process: process.send_signal(signal.SIGTERM), 143)

        self.ends_early("a killed rank", lambda process: os.kill(self.ranks_of(process)[-1], signal.SIGKILL))


def main():
    program, launcher = os.path.abspath(sys.argv[1]), sys.argv[2]
    if not launcher:
        print("skipped: no launcher")
        return 77
    generator = random.Random(20261126)
    with tempfile.TemporaryDirectory() as folder:
        def path(name):
            return os.path.join(folder, name)
        queries = write(path("queries.fa"), generator, PROTEIN, [120, 35, 1, 260, 80, 44, 301])
        write(path("database.fa"), generator, PROTEIN, [generator.randrange(1, 300) for _ in range(160)], queries)
        write(path("one.fa"), generator, PROTEIN, [90], queries)
        write(path("huge.fa"), generator, PROTEIN, [30, 60000, 5, 40], None)
        dna = write(path("dna.fa"), generator, DNA, [200, 90, 400])
        write(path("dna-database.fa"), generator, DNA, [generator.randrange(20, 500) for _ in range(60)], dna)
        write(path("long.fa"), generator, PROTEIN, [1500] * 1200)
        tests = Tests(program, launcher, folder)
        tests.same_bytes()
        tests.options()
        tests.ended()
    return tests.expect.report()


if __name__ == "__main__":
    sys.exit(main())
