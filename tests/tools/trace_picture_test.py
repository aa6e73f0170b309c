#!/usr/bin/env python3
"""Draws a small trace with tools/trace_picture.py: trace_picture_test.py SCRIPT. Exits 77 (skipped) without matplotlib."""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile


def trace():
    events = []
    for rank in (0, 1):
        events.append({"name": "process_name", "ph": "M", "pid": rank, "tid": 0, "args": {"name": f"rank {rank} on here"}})
        events.append({"name": "thread_name", "ph": "M", "pid": rank, "tid": 0, "args": {"name": "host thread 0"}})
        for name, category, begin, duration in (
                ("stencil n=8: mpi", "phase", 0, 100), ("first execute", "phase", 1, 40), ("execute", "phase", 50, 40 + rank),
                ("start halo", "halo", 50, 5), ("interior", "compute", 55, 20), ("finish halo", "halo", 75, 10), ("rim", "compute", 85, 5)):
            events.append({"name": name, "cat": category, "ph": "X", "pid": rank, "tid": 0, "ts": begin, "dur": duration})
    events.append({"name": "message to rank 1", "cat": "communication", "ph": "b", "pid": 0, "tid": 0, "id": "0.1", "ts": 52})
    return {"traceEvents": events}


def main():
    script = sys.argv[1]
    if importlib.util.find_spec("matplotlib") is None:
        print("skipped: no matplotlib")
        return 77
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "trace.json"), os.path.join(folder, "out.svg")
        with open(path, "w") as file:
            json.dump(trace(), file)
        with open(os.path.join(folder, "other.json"), "w") as file:
            file.write('{"runs": []}')

        def check(words, status, wanted):
            if os.path.exists(out):
                os.remove(out)
            done = subprocess.run([sys.executable, script, *words], cwd=folder, capture_output=True, text=True, timeout=120)
            if done.returncode != status or wanted not in done.stderr:
                failures.append(f"{words}: status {done.returncode}, expected {status} and '{wanted}': {done.stderr}")
            if (status == 0) != os.path.exists(out):
                failures.append(f"{words}: {'no' if status == 0 else 'a'} picture")

        check([path, out], 0, "")
        svg = ""
        if os.path.exists(out):
            with open(out) as file:
                svg = file.read()
        failures += [f"the picture lacks {text}" for text in ("interior", "rim", "rank 1: host thread 0", "time / us") if text not in svg]
        check([path, out, "--phase", "all", "--variant", "stencil", "--width", "6"], 0, "")
        check([path, out, "--from", "5", "--to", "25"], 0, "")
        check([path, out, "--from", "30", "--to", "25"], 2, "--from is not before --to")
        check([path, out, "--phase", "exexute"], 2, "there are execute, first execute")
        check([path, out, "--variant", "cg"], 2, "no variant with 'cg'")
        check([os.path.join(folder, "none.json"), out], 3, "No such file")
        check([os.path.join(folder, "other.json"), out], 3, "is no trace of speedwell")
        check([path, os.path.join(folder, "no", "out.svg")], 5, "No such file")
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
