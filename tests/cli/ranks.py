#!/usr/bin/env python3
"""Runs the program on ranks and tests which rank prints, what is recorded, the exit status, and how soon all end when one fails.

Usage: ranks.py TOY_PROGRAM PROGRAM LAUNCHER SCHEMA. Exits 77 (skipped) without a launcher. The toy's rows are in
toy_catalogue.cpp. REPEATS in the environment: how often small runs are repeated (3; 200 is the full form).
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

try:
    import jsonschema
except ImportError:
    jsonschema = None

from expectations import Expectations
from processes import children

KILLED = 10  # seconds within which the others end when a rank was killed
SOON = 60  # seconds within which a job ends that one rank has left, on a machine that builds and tests other things beside


class Launch:
    """A program on ranks, run to its end."""

    def __init__(self, launcher, ranks, words, folder, interrupt_after=None, kill_after=None):
        begin = time.monotonic()
        self.killed = False  # whether there was a rank to kill
        # In a process group of its own: Open MPI ends a rank by its group, which until the rank has one is the launcher's.
        process = subprocess.Popen([launcher, "-n", str(ranks), *words], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        if interrupt_after:
            time.sleep(interrupt_after)
            process.send_signal(signal.SIGINT)
        if kill_after:
            time.sleep(kill_after)
            begin = time.monotonic()  # how long the others continue
            for rank in children().get(process.pid, [])[-1:]:  # the launcher starts the ranks itself; none if the job has ended before
                os.kill(rank, signal.SIGKILL)
                self.killed = True
        try:
            self.stdout, self.stderr = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the launcher; its ranks end with it
            process.communicate()
            raise
        self.status = process.returncode
        self.seconds = time.monotonic() - begin

    def errors(self):
        return [line for line in self.stderr.splitlines() if "speedwell: error: " in line]

    def __str__(self):
        return f"status {self.status} after {self.seconds:.1f} s\n{self.stdout}\n{self.stderr}"


def main():
    toy, program, launcher = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    if not launcher:
        print("skipped: no MPI launcher was found")
        return 77
    with open(sys.argv[4]) as file:
        schema = json.load(file)
    expect = Expectations()

    with tempfile.TemporaryDirectory() as folder:
        def run(ranks, words, binary=toy, **more):
            return Launch(launcher, ranks, [binary, *words.split()], folder, **more)

        for ranks in (1, 2, 4):
            done = run(ranks, f"run toy --size test --variant mpi --repeat 8 --format json --output out-{ranks}")
            expect(done.status == 0, f"a passing run on {ranks} ranks has status 0", done)
            document = json.loads(done.stdout)
            if jsonschema:
                jsonschema.validate(document, schema)
            record = document["runs"][0]
            expect(record["status"] == "passed" and record["phases"]["execute_s"]["n"] == 8, "every sample is kept", done)
            expect(record["ranks"]["count"] == ranks and record["ranks"]["hosts"] == 1, "the record counts the ranks", done)
            expect([p["local_rank"] for p in record["ranks"]["placement"]] == list(range(ranks)), "and places them", done)
            with open(os.path.join(folder, f"out-{ranks}", "records.jsonl")) as file:
                expect(len(file.readlines()) == 1, "one rank writes", done)

        if shutil.which("taskset") and os.cpu_count() >= 2:  # as launchers do that bind ranks
            bound = os.path.join(folder, "bound.sh")
            with open(bound, "w") as file:
                file.write(f'#!/bin/sh\nexec taskset -c "${{OMPI_COMM_WORLD_LOCAL_RANK:-$MPI_LOCALRANKID}}" {toy} "$@"\n')
            os.chmod(bound, 0o755)
            done = run(2, "run toy --size test --variant mpi --format json", binary=bound)
            expect(json.loads(done.stdout)["machine"]["cpu"]["threads"] == 2, "the machine has the cores of all ranks", done)

        done = run(3, "run toy --size test --variant mpi-slow --max-time 1s --format json")
        median = json.loads(done.stdout)["runs"][0]["phases"]["execute_s"]["median"]
        expect(0.02 <= median < 0.1, f"a run takes as long as its slowest rank, not {median} s", done)

        done = run(2, "compare toy --size test --variant mpi,mpi-slow -v")
        expect(done.status == 0 and done.stdout.count("toy n=100") == 1, "the first rank prints", done)
        expect(done.stderr.count("rank 0 on ") == 1 and done.stderr.count("rank 1 on ") == 1, "-v tells the placement", done)

        done = run(3, "run toy --size test --variant mpi-wrong,mpi")
        expect(done.status == 1 and "FAILED" in done.stdout, "a wrong answer has status 1", done)

        for words, status, message in [
                ("run toy --size test", 2, "3 ranks, and toy serial does not use MPI"),
                ("run toy --size test --variant serial,mpi", 2, "3 ranks, and toy serial does not use MPI"),
                ("run toy --sise test", 2, "unknown option '--sise'"),
                ("crossover toy", 2, "3 ranks, and crossover does not use MPI"),
                ("run toy --size test --variant mpi --config none.toml", 3, "none.toml"),
                ("run toy --size test --variant mpi --output out-1", 2, "the folder is not empty"),
                ("run toy --size test --variant mpi --json no/such/folder.json", 5, "folder.json"),
                ("run toy --size test --variant mpi-throws-everywhere", 4, "planted everywhere")]:
            done = run(3, words)
            expect(done.status == status and len(done.errors()) == 1 and message in done.stderr, f"{words}: one message, status {status}", done)
        done = run(2, "machine --quick --format csv", binary=program)
        expect(done.status == 0 and all(done.stdout.count(f"\n{name},") == 1 for name in ("mpi.latency", "mpi.bandwidth", "mpi.bandwidth_both")),
               "machine on ranks measures messages, and the first rank prints", done)
        for wanted, exchange in (("on", "shared memory"), ("off", "messages")):
            os.environ["SPEEDWELL_SHARED_MEMORY"] = wanted
            done = run(2, "run alignment --size test --variant mpi --format json", binary=program)
            del os.environ["SPEEDWELL_SHARED_MEMORY"]
            expect(done.status == 0 and "unknown environment" not in done.stderr, "the variable is known", done)
            found = {run_of["choices"]["exchange"] for run_of in json.loads(done.stdout)["runs"]}
            expect(found == {exchange}, f"with SPEEDWELL_SHARED_MEMORY={wanted} ranks use {exchange}", found)

        done = run(2, "run stream --size test", binary=program)
        expect(done.status == 2 and "does not use MPI" in done.stderr, "an application without MPI is refused", done)
        for ranks in (1, 2, 3, 4):
            done = run(ranks, "run wavefront --size test --variant mpi --repeat 2 --check-time 0s --format json", binary=program)
            expect(done.status == 0, f"wavefront on {ranks} ranks passes", done)
            for record in json.loads(done.stdout)["runs"]:
                expect(record["status"] == "passed" and record["ranks"]["count"] == ranks, record["key"], done)
                foreseen = record["prediction"]
                expect(foreseen and foreseen["model"] == "pipeline" and foreseen["time_s"] > 0, "its model foresees it", done)
            done = run(ranks, "run gups --size test --variant mpi --repeat 2 --check-time 0s --format json", binary=program)
            expect(done.status == 0, f"gups on {ranks} ranks passes", done)
            for record in json.loads(done.stdout)["runs"]:
                expect(record["status"] == "passed" and record["ranks"]["count"] == ranks, record["key"], done)
            done = run(ranks, "run uts --size test --variant mpi --repeat 2 --check-time 0s --format json", binary=program)
            expect(done.status == 0, f"uts on {ranks} ranks passes", done)
            for record in json.loads(done.stdout)["runs"]:
                expect(record["status"] == "passed" and record["ranks"]["count"] == ranks, record["key"], done)
        # Searches and updates that would take minutes.
        for words in ("uts --set tree=T2XXL", "gups --set words=2^22 --set updates_per_word=2^14"):
            done = run(4, f"run {words} --variant mpi", binary=program, kill_after=3)
            expect(done.status != 0 and done.seconds < KILLED, f"{words} ends when a rank is killed", done)
            expect("signal 9" in done.stderr or "SIGKILL" in done.stderr or "KILLED" in done.stderr, f"{words} says why", done)
        # What hangs does so rarely: REPEATS=200 is the full form.
        for _ in range(int(os.environ.get("REPEATS", "3"))):
            for words in ("uts --set tree=default", "gups --set words=1024"):
                done = run(4, f"run {words} --variant mpi --repeat 1", binary=program)
                expect(done.status == 0, f"{words} passes again and again", done)
        done = run(2, "compare wavefront --variant mpi --set n=24 --set loops=0 --precision f32 --repeat 1 --project ranks=4", binary=program)
        expect(done.status == 0 and done.stdout.count("the model 'pipeline' foresees") == 1, "compare shows what was foreseen", done)
        expect(done.stdout.count("measured between ranks here") == 1, "messages are measured where there are ranks", done)
        done = run(5, "run wavefront --variant mpi --set nx=2 --set ny=2", binary=program)
        expect(done.status == 4 and "5 ranks over 2 x 2 x 1 points: some tile would have no points" in done.stderr, "ranks that get no cells are refused", done)
        done = run(2, "list variants")
        expect(done.status == 0 and done.stdout.count("mpi-killed") == 1, "list prints once", done)
        done = run(2, "info")
        expect(done.status == 0 and "2 ranks" in done.stdout, "info counts the ranks", done)

        done = run(4, "run toy --size test --variant mpi-throws --format json")
        expect(done.status == 5 and "[rank 3 " in done.stderr and "planted" in done.stderr, "a throwing rank ends the job", done)
        expect(done.seconds < SOON, "soon", done)
        done = run(4, "run toy --size test --variant mpi-killed")
        expect(done.status != 0 and done.seconds < SOON, "a killed rank ends the job", done)
        done = run(2, "run toy --size test --variant mpi-endless --repeat 1000000", interrupt_after=3)
        expect(done.status != 0 and done.seconds < 3 + SOON, "an interrupted job ends", done)

        alone = subprocess.run([toy, "run", "toy", "--size", "test", "--variant", "mpi", "--format", "json"],
                               cwd=folder, capture_output=True, text=True, timeout=120)
        record = json.loads(alone.stdout)["runs"][0]
        expect(alone.returncode == 0 and record["ranks"]["count"] == 1, "without a launcher there is one rank", alone)
        alone = subprocess.run([toy, "run", "toy", "--size", "test", "--format", "json"],
                               cwd=folder, capture_output=True, text=True, timeout=120)
        reasons = {r["variant"]["name"]: r["reason"] for r in json.loads(alone.stdout)["runs"]}
        expect("runs on ranks" in reasons["mpi"], "where none is asked for, MPI does not begin", alone)
    return expect.report()


if __name__ == "__main__":
    sys.exit(main())
