#!/usr/bin/env python3
"""Runs the GPU tests under compute-sanitizer, each test in a process of its own with a limit of time, and continues where it stopped.

Usage: tools/sanitize_gpu.py BINARIES --state FILE [--tools racecheck,synccheck,memcheck,initcheck] [--only PATTERN] [--budget SECONDS]
                             [--limit SECONDS] [--jobs N] [--again] [--table]

BINARIES is a folder that holds programs named *_gpu_test and conformance_test, at any depth. Tools slow kernels down, some much more than others, so that
a test that takes too long is ended after --limit seconds: it counts as not ended, not as clean. What ended before --budget seconds had passed is kept in
FILE, written after each test, and another run, of the same programs, tries the tests that are left; --again also those that had not ended. The table of
all that FILE has is printed at the end (--table: of nothing else). Tests of large problems, of ceilings and of speed are left out, as their kernels have
smaller tests; so are those that take the device's memory, which the tests beside them need.

The exit status is 1 if a tool found an error or a test failed, 4 without a GPU or without compute-sanitizer, 2 for a mistake in the command line.
"""
import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

TOOLS = ["racecheck", "synccheck", "memcheck", "initcheck"]
LEFT_OUT = ["*Large*", "*Ceiling*", "*Fast*", "*TakingMemory", "*DISABLED_*"]
SUMMARY = re.compile(r"========= (?:ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard)")
OUTCOMES = CLEAN, ERROR, FAILED, NOT_ENDED, SKIPPED, NO_GPU = "clean", "error", "failed", "not ended", "skipped", "without a GPU"


def programs(folder, pattern):
    """Paths of the programs below `folder`, sorted by name, whose names match `pattern`."""
    found = []
    for root, _, names in os.walk(folder):
        found += [os.path.join(root, name) for name in names
                  if (name.endswith("_gpu_test") or name == "conformance_test") and fnmatch.fnmatch(name, pattern)]
    return sorted((path for path in found if os.access(path, os.X_OK)), key=os.path.basename)


def tests_of(program):
    """Full names of the program's tests, without those of LEFT_OUT."""
    listing = subprocess.run([program, "--gtest_list_tests", "--gtest_filter=-" + ":".join(LEFT_OUT)], capture_output=True, text=True,
                             check=True).stdout
    suite, tests = "", []
    for line in listing.splitlines():
        name = line.split("#")[0].strip()
        if line.startswith("  "):
            tests.append(suite + name)
        elif name.endswith("."):
            suite = name
    return tests


def outcome_of(status, text, timed_out):
    """What a test under a tool came to, from its exit status (99: the tool found errors) and its output."""
    if timed_out:
        return NOT_ENDED
    if "[  SKIPPED ]" in text:
        return SKIPPED
    # To a tool it is an error that a test uses no GPU.
    if "terminated before first instrumented API call" in text and "[  PASSED  ] 1 test" in text:
        return NO_GPU
    if status == 99 or any(int(errors or hazards) for errors, hazards in SUMMARY.findall(text)):
        return ERROR
    return CLEAN if status == 0 and "[  PASSED  ] 1 test" in text else FAILED


def run_test(sanitizer, tool, program, test, limit):
    """Runs one test; returns (outcome, seconds, the end of the output)."""
    begin = time.monotonic()
    # A tool reports errors in kernels that a conditional node of a graph launches, and loses track of memory there: the host loops.
    environment = dict(os.environ, SPEEDWELL_LOOPS_BY_HOST="1")
    command = [sanitizer, "--tool", tool, "--print-limit", "20", "--error-exitcode", "99", program, f"--gtest_filter={test}"]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment,
                                   start_new_session=True)
        try:
            status, timed_out = process.wait(limit), False
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            status, timed_out = process.wait(), True
        output.seek(0)
        text = output.read().decode(errors="replace")
    return outcome_of(status, text, timed_out), time.monotonic() - begin, text[-4000:]


def digest_of(paths):
    """A digest of the programs: results of other programs are not continued."""
    whole = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            whole.update(os.path.basename(path).encode() + hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()


def write_whole(path, value):
    """Replaces the file at once, so that an interrupted run leaves it whole."""
    with open(path + ".new", "w") as file:
        json.dump(value, file, indent=1, sort_keys=True)
        file.write("\n")
    os.replace(path + ".new", path)


def table_of(results):
    """The table in Markdown: for each program and tool how many tests are clean, out of how many, and what else there is."""
    names = sorted({key.split(" ", 2)[1] for key in results})
    tools = [tool for tool in TOOLS if any(key.split(" ", 1)[0] == tool for key in results)]
    lines = ["| program | " + " | ".join(tools) + " |", "| --- |" + " --- |" * len(tools)]
    for name in names:
        cells = []
        for tool in tools:
            outcomes = [value["outcome"] for key, value in results.items() if key.startswith(f"{tool} {name} ")]
            counts = {outcome: outcomes.count(outcome) for outcome in dict.fromkeys(outcomes)}
            cells.append(", ".join(f"{counts[o]} {o}" for o in OUTCOMES if o in counts) or "–")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries")
    parser.add_argument("--state", required=True)
    parser.add_argument("--tools", default=",".join(TOOLS), type=lambda text: text.split(","))
    parser.add_argument("--only", default="*")
    parser.add_argument("--budget", type=float, default=3600)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--table", action="store_true")
    chosen = parser.parse_args()
    unknown = [tool for tool in chosen.tools if tool not in TOOLS]
    if unknown:
        parser.error(f"--tools: '{unknown[0]}' is none of {', '.join(TOOLS)}")
    return chosen


def main():
    chosen = arguments()
    paths = programs(chosen.binaries, chosen.only)
    if not paths:
        sys.exit(f"sanitize_gpu.py: no program named {chosen.only} in {chosen.binaries}")
    digest = digest_of(programs(chosen.binaries, "*"))
    state = {"digest": digest, "limit_s": chosen.limit, "results": {}}
    if os.path.exists(chosen.state):
        with open(chosen.state) as file:
            kept = json.load(file)
        if kept["digest"] == digest:
            state["results"] = kept["results"]
    results = state["results"]
    if not chosen.table:
        sanitizer = shutil.which("compute-sanitizer")
        if not sanitizer or subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=False).returncode:
            print("sanitize_gpu.py: there is no GPU here, or no compute-sanitizer", file=sys.stderr)
            return 4
        end = time.monotonic() + chosen.budget
        tests = [(tool, path, test) for tool in chosen.tools for path in paths for test in tests_of(path)]
        keys = [f"{tool} {os.path.basename(path)} {test}" for tool, path, test in tests]
        left = [(key, one) for key, one in zip(keys, tests)
                if key not in results or (chosen.again and results[key]["outcome"] == NOT_ENDED)]

        writing = threading.Lock()

        def attempt(key, one):
            limit = min(chosen.limit, end - time.monotonic())
            if limit < 3:
                return
            outcome, seconds, text = run_test(sanitizer, *one, limit)
            if outcome == NOT_ENDED and limit < chosen.limit:
                return  # the budget ended it, not its own limit
            result = {"outcome": outcome, "seconds": round(seconds, 1)}
            if outcome in (ERROR, FAILED):
                result["output"] = text
                print(f"{key}: {outcome}\n{text}", flush=True)
            with writing:
                results[key] = result
                write_whole(chosen.state, state)

        with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
            list(pool.map(lambda pair: attempt(*pair), left))
        tried = sum(key in results for key in keys)
        print(f"{tried} of {len(keys)} tests under tools were tried")
    print(table_of(results))
    return 1 if any(value["outcome"] in (ERROR, FAILED) for value in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
