"""Tests that the load of other processes is measured, rows are marked busy and a warning is printed; and that OpenMP's threads then spin for a
bounded time unless the user has chosen how they wait.

Usage: busy.py SPEEDWELL
"""
import json
import os
import subprocess
import sys
import tempfile

from expectations import Expectations

CHOICES = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")
RUN = ["run", "stream", "--variant", "openmp", "--set", "kernel=copy", "--set", "n=4000000", "--min-time", "1s", "--max-time", "3s", "--json",
       "records.json"]


def measure(program, folder, **environment):
    kept = {k: v for k, v in os.environ.items() if k not in CHOICES}
    done = subprocess.run([program, *RUN], cwd=folder, env=kept | environment, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f"status {done.returncode}: {done.stderr}")
    with open(os.path.join(folder, "records.json")) as f:
        return json.load(f), done.stdout, done.stderr


CASE = """schema = 1
[mesh]
cells = [48, 48, 1]
[edges]
x = "wall"
y = "wall"
y_high_velocity = [1, 0, 0]
[fluid]
viscosity = 0.01
[time]
end = 1000
"""


def solve(program, folder):
    with open(os.path.join(folder, "case.toml"), "w") as f:
        f.write(CASE)
    return subprocess.run([program, "solve", "case.toml", "--variant", "openmp", "--threads", "2", "--time-limit", "2s", "--output", "flow"],
                          cwd=folder, capture_output=True, text=True, timeout=120)


def main():
    program = os.path.abspath(sys.argv[1])
    expect = Expectations()

    with tempfile.TemporaryDirectory() as folder:
        others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
        try:
            document, out, error = measure(program, folder)
            solved = solve(program, folder)
        finally:
            for process in others:
                process.kill()
                process.wait()
        load = document["runs"][0]["host_load"]
        expect(load is not None and load["window_s"] >= 1 and load["others"] >= 0.2, f"host_load: {load}")
        expect("ok, busy" in out, f"no row is marked: {out}")
        expect("warning: other processes used " in error, f"no warning: {error}")
        expect(solved.returncode == 7, f"solve: status {solved.returncode}: {solved.stderr}")
        expect("note: other processes used " in solved.stderr and "--threads" in solved.stderr, f"no hint: {solved.stderr}")
        environment = document["session"]["environment"]
        expect(environment.get("GOMP_SPINCOUNT", "").isdigit(), f"unbounded spinning: {environment}")
        expect(environment.get("OPENBLAS_THREAD_TIMEOUT") == "17", f"unbounded spinning of OpenBLAS: {environment}")
        expect(document["session"]["load_average"] is not None, "no load average")

        document, _, _ = measure(program, folder, OMP_WAIT_POLICY="passive", OPENBLAS_THREAD_TIMEOUT="20", SPEEDWELL_HOST="a name to publish")
        environment = document["session"]["environment"]
        expect(environment.get("OMP_WAIT_POLICY") == "passive" and "GOMP_SPINCOUNT" not in environment, f"the user's choice: {environment}")
        expect(environment.get("OPENBLAS_THREAD_TIMEOUT") == "20", f"the user's choice for OpenBLAS: {environment}")
        expect(document["session"]["host"] == "a name to publish", f"host: {document['session']['host']}")
    return expect.report()


if __name__ == "__main__":
    sys.exit(main())
