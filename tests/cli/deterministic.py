#!/usr/bin/env python3
"""Tests --deterministic over the whole catalogue: deterministic.py PROGRAM.

Every host variant of every test problem runs with 1 and 3 threads, or with those of SPEEDWELL_TEST_THREADS=1,2,3,8. What passes must have one digest for all of them; a
variant that cannot promise that must say so with status 4.
"""
import json
import os
import subprocess
import sys
from collections import defaultdict

THREADS = [int(n) for n in os.environ.get("SPEEDWELL_TEST_THREADS", "1,3").split(",")]


def runs(program, threads):
    words = ["suite", "--size", "test", "--deterministic", "--threads", str(threads), "--devices", "none", "--repeat", "1",
             "--max-time", "5ms", "--rounds", "1", "--format", "json", "-q"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SPEEDWELL_")}
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=600, env=environment)
    return json.loads(done.stdout)["runs"]


def main():
    digests, refused, wrong = defaultdict(set), set(), []
    for threads in THREADS:
        for run in runs(sys.argv[1], threads):
            name = (run["key"], run["variant"]["name"])
            if run["status"] == "passed":
                digests[name].add(run["result_digest"])
            elif run["status"] == "error" and run["exit_status"] == 4:
                refused.add(name)
            elif run["status"] != "skipped":
                wrong.append(f"{name}: {run['status']}: {run['reason']}")
    wrong += [f"{name}: {len(found)} digests over {THREADS} threads" for name, found in digests.items() if len(found) > 1]
    print(f"{len(digests)} variants of problems have one digest, {len(refused)} refuse to promise it")
    if len(digests) < 100:
        wrong.append("too few variants ran")
    for line in wrong:
        print("wrong:", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
