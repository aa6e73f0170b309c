#!/usr/bin/env python3
"""Runs the tests of a Python package: run_pytest.py FOLDER [MODULE...]. Takes this interpreter or the system's, whichever has the modules
that are needed (without any, those of python/); exits with 77 and the reason if neither has."""
import os
import subprocess
import sys

MODULES = ["pytest", "numpy", "pandas", "scipy", "matplotlib", "jinja2", "jsonschema"]
CHECK = ("import importlib.util, sys; "
         "print(*(m for m in sys.argv[1:] if importlib.util.find_spec(m) is None)); sys.exit(sys.version_info < (3, 11))")


def missing(interpreter, modules):
    """Returns the reason why this interpreter is not suitable, or nothing."""
    found = subprocess.run([interpreter, "-c", CHECK, *modules], capture_output=True, text=True)
    if found.stdout.strip():
        return "it has no " + ", ".join(found.stdout.split())
    return "" if found.returncode == 0 else "it is older than 3.11"


def main():
    folder, modules = sys.argv[1], sys.argv[2:] or MODULES
    reasons = []
    for interpreter in dict.fromkeys((sys.executable, "/usr/bin/python3")):
        if not os.path.exists(interpreter):
            continue
        reason = missing(interpreter, modules)
        if not reason:
            environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": folder}
            return subprocess.call([interpreter, "-m", "pytest", "-q", "-p", "no:cacheprovider", os.path.join(folder, "tests")],
                                   env=environment, cwd=folder)
        reasons.append(f"{interpreter}: {reason}")
    print("skipped: no Python for the tests: " + "; ".join(reasons))
    return 77


if __name__ == "__main__":
    sys.exit(main())
