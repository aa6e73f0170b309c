#!/usr/bin/env python3
"""Tests tools/fault_table.py: its table of verdicts, and that docs/verification.md agrees with the kept ones.

fault_table_test.py SOURCE_DIR"""
import csv
import os
import subprocess
import sys
import tempfile

HEADER = ["application", "problem", "variant", "output", "fault", "place", "result", "error", "tolerance", "seconds", "note", "machine", "commit"]
MARKED = "before\n<!-- campaign: here -->\nold\n<!-- /campaign -->\nafter\n"


def main():
    root = sys.argv[1]
    tool = os.path.join(root, "tools", "fault_table.py")

    def run(*arguments):
        done = subprocess.run([sys.executable, tool, *arguments], capture_output=True, text=True)
        return done.returncode, done.stderr

    status, error = run(os.path.join(root, "results", "nvidia-h200", "planted-faults.csv"), "--table", "standard cuda", "--check",
                        "--document", os.path.join(root, "docs", "verification.md"))
    assert status == 0, error

    with tempfile.TemporaryDirectory() as folder:
        document = os.path.join(folder, "page.md")

        def write(name, rows):
            path = os.path.join(folder, name)
            with open(path, "w", newline="", encoding="utf-8") as f:
                writer = csv.writer(f)
                writer.writerow(HEADER)
                for n, fault, output, result in rows:
                    writer.writerow(["fft", f"fft kind=1d n={n} seed=1", "cuda", output, fault, "", result, 0, 0, 0, "no time left", "a GPU", "0123456789abcdef"])
            return path

        def table(*files):
            with open(document, "w", encoding="utf-8") as f:
                f.write(MARKED)
            status, error = run(*files, "--table", "here", "--document", document)
            with open(document, encoding="utf-8") as f:
                return status, error, f.read()

        first = write("first.csv", [(8, "control", "", "control_passed"), (8, "one_nan", "y", "rejected"), (8, "race", "", "not_run"),
                                    (16, "control", "", "not_run")])
        status, _, text = table(first)
        assert status == 0 and text.startswith("before\n") and text.endswith("<!-- /campaign -->\nafter\n"), text
        assert "| fft | cuda | 2 | 1 | – | – | – | – | 1 | – | – | 0 of 1 |" in text, text
        assert "1 faults rejected, 0 accepted. a GPU; commit 0123456789ab." in text, text
        assert "fft: 1 of 2 problems did not run (n=16): no time left." in text, text

        # A later file fills in what was not run, and its "not run" replaces nothing.
        later = write("later.csv", [(8, "race", "", "rejected"), (8, "one_nan", "y", "not_run"), (16, "control", "", "control_passed")])
        status, _, text = table(first, later)
        assert status == 0 and "| fft | cuda | 2 | 2 | – | – | – | – | 1 | – | – | 1 |" in text and "did not run" not in text, text

        # An accepted fault is shown and makes the status 1; a verdict after it replaces it.
        wrong = write("wrong.csv", [(8, "race", "", "accepted")])
        status, _, text = table(first, wrong)
        assert status == 1 and "**1 accepted**" in text, text
        assert table(first, wrong, later)[0] == 0
        status, _, text = table(write("failed.csv", [(8, "control", "", "control_failed")]))
        assert status == 1 and "**1 failed**" in text, text

        # Mistakes of the user's: one line, status 2, and the document is left alone.
        other = os.path.join(folder, "other.csv")
        with open(other, "w", encoding="utf-8") as f:
            f.write("a,b\n1,2\n")
        for arguments in ([other, "--table", "here"], [first, "--table", "nowhere"], [os.path.join(folder, "none.csv"), "--table", "here"]):
            with open(document, "w", encoding="utf-8") as f:
                f.write(MARKED)
            status, error = run(*arguments, "--document", document)
            with open(document, encoding="utf-8") as f:
                assert status == 2 and error.count("\n") == 1 and f.read() == MARKED, (arguments, status, error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
