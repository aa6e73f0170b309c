#!/usr/bin/env python3
"""Tests tools/measure.py with a stand-in for speedwell, and its table with the program and the documents: measure_test.py SOURCE_FOLDER PROGRAM"""
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib

SOURCE, PROGRAM = sys.argv[1:]
TOOL = f"{SOURCE}/tools/measure.py"
# Writes a record as its settings say, takes long for the application `slow`, and fails for `broken` after it has written half of one.
STAND_IN = """#!/usr/bin/env python3
import json, os, sys, time
settings = json.load(open(os.environ["SETTINGS"]))
build = {"dirty": settings["dirty"]}
if sys.argv[1] == "info":
    print(json.dumps({"build": build, "machine": {"gpus": settings["gpus"], "gpu_reason": "none in this test"},
                      "info": {"source_digests": settings["digests"]}}))
    sys.exit()
scales = sys.argv[1] == "scale"
application, path = sys.argv[2], sys.argv[sys.argv.index("--output" if scales else "--json") + 1]
open(os.environ["LOG"], "a").write(application + "\\n")
if scales:
    os.mkdir(path)
    path += "/records.jsonl"
    print("printed", *sys.argv[sys.argv.index("--links") + 1:][:1])
    print("records: /a/path")
if application == "broken":
    open(path, "w").write("{")
    print("speedwell: error: broken", file=sys.stderr)
    sys.exit(1)
if application == "slow": time.sleep(30)
passes = settings["passes"]
timed = {"median": 1.0, "interval": None, "p5": 1.0, "p95": 1.0, "n": 300 * passes, "passes": passes, "samples": [1.0] * (300 * passes),
         "sample_pass": [pass_ for pass_ in range(passes) for _ in range(300)], "sample_throttled": [], "sample_clock_MHz": None}
energy = {"execute_J": 1.0 if "--energy" in sys.argv else None}
run = {"application": application, "status": "passed", "source_digest": settings["digests"][application], "variant": {"name": "cuda", "backend": settings["backend"]},
       "device": {"kind": "gpu"}, "phases": {"execute_s": timed}, "energy": energy}
document = {"build": build, "session": {"command_line": " ".join(["speedwell", *(["run"] if scales else sys.argv[1:])])}, "runs": [run]}
open(path, "w").write((json.dumps(document) + "\\n") * (2 if scales else 1))
"""
TABLE = """
[[set]]
name = "first"
command = "compare first --variant 'openmp,cuda*'"
[[set]]
name = "cores"
command = "compare second"
threads = [1, 100000]
[[set]]
name = "once"
command = "compare second --repeat 1"
few = "a reason"
replaces = ["old"]
"""


class Bench:
    """A folder with the stand-in, its settings, a table and records."""

    def __init__(self, folder):
        self.folder, self.settings = folder, {"dirty": False, "gpus": ["one"], "passes": 5, "digests": {"first": "1", "second": "2", "slow": "3"}, "backend": "cuda"}
        self.write("speedwell", STAND_IN)
        os.chmod(self.path("speedwell"), 0o755)
        self.table(TABLE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def table(self, text):
        self.write("table.toml", text)

    def run(self, *words, cwd=None):
        """Returns what the tool did in a folder, and the applications that it measured."""
        self.write("settings.json", json.dumps(self.settings))
        self.write("log", "")
        done = subprocess.run([sys.executable, TOOL, self.path("speedwell"), self.path("records"), "--table", self.path("table.toml"), *words],
                              capture_output=True, text=True, check=False, timeout=60, cwd=cwd,
                              env=dict(os.environ, SETTINGS=self.path("settings.json"), LOG=self.path("log")))
        return done, self.read("log").split()


def expect(condition, what, done=None):
    assert condition, f"{what}\n{done.stdout if done else ''}\n{done.stderr if done else ''}"


def measures_what_is_missing_or_out_of_date(bench):
    done, tried = bench.run("--list")
    expect(done.returncode == 7 and tried == [] and "first: not measured yet: compare first --variant 'openmp,cuda*' --passes 5 --check-time 200ms" in done.stdout, "--list",
           done)
    done, tried = bench.run()
    expect(done.returncode == 0 and tried == ["first", "second", "second"], "the first time all is measured, in the order of the table", done)
    expect(sorted(os.listdir(bench.path("records"))) == ["cores-1.json", "durations.csv", "first.json", "once.json"], "the records")
    timed = json.loads(bench.read("records/first.json"))["runs"][0]["phases"]["execute_s"]
    expect(timed["n"] == 1500 and timed["samples"] == [1.0] * 5, "medians of passes in place of many samples")
    done, tried = bench.run()
    expect(done.returncode == 0 and tried == [] and "3 up to date: first cores-1 once" in done.stdout, "the second time nothing is", done)
    done, tried = bench.run("--again", "--only", "f*")
    expect(done.returncode == 0 and tried == ["first"], "--again and --only", done)
    bench.settings["digests"]["second"] = "changed"
    done, tried = bench.run()
    expect(tried == ["second", "second"] and "once: older sources of second" in done.stdout, "older sources", done)
    bench.settings["digests"]["first on ranks"] = "only of ranks"
    done, tried = bench.run()
    expect(tried == [], "what is only of ranks", done)
    bench.write("records/first.json", bench.read("records/first.json").replace('"backend": "cuda"', '"backend": "multi"'))
    done, tried = bench.run()
    expect(tried == ["first"] and "first: older sources of first" in done.stdout, "older sources of a variant on ranks", done)
    bench.settings["digests"]["first on ranks"] = "newer"
    bench.write("records/first.json", bench.read("records/first.json").replace('"status": "passed"', '"status": "skipped"')
                .replace('"backend": "cuda"', '"backend": "multi"'))
    done, tried = bench.run()
    expect(tried == [], "a variant on ranks that was skipped", done)
    bench.write("records/first.json", bench.read("records/first.json").replace('"backend": "multi"', '"backend": "cuda"'))
    bench.settings["digests"]["first"] = "newer"
    done, tried = bench.run()
    expect(tried == ["first"] and "first: older sources of first" in done.stdout, "a skipped variant of newer sources", done)
    done, tried = bench.run("--energy")
    expect(len(tried) == 3 and "another command" in done.stdout, "energies", done)
    done, tried = bench.run("--energy")
    expect(tried == [], "energies are there", done)
    bench.run()
    for text, reason in (("", "not a record"), ("[]", "not a record"), ('{"build": {"dirty": false}}', "not a record"),
                         (bench.read("records/first.json").replace('"passes": 5', '"passes": 4'), "cuda has fewer than 5 passes"),
                         (bench.read("records/first.json").replace('"dirty": false', '"dirty": true'), "a build with local changes"),
                         (re.sub(r'"runs": \[.*\]', '"runs": []', bench.read("records/first.json"), flags=re.S), "no runs")):
        bench.write("records/first.json", text)
        done, tried = bench.run()
        expect(done.returncode == 0 and tried == ["first"] and f"first: {reason}: " in done.stdout, reason, done)
    bench.write("records/old.json", "")
    done, tried = bench.run("--again", "--only", "once")
    expect("takes the place of old.json" in done.stdout, "a record that is replaced", done)
    os.remove(bench.path("records/old.json"))


def keeps_records_of_commands_that_fail(bench):
    bench.write("records/broken.json", "an old one")
    bench.table(TABLE + '[[set]]\nname = "broken"\ncommand = "compare broken"\n')
    done, tried = bench.run()
    expect(done.returncode == 1 and tried == ["broken"] and "status 1: speedwell: error: broken" in done.stdout, "a failure", done)
    expect(bench.read("records/broken.json") == "an old one" and not os.path.exists(bench.path("records/broken.json.new")), "the old record stays")
    os.remove(bench.path("records/broken.json"))


def stops_at_the_budget(bench):
    bench.table(TABLE + '[[set]]\nname = "slow"\ncommand = "compare slow"\n')
    done, tried = bench.run("--budget", "5")
    expect(done.returncode == 7 and tried == [] and "1 left: slow" in done.stdout, "too little is left to begin a set of unknown duration", done)
    bench.write("records/durations.csv", bench.read("records/durations.csv") + "slow,2.0,yes\n")
    done, tried = bench.run("--budget", "3")
    expect(done.returncode == 7 and tried == ["slow"] and "slow: left after 3" in done.stdout, "the budget ends a set", done)
    expect(sorted(name for name in os.listdir(bench.path("records")) if "slow" in name) == [], "nothing is left of it")
    bench.write("records/durations.csv", bench.read("records/durations.csv").replace("slow,2.0,yes", "slow,30.0,yes"))
    done, tried = bench.run("--budget", "29", "--again")
    expect(done.returncode == 7 and tried == ["first", "second", "second"], "a set that does not fit is left, others are measured", done)
    done, tried = bench.run("--longest", "29", "--again")
    expect(done.returncode == 7 and tried == ["first", "second", "second"], "a set that takes longer than a set may is left, others are measured", done)


def scales_on_several_gpus(bench):
    scaling = '[[set]]\nname = "strong/{0}"\ncommand = "scale {0} --links {{records}}/machine.json"\ngpus = [1, 2, 4]\n'
    bench.table(scaling.format("first"))
    done, tried = bench.run()
    expect(done.returncode == 4 and tried == [] and "no set named * can be measured here: too few GPUs" in done.stderr, "one GPU", done)
    bench.settings["gpus"] = ["one", "two", "three"]
    done, tried = bench.run()
    expect(done.returncode == 0 and tried == ["first"], "three GPUs", done)
    folder = "records/strong/first"
    bench.table('[[set]]\nname = "ranks/second"\ncommand = "scale second --links x"\nranks = [1, 100000]\n')
    done, tried = bench.run()
    expect(done.returncode == 4 and tried == [] and "too few GPUs or hardware threads" in done.stderr, "more ranks than threads", done)
    bench.table('[[set]]\nname = "ranks/second"\ncommand = "scale second --links x"\nranks = [1, 1, 100000]\n')
    done, tried = bench.run()
    expect(done.returncode == 0 and tried == ["second"] and bench.read("records/ranks/second/command.txt").endswith("--ranks 1,1\n"), "ranks", done)
    bench.table('[[set]]\nname = "weak"\ncommand = "compare second --set n={threads*32}"\nthreads = [1, 2]\n')
    done, tried = bench.run("--list")
    expect("weak-2: not measured yet: compare second --set n=64 " in done.stdout and "--threads 2" in done.stdout, "a problem that grows with the threads", done)
    bench.table('[[set]]\nname = "parts"\ncommand = "compare second"\neach = { kernel = ["a", "b"], n = ["8"] }\n')
    done, tried = bench.run()
    expect(done.returncode == 0 and tried == ["second", "second"] and os.path.exists(bench.path("records/parts-a-8.json")), "a set in parts", done)
    expect("parts-b-8: not measured yet: compare second --passes 5 --check-time 200ms --set kernel=b --set n=8\n" in done.stdout, "a part's command", done)
    bench.table(scaling.format("first"))
    expect(bench.read(f"{folder}/scale.txt") == f"printed {bench.path('records')}/machine.json\n", "what was printed")
    done, tried = bench.run("--again", cwd=bench.folder)
    expect(bench.read(f"{folder}/scale.txt") == "printed records/machine.json\n", "a folder below the current one is named relative to it", done)
    expect(bench.read(f"{folder}/command.txt") == "scale first --links '{records}/machine.json' --passes 5 --check-time 200ms --gpus 1,2\n", "the command")
    done, tried = bench.run()
    expect(done.returncode == 0 and tried == [] and "1 up to date" in done.stdout, "up to date", done)
    for name, text, reason in (("records.jsonl", bench.read(f"{folder}/records.jsonl").replace('"passes":5', '"passes":4', 1), "cuda has fewer than 5 passes"),
                               ("records.jsonl", "", "no runs"), ("records.jsonl", "{", "not a record"), ("command.txt", "scale first\n", "another command")):
        bench.write(f"{folder}/{name}", text)
        done, tried = bench.run()
        expect(done.returncode == 0 and tried == ["first"] and f"strong/first: {reason}: " in done.stdout, reason, done)
    bench.settings["digests"]["broken"] = "4"
    bench.table(scaling.format("first") + scaling.format("broken"))
    done, tried = bench.run("--again")
    expect(done.returncode == 1 and tried == ["first", "broken"] and os.listdir(bench.path("records/strong")) == ["first"], "a failure leaves nothing", done)
    bench.settings["gpus"] = ["one"]


def refuses(bench):
    bench.table(TABLE)
    for settings, words, status, message in (({}, ["--only", "none"], 2, "no set is named none"), ({"dirty": True}, [], 2, "was built with local changes"),
                                             ({"gpus": []}, [], 4, "there is no GPU here: none in this test")):
        kept = dict(bench.settings)
        bench.settings.update(settings)
        done, tried = bench.run(*words)
        expect(done.returncode == status and tried == [] and done.stderr == f"measure.py: {done.stderr[12:]}" and message in done.stderr, message, done)
        bench.settings = kept
    bench.write("speedwell", "#!/bin/sh\necho nothing\n")
    done, _ = bench.run()
    expect(done.returncode == 2 and "is not this version of speedwell" in done.stderr and "Traceback" not in done.stderr, "another program", done)


def scales(name, words):
    """Expects that a command of scale is one, on ranks in place of GPUs: it gets as far as the folder for its records, which cannot be made."""
    words = list(words)
    at = words.index("--gpus" if "--gpus" in words else "--ranks")
    words[at:at + 2] = ["--ranks", "1,2", "--oversubscribe", "--output", "/dev/null/folder"]
    for option in ("--links", "--variant"):
        if option in words:
            at = words.index(option)
            words[at:at + 2] = []
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, timeout=120)
    expect(done.returncode == 5 or (done.returncode == 4 and "MPI" in done.stderr), f"{name}: {words}", done)


def table_is_right():
    spec = importlib.util.spec_from_file_location("measure", TOOL)
    measure = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(measure)
    sets = measure.sets_of(measure.TABLE, 16, 1)
    on_gpus = measure.sets_of(f"{SOURCE}/tools/measurements-gpus.toml", 16, 4)
    on_ranks = measure.sets_of(f"{SOURCE}/tools/measurements-ranks.toml", 16, 1)
    for table in (sets, on_gpus, on_ranks):
        names = [name for name, _, _ in table]
        expect(len(names) == len(set(names)) >= 18, "names are unique")
    keys = {"name", "command", "few", "threads", "ranks", "replaces", "gpus", "each"}
    for name, words, entry in sets + on_gpus + on_ranks:
        expect(entry.keys() <= keys, f"{name} has keys that are not known: {entry.keys() - keys}")
        passes = int(measure.value_after(words, "--passes", "1"))
        expect(words[0] == "machine" or (passes < measure.PASSES) == ("few" in entry), f"{name}: few says why there are fewer than five passes")
        if words[0] == "machine":
            continue
        if words[0] == "scale":
            scales(name, words)
            continue
        done = subprocess.run([PROGRAM, *words, "--dry-run", "-q"], capture_output=True, text=True, check=False, timeout=120)
        # 4: none of its variants is here.
        expect(done.returncode in (0, 4), f"{name}: {words}", done)
    # Each record that a row of the studies shows is measured, or will be replaced by one that is.
    known = {name for name, _, _ in sets} | {old for _, _, entry in sets for old in entry.get("replaces", [])}
    folder = f"{SOURCE}/docs/studies"
    for page in sorted(name for name in os.listdir(folder) if name.endswith(".toml")):
        with open(f"{folder}/{page}", "rb") as file:
            rows = tomllib.load(file).get("row", [])
        shown = set(re.findall(r"results/nvidia-h200/([\w-]+)\.json", json.dumps(rows)))
        expect(shown <= known, f"{page} shows records that are not measured: {shown - known}")


def main():
    with tempfile.TemporaryDirectory(prefix="speedwell-measure-") as folder:
        bench = Bench(folder)
        for test in (measures_what_is_missing_or_out_of_date, keeps_records_of_commands_that_fail, stops_at_the_budget, scales_on_several_gpus, refuses):
            test(bench)
    table_is_right()


if __name__ == "__main__":
    main()
