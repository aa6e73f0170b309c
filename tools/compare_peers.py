#!/usr/bin/env python3
"""Compares Speedwell with programs by others that it does not link: tools/compare_peers.py PEER BINARY .

  babelstream BINARY [--elements N] [--precision f64|f32]
      BabelStream of any model (it is asked for --csv), kernel by kernel, on arrays of N elements; the figure is MB/s.
  npb BINARY
      a program of the NAS Parallel Benchmarks, or of NPB-GPU or NPB-CPP, for EP or FT: name and class are read from the report
      that it prints, and Speedwell runs the same; the figure is Mop/s. A report that is not verified ends the comparison.
  cudasw BINARY --query FILE --fasta FILE --db PREFIX
      CUDASW++4's align: PREFIX is what its makedb made of the FASTA file. Both programs search with BLOSUM62 and gaps of 11 and 1
      and report the best hits; the figure is cells over the time of the whole command, in GCUPS.

Both run in turn, --rounds times (6); what is printed is the median of each, its range, and the ratio of the medians. The peer
runs as its user would start it: give what it needs in --arguments, and its environment in yours.
"""
import argparse
import csv
import gzip
import io
import json
import re
import shlex
import statistics
import subprocess
import sys
import time

KERNELS = {"Copy": "copy", "Mul": "scale", "Add": "add", "Triad": "triad", "Dot": "dot"}


def output_of(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"compare_peers: {shlex.join(command)} ended with status {done.returncode}")
    return done.stdout


def speedwell(arguments, *words):
    text = output_of([arguments.program, "run", *words, "--variant", arguments.variant, "--max-time",
                      arguments.max_time, "--format", "json", "-q"])
    (run,) = json.loads(text)["runs"]
    if run["status"] != "passed":
        sys.exit(f"compare_peers: {run['key']} {run['variant']['name']}: {run['status']}: {run['reason']}")
    return run


def babelstream(arguments):
    """Runs one round and returns {kernel: (peer, ours)} in MB/s."""
    elements = arguments.elements
    command = [arguments.binary, "--csv", "--arraysize", str(elements), *shlex.split(arguments.arguments)]
    if arguments.precision == "f32":
        command.append("--float")
    lines = output_of(command).splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith("function,")), None)
    if begin is None:
        sys.exit("compare_peers: the program did not print BabelStream's table")
    figures = {}
    for row in csv.DictReader(io.StringIO("\n".join(lines[begin:]))):
        if row["function"] not in KERNELS:
            continue
        if int(row["n_elements"]) != elements:
            sys.exit(f"compare_peers: the program ran {row['n_elements']} elements, not {elements}")
        kernel = KERNELS[row["function"]]
        run = speedwell(arguments, "stream", "--set", f"kernel={kernel}", "--set", f"n={elements}", "--precision",
                        arguments.precision)
        bytes_moved = run["work"]["bytes_read"] + run["work"]["bytes_written"]
        # BabelStream divides by its shortest time: so is ours divided here.
        figures[kernel] = (float(row["max_mbytes_per_sec"]),
                           bytes_moved / min(run["phases"]["execute_s"]["samples"]) / 1e6)
    return figures, "MB/s, of the shortest time"


def npb(arguments):
    text = output_of([arguments.binary, *shlex.split(arguments.arguments)])

    def field(name):
        found = re.search(rf"^\s*{name}\s*=\s*(\S+)", text, re.MULTILINE)
        if not found:
            sys.exit(f"compare_peers: the program did not print '{name} ='")
        return found.group(1)

    name = re.search(r"^\s*(\w+) Benchmark Completed", text, re.MULTILINE)
    if not name or name.group(1) not in ("EP", "FT"):
        sys.exit("compare_peers: the report is not that of EP or FT")
    if not field("Verification").startswith("SUCCESSFUL"):
        sys.exit("compare_peers: the program's own verification failed")
    letter = field("[Cc]lass(?:_npb)?")
    run = speedwell(arguments, "npb", "--set", f"kernel={name.group(1).lower()}", "--set", f"class={letter}")
    return {f"{name.group(1)} class {letter}": (float(field("Mop/s total")), run["rates"]["rate"])}, "Mop/s"


def sequences_and_residues(path):
    sequences = residues = 0
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        for line in file:
            if line.startswith(">"):
                sequences += 1
            else:
                residues += len(line.strip())
    return sequences, residues


def seconds_of(command):
    begin = time.monotonic()
    output_of(command)
    return time.monotonic() - begin


def cudasw(arguments):
    if not (arguments.query and arguments.fasta and arguments.db):
        sys.exit("compare_peers: cudasw needs --query, --fasta and --db")
    sequences, residues = sequences_and_residues(arguments.fasta)
    cells = residues * sequences_and_residues(arguments.query)[1]
    # CUDASW++ counts the first residue of a gap as its opening alone: 12 is Speedwell's 11 + 1.
    peer = seconds_of([arguments.binary, "--query", arguments.query, "--db", arguments.db, "--mat", "blosum62", "--gop", "-12",
                       "--gex", "-1", *shlex.split(arguments.arguments)])
    ours = seconds_of([arguments.program, "align", arguments.query, arguments.fasta, "--top", str(min(10, sequences)), "--progress", "never", "-q",
                       "--out", "/dev/null", *(["--devices", "none"] if arguments.variant != "cuda" else [])])
    return {f"{cells:.3g} cells": (cells / peer / 1e9, cells / ours / 1e9)}, "GCUPS of the whole command"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=["babelstream", "npb", "cudasw"])
    parser.add_argument("binary")
    parser.add_argument("--program", default="build/release/bin/speedwell", help="Speedwell's program")
    parser.add_argument("--variant", default="cuda", help="Speedwell's variant (cuda)")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--max-time", default="3s", help="of each of Speedwell's runs")
    parser.add_argument("--elements", type=int, default=1 << 27)
    parser.add_argument("--precision", choices=["f64", "f32"], default="f64")
    parser.add_argument("--query")
    parser.add_argument("--fasta")
    parser.add_argument("--db")
    parser.add_argument("--arguments", default="", help="further words for the peer")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds: at least 1")
    measure = {"babelstream": babelstream, "npb": npb, "cudasw": cudasw}[arguments.peer]
    figures, unit = {}, ""
    for _ in range(arguments.rounds):
        found, unit = measure(arguments)
        for name, pair in found.items():
            figures.setdefault(name, []).append(pair)
    print(f"{unit}; n = {arguments.rounds}")
    for name, pairs in figures.items():
        peer, ours = ([pair[side] for pair in pairs] for side in (0, 1))
        print(f"{name:>14}: {arguments.peer} {statistics.median(peer):.5g} ({min(peer):.5g} to {max(peer):.5g}), "
              f"speedwell {arguments.variant} {statistics.median(ours):.5g} ({min(ours):.5g} to {max(ours):.5g}), "
              f"ratio {statistics.median(ours) / statistics.median(peer):.3f}")


if __name__ == "__main__":
    main()
