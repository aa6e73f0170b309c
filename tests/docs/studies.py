#!/usr/bin/env python3
"""Checks the page of the studies: studies.py ROOT. Runs tools/studies.py --check with an interpreter that has what it needs; exits with 77 and the
reason where there is none."""
import os
import pathlib
import subprocess
import sys

MODULES = ["pandas", "jsonschema"]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(root / "tests" / "python"))
    from run_pytest import missing
    reasons = []
    for interpreter in dict.fromkeys((sys.executable, "/usr/bin/python3")):
        if os.path.exists(interpreter):
            reason = missing(interpreter, MODULES)
            if not reason:
                return subprocess.call([interpreter, "-B", str(root / "tools" / "studies.py"), "--check"])
            reasons.append(f"{interpreter}: {reason}")
    print("skipped: no Python for tools/studies.py: " + "; ".join(reasons))
    return 77


if __name__ == "__main__":
    sys.exit(main())
