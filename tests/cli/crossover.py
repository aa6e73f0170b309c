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
        expect(f"status {status}: {error}", status == 0)
        with open(os.path.join(folder, "two", "records.jsonl")) as f:
            runs = [r for line in f for r in json.loads(line)["runs"]]
        sides = [(r["variant"]["name"], r["device"]["kind"]) for r in runs]
        expect(f"sides: {sides}", sides.count(("serial", "core")) == sides.count(("openmp", "cores")) == SIZES == len(sides) / 2)
        expect("a run did not pass", all(r["status"] == "passed" and r["size"] == "crossover" for r in runs))
        rows = [line.split() for line in out.splitlines()]
        expect(f"the table: {out}", ["n", "one", "core", "all", "cores", "ratio", "one", "core", "all", "cores", "ratio"] in rows)
        expect(f"a size without a row: {out}", all(any(row[:1] == [str(r["problem"]["n"])] for row in rows) for r in runs))
        without = "crossover: not computed: "
        if without in out:
            print(out[out.index(without):].splitlines()[0])
        else:
            expect(f"no sentence: {out}", "Executing alone" in out and "faster than one core of " in out)
            expect(f"no solves: {out}", "solves to pay" in out)
            expect("no page", os.path.exists(os.path.join(folder, "two", "report.html")))
        with open(os.path.join(folder, "two.json")) as f:
            expect("--json", len(json.load(f)["runs"]) == 2 * SIZES)

        few = "crossover stream --threads 2 --devices none --budget 0s --rounds 1 --set precision=f32 --set n=1000,30000,1000000"
        status, out, error = run(program, folder, f"{few} --output none", SPEEDWELL_PYTHON="/nowhere/python3")
        expect(f"without Python: {status} {error}", status == 0 and error.count("error") == 0)
        line = next((line for line in out.splitlines() if line.startswith(without)), "")
        expect(f"without Python nothing says what to install: {out}", "apt-get install" in line and "later: python3 -m speedwell crossover none" in line)
        expect("without Python no records", os.path.exists(os.path.join(folder, "none", "records.jsonl")))

        status, out, error = run(program, folder, f"{few} --output json --format json")
        expect(f"--format json: {status}", status == 0 and len(json.loads(out)["runs"]) == 6)

        for words, wanted, expected in (
                ("npb", 2, "npb has no range of sizes (size 'crossover') that both devices could go through; these have one: stream, "),
                ("transfer", 2, "transfer has no range of sizes"),
                ("stream --set n=1000", 2, "stream: this leaves 1 size; a crossover takes 3 at least"),
                ("stream --threads 1 --devices none", 4, "neither a GPU nor several cores"),
                ("stream --energy", 2, "--energy: not within a budget"),
                ("stream --budget soon", 2, "--budget: 'soon' is not a"),
                ("strem", 2, "the nearest is 'stream'")):
            status, out, error = run(program, folder, f"crossover {words}")
            expect(f"{words}: {status} {error}", status == wanted and expected in error.splitlines()[0] and out == "")
        expect("a refused command left a folder", not os.path.exists(os.path.join(folder, "speedwell-output")))
    return expect.report()


if __name__ == "__main__":
    sys.exit(main())
