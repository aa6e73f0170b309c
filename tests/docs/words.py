#!/usr/bin/env python3
"""Counts private words in the sources: words that docs/glossary.md or the standard terms of the field replace.

words.py SOURCE_DIR [--update]

Where a word is not gone yet, words.txt beside this script says how often it may still stand; the number must be exact, so that it
can only fall: --update writes the numbers of today, and refuses any that is larger than before. Exit status: 1 if a word stands more
or less often than allowed."""
import os
import re
import subprocess
import sys

# A regular expression of identifiers or of words in comments, and what to say instead.
WORDS = {
    r"\bmost_\w+|\w+_most\b": "max_…",
    r"\bleast_\w+|\w+_least\b": "min_…",
    r"\b(?:[A-Z]\w*)?Way\b": "method, algorithm, implementation, variant",
    r"\b(?:[A-Z]\w*)?Place\b": "position, offset, index, environment: what it is",
    r"\bDesk\b|\bdesks?\b": "queue",
    r"\bLetters?\b": "residue, symbol, message",
    r"\bBringer\b": "loader, producer",
    r"\bMeeting\b": "reduction",
    r"\bLack\b": "ResourceError, shortage",
    r"\bRibbon\b": "plane group",
    r"\bStretch(?:es)?\b": "chunk",
    r"\bTruth\b": "true residual",
    r"\bCircle\b": "RootsOfUnity, periodic",
    r"\bTwist\b": "twiddle factor",
    r"ways? through (?:the )?memory": "pass over memory",
    r"\bright sides?\b": "right-hand side",
    r"\bright_sides?\b": "rhs",
    r"\bsticky-free\b": "non-sticky",
    r"//+ Of\b": "a whole sentence that begins with its subject",
    r"\b[Nn]obody\b": "what is not done, without people",
    r"\bof equals\b": "if several are equal, …",
    r"\bplace_of\w*": "position, offset, index, environment: what it is",
    r"\ballowed (?:is|are)\b": "allowed: …",
    r"\bof another size\b": "does not have the extents of …",
    r"\bjudges?\b": "verify, oracle",
}
SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh")


def counts(root):
    """Returns how often each word occurs in the C++ and CUDA sources that git knows."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "speedwell", "tests", "fuzz", "examples"], capture_output=True, text=True)
    files = [f for f in listed.stdout.splitlines() if f.endswith(SUFFIXES)]
    if listed.returncode != 0 or not files:  # an unpacked archive
        files = [os.path.relpath(os.path.join(folder, name), root) for top in ("speedwell", "tests", "fuzz", "examples")
                 for folder, _, names in os.walk(os.path.join(root, top)) for name in names if name.endswith(SUFFIXES)]
    found = dict.fromkeys(WORDS, 0)
    where = {word: [] for word in WORDS}
    compiled = {word: re.compile(word) for word in WORDS}
    for path in files:
        if not os.path.exists(os.path.join(root, path)):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as f:
            text = f.read()
        for word, expression in compiled.items():
            n = len(expression.findall(text))
            if n:
                found[word] += n
                where[word].append(path)
    return found, where


def read(path):
    with open(path, encoding="utf-8") as f:
        lines = [line.rstrip("\n").split("\t") for line in f if line.strip() and not line.startswith("#")]
    return {word: int(number) for number, word in lines}


def main():
    root = sys.argv[1]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt")
    found, where = counts(root)
    allowed = read(path)
    larger = {w: n for w, n in found.items() if n > allowed.get(w, 0)}
    if sys.argv[2:] == ["--update"]:
        with open(path, "w", encoding="utf-8") as f:
            f.write("# How often words of words.py may still stand: written by words.py --update, and only ever less.\n")
            for word, n in found.items():
                if n:
                    f.write(f"{min(n, allowed.get(word, n))}\t{word}\n")
    for word, n in larger.items():
        print(f"{word}: {n} times, {allowed.get(word, 0)} allowed; say {WORDS[word]}. In: {', '.join(where[word][:8])}")
    smaller = {w: (n, allowed[w]) for w, n in found.items() if n < allowed.get(w, 0)}
    if sys.argv[2:] != ["--update"]:
        for word, (n, was) in smaller.items():
            print(f"{word}: {n} times, {was} allowed: run words.py SOURCE_DIR --update, so that it stays so")
    return int(bool(larger) or (bool(smaller) and sys.argv[2:] != ["--update"]))


if __name__ == "__main__":
    sys.exit(main())
