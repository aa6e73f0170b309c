#!/usr/bin/env python3
"""Makes records small: replaces the samples of phases that have many by the medians of their passes.

Usage: tools/compact_records.py FILE...

A kernel of a microsecond leaves thousands of samples. A phase with more than 100 samples keeps the median of each of its passes,
which are what intervals and comparisons of records are computed from; its median, interval, percentiles and number of samples stay those of all samples.
Phases with fewer keep them all. FILE is a record (.json) or a line of them each (.jsonl), and is replaced at once; a file without such phases is not touched.

The exit status is 0; 3 with one line for a file that is not a record, 5 for one that cannot be written, 2 for a mistake in the command line.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from speedwell.errors import SpeedwellError  # noqa: E402 (its folder is not installed)
from speedwell.output import write_file  # noqa: E402
from speedwell.samples import keep_medians  # noqa: E402

MOST = 100  # samples of a phase that are all kept


def text_of(value, depth=0):
    """Returns a value as speedwell writes it: a line for each key, but one for a list of numbers or texts."""
    inner, outer = "\n" + "  " * (depth + 1), "\n" + "  " * depth
    if isinstance(value, dict) and value:
        return "{" + ",".join(f"{inner}{json.dumps(key, ensure_ascii=False)}: {text_of(value[key], depth + 1)}" for key in value) + outer + "}"
    if isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value):
        return "[" + ",".join(inner + text_of(one, depth + 1) for one in value) + outer + "]"
    return json.dumps(value, ensure_ascii=False)


def compact(path):
    """Replaces a file if it has phases with many samples. Returns whether it has. Throws OSError, ValueError, KeyError, TypeError and AttributeError for
    what is not a record, and OutputError where it cannot be written."""
    lines = path.endswith(".jsonl")
    with open(path, encoding="utf-8") as file:
        documents = [json.loads(line) for line in file] if lines else [json.load(file)]
    changed = [keep_medians(document, above=MOST) for document in documents]  # of all documents, not of the first that has some
    if not any(changed):
        return False
    texts = [json.dumps(document, ensure_ascii=False, separators=(",", ":")) if lines else text_of(document) for document in documents]
    write_file(path, "".join(text + "\n" for text in texts))
    return True


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__.strip(), file=sys.stdout if sys.argv[1:] in (["-h"], ["--help"]) else sys.stderr)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    for path in sys.argv[1:]:
        try:
            compact(path)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            print(f"compact_records.py: {path}: not a record: {error}", file=sys.stderr)
            return 3
        except SpeedwellError as error:
            print(f"compact_records.py: {error}", file=sys.stderr)
            return error.status
    return 0


if __name__ == "__main__":
    sys.exit(main())
