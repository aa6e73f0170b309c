"""Tests runs on several GPUs (--gpus) with the toy, whose variants multi compute on the host: what is refused before a launcher is started,
and on a machine with a GPU that ranks share it if that is meant.

Usage: gpus.py TOY_PROGRAM PROGRAM LAUNCHER. Exits 77 (skipped) without a launcher.
"""
import json
import os
import subprocess
import sys
import tempfile

from expectations import Expectations


def main():
    toy, program, launcher = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    if not launcher:
        print("skipped: no MPI launcher was found")
        return 77
    expect = Expectations()

    with tempfile.TemporaryDirectory() as folder:
        def run(words, binary=toy, before=(), **environment):
            return subprocess.run([*before, binary, *words.split()], cwd=folder, env=os.environ | environment, capture_output=True, text=True,
                                  timeout=300, stdin=subprocess.DEVNULL)

        def refused(words, status, message, **more):
            done = run(words, **more)
            expect(done.returncode == status and done.stderr.count("speedwell: error: ") == 1 and message in done.stderr,
                   f"{words}: one line with '{message}', status {status}", done)

        devices = run("list devices").stdout
        gpus = sum(line.startswith("gpu ") for line in devices.splitlines())
        many = 10000
        for words, message in [
                ("run toy --gpus 0", "--gpus: 0 is not between 1 and"), ("compare toy --gpus x", "--gpus: 'x'"), ("run toy --gpus=-1", "--gpus: "),
                ("suite --gpus 0", "--gpus: 0 is not"), ("run toy --gpus 1.5", "--gpus: "), ("run toy --gpus=", "--gpus: its value is empty"),
                ("run toy --gpus 2 --ranks 2", "--ranks and --gpus: one of them"), ("scale toy --gpus 1 --ranks 1", "--ranks and --gpus: one of them"),
                ("run toy --gpus 2 --variant mpi", "--gpus 2, and toy mpi does not run on several GPUs"),
                ("suite toy --gpus 2 --variant m*", "toy mpi does not run on several GPUs"),
                ("run toy --gpus 2 --variant multy", "multy"), ("run toys --gpus 2", "toys"),
                ("run toy --oversubscribe", "--oversubscribe is for --ranks and --gpus"),
                ("scale toy --gpus 1,x", "--gpus: 'x'"), ("scale toy --gpus 1,,2", "--gpus: "), ("scale toy --gpus 0,1", "--gpus: 0 is not"),
                ("scale toy --gpus 1 --variant mpi", "toy mpi does not run on several GPUs"),
                ("scale toy --ranks 1 --variant multi", "toy multi does not run on ranks"),
                ("scale toy --variant openmp", "toy openmp does not run on ranks"), ("crossover toy --gpus 2", "unknown option '--gpus'")]:
            refused(words, 2, message)
        refused("run spmv --gpus 2", 2, "spmv has no variant that runs on several GPUs", binary=program)
        refused("run spmv --ranks 2 --oversubscribe", 2, "spmv has no variant that runs on ranks", binary=program)
        refused("scale spmv --gpus 1", 2, "spmv has no variant 'multi'", binary=program)

        # Two ranks that are started by hand: the words are the same.
        by_hand = [launcher, "-n", "2"]
        refused("run toy --gpus 3 --size test", 2, "--gpus 3, and the launcher has started 2", before=by_hand)
        refused("run toy --size test --variant multi --devices none", 4, "toy multi: ", before=by_hand)

        without = run("compare toy --size test --format json", SPEEDWELL_DEVICES="none" if gpus else "all")
        reasons = {r["variant"]["name"]: r["reason"] for r in json.loads(without.stdout)["runs"]}
        expect(reasons["multi"].startswith("runs on several GPUs: --gpus N"), "where none is asked for, ranks do not begin", without)
        planned = run("run toy --size test --dry-run --variant multi,serial")
        expect(planned.returncode == 0, "a plan", planned)

        done = run("suite toy --ranks 2 --oversubscribe --size test --variant mpi --repeat 4 --output suite-ranks")
        expect(done.returncode == 0 and "records: suite-ranks/records.jsonl" in done.stdout, "a suite on ranks", done)
        with open(os.path.join(folder, "suite-ranks", "records.jsonl")) as file:
            runs = [r for line in file for r in json.loads(line)["runs"]]
        expect([(r["variant"]["name"], r["ranks"]["count"], r["status"]) for r in runs] == [("mpi", 2, "passed")], "and its records", done)
        refused("suite toy --ranks 2 --oversubscribe --budget 1s --variant mpi-wrong --size test", 1, "toy mpi-wrong: ")

        if gpus == 0:
            reason = devices.split("gpu: none: ")[1].splitlines()[0]
            for words in ("run toy --gpus 2", "run toy --gpus 1", "compare toy --gpus all", "suite toy --gpus 2", "ladder toy --gpus 2",
                          "run toy --gpus 2 --oversubscribe", "scale toy --gpus 1,2", "scale toy --gpus all", "scale toy --variant multi",
                          "scale toy --weak --gpus 2 --oversubscribe"):
                refused(words, 4, f"--gpus: {reason}")
            refused("run toy --size test --variant multi", 4, f"toy multi: {reason}")
            refused("run toy --size test --variant multi", 4, f"toy multi: {reason}", before=by_hand)
            # The launcher may start ranks on hosts that this process does not see: they look for GPUs themselves.
            refused("run toy --size test --gpus 2", 4, f"toy multi: {reason}", SPEEDWELL_LAUNCHER=launcher)
        else:
            there = "there is 1 GPU here" if gpus == 1 else f"there are {gpus} GPUs here"
            refused(f"run toy --gpus {many}", 2, there)
            refused(f"scale toy --gpus 1,{many}", 2, there)
            refused("run toy --gpus 1 --devices none", 2, "--gpus: no GPU is to be used")
            for count, more in ((1, ""), (gpus, ""), (gpus + 1, "--oversubscribe")):
                done = run(f"run toy --gpus {count} --variant multi --size test --repeat 4 --format json {more}")
                expect(done.returncode == 0, f"{count} ranks pass", done)
                record = json.loads(done.stdout)["runs"][0]
                expect(record["ranks"]["count"] == count and record["device"]["kind"] == "gpu", f"{count} ranks are recorded", done)
                different = {p["gpu"] for p in record["ranks"]["placement"]}
                expect(len(different) == min(count, gpus), f"{count} ranks on {gpus} GPUs", done)
            done = run(f"run toy --gpus {gpus + 1} --oversubscribe --variant multi-wrong --size test")
            expect(done.returncode == 1 and "FAILED" in done.stdout, "a wrong answer has status 1", done)
            for form in ("--strong", "--weak"):
                done = run(f"scale toy {form} --size test --gpus 1,2 --oversubscribe --max-time 50ms")
                expect(done.returncode == 0 and f"{form[2:]} scaling from 1 to 2 " in done.stdout, f"scaling, {form}", done)
            done = run("suite toy --gpus 1 --variant multi --size test --repeat 4")
            expect(done.returncode == 0, "a suite on GPUs", done)
    return expect.report()


if __name__ == "__main__":
    sys.exit(main())
