#!/usr/bin/env python3
"""Fails if the command line holds more than parsing, help and dispatch: cli_lines.py SOURCE_DIR.

All files below speedwell/cli together have at most MAX_LINES lines. What does not fit belongs into a library: into search, simulation,
machine, process or session, where other programs can call it."""
import pathlib
import sys

MAX_LINES = 2000


def main():
    files = [file for file in sorted(pathlib.Path(sys.argv[1], "speedwell", "cli").rglob("*")) if file.is_file()]
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
    print(f"speedwell/cli: {lines} lines in {len(files)} files, {MAX_LINES} allowed")
    return 0 if files and lines <= MAX_LINES else 1


if __name__ == "__main__":
    sys.exit(main())
