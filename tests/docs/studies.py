#!/usr/bin/env python3
"""Checks what is made of the studies: studies.py ROOT [TOOL [MODULE...]]. Runs tools/TOOL --check (studies.py if it is left out) with an interpreter that
has the packages that it needs, those named besides; exits with 77 and the reason where there is none."""
import os
import pathlib
import subprocess
import sys

MODULES = ["pandas", "jsonschema"]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    tool = sys.argv[2] if len(sys.argv) > 2 else "studies.py"
    sys.path.insert(0, str(root / "tests" / "python"))
    from run_pytest import missing
    reasons = []
    for interpreter in dict.fromkeys((sys.executable, "/usr/bin/python3")):
        if os.path.exists(interpreter):
            reason = missing(interpreter, MODULES + sys.argv[3:])
            if not reason:
                return subprocess.call([interpreter, "-B", str(root / "tools" / tool), "--check"])
            reasons.append(f"{interpreter}: {reason}")
    print(f"skipped: no Python for tools/{tool}: " + "; ".join(reasons))
    return 77


if __name__ == "__main__":
    sys.exit(main())
