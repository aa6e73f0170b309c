"""Figures and verdicts of Speedwell's records for ReFrame, and baselines made of them. Needs Python's own library only.

    python3 speedwell_records.py SYSTEM:PARTITION RECORDS... --baseline baseline.json [--tolerance 0.1]

writes the median execute time of every run that passed into the baseline, as the reference of that system."""
import argparse
import json
import sys


class RecordsError(Exception):
    """A file that is no records, or has no run."""


def documents(path):
    """The documents of a .json file, or of a .jsonl file, which has one a line."""
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    try:
        found = [json.loads(text)] if not path.endswith(".jsonl") else [json.loads(line) for line in text.splitlines() if line]
    except json.JSONDecodeError as error:
        raise RecordsError(f"{path}: not JSON: {error}") from error
    for document in found:
        if not isinstance(document, dict) or document.get("schema") != "speedwell-records/1":
            raise RecordsError(f"{path}: not of schema speedwell-records/1")
    return found


def failures(found):
    """What is against a session: errors, verdicts that are not passed, runs that failed; and that nothing ran at all. Runs that were
    skipped (no GPU here, a part not built) say why in the records, and are no failures."""
    wrong = [f"error {d['error']['id']}: {d['error']['message']}" for d in found if d.get("error")]
    passed = 0
    for run in (run for d in found for run in d["runs"]):
        if run["status"] == "skipped":
            continue
        if run["status"] == "passed" and run["verdict"] and run["verdict"]["passed"]:
            passed += 1
        else:
            wrong.append(f"{name(run)}: {run['status']}: {run['reason'] or run['verdict']}")
    return wrong if wrong or passed else ["no run passed: all were skipped, or there are none"]


def name(run):
    """The key of a run, and of its reference: problem, variant and what it ran on."""
    ranks = run.get("ranks")
    return f"{run['key']} {run['variant']['name']}@{run['device']['kind']}" + (f" ranks={ranks['count']}" if ranks else "")


def times(found):
    """Median execute time in seconds by name, of what passed."""
    return {name(run): run["phases"]["execute_s"]["median"] for d in found for run in d["runs"]
            if run["status"] == "passed" and run["phases"]["execute_s"]}


def references(baseline, system, names):
    """ReFrame's (value, lower, upper, unit) by name, of what the baseline has for the system. Less time is not an error."""
    known = baseline["systems"].get(system, {})
    return {n: (known[n]["execute_s"], None, known[n]["tolerance"], "s") for n in names if n in known}


def with_system(baseline, system, found, tolerance):
    """The baseline with the times of these records as the references of a system."""
    wrong = failures(found)
    if wrong:
        raise RecordsError("no baseline of a session with failures: " + wrong[0])
    references_of_it = {n: {"execute_s": t, "tolerance": tolerance} for n, t in sorted(times(found).items())}
    return {**baseline, "systems": {**baseline.get("systems", {}), system: references_of_it}}


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Writes records into a baseline for speedwell_check.py.")
    parser.add_argument("system", help="as ReFrame names it: SYSTEM:PARTITION")
    parser.add_argument("records", nargs="+")
    parser.add_argument("--baseline", required=True, help="the file to write; other systems in it are kept")
    parser.add_argument("--tolerance", type=float, default=0.1, help="so much slower is still accepted, as a fraction (0.1)")
    options = parser.parse_args(arguments)
    try:
        with open(options.baseline, encoding="utf-8") as stream:
            baseline = json.load(stream)
    except FileNotFoundError:
        baseline = {}
    except json.JSONDecodeError as error:
        print(f"{options.baseline}: not JSON: {error}", file=sys.stderr)
        return 3
    try:
        found = [document for path in options.records for document in documents(path)]
        baseline = with_system(baseline, options.system, found, options.tolerance)
    except (OSError, RecordsError) as error:
        print(error, file=sys.stderr)
        return 3
    with open(options.baseline, "w", encoding="utf-8") as stream:
        json.dump(baseline, stream, indent=1)
        stream.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
