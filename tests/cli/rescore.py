#!/usr/bin/env python3
"""Scores every alignment that `speedwell align` writes again from its output: SAM by its CIGARs, text by its rows of residues, and the tabular
lines against both. All pairs of the files are aligned, whatever they score.

Usage: rescore.py PROGRAM QUERY.fa DATABASE.fa [protein|dna|reads]. Scores are BLOSUM62 with gaps of 11 + k, or, for
DNA, 2 and -3 with gaps of 5 + 2 k; `reads` are made from QUERY: altered pieces of both strands.
Nothing of the program is used to read or to score; that a score is the best one is for other tests.
"""
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from itertools import zip_longest

sys.dont_write_bytecode = True
from sam_validator import fasta, residues_of, mutated

# As NCBI distributes it: each symbol with those before it and itself.
BLOSUM62 = """
A 4
R -1 5
N -2 0 6
D -2 -2 1 6
C 0 -3 -3 -3 9
Q -1 1 0 0 -3 5
E -1 0 0 2 -4 2 5
G 0 -2 0 -1 -3 -2 -2 6
H -2 0 1 -1 -3 0 0 -2 8
I -1 -3 -3 -3 -1 -3 -3 -4 -3 4
L -1 -2 -3 -4 -1 -2 -3 -4 -3 2 4
K -1 2 0 -1 -3 1 1 -2 -1 -3 -2 5
M -1 -1 -2 -3 -1 0 -2 -3 -2 1 2 -1 5
F -2 -3 -3 -3 -2 -3 -3 -3 -1 0 0 -3 0 6
P -1 -2 -2 -1 -3 -1 -1 -2 -2 -3 -3 -1 -2 -4 7
S 1 -1 1 0 -1 0 0 0 -1 -2 -2 0 -1 -2 -1 4
T 0 -1 0 -1 -1 -1 -1 -2 -2 -1 -1 -1 -1 -2 -1 1 5
W -3 -3 -4 -4 -2 -2 -3 -2 -2 -3 -2 -3 -1 1 -4 -3 -2 11
Y -2 -2 -2 -3 -2 -1 -2 -3 2 -1 -1 -2 -1 3 -3 -2 -2 2 7
V 0 -3 -3 -3 -1 -2 -2 -3 -3 3 1 -2 1 -1 -2 -2 0 -3 -1 4
B -2 -1 4 4 -3 0 1 -1 0 -3 -4 0 -3 -3 -2 0 -1 -4 -3 -3 4
J -1 -2 -3 -3 -1 -2 -3 -4 -3 3 3 -3 2 0 -3 -2 -1 -2 -1 2 -3 3
Z -1 0 0 1 -3 4 4 -2 0 -3 -3 1 -1 -3 -1 0 -1 -2 -2 -2 0 -3 4
X -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
* -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 1
"""
COMPLEMENT = str.maketrans("ACGTRYSWKMBDHVN", "TGCAYRSWMKVHDBN")


class Scoring:
    def __init__(self, kind):
        self.dna = kind != "protein"
        self.open, self.extend = (5, 2) if self.dna else (11, 1)
        # Karlin-Altschul parameters of these costs, for bit scores.
        self.scale, self.k = (0.625, 0.41) if self.dna else (0.267, 0.041)
        if self.dna:
            self.pairs = {(a, b): 2 if a == b else -3 for a in "ACGT" for b in "ACGT"}
            return
        rows = [line.split() for line in BLOSUM62.split("\n") if line]
        symbols = [row[0] for row in rows]
        self.pairs = {}
        for a, *scores in rows:
            for b, score in zip(symbols, scores):
                self.pairs[a, b] = self.pairs[b, a] = int(score)

    def pair(self, a, b):
        return self.pairs.get((a, b), -3) if self.dna else self.pairs[a, b]

    def gap(self, residues):
        return self.open + self.extend * residues

    def bits(self, score):
        return (self.scale * score - math.log(self.k)) / math.log(2)


def sequences(path):
    found, name = {}, None
    with open(path) as file:
        for line in file:
            if line.startswith(">"):
                name = line[1:].split()[0]
                found[name] = []
            elif line.strip():
                found[name].append(line.strip().upper())
    return {name: "".join(parts) for name, parts in found.items()}


class Hit:
    """The properties of an alignment: score, ends counted from 1 on the strands of the files, and its columns by kind."""

    def __init__(self, query, subject, minus, q, s, score, identities, mismatches, gap_opens, gap_residues):
        self.key = (query, subject, minus, *q, *s, identities, mismatches, gap_opens, gap_residues)
        self.query, self.subject, self.minus, self.q, self.s = query, subject, minus, q, s
        self.score, self.identities, self.mismatches = score, identities, mismatches
        self.gap_opens, self.gap_residues = gap_opens, gap_residues


def read_sam(file, queries, database, scoring, fail):
    for line in file:
        if line.startswith("@"):
            continue
        name, flag, reference, position, _, cigar, _, _, _, residues, _, *tags = line.rstrip("\n").split("\t")
        flag = int(flag)
        if flag & 4:
            continue
        minus = bool(flag & 16)
        query, subject = queries[name], database[reference]
        if minus:
            query = query[::-1].translate(COMPLEMENT)
        if residues not in ("*", query.replace("*", "X")):
            fail(f"SAM: {name}: the residues are not the query's")
        parts = [(int(count), operation) for count, operation in re.findall(r"(\d+)([A-Z=])", cigar)]
        if "".join(f"{count}{operation}" for count, operation in parts) != cigar:
            fail(f"SAM: {name}, {reference}: CIGAR {cigar}")
        i, j, score, total = 0, int(position) - 1, 0, dict.fromkeys("=XID", 0)
        opens, first = 0, None
        for at, (count, operation) in enumerate(parts):
            if operation == "S":
                if at not in (0, len(parts) - 1):
                    fail(f"SAM: {name}, {reference}: S within {cigar}")
                i += count
                continue
            first = first or (i, j)
            total[operation] += count
            if operation in "ID":
                score -= scoring.gap(count)
                opens += 1
                i, j = (i + count, j) if operation == "I" else (i, j + count)
                continue
            for a, b in zip(query[i:i + count], subject[j:j + count], strict=True):
                score += scoring.pair(a, b)
                if (a == b) != (operation == "="):
                    fail(f"SAM: {name}, {reference}: {operation} of {a} and {b}")
            i, j = i + count, j + count
            last = (i, j)
        if i != len(query):
            fail(f"SAM: {name}, {reference}: {cigar} takes {i} of {len(query)} residues")
        tag = dict((t[:4], t[5:]) for t in tags)
        if int(tag["AS:i"]) != score:
            fail(f"SAM: {name}, {reference}: AS {tag['AS:i']}, but {cigar} scores {score}")
        if int(tag["NM:i"]) != total["X"] + total["I"] + total["D"]:
            fail(f"SAM: {name}, {reference}: NM {tag['NM:i']} of {cigar}")
        q = (first[0] + 1, last[0]) if not minus else (len(query) - last[0] + 1, len(query) - first[0])
        s = (first[1] + 1, last[1]) if not minus else (last[1], first[1] + 1)
        yield Hit(name, reference, minus, q, s, score, total["="], total["X"], opens, total["I"] + total["D"])


def pairwise_blocks(file):
    """Yields (query, subject, its line Score, its line Identical, [(query's row, marks, subject's row)]) of every alignment."""
    query, found = None, None
    lines = (line.rstrip("\n") for line in file)
    for line in lines:
        if line.startswith(("Query ", "Subject ")) and found:
            yield found
            found = None
        if line.startswith("Query "):
            query = line.split()[1]
        elif line.startswith("Subject "):
            found = (query, line.split()[1], next(lines), next(lines), [])
        elif line.startswith("query "):
            found[4].append((line, next(lines), next(lines)))
    if found:
        yield found


def read_pairwise(file, queries, database, scoring, fail):
    for query, subject, score_line, sums_line, blocks in pairwise_blocks(file):
        place = f"text: {query}, {subject}"
        head = re.fullmatch(r"Score (\d+), (\S+) bits, E (\S+?)(, (plus|minus) strand)?", score_line)
        sums = re.fullmatch(r"Identical (\d+)/(\d+) .*, positive (\d+)/\2 .*, gaps (\d+)/\2 .*", sums_line)
        rows, ends = ["", "", ""], []
        for above, middle, below in blocks:
            _, q_first, q_row, q_last = above.split()
            _, s_first, s_row, s_last = below.split()
            for row, piece in enumerate((q_row, middle[19:].ljust(len(q_row)), s_row)):
                rows[row] += piece
            ends.append((int(q_first), int(q_last), int(s_first), int(s_last)))
        minus = head[5] == "minus"
        q, s = (ends[0][0], ends[-1][1]), (ends[0][2], ends[-1][3])
        step = -1 if minus else 1
        residues = database[subject][min(s) - 1:max(s)]
        if rows[0].replace("-", "") != queries[query][q[0] - 1:q[1]]:
            fail(f"{place}: the query's row is not its residues {q}")
        if rows[2].replace("-", "") != (residues[::-1].translate(COMPLEMENT) if minus else residues):
            fail(f"{place}: the subject's row is not its residues {s}")
        for before, after in zip(ends, ends[1:]):
            if after[0] not in (before[1] + 1, before[1]) or after[2] not in (before[3] + step, before[3]):
                fail(f"{place}: the places jump from {before} to {after}")
        # On the minus strand the rows are the residues of the complements: gaps and residues score alike.
        score, same, other, positive, gaps, opens, gap = 0, 0, 0, 0, 0, 0, ""
        for a, mark, b in zip(*rows, strict=True):
            now = "I" if b == "-" else "D" if a == "-" else ""
            expected = " "
            if now:
                score -= scoring.extend if now == gap else scoring.gap(1)
                opens += now != gap
                gaps += 1
            else:
                pair = scoring.pair(a, b)
                score += pair
                same, other, positive = same + (a == b), other + (a != b), positive + (pair > 0)
                expected = "|" if a == b else ":" if pair > 0 else " "
            if mark != expected:
                fail(f"{place}: '{mark}' between {a} and {b}")
            gap = now
        if score != int(head[1]):
            fail(f"{place}: Score {head[1]}, but the rows score {score}")
        if [int(sums[i]) for i in (1, 2, 3, 4)] != [same, len(rows[0]), positive, gaps]:
            fail(f"{place}: {sums_line} of {same}, {len(rows[0])}, {positive}, {gaps}")
        yield Hit(query, subject, minus, q, s, score, same, other, opens, gaps)


def check_tabular(line, hit, scoring, fail):
    columns = hit.identities + hit.mismatches + hit.gap_residues
    got = line.rstrip("\n").split("\t")
    expected = [hit.query, hit.subject, f"{100 * hit.identities / columns:.3f}", *map(str, (
        columns, hit.mismatches, hit.gap_opens, *hit.q, *hit.s))]
    bits = scoring.bits(hit.score)
    shown = float(got[11])
    near = abs(shown - bits) <= 0.0501 if shown < 100 else shown <= bits + 1e-6 < shown + 1.000002
    if got[:10] != expected or not near:
        fail(f"tabular: {line.strip()} is {' '.join(expected)} of {bits:.3f} bits")


def reads_of(genome):
    generator = random.Random(1)
    reads = []
    for i in range(60):
        begin, length = generator.randrange(len(genome) - 800), generator.randrange(30, 800)
        read = mutated(generator, genome[begin:begin + length])
        if i % 5 == 0:
            read = read[:10] + "NRY" + read[13:]
        reads.append((f"read{i}", read[::-1].translate(COMPLEMENT) if i % 3 == 0 else read))
    return reads


def main():
    program, query, database = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
    kind = sys.argv[4] if len(sys.argv) > 4 else "protein"
    scoring = Scoring(kind)
    failures = []

    def fail(text):
        failures.append(text)
        if len(failures) <= 20:
            print("FAILED:", text)

    with tempfile.TemporaryDirectory() as folder:
        if kind == "reads":
            made = os.path.join(folder, "reads.fa")
            fasta(made, reads_of(residues_of(query)))
            query = made
        queries, subjects = sequences(query), sequences(database)

        def written(form):
            path = os.path.join(folder, form)
            subprocess.run([program, "align", "-q", query, database, "--out-format", form, "--out", path,
                            "--top", "all", "--evalue", "1e300"], check=True)
            return open(path)

        pairs, order = 0, []
        gaps = residues = 0
        with written("sam") as sam, written("pairwise") as text, written("tab") as tab:
            for a, b, line in zip_longest(read_sam(sam, queries, subjects, scoring, fail),
                                          read_pairwise(text, queries, subjects, scoring, fail), tab):
                if a is None or b is None or line is None:
                    fail("the formats have different numbers of alignments")
                    break
                if a.key != b.key or a.score != b.score:
                    fail(f"SAM has {a.key} of score {a.score}, the text {b.key} of score {b.score}")
                check_tabular(line, a, scoring, fail)
                pairs += 1
                gaps += a.gap_opens
                residues += a.identities + a.mismatches
                if order and order[0] == a.query and order[1] < a.score:
                    fail(f"{a.query}: score {a.score} comes after {order[1]}")
                order = [a.query, a.score]
    # Two sequences without a pair of residues that scores above 0 have no alignment.
    least = len(queries) * len(subjects) * 99 // 100
    if not least <= pairs <= len(queries) * len(subjects):
        fail(f"{pairs} alignments of {len(queries)} x {len(subjects)} sequences")
    print(f"{pairs} alignments ({residues} pairs of residues, {gaps} gaps) of {len(queries)} x {len(subjects)} sequences "
          f"in three formats, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
