"""Tests that `scale` starts, verifies and records runs on ranks, strong and weak, and that --ranks of `run` does the same as a launcher.

Usage: scale.py SPEEDWELL. Exits 77 (skipped) without a launcher of MPI.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile

from expectations import Expectations, run
from processes import PATIENCE, wait_for_lines


def runs_of(path):
    with open(path) as f:
        return [r for line in f for r in json.loads(line)["runs"]]


def main():
    program = os.path.abspath(sys.argv[1])
    expect = Expectations()

    with tempfile.TemporaryDirectory() as folder:
        status, out, error = run(program, folder, "scale stencil --set n=24 --ranks 1,2,3 --oversubscribe --max-time 50ms --check-time 0s --output strong")
        if status == 4:
            print(f"skipped: {error.strip()}")
            return 77
        expect(status == 0, f"strong: status {status}: {error}")
        runs = runs_of(os.path.join(folder, "strong", "records.jsonl"))
        ranks = [r["ranks"]["count"] for r in runs if r["variant"]["name"] == "mpi"]
        expect(ranks == [1, 2, 3], f"strong: ranks {ranks}")
        expect(all(r["status"] == "passed" for r in runs), "strong: a run did not pass")
        expect(len({r["key"] for r in runs}) == 1, "strong: another problem")
        expect(all(r["phases"]["exchange_s"]["median"] >= 0 for r in runs if r["variant"]["name"] == "mpi"), "strong: no exchange")
        rows = [line.split() for line in out.splitlines()]
        expect([row[0] for row in rows if row[-1:] == ["ok"]] == ["1", "2", "3"], f"strong: the table: {out}")
        expect(any("efficiency" in row and "exposed" in row and "speed-up" in row for row in rows), f"strong: the columns: {out}")
        expect("strong scaling from 1 to 3 ranks: " in out, f"strong: the sentence: {out}")
        expect(sorted(os.listdir(os.path.join(folder, "strong"))) == ["records.jsonl"], "files are left")

        status, out, error = run(program, folder, "scale stencil --set n=24 --ranks 1,2 --oversubscribe --max-time 50ms --output planned --dry-run",
                                 SPEEDWELL_LAUNCHER="launch --fast")
        lines = out.splitlines()
        expect(status == 0 and not os.path.exists(os.path.join(folder, "planned")), f"--dry-run: status {status}: {error}")
        expect([line.split()[:4] for line in lines if line.startswith("launch")]
               == [["launch", "--fast", "-n", ranks] for ranks in "12"]
               and all("run stencil --variant" in line and "--set n=24" in line and "--max-time 50ms" in line for line in lines)
               and [line.split("--variant ")[1].split()[0] for line in lines][:2] == ["mpi", "openmp"], f"--dry-run: the commands: {out}")

        status, out, error = run(program, folder, "scale stencil --set n=24 --ranks 1,4000 --dry-run", SPEEDWELL_LAUNCHER="launch")
        expect(status == 0 and "launch -n 4000 " in out, f"--dry-run for another machine: {status} {error}")

        status, out, error = run(program, folder, "scale stream --weak --set n=1000 --set kernel=dot --ranks 1,2 --oversubscribe --max-time 50ms --check-time 0s --output weak")
        expect(status == 0, f"weak: status {status}: {error}")
        lengths = [(r["ranks"]["count"], r["problem"]["n"]) for r in runs_of(os.path.join(folder, "weak", "records.jsonl"))
                   if r["variant"]["name"] == "mpi"]
        expect(lengths == [(1, 1000), (2, 2000)], f"weak: {lengths}")
        expect("weak scaling from 1 to 2 ranks: " in out, f"weak: the sentence: {out}")

        status, out, error = run(program, folder, "machine --quick --ranks 2 --oversubscribe --json links.json")
        expect(status == 0, f"machine: status {status}: {error}")
        with open(os.path.join(folder, "links.json")) as f:
            record = json.load(f)
        for c in record["machine"]["ceilings"]:
            c["value"] = {"mpi.latency": 2.5}.get(c["name"], 8)
        with open(os.path.join(folder, "links.json"), "w") as f:
            json.dump(record, f)
        record["machine"]["ceilings"] = []
        with open(os.path.join(folder, "no-links.json"), "w") as f:
            json.dump(record, f)
        for application, words in (("stencil", "--set kernel=e0 --set n=16 --precision f64"), ("cg", "--set n=16 --precision f64"),
                                   ("vector_calculus", "--set operation=grad --set n=16 --set layout=soa --precision f64"), ("binary_fluid", ""),
                                   ("incompressible_flow", "--set flow=noise --precision f64"),
                                   ("stream", "--set kernel=dot --precision f64"), ("two_stream", "--set kernel=column --set source=sun --precision f64"),
                                   ("npb", "--size S --set kernel=ep")):
            size = "" if "--size" in words else "--size test "
            status, out, error = run(program, folder, f"scale {application} {size}{words} --ranks 1,2 --oversubscribe --max-time 20ms --check-time 0s --output project-{application} "
                                     "--project 4,16000 --links links.json")
            rows = [line.split() for line in out.splitlines()]
            expect(status == 0, f"project {application}: status {status}: {error}")
            expect(any(row[:1] == ["4"] and row[-1] == "predicted" for row in rows), f"project {application}: a predicted row: {out}")
            expect(out.count("  predicted: the largest part at the rate of the first row") == 1
                   and "2.5 us, 8 GB/s" in out and "(of links.json)" in out, f"project {application}: the assumptions: {out}")
            expect(out.count("  the model says ") == 1, f"project {application}: beside the measured: {out}")
        status, out, error = run(program, folder, "scale binary_fluid --weak --size test --ranks 1,2 --oversubscribe --max-time 20ms --check-time 0s --output project-weak --project 4,16000 "
                                 "--links links.json")
        rows = [line.split() for line in out.splitlines()]
        expect(status == 0, f"project a problem that grows beyond what is allowed: status {status}: {error}")
        expect(any(row[:1] == ["4"] and row[-1] == "predicted" for row in rows)
               and any(row[:1] == ["16000"] and "not predicted: binary_fluid: n" in " ".join(row) for row in rows), f"project a problem that grows beyond what is allowed: {out}")
        status, out, error = run(program, folder, "scale stream --size test --set kernel=copy --precision f64 --ranks 1 --oversubscribe --max-time 20ms --check-time 0s --output here --project 2")
        expect(status == 0 and "(measured here)" in out, f"project with the link that is here: status {status}: {error}")
        expect(sorted(os.listdir(os.path.join(folder, "here"))) == ["records.jsonl"], "files are left")

        # A launcher that stops who has started it, as a terminal does.
        stopping = os.path.join(folder, "stop.sh")
        with open(stopping, "w") as f:
            f.write("#!/bin/sh\nkill -TERM $PPID\nsleep 10\n")
        os.chmod(stopping, 0o755)
        status, out, error = run(program, folder, "scale stream --size test --set kernel=copy --precision f64 --ranks 1 --max-time 20ms --check-time 0s --output stopped --project 2",
                                 SPEEDWELL_LAUNCHER=stopping)
        expect(status == 143 and "link" not in error, f"a signal while the link is measured: status {status}: {error}")

        # A terminal gives its signal to all processes of a command.
        records = os.path.join(folder, "interrupted", "records.jsonl")
        command = "scale stencil --set n=48 --ranks 1,2,3 --oversubscribe --max-time 3s --output interrupted".split()
        process = subprocess.Popen([program, *command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        wait_for_lines(records, 0)
        os.killpg(process.pid, signal.SIGINT)
        out, error = process.communicate(timeout=PATIENCE)
        expect(process.returncode == 130, f"interrupted: status {process.returncode}: {error}")
        expect(any(r["status"] == "passed" for r in runs_of(records)), f"interrupted: records of {len(runs_of(records))} runs")
        expect(os.listdir(os.path.join(folder, "interrupted")) == ["records.jsonl"], "interrupted: files are left")
        expect("records: interrupted/records.jsonl" in out, f"interrupted: the table: {out}")
        expect("mpirun" not in error, f"interrupted: what the launcher says: {error}")

        # A launcher may give the first rank a terminal of its own.
        status, out, error = run(program, folder, "run stream --size test --set kernel=copy --precision f64 --ranks 2 --oversubscribe --max-time 20ms", TERM="xterm")
        expect(status == 0 and "\x1b" not in out and " ok" in out, f"run --ranks: what goes into a file has no colours: {status} {out} {error}")

        status, out, error = run(program, folder, "run two_stream --size test --set kernel=column --set source=sun --precision f64 --ranks 2 --oversubscribe --format json")
        document = json.loads(out)
        expect(status == 0, f"run --ranks: status {status}: {error}")
        expect({r["variant"]["backend"] for r in document["runs"]} == {"mpi"}, "run --ranks: the variants")
        expect({r["ranks"]["count"] for r in document["runs"]} == {2}, "run --ranks: the number")

        status, out, error = run(program, folder, "run stream --size test --ranks 2 --oversubscribe --variant mpi --set kernel=copy --repeat 1",
                                 SPEEDWELL_LAUNCHER="/nowhere/launch --fast")
        expect(status == 4 and "/nowhere/launch cannot be started" in error, f"no launcher: {status} {error}")

        for words, wanted, expected in (
                ("scale spmv", 2, "spmv has no variant 'mpi'"),
                ("scale stencil --variant openmp", 2, "stencil openmp does not run on ranks"),
                ("scale uts --weak --ranks 1", 2, "uts has no problem that grows with the ranks"),
                ("scale stream --strong --weak", 2, "--strong and --weak: one of them"),
                ("scale stream --ranks 0", 2, "--ranks: 0 is not between 1 and"),
                ("scale stream --ranks 1,,2", 2, "--ranks"),
                ("scale stream --ranks 100000", 2, "--ranks 100000: there are"),
                ("scale stream --max-time 2 --ranks 1", 2, "--max-time: '2' is not a time"),
                ("scale stream --size small", 2, "this is 5 problems; scale takes one"),
                ("scale uts --ranks 1 --project 4", 2, "uts has no model of its division"),
                ("scale stream --ranks 1 --project 4,x", 2, "--project: 'x' is not a count"),
                ("scale stream --ranks 1 --links links.json", 2, "--links is for --project"),
                ("scale stream --ranks 1 --output l1 --project 4 --links none.json", 3, "none.json"),
                ("scale stream --ranks 1 --output l2 --project 4 --links no-links.json", 4, "the link between two ranks is not of no-links.json"),
                ("scale stream --ranks 1 --output strong", 2, "the folder is not empty"),
                ("run stream --ranks x", 2, "--ranks"),
                ("run stream --ranks 100000", 2, "--ranks 100000: there are"),
                ("run stream --oversubscribe", 2, "--oversubscribe is for --ranks"),
                ("run stencil --size test --ranks 40 --oversubscribe --set kernel=e --set n=3", 4, "40 ranks over 3 x 3 x 3 points")):
            status, out, error = run(program, folder, words)
            expect(status == wanted and expected in error, f"{words}: {status} {error}")
            expect(error.count("speedwell: error") <= 1, f"{words}: several lines: {error}")
        expect(not os.path.exists(os.path.join(folder, "l1")), "a folder is left where the file of --links is missing")

    return expect.report()


if __name__ == "__main__":
    sys.exit(main())
