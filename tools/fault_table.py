#!/usr/bin/env python3
"""Writes the table of planted faults in docs/verification.md from the output of tests/campaign/planted_faults.

fault_table.py CSV... --table NAME [--document docs/verification.md] [--merge OUT.csv] [--check]

Of several files the later ones' verdicts replace earlier ones of the same problem, variant, output and fault, but "not run" replaces
nothing. --merge keeps the result in one file; --check changes nothing, and the exit status is 1 if the document would change. It is 1,
too, if a fault was accepted or a control failed, and 2 for mistakes of the user's."""
import argparse
import collections
import csv
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from speedwell import renamed  # noqa: E402

FAULTS = {
    "skipped_percent": "1 % skipped",
    "block_skipped": "block skipped",
    "tiles_swapped": "tiles swapped",
    "last_element": "last element",
    "one_nan": "one NaN",
    "halo_shifted": "halo shifted",
    "fourier_mode": "Fourier mode",
    "race": "race",
}
KEY = ("application", "problem", "variant", "output", "fault")


def with_names_of_today(row):
    """Returns a verdict of an older campaign with the names that the applications and parameters have now, as records are read."""
    words = re.findall(r"(\w+)=(.*?)(?= \w+=|$)", row["problem"])
    values = {name: int(text) if re.fullmatch(r"-?\d+", text) else text for name, text in words}
    run = {"application": row["application"], "problem": values, "key": row["problem"], "seed": values.pop("seed", 1), "size": ""}
    renamed.rename(run)
    return row | {"application": run["application"], "problem": run["key"]}


def merged(paths):
    """Returns the verdicts of all files, one for each KEY, in the order in which they first occur."""
    rows, columns = {}, None
    for path in paths:
        with open(path, newline="", encoding="utf-8") as f:
            reader = csv.DictReader(f)
            if reader.fieldnames is None or not set(KEY) | {"result", "machine", "commit"} <= set(reader.fieldnames):
                raise ValueError(f"{path}: not a file of planted_faults --csv")
            columns = columns or reader.fieldnames
            for row in map(with_names_of_today, reader):
                key = tuple(row[k] for k in KEY)
                if row["result"] != "not_run" or key not in rows:
                    rows[key] = row
    # A race or control that a problem could not begin has no output; once it has a verdict, that is what counts.
    return columns, list(rows.values())


def short_names(problems):
    """Returns the parameters in which the problems of an application differ, as "kernel=copy n=64"."""
    parsed = {p: dict(word.split("=", 1) for word in p.split()[1:]) for p in problems}
    differing = [k for k in next(iter(parsed.values())) if len({v.get(k) for v in parsed.values()}) > 1]
    return {p: " ".join(f"{k}={v[k]}" for k in differing if k in v) or "its only problem" for p, v in parsed.items()}


def cell(rows):
    count = collections.Counter(row["result"] for row in rows)
    if count["accepted"]:
        return f"**{count['accepted']} accepted**"
    planted = count["rejected"] + count["not_run"]
    if planted == 0:
        return "n/a" if count["not_applicable"] else "–"
    return str(count["rejected"]) if count["not_run"] == 0 else f"{count['rejected']} of {planted}"


def table(rows):
    """Returns a Markdown table with a row for each application and variant: how many faults of each kind were planted and rejected."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["application"], row["variant"]].append(row)
    text = "| application | variant | problems | right answers passed | " + " | ".join(FAULTS.values()) + " |\n"
    text += "| --- | --- | --- | --- |" + " --- |" * len(FAULTS) + "\n"
    notes = []
    for (application, variant), own in groups.items():
        problems = list(dict.fromkeys(row["problem"] for row in own))
        names = short_names(problems)
        controls = {row["problem"]: row["result"] for row in own if row["fault"] == "control"}
        passed = sum(result == "control_passed" for result in controls.values())
        failed = [names[p] for p, result in controls.items() if result == "control_failed"]
        cells = [cell([row for row in own if row["fault"] == fault and not started_later(row, own)]) for fault in FAULTS]
        text += f"| {application} | {variant} | {len(problems)} | {f'**{len(failed)} failed**' if failed else passed} | " + " | ".join(cells) + " |\n"
        left = collections.defaultdict(list)
        for row in own:
            if row["fault"] == "control" and row["result"] == "not_run":
                left[row["note"]].append(names[row["problem"]])
        for reason, which in left.items():
            first = ", ".join(which[:3]) + (f" and {len(which) - 3} more" if len(which) > 3 else "")
            notes.append(f"{application}: {len(which)} of {len(problems)} problems did not run ({first}): {reason}.")
    rejected = sum(row["result"] == "rejected" for row in rows)
    accepted = sum(row["result"] == "accepted" for row in rows)
    applicable = "\n".join(f"{note}\n" for note in notes)
    where = ", ".join(dict.fromkeys(row["machine"] for row in rows))
    commits = ", ".join(dict.fromkeys(row["commit"][:12] for row in rows))
    return f"{text}\n{rejected} faults rejected, {accepted} accepted. {where}; commit {commits}.\n" + (f"\n{applicable}" if notes else "")


def started_later(row, own):
    """Returns whether a fault that was "not run" as a whole (it names no output) has a verdict of another row."""
    return row["result"] == "not_run" and row["output"] == "" and any(
        other is not row and other["problem"] == row["problem"] and other["fault"] == row["fault"] and other["result"] != "not_run" for other in own)


def with_table(document, name, content):
    opening, closing = f"<!-- campaign: {name} -->\n", "<!-- /campaign -->"
    begin = document.find(opening)
    end = document.find(closing, begin)
    if begin < 0 or end < 0:
        raise ValueError(f"there is no '{opening.strip()}' with its end in the document")
    return document[: begin + len(opening)] + content + document[end:]


def write(path, text):
    """Replaces the file at once, or not at all."""
    with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(os.path.abspath(path)), delete=False, encoding="utf-8", newline="") as f:
        f.write(text)
    os.chmod(f.name, 0o644)
    os.replace(f.name, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="+")
    parser.add_argument("--table", required=True, help="the name of the table's marker in the document")
    parser.add_argument("--document", default="docs/verification.md")
    parser.add_argument("--merge", default="", help="write all verdicts to this file")
    parser.add_argument("--check", action="store_true", help="change nothing; status 1 if the document would change")
    chosen = parser.parse_args()
    try:
        columns, rows = merged(chosen.csv)
        with open(chosen.document, encoding="utf-8") as f:
            before = f.read()
        after = with_table(before, chosen.table, table(rows))
    except (OSError, ValueError) as e:
        print(f"fault_table.py: error: {e}", file=sys.stderr)
        return 2
    wrong = any(row["result"] in ("accepted", "control_failed") for row in rows)
    if chosen.check:
        if before != after:
            print(f"{chosen.document}: the table '{chosen.table}' is not what the files give", file=sys.stderr)
        return int(before != after or wrong)
    write(chosen.document, after)
    if chosen.merge:
        with tempfile.TemporaryFile("w+", newline="", encoding="utf-8") as f:
            writer = csv.DictWriter(f, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
            f.seek(0)
            write(chosen.merge, f.read())
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
