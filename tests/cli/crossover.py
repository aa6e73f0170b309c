"""Tests that `crossover` measures two devices over sizes, always keeps its records, and reports where the curves cross.

Usage: crossover.py SPEEDWELL
"""
import json
import os
import sys
import tempfile

from expectations import Expectations, run

SIZES = 11  # of stream


def main():
    program = os.path.abspath(sys.argv[1])
    expect = Expectations()

    with tempfile.TemporaryDirectory() as folder:
        status, out, error = run(program, folder, "crossover stream --threads 2 --devices none --budget 5s --output two --json two.json")
        expect(status == 0, f"status {status}: {error}")
        with open(os.path.join(folder, "two", "records.jsonl")) as f:
            runs = [r for line in f for r in json.loads(line)["runs"]]
        sides = [(r["variant"]["name"], r["device"]["kind"]) for r in runs]
        expect(sides.count(("serial", "core")) == sides.count(("openmp", "cores")) == SIZES == len(sides) / 2, f"sides: {sides}")
        expect(all(r["status"] == "passed" and r["size"] == "crossover" for r in runs), "a run did not pass")
        rows = [line.split() for line in out.splitlines()]
        expect(["n", "one", "core", "all", "cores", "ratio", "one", "core", "all", "cores", "ratio"] in rows, f"the table: {out}")
        expect(all(any(row[:1] == [str(r["problem"]["n"])] for row in rows) for r in runs), f"a size without a row: {out}")
        without = "crossover: not computed: "
        if without in out:
            print(out[out.index(without):].splitlines()[0])
        else:
            expect("Executing alone" in out and "faster than one core of " in out, f"no sentence: {out}")
            expect("solves to pay" in out, f"no solves: {out}")
            expect(os.path.exists(os.path.join(folder, "two", "report.html")), "no page")
        with open(os.path.join(folder, "two.json")) as f:
            expect(len(json.load(f)["runs"]) == 2 * SIZES, "--json")

        few = "crossover stream --threads 2 --devices none --budget 0s --rounds 1 --set precision=f32 --set n=1000,30000,1000000"
        status, out, error = run(program, folder, f"{few} --output none", SPEEDWELL_PYTHON="/nowhere/python3")
        expect(status == 0 and error.count("error") == 0, f"without Python: {status} {error}")
        line = next((line for line in out.splitlines() if line.startswith(without)), "")
        expect("apt-get install" in line and "later: python3 -m speedwell crossover none" in line, f"without Python nothing says what to install: {out}")
        expect(os.path.exists(os.path.join(folder, "none", "records.jsonl")), "without Python no records")

        status, out, error = run(program, folder, f"{few} --output json --format json")
        expect(status == 0 and len(json.loads(out)["runs"]) == 6, f"--format json: {status}")

        for words, wanted, expected in (
                ("npb", 2, "npb has no range of sizes (size 'crossover') that both devices could go through; these have one: stream, "),
                ("transfer", 2, "transfer has no range of sizes"),
                ("stream --set n=1000", 2, "stream: this leaves 1 size; a crossover takes 3 at least"),
                ("stream --threads 1 --devices none", 4, "neither a GPU nor several cores"),
                ("stream --energy", 2, "--energy: not within a budget"),
                ("stream --budget soon", 2, "--budget: 'soon' is not a"),
                ("strem", 2, "the nearest is 'stream'")):
            status, out, error = run(program, folder, f"crossover {words}")
            expect(status == wanted and expected in error.splitlines()[0] and out == "", f"{words}: {status} {error}")
        expect(not os.path.exists(os.path.join(folder, "speedwell-output")), "a refused command left a folder")
    return expect.report()


if __name__ == "__main__":
    sys.exit(main())
