#!/usr/bin/env python3
"""Checks that the tests of the documents find mistakes: planted.py ROOT PROGRAM. Each document below contains one mistake, which has to be found,
and has a version without it, which has to pass."""
import pathlib
import subprocess
import sys
import tempfile

import pages

HERE = pathlib.Path(__file__).resolve().parent


def fenced(command, comment=""):
    return f"{comment}\n```sh\n{command}\n```\n" if comment else f"```sh\n{command}\n```\n"


# Name, right, wrong, and a word of the line that has to be printed.
COMMANDS = [
    ("an option", fenced("speedwell compare stream --size test"), fenced("speedwell compare stream --siez test"), "--siez"),
    ("an option of a command without --dry-run", fenced("speedwell machine --quick"), fenced("speedwell machine --fast"), "--fast"),
    ("an option of Python's", fenced("speedwell report a.json --out b.html"), fenced("speedwell report a.json --page b.html"), "--page"),
    ("a command", fenced("speedwell list"), fenced("speedwell lists"), "lists"),
    ("an application", fenced("speedwell compare fft"), fenced("speedwell compare fftt"), "fftt"),
    ("a size", fenced("speedwell compare fft --size small"), fenced("speedwell compare fft --size tiny"), "tiny"),
    ("a key", fenced("speedwell run fft --set n=64"), fenced("speedwell run fft --set m=64"), "m"),
    ("a second command of a line", fenced("speedwell list | head -1"), fenced("speedwell list | speedwell lst"), "lst"),
    ("under a launcher", fenced("mpirun -n 4 speedwell run uts --variant mpi"), fenced("mpirun -n 4 speedwell run uts --variants mpi"), "--variants"),
    ("arguments of run.sh", fenced("./run.sh compare stream"), fenced("./run.sh compare straem"), "straem"),
    ("a script", fenced("./run.sh"), fenced("./runs.sh"), "runs.sh"),
    ("a preset", fenced("cmake --preset release"), fenced("cmake --preset releases"), "releases"),
    ("a case file", fenced("speedwell solve examples/cases/cavity.toml"), fenced("speedwell solve examples/cases/cave.toml"), "cave"),
    ("an indented command", "    speedwell compare gups\n", "    speedwell compare gubs\n", "gubs"),
    ("a block that runs", fenced("speedwell list", "<!-- run -->"), fenced("speedwell list\nfalse\ntrue", "<!-- run -->"), "status 1"),
    ("a file of a block that runs", fenced("speedwell align query.fa query.fa", "<!-- run with: tests/docs/inputs/query.fa -->"),
     fenced("speedwell align query.fa query.fa", "<!-- run -->"), "query.fa"),
]
LINKS = [
    ("a file", "[a](other.md)\n", "[a](none.md)\n", "none.md"),
    ("a heading", "[a](other.md#two-words)\n", "[a](other.md#three-words)\n", "three-words"),
    ("a heading of the same page", "# One\n[a](#one)\n", "# One\n[a](#two)\n", "#two"),
    ("a picture", "![a](other.md)\n", "![a](picture.png)\n", "picture.png"),
]
# Blocks of code, and whether they are part of a text.
QUOTED = "one\n  two\n    three\nfour\n"
QUOTES = [("lines of a text", "two\n  three", True), ("another line", "two\n  tree", False), ("a line is missing", "one\nfour", False),
          ("another indentation", "two\nthree", False)]


def run(script, *arguments):
    return subprocess.run([sys.executable, str(HERE / script), *map(str, arguments)], capture_output=True, text=True)


def tried(script, arguments, folder, planted):
    """Yields what is wrong with the result of the script for a right and a wrong document."""
    name, right, wrong, word = planted
    document = folder / "page.md"
    document.write_text(right)
    passed = run(script, *arguments, document)
    if passed.returncode:
        yield f"{script}, {name}: the right document fails: {passed.stdout}{passed.stderr}"
    document.write_text(wrong)
    failed = run(script, *arguments, document)
    if failed.returncode != 1 or word not in failed.stdout:
        yield f"{script}, {name}: the mistake is not found: status {failed.returncode}: {failed.stdout}{failed.stderr}"


def main():
    root, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        (folder / "other.md").write_text("# Two `words`\n")
        missed = [m for c in COMMANDS for m in tried("commands.py", (root, program), folder, c)]
        missed += [m for link in LINKS for m in tried("links.py", (folder,), folder, link)]
    missed += [f"pages.py, {name}: {block!r}" for name, block, right in QUOTES if pages.is_part(block, QUOTED) != right]
    print("\n".join(missed) or f"{len(COMMANDS) + len(LINKS) + len(QUOTES)} mistakes found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
