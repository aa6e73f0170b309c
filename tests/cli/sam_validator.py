#!/usr/bin/env python3
"""Verifies the SAM that `speedwell align` writes with samtools: it must read every line, and after a conversion to BAM and `calmd` the NM and the
MD that it computes from the sequences must be the same.

Usage: sam_validator.py PROGRAM DATA SAMTOOLS. Status 77 (skipped) without samtools.
"""
import os
import random
import subprocess
import sys
import tempfile


def fasta(path, records):
    with open(path, "w") as file:
        for name, residues in records:
            file.write(f">{name} made\n{residues}\n")


def fastq(path, records):
    with open(path, "w") as file:
        for i, (name, residues) in enumerate(records):
            file.write(f"@{name}\n{residues}\n+\n{''.join(chr(33 + (i + k) % 60) for k in range(len(residues)))}\n")


def residues_of(path):
    with open(path) as file:
        return "".join(line.strip() for line in file if not line.startswith(">")).upper()


def mutated(generator, residues):
    made = []
    for residue in residues:
        change = generator.randrange(40)
        if change != 0:
            made.append(generator.choice("ACGT") if change == 1 else residue)
        if change == 2:
            made.append(generator.choice("ACGT"))
    return "".join(made)


def reverse_complement(residues):
    return residues[::-1].translate(str.maketrans("ACGTN", "TGCAN"))


def main():
    program, data, samtools = sys.argv[1:4]
    if not samtools or not os.access(samtools, os.X_OK):
        print("samtools was not found when this was configured (Debian package samtools)")
        return 77
    generator = random.Random(1)
    human = residues_of(os.path.join(data, "mitochondrion-human.fa"))
    orangutan = residues_of(os.path.join(data, "mitochondrion-orangutan.fa"))
    reads = []
    for i in range(60):
        begin, length = generator.randrange(len(human) - 500), generator.randrange(30, 500)
        read = mutated(generator, human[begin:begin + length])
        reads.append((f"read{i}", reverse_complement(read) if i % 3 == 0 else read))
    reads.append(("nothing", "A" * 4))  # unmapped: no hit with an E-value below 10

    failures = []
    with tempfile.TemporaryDirectory() as folder:
        def path(name):
            return os.path.join(folder, name)

        def samtools_on(*words):
            done = subprocess.run([samtools, *words], capture_output=True, text=True)
            if done.returncode != 0 or done.stderr.strip():
                failures.append(f"samtools {' '.join(words)}: status {done.returncode}, {done.stderr.strip()}")
            return done.stdout

        references = [("human", human), ("orangutan", orangutan), ("piece", human[5000:9000])]
        fasta(path("references.fa"), references)
        fasta(path("reads.fa"), reads)
        fastq(path("reads.fq"), reads)
        fasta(path("genome.fa"), references[:1])
        for query in ("reads.fa", "reads.fq", "genome.fa"):
            sam = path(query + ".sam")
            subprocess.run([program, "align", "-q", path(query), path("references.fa"), "--out-format", "sam", "--sam-md",
                            "--out", sam], check=True)
            with open(sam) as file:
                lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("@")]
            samtools_on("quickcheck", "-u", sam)
            samtools_on("view", "-b", "-o", path("x.bam"), sam)  # parses every line
            samtools_on("sort", "-o", path("sorted.bam"), path("x.bam"))
            samtools_on("index", path("sorted.bam"))
            counted = samtools_on("view", "-c", path("sorted.bam")).strip()
            if counted != str(len(lines)):
                failures.append(f"{query}: samtools counts {counted} of {len(lines)} lines")
            # Secondary lines have no residues; of the others calmd recomputes NM and MD and complains of any difference.
            samtools_on("view", "-b", "-F", "256", "-o", path("primary.bam"), path("sorted.bam"))
            checked = samtools_on("calmd", path("primary.bam"), path("references.fa")).splitlines()

            def tags(line):
                return sorted(field for field in line if field.startswith(("NM:i:", "MD:Z:")))

            ours = {line[0]: tags(line) for line in lines if not int(line[1]) & 256}
            compared = 0
            for line in (l.split("\t") for l in checked if not l.startswith("@")):
                theirs = tags(line)
                if theirs != ours[line[0]]:
                    failures.append(f"{query}: {line[0]}: samtools finds {theirs}, we wrote {ours[line[0]]}")
                compared += len(theirs) == 2
            if compared < (1 if query == "genome.fa" else 60):
                failures.append(f"{query}: only {compared} lines had an NM and an MD to compare")
            flags = {int(line[1]) for line in lines}
            if query != "genome.fa" and not {0, 4, 16, 256, 272} <= flags:
                failures.append(f"{query}: flags {sorted(flags)}")
    for failure in failures:
        print("FAILED:", failure)
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
