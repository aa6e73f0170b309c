#!/usr/bin/env python3
"""Measures on a host with a GPU what is missing or out of date among the records of a folder, most valuable first, within a budget of time.

Usage: tools/measure.py PROGRAM RECORDS [--table FILE] [--only PATTERN] [--budget SECONDS] [--longest SECONDS] [--energy] [--again] [--list]

PROGRAM is speedwell, of a build without local changes; RECORDS the folder of the records, such as results/nvidia-h200. What is measured, and in which
order, FILE says: tools/measurements.toml, tools/measurements-gpus.toml of several GPUs, or tools/measurements-ranks.toml of ranks on cores. A record is up to date if it comes from the same command and a build without local changes, has at least as many
passes as the command asks for, energies if --energy asks for them, and the digest of the sources of each of its applications is that of PROGRAM. Others
are measured again, so that several short leases of a machine add up to all records of one state of the sources.

A record is replaced at once when its command has succeeded; a command that fails leaves the old one. Phases with more than 100 samples keep the medians of
their passes (tools/compact_records.py). RECORDS/durations.csv keeps how long each set
took: one that does not fit into what is left of --budget, or takes longer than --longest, is left for another time, and one that is not known to fit is
ended with it. Records name a folder below the current one relative to it, so that they do not tell where a checkout was.

The exit status is 0 if all that was asked for is up to date, 1 if a command failed, 7 if the budget has ended before, 4 without a GPU, 2 for a mistake
in the command line.
"""
import argparse
import csv
import fnmatch
import itertools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from compact_records import compact  # noqa: E402 (its folder is not installed)
from speedwell.model import BACKENDS_ON_RANKS, sources_of  # noqa: E402 (found as compact_records finds its package)

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "measurements.toml")
PASSES = 5  # of a figure that is shown without a mark
CHECK_TIME = "200ms"  # of a variant, for answers of further executes, in place of two minutes: checks would take most of a set's time
SHORTEST = 20  # seconds: with less than that left, no set of unknown duration is begun
UP_TO_DATE, MEASURED, FAILED, LEFT = "up to date", "measured", "failed", "left"
PRINTED, COMMAND = "scale.txt", "command.txt"  # beside the records of a scaling: what it printed, and its command
PER_THREAD = re.compile(r"\{threads\*(\d+)\}")  # in a command: a number for each thread
RECORDS = "{records}"  # in a command: the folder of the records


class Mistake(Exception):
    """A mistake in the command line, or a lack: its message and its exit status."""

    def __init__(self, message, status=2):
        super().__init__(message)
        self.status = status


def expand(entry, cores, gpus):
    """Yields (name, words) of the commands of one entry of the table on a host with so many hardware threads and GPUs."""
    words = shlex.split(entry["command"])
    if words[0] != "machine" and "--passes" not in words and "--repeat" not in words:
        words += ["--passes", str(PASSES)]
    if words[0] != "machine" and "--check-time" not in words:
        words += ["--check-time", CHECK_TIME]
    if "gpus" in entry:
        counts = [count for count in entry["gpus"] if count <= gpus]
        if len(counts) < 2:
            return
        words += ["--gpus", ",".join(map(str, counts))]
    if isinstance(entry.get("ranks"), list):
        counts = [count for count in entry["ranks"] if count <= cores]
        if len(counts) < 2:
            return
        words += ["--ranks", ",".join(map(str, counts))]
    each = entry.get("each", {})
    for values in itertools.product(*each.values()):
        name = "-".join([entry["name"], *values])
        chosen = words + [word for parameter, value in zip(each, values) for word in ("--set", f"{parameter}={value}")]
        if "threads" not in entry:
            yield name, chosen
        for threads in entry.get("threads", []):
            if threads <= cores:
                yield f"{name}-{threads}", [PER_THREAD.sub(lambda n: str(threads * int(n[1])), word) for word in chosen] + ["--threads", str(threads)]


def sets_of(table, cores, gpus, pattern="*"):
    """Returns (name, words, entry) of every set that this host can measure and whose name matches, in the order of the table."""
    with open(table, "rb") as file:
        entries = tomllib.load(file)["set"]
    return [(name, words, entry) for entry in entries for name, words in expand(entry, cores, gpus) if fnmatch.fnmatch(name, pattern)]


def without_checks(words):
    """Returns the words that a figure depends on: how long more answers were checked changes none."""
    at = words.index("--check-time") if "--check-time" in words else len(words)
    return words[:at] + words[at + 2:]


def value_after(words, option, otherwise):
    return words[words.index(option) + 1] if option in words else otherwise


def measured_by(record):
    """Returns the words of the command that made a record, without those that say where its output goes. None of them has a blank."""
    words, kept = record["session"]["command_line"].split()[1:], []
    while words:
        word = words.pop(0)
        if word in ("--json", "--progress"):
            words = words[1:]
        else:
            kept.append(word)
    return kept


def read(path):
    """Returns (words of the command, documents) of a record, or of the folder of a scaling, whose command stands beside its records. Throws where there
    is none."""
    if not os.path.isdir(path):
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        return measured_by(record), [record]
    with open(os.path.join(path, COMMAND), encoding="utf-8") as file:
        words = shlex.split(file.read())
    with open(os.path.join(path, "records.jsonl"), encoding="utf-8") as file:
        return words, [json.loads(line) for line in file]


def lacks(path, words, energy, digests):
    """Returns why a record does not have what the command would measure now; None if it has."""
    try:
        made_by, documents = read(path)
        if without_checks(made_by) != without_checks(words):
            return "another command"
        if any(document["build"]["dirty"] for document in documents):
            return "a build with local changes"
        runs = [run for document in documents for run in document["runs"]]
        for run in runs:
            if run["status"] == "skipped" and run["variant"]["backend"] in BACKENDS_ON_RANKS:
                continue  # it has no figure, and a record of one process does not get one from newer sources of ranks
            if run["source_digest"] != digests.get(sources_of(run["application"], run["variant"]["backend"])):
                return f"older sources of {run['application']}"
            if run["status"] != "passed":
                continue
            passes = int(value_after(words, "--passes", "1"))
            if run["phases"]["execute_s"]["passes"] < passes:
                return f"{run['variant']['name']} has fewer than {passes} passes"
            if energy and run["device"]["kind"] == "gpu" and not run["energy"]["execute_J"]:
                return f"{run['variant']['name']} has no energy"
    except FileNotFoundError:
        return "not measured yet"
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        return "not a record"
    if not runs and words[0] != "machine":
        return "no runs"
    return None


def info_of(program):
    """Returns what the program says of itself and of the machine. Throws Mistake."""
    try:
        done = subprocess.run([program, "info", "--format", "json"], capture_output=True, text=True, check=False)
        info = json.loads(done.stdout)
        info["info"]["source_digests"], info["build"]["dirty"], info["machine"]["gpus"]  # all are there
    except (OSError, ValueError, KeyError) as error:
        raise Mistake(f"{program} is not this version of speedwell: {error}") from error
    return info


class Durations:
    """How long each set took, in a file that is replaced after each change."""

    def __init__(self, path):
        self.path, self.seconds, self.ended = path, {}, set()
        if os.path.exists(path):
            with open(path, newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    self.note(row["set"], float(row["seconds"]), row["ended"] == "yes", False)

    def note(self, name, seconds, ended, write=True):
        """Keeps how long a set took, or, if it did not end, that it takes longer."""
        if not ended and name in self.ended:
            return
        self.seconds[name] = seconds if ended else max(seconds, self.seconds.get(name, 0))
        (self.ended.add if ended else self.ended.discard)(name)
        if not write:
            return
        with open(self.path + ".new", "w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["set", "seconds", "ended"])
            rows.writerows([one, f"{self.seconds[one]:.1f}", "yes" if one in self.ended else "no"] for one in sorted(self.seconds))
        os.replace(self.path + ".new", self.path)

    def fits(self, name, left):
        """Whether a set may end within `left` seconds."""
        if name in self.ended:
            return self.seconds[name] <= left
        return left >= max(SHORTEST, 1.5 * self.seconds.get(name, 0))


def remove(path):
    """Removes a file, or a folder with all that is in it, if it is there."""
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.remove(path)


def put_in_place(new, path):
    """Replaces a file, or a folder, by a new one."""
    if os.path.isdir(path):  # which cannot be replaced at once
        remove(path + ".old")
        os.rename(path, path + ".old")
    os.replace(new, path)
    remove(path + ".old")


def run_set(command, limit):
    """Runs a command. Returns (status, or None if the limit ended it; seconds; what it printed; the end of what it said on standard error)."""
    begin = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                          start_new_session=True) as process:
        try:
            printed, said = process.communicate(timeout=limit)
            status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                printed, said = process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                printed, said = process.communicate()
            status = None
        except BaseException:  # a signal to this program
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return status, time.monotonic() - begin, printed, said.strip()[-2000:]


def measure(launch, program, words, folder, record, limit):
    """Runs the command of a set of the folder, and puts its record in place if it succeeds. Returns (status, seconds, what it said) as run_set()."""
    new = record + ".new"
    remove(new)
    os.makedirs(os.path.dirname(record) or ".", exist_ok=True)
    output = ["--output" if words[0] == "scale" else "--json", new]
    given = [word.replace(RECORDS, folder) for word in words]
    try:
        status, seconds, printed, said = run_set([*launch, program, *given, *output, "--progress", "never"], limit)
        if status == 0:
            if words[0] == "scale":
                shown = "".join(line for line in printed.splitlines(True) if not line.startswith("records: "))  # where they were
                for name, text in ((PRINTED, shown), (COMMAND, shlex.join(words) + "\n")):
                    with open(os.path.join(new, name), "w", encoding="utf-8") as file:
                        file.write(text)
            compact(os.path.join(new, "records.jsonl") if words[0] == "scale" else new)
            put_in_place(new, record)
    finally:
        remove(new)
    return status, seconds, said


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("records")
    parser.add_argument("--table", default=TABLE, metavar="FILE", help="the sets (tools/measurements.toml)")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="sets whose names match (*)")
    parser.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS", help="time for all sets together (none)")
    parser.add_argument("--longest", type=float, default=float("inf"), metavar="SECONDS", help="time for one set (none)")
    parser.add_argument("--energy", action="store_true", help="with the energy of each variant: four seconds more for each")
    parser.add_argument("--again", action="store_true", help="also what is up to date")
    parser.add_argument("--list", action="store_true", help="what would be measured, and why; measures nothing")
    return parser.parse_args()


def without_checkout(path):
    """Returns a path below the current folder relative to it, and any other as it is."""
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative


def launcher(entry, cores):
    if entry.get("ranks") is not True:
        return []
    return ["mpirun", "-n", str(cores), "--bind-to", "core"] if shutil.which("mpirun") else None


def main():
    chosen = arguments()
    chosen.records = without_checkout(chosen.records)
    cores = len(os.sched_getaffinity(0))
    info = info_of(chosen.program)
    sets = sets_of(chosen.table, cores, len(info["machine"]["gpus"]), chosen.only)
    if not sets and sets_of(chosen.table, 2**30, 2**30, chosen.only):
        raise Mistake(f"no set named {chosen.only} can be measured here: too few GPUs or hardware threads", 4)
    if not sets:
        raise Mistake(f"no set is named {chosen.only}")
    if info["build"]["dirty"] and not chosen.list:
        raise Mistake(f"{chosen.program} was built with local changes: its records would not count")
    if not info["machine"]["gpus"] and not chosen.list:
        raise Mistake(f"there is no GPU here: {info['machine']['gpu_reason']}", 4)
    os.makedirs(chosen.records, exist_ok=True)
    durations = Durations(os.path.join(chosen.records, "durations.csv"))
    end = time.monotonic() + chosen.budget
    outcomes = {}
    for name, words, entry in sets:
        record = os.path.join(chosen.records, name + ("" if words[0] == "scale" else ".json"))
        words = words + (["--energy"] if chosen.energy and words[0] != "machine" else [])
        reason = lacks(record, words, chosen.energy, info["info"]["source_digests"])
        if not reason and not chosen.again:
            outcomes[name] = UP_TO_DATE
            continue
        if chosen.list:
            took = f", {durations.seconds[name]:.0f} s" if name in durations.ended else ""
            print(f"{name}: {reason or 'again'}{took}: {shlex.join(words)}")
            outcomes[name] = LEFT
            continue
        launch, left = launcher(entry, cores), min(end - time.monotonic(), chosen.longest)
        if launch is None or not durations.fits(name, left):
            outcomes[name] = LEFT
            continue
        print(f"{name}: {reason or 'again'}: {shlex.join(words)}", flush=True)
        status, seconds, said = measure(launch, chosen.program, words, chosen.records, record, None if left == float("inf") else left)
        outcomes[name] = {None: LEFT, 0: MEASURED}.get(status, FAILED)
        if status == 0:
            for old in entry.get("replaces", []):
                if os.path.exists(os.path.join(chosen.records, old + ".json")):
                    print(f"{name}: takes the place of {old}.json, which documents may still name")
        if status in (0, None):
            durations.note(name, seconds, status == 0)
        print(f"{name}: {outcomes[name]} after {seconds:.1f} s" + (f": status {status}: {said}" if outcomes[name] == FAILED else ""), flush=True)
    for outcome in (UP_TO_DATE, MEASURED, FAILED, LEFT):
        names = [name for name in outcomes if outcomes[name] == outcome]
        if names:
            print(f"{len(names)} {outcome}: {' '.join(names)}")
    return 1 if FAILED in outcomes.values() else 7 if LEFT in outcomes.values() else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Mistake as mistake:
        print(f"measure.py: {mistake}", file=sys.stderr)
        sys.exit(mistake.status)
