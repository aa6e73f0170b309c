#!/usr/bin/env python3
"""Tests `speedwell align` as a program: its input files, its messages on bad input, signals, and its progress bar.

Usage: align_program.py PROGRAM. Bad input is one line 'speedwell: error: …', nothing on standard output and the status of
docs/errors.md.
"""
import gzip
import os
import pty
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

from expectations import Expectations
from processes import wait_for_handler, wait_for_work

QUERY = ">q\nMKVLAWRRT\n"
DATABASE = ">a\nMKVLAWRRT\n>b\nMKVLA\n"
MATRIX = "   A R N\nA 4 -1 -2\nR -1 5 0\nN -2 0 6\n"
FILES = {
    "q.fa": QUERY.encode(),
    "d.fa": DATABASE.encode(),
    "q.fa.gz": gzip.compress(QUERY.encode()),
    "d.fa.gz": gzip.compress(DATABASE[:10].encode()) + gzip.compress(DATABASE[10:].encode()),  # as bgzip makes them
    "empty.fa": b"",
    "blank.fa": b"\n  \n",
    "cut-record.fq": b"@a\nACGT\n+\nII",
    "cut-header.fa": b">a\nMKV\n>",
    "cut.fa.gz": gzip.compress(DATABASE.encode())[:25],
    "digit.fa": b">q\nMK1AW\n",
    "not-dna.fa": b">q\nACGTEF\n",
    "dna.fa": b">d\nACGTACGTTGCAACGTGTCA\n",
    "protein.fa": b">p\nMKVLAWRRTEDLLPSYHQIF\n",
    "arn.fa": b">q\nARNARN\n",
    "arn.txt": MATRIX.encode(),
    "no-row.txt": MATRIX[: MATRIX.index("N -2")].encode(),
    "short-row.txt": MATRIX.replace("-1 5 0", "-1 5").encode(),
    "long-row.txt": MATRIX.replace("-1 5 0", "-1 5 0 1").encode(),
    "asymmetric.txt": MATRIX.replace("-1 5 0", "2 5 0").encode(),
    "word.txt": MATRIX.replace("-1 5 0", "-1 x 0").encode(),
    "no-symbols.txt": b"# nothing\n",
}
COSTS = " --gap-open 5 --gap-extend 1"
BAD = [
    # words, status, standard error contains
    ("q.fa d.fa --top 3", 2, "--top 3: d.fa has 2 sequences"),
    ("q.fa q.fa --top 2", 2, "--top 2: q.fa has 1 sequence"),
    ("q.fa empty.fa", 3, "empty.fa: the file is empty"),
    ("empty.fa d.fa", 3, "empty.fa: the file is empty"),
    ("q.fa blank.fa", 3, "blank.fa: there is no sequence in the file"),
    ("q.fa missing.fa", 3, "missing.fa"),
    ("q.fa .", 3, "."),
    ("q.fa cut-record.fq", 3, "cut-record.fq:4:3: the file ends within a record"),
    ("q.fa cut-header.fa", 3, "cut-header.fa:3:2: the file ends within a header line"),
    ("q.fa cut.fa.gz", 3, "cut.fa.gz: the gzip data end in the middle"),
    ("digit.fa d.fa", 3, "digit.fa:2:3: '1' is not an amino-acid symbol"),
    ("not-dna.fa d.fa --alphabet dna", 3, "not-dna.fa:2:5: 'E' is not"),
    ("q.fa d.fa --matrix ./arn.txt" + COSTS, 3, "q.fa:1: 'q' has the residue M, and the matrix ./arn.txt scores"),
    ("arn.fa d.fa --matrix ./arn.txt" + COSTS, 3, "d.fa:1: 'a' has the residue M"),
    ("arn.fa arn.fa --matrix ./no-row.txt" + COSTS, 3, "./no-row.txt:3: no row for the symbol N"),
    ("arn.fa arn.fa --matrix ./short-row.txt" + COSTS, 3, "./short-row.txt:3:6: the row 'R' has 2 scores for 3 symbols"),
    ("arn.fa arn.fa --matrix ./long-row.txt" + COSTS, 3, "./long-row.txt:3:10: more scores than the 3 symbols"),
    ("arn.fa arn.fa --matrix ./asymmetric.txt" + COSTS, 3, "./asymmetric.txt:3:3: row R, column A is 2"),
    ("arn.fa arn.fa --matrix ./word.txt" + COSTS, 3, "./word.txt:3:6: 'x' is not a whole number"),
    ("arn.fa arn.fa --matrix ./no-symbols.txt" + COSTS, 3, "./no-symbols.txt:1: no row of symbols"),
    ("arn.fa arn.fa --matrix ./missing.txt" + COSTS, 3, "missing.txt"),
    ("arn.fa arn.fa --matrix ./arn.txt", 2, "has no customary gap costs"),
    ("q.fa d.fa --matrix BLOSUM63", 2, "the nearest is 'BLOSUM62'"),
    ("q.fa d.fa --gap-open -3", 2, "--gap-open: -3 is not between 0 and"),
    ("q.fa d.fa --gap-extend -1", 2, "--gap-extend: -1 is not between 0 and"),
    ("q.fa d.fa --gap-open 0 --gap-extend 0", 2, "gaps are free"),
    ("q.fa d.fa --gap-open 3 --gap-extend 3 --evalue 1", 2, "no statistics are published for BLOSUM62"),
    ("- -", 2, "only one of QUERY and DATABASE can be standard input"),
    ("q.fa d.fa --threads 0", 2, "--threads: 0 is not between"),
    ("q.fa d.fa --devices 77", 4, "GPU 77 is not here"),
    ("q.fa d.fa --out no/such/folder/x", 5, "no/such/folder/x"),
    ("q.fa d.fa --out .", 5, ".: cannot be written: Is a directory"),
    ("q.fa d.fa --out /dev/full", 5, "/dev/full: cannot be written: No space left on device"),
    ("q.fa d.fa --out q.fa", 2, "--out q.fa: this file is read"),
    ("q.fa d.fa --out ./d.fa", 2, "--out ./d.fa: this file is read"),
    ("arn.fa arn.fa --matrix ./arn.txt --out arn.txt" + COSTS, 2, "--out arn.txt: this file is read"),
    ("cut.fa.gz d.fa", 3, "cut.fa.gz: the gzip data end in the middle"),
    ("cut.fa.gz d.fa --out x.tsv", 3, "cut.fa.gz: the gzip data end in the middle"),
    ("q.fa d.fa extra", 2, "'extra' is one word too many for align"),
    ("q.fa", 2, "DATABASE is required"),
    ("", 2, "QUERY is required"),
    ("--db d.fa", 2, "QUERY is required"),
    ("--query q.fa --subject d.fa extra", 2, "'extra' is one word too many for align"),
    ("q.fa d.fa -outfmt 6", 2, "hint: here it is --outfmt 6 (BLAST+)"),
    ("q.fa d.fa -query q.fa", 2, "hint: here it is --query QUERY --db DATABASE (BLAST+)"),
    ("q.fa d.fa --outfmt 6 qseqid score", 2, 'hint: --outfmt "6 qseqid score"'),
    ("q.fa d.fa --sensitive", 2, "hint: there are no seeds and no heuristics"),
    ("q.fa d.fa --columns staxids", 2, "the column 'staxids' needs a taxonomy"),
    ("q.fa dna.fa", 3, "dna.fa: this looks like DNA"),
    ("dna.fa protein.fa", 3, "protein.fa: this looks like protein"),
    ("q.fa d.fa --out=", 2, "--out"),
    ("q.fa d.fa --matrix=", 2, "--matrix"),
    ("q.fa d.fa --gap-open", 2, "--gap-open"),
    ("q.fa d.fa --top 1 --top 2", 2, "--top"),
]
SOURCES = [
    # words, a file for standard input
    ("q.fa d.fa", None), ("q.fa.gz d.fa.gz", None), ("- d.fa", "q.fa"), ("q.fa -", "d.fa"), ("- d.fa.gz", "q.fa.gz"),
    ("q.fa -", "d.fa.gz"), ("q.fa d.fa --top 2", None), ("--query q.fa --db d.fa --outfmt 6 --max-target-seqs 9", None), ("q.fa d.fa --top all --threads 1 --devices none", None),
]


class Tests:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.expect = Expectations()

    def run(self, words, stdin=b"", **options):
        return subprocess.run([self.program, "align", *words.split()], input=stdin, capture_output=True, cwd=self.folder,
                              timeout=300, **options)

    def bad_input(self):
        before = sorted(os.listdir(self.folder))
        for words, status, contains in BAD:
            done = self.run(words)
            text = done.stderr.decode()
            self.expect(done.returncode == status, f"{words}: status {done.returncode}, expected {status}: {text}")
            self.expect(contains in text, f"{words}: no '{contains}' in: {text}")
            self.expect(sum(line.startswith("speedwell: error: ") for line in text.splitlines()) == 1, f"{words}: {text}")
            self.expect(not done.stdout, f"{words}: prints {done.stdout[:80]}")
            self.expect(sorted(os.listdir(self.folder)) == before, f"{words}: leaves {os.listdir(self.folder)}")
        for name, content in FILES.items():
            self.expect(self.content(name) == content, f"{name} is not what it was")

    def content(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def full_disk(self):
        with open("/dev/full", "wb") as full:
            for words in ("q.fa d.fa", "q.fa d.fa --out-format sam", "q.fa d.fa --out /dev/stdout"):
                done = subprocess.run([self.program, "align", *words.split()], stdout=full, stderr=subprocess.PIPE,
                                      cwd=self.folder)
                self.expect(done.returncode == 5 and done.stderr.count(b"speedwell: error: ") == 1,
                            f"{words} > /dev/full: {done}")
        # A limit of the size of files stands in for a disk that fills up while a result is written.
        with open(os.path.join(self.folder, "out.tsv"), "wb") as file:
            file.write(b"old")
        before = sorted(os.listdir(self.folder))
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        done = self.run("q.fa d.fa --out out.tsv --out-format pairwise", preexec_fn=limit)
        reported = b"out.tsv: cannot be written: File too large" in done.stderr
        self.expect(done.returncode == 5 and reported, f"limit: {done}")
        self.expect(sorted(os.listdir(self.folder)) == before and self.content("out.tsv") == b"old",
                    f"a file too large leaves {os.listdir(self.folder)}")

    def sources(self):
        expected = None
        for words, file in SOURCES:
            done = self.run(words, FILES[file] if file else b"")
            expected = expected or done.stdout
            self.expect(done.returncode == 0 and done.stdout == expected and done.stdout.count(b"\n") == 2,
                        f"{words} < {file}: {done}")
        quiet = self.run("q.fa d.fa -q")
        self.expect(quiet.stderr == b"", f"-q says {quiet.stderr}")
        verbose = self.run("q.fa d.fa -v").stderr.decode().splitlines()[-1]
        self.expect(re.fullmatch(r"speedwell: 1 query, 2 subjects, 2 hits; 126 cells in .*s, .* GCUPS, on \d+ threads? of .+",
                                 verbose) is not None, f"-v closes with: {verbose}")
        self.expect(b"subjects" not in self.run("q.fa d.fa").stderr, "a summary without -v and without a terminal")

    def signals(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            for words in ("long.fa long.fa --out out.tsv", "long.fa long.fa --out out.tsv --threads 1"):
                process = subprocess.Popen([self.program, "align", *words.split()], cwd=self.folder,
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                wait_for_work(process)  # so that it searches, which takes minutes
                process.send_signal(number)
                begin = time.monotonic()
                out, err = process.communicate(timeout=60)
                seconds = time.monotonic() - begin
                self.expect(process.returncode == status, f"{words}: {process.returncode} instead of {status}: {err}")
                self.expect(seconds < 20, f"{words}: {seconds:.0f} s until it stopped")
                self.expect(not out and b"error" not in err, f"{words}: {out[:80]} {err}")
                left = [name for name in os.listdir(self.folder) if "out.tsv" in name]
                self.expect(left == ["out.tsv"] and self.content("out.tsv") == b"old", f"{words}: leaves {left}")

        # Before anything is written a signal ends the program at once, also while it waits for input.
        process = subprocess.Popen([self.program, "align", "-", "d.fa", "--out", "out.tsv"], cwd=self.folder,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_for_handler(process)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        self.expect(process.wait(timeout=60) == 130, f"waiting for input: {process.returncode}")
        process.stdin.close()

    def progress(self):
        # On a terminal a bar ten times a second at most, which is gone in the end.
        def on_terminal(*options):
            master, slave = pty.openpty()
            process = subprocess.Popen([self.program, "align", "middle.fa", "middle.fa", "--threads", "1", *options],
                                       cwd=self.folder, stdout=subprocess.DEVNULL, stderr=slave)
            os.close(slave)
            begin, text = time.monotonic(), b""
            while True:
                try:
                    piece = os.read(master, 65536)
                except OSError:
                    break
                if not piece:
                    break
                text += piece
            process.wait()
            os.close(master)
            return text, time.monotonic() - begin

        # Elsewhere a line a minute: none here.
        done = self.run("middle.fa middle.fa --progress always")
        self.expect(b"GCUPS" not in done.stderr and done.returncode == 0, f"not a terminal: {done.stderr}")
        try:
            text, seconds = on_terminal()
        except OSError as problem:  # a container without /dev/pts
            print(f"no terminal to try the bar on: {problem}")
            return
        bars = text.count(b" left")
        self.expect(1 <= bars <= 10 * seconds + 1, f"{bars} bars in {seconds} s: {text[-200:]}")
        bar, _, after = text.rpartition(b"\r\x1b[K")
        self.expect(b"left" in bar and b"left" not in after, f"the bar stays: {text[-200:]}")
        self.expect(after.startswith(b"speedwell: 2 queries, 2 subjects, "), f"no summary: {text[-200:]}")
        for option in ("-q", "--progress=never"):
            text, _ = on_terminal(option)
            self.expect(b" left" not in text, f"{option}: {text[-200:]}")
            self.expect((b"GCUPS" in text) == (option != "-q"), f"{option}, the summary: {text[-200:]}")


def main():
    program = os.path.abspath(sys.argv[1])
    generator = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in FILES.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        for name, count, length in (("long.fa", 6, 300_000), ("middle.fa", 2, 40_000)):
            with open(os.path.join(folder, name), "w") as file:
                for i in range(count):
                    file.write(f">s{i}\n{''.join(generator.choices('ACGT', k=length))}\n")
        tests = Tests(program, folder)
        tests.bad_input()
        tests.sources()
        tests.full_disk()  # leaves an out.tsv, which signals must leave as well
        tests.signals()
        tests.progress()
    return tests.expect.report()


if __name__ == "__main__":
    sys.exit(main())
