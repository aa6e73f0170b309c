#!/usr/bin/env python3
"""Measures how well two runs of the same program agree: tools/repeatability.py FIRST SECOND [--csv FILE]

Takes two documents of records (--json of speedwell), or files of one document a line (records.jsonl of a suite, or the folder
that it is in), and compares the execute phase of every run that passed in both: how many
of the 95 % intervals overlap, and by how much the medians differ. Exits with 1 if fewer than 95 % of at least 20 rows
overlap: then something differs between runs that does not differ between the passes of one.
"""
import argparse
import csv
import json
import os
import statistics
import sys


def runs_of(path):
    if os.path.isdir(path):
        path = os.path.join(path, "records.jsonl")
    with open(path) as file:
        documents = [json.loads(line) for line in file] if path.endswith(".jsonl") else [json.load(file)]
    return {(r["key"], r["variant"]["name"], r["device"]["kind"]): r["phases"]["execute_s"]
            for document in documents for r in document["runs"] if r["status"] == "passed"}


def overlap(a, b):
    return a["interval"][0] <= b["interval"][1] and b["interval"][0] <= a["interval"][1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--csv", help="also write one row per run to this file")
    arguments = parser.parse_args()
    first, second = runs_of(arguments.first), runs_of(arguments.second)
    both = [(key, first[key], second[key]) for key in first if key in second]
    if not both:
        sys.exit("the two documents have no run in common that passed")
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["problem", "variant", "device", "first_s", "first_low_s", "first_high_s", "first_passes",
                             "second_s", "second_low_s", "second_high_s", "second_passes"])
            for (problem, variant, device), a, b in both:
                row = [problem, variant, device]
                for phase in (a, b):
                    row += [phase["median"], *(phase["interval"] or ["", ""]), phase["passes"]]
                writer.writerow(row)
    counted = overlapping = 0
    for device in sorted({key[2] for key, _, _ in both}):
        rows = [(a, b) for key, a, b in both if key[2] == device]
        with_intervals = [(a, b) for a, b in rows if a["interval"] and b["interval"]]
        agree = sum(overlap(a, b) for a, b in with_intervals)
        shifts = sorted(abs(b["median"] / a["median"] - 1) for a, b in rows)
        print(f"{device}: {agree} of {len(with_intervals)} intervals overlap ({len(rows) - len(with_intervals)} rows without); "
              f"medians differ by {100 * statistics.median(shifts):.1f} % in the middle, "
              f"{100 * shifts[int(0.9 * (len(shifts) - 1))]:.0f} % in nine of ten at most")
        counted += len(with_intervals)
        overlapping += agree
    if counted:
        print(f"all: {overlapping} of {counted} overlap, {100 * overlapping / counted:.0f} %")
    return 1 if counted >= 20 and overlapping < 0.95 * counted else 0


if __name__ == "__main__":
    sys.exit(main())
