#!/usr/bin/env python3
"""Tests the folder of a run: solve_folder.py PROGRAM. A new run in the folder of a longer one saves its own state and continues from that alone;
only one process uses a folder at a time; a run that is refused leaves the folder as it was; half-written files of killed runs are removed; names of
any bytes are refused or accepted without a bug."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

from processes import wait_until
from solve_support import SOLVERS, Program, content, one_error, steps_in, tree, write


def lines(path):
    return content(path).decode().splitlines()


def a_new_run_is_its_own(program, kind):
    """--force into the folder of a longer run, ended by a time limit: its state is there, and the resumed run is its."""
    text, shorter, longer = SOLVERS[kind]
    write("long.toml", text.format(end=longer))
    assert program.solve("long.toml", "--output", "own").returncode == 0
    old = steps_in("own")
    done = program.solve("long.toml", "--output", "own", "--force", "--time-limit", "0s")
    assert done.returncode == 7, done.stderr
    new = steps_in("own")
    assert len(new) == 1 and new[0] < old[1], (kind, old, new)  # saved, and the old run's are gone
    assert '"run": 2' in content("own/run.json").decode()
    again = program.solve("--resume", "--output", "own")
    assert again.returncode == 0, again.stderr
    assert program.solve("long.toml", "--output", "fresh").returncode == 0
    assert content("own/history.csv") == content("fresh/history.csv"), f"{kind}: the history is not one run's"
    for field in os.listdir(f"fresh/checkpoints/step-{old[0]:09}"):
        if field.endswith(".raw"):
            a, b = (content(f"{f}/checkpoints/step-{old[0]:09}/{field}") for f in ("own", "fresh"))
            assert a == b, f"{kind}: {field} has other bits"

    # Killed before it has saved for the first time, a new run has nothing to continue from, whatever the old one has left.
    write("own/run.json", '{"schema": "speedwell-run/1", "run": 3}\n')
    refused = program.solve("--resume", "--output", "own")
    one_error(refused, 3, "run 3 of this folder has no checkpoint", "earlier run")
    # A folder that has lost its run.json is its newest checkpoint's.
    os.remove("own/run.json")
    assert program.solve("--resume", "--output", "own").returncode == 0
    write("own/run.json", "{")
    one_error(program.solve("--resume", "--output", "own"), 3, "run.json")
    shutil.rmtree("own")
    shutil.rmtree("fresh")


def one_process_at_a_time(program):
    text = SOLVERS["flow"][0].format(end="1000").replace("every = 0.1", "every = 1")
    write("endless.toml", text)
    first = program.begin("endless.toml", "--output", "locked")
    try:
        wait_until(lambda: steps_in("locked"), "the first checkpoint")
        before = content("locked/case.toml")
        for words in (["--resume"], ["endless.toml", "--force"], ["endless.toml"]):
            refused = program.solve(*words, "--output", "locked")
            one_error(refused, 5, f"process {first.pid} on ", "locked/run.lock")
            assert content("locked/case.toml") == before and os.path.exists("locked/run.lock")
    finally:
        first.send_signal(signal.SIGKILL)
        first.communicate()
    assert os.path.exists("locked/run.lock")  # of a dead process: taken over
    limited = program.solve("--resume", "--output", "locked", "--time-limit", "0s")
    assert limited.returncode == 7, limited.stderr
    assert not os.path.exists("locked/run.lock")
    steps = [int(line.split(",")[1]) for line in lines("locked/history.csv")[1:]]
    assert steps == sorted(set(steps)), "histories are mixed"

    # Two that begin at the same moment in a new folder: one runs, one is refused.
    for n in range(3):
        pair = [program.begin("endless.toml", "--output", f"pair{n}", "--time-limit", "500ms") for _ in range(2)]
        ends = sorted((run.communicate(timeout=60)[1], run.returncode) for run in pair)
        assert sorted(status for _, status in ends) in ([5, 7], [2, 7]), ends


def refused_resumes_write_nothing(program, kind):
    text, shorter, longer = SOLVERS[kind]
    write("a.toml", text.format(end=shorter))
    assert program.solve("a.toml", "--output", "kept").returncode == 0
    other = {"flow": ("viscosity = 0.01", "viscosity = 0.02"), "fluid": ("sites = [8, 8, 8]", "sites = [8, 8, 9]"),
             "blast": ("points = [7, 6, 8]", "points = [7, 6, 9]")}[kind]
    write("b.toml", text.format(end=longer).replace(*other))
    before = tree("kept")
    one_error(program.solve("b.toml", "--resume", "--output", "kept"), 3, "it was made with")
    one_error(program.solve("a.toml", "--output", "kept"), 2, "not empty")
    one_error(program.solve("none.toml", "--resume", "--output", "kept"), 3, "none.toml")
    assert tree("kept") == before, f"{kind}: a refused run has changed the folder"
    one_error(program.solve("a.toml", "--resume", "--output", "mistyped"), 3, "mistyped")
    assert not os.path.exists("mistyped")
    if subprocess.run([program.path, "list", "devices"], capture_output=True, text=True).stdout.count("GPU ") == 0:
        done = subprocess.run([program.path, "solve", "a.toml", "-q", "--variant", "cuda", "--output", "gpu"],
                              capture_output=True, text=True, timeout=60)
        if done.returncode == 4:  # without a GPU
            assert not os.path.exists("gpu"), "a run that cannot begin has made its folder"
    done = program.solve("--resume", "--output", "kept")
    assert done.returncode == 0, done.stderr
    shutil.rmtree("kept")


def litter_is_removed(program, kind):
    text, shorter, longer = SOLVERS[kind]
    write("a.toml", text.format(end=shorter))
    write("b.toml", text.format(end=longer))
    dead = subprocess.Popen(["true"])
    dead.wait()
    for words in (["b.toml", "--resume"], ["b.toml", "--force"]):
        assert program.solve("a.toml", "--output", "littered").returncode == 0
        newest = steps_in("littered")[0]
        litter = [f"littered/.speedwell-{dead.pid}-3.tmp", f"littered/fields/.speedwell-{dead.pid}-4.tmp",
                  "littered/checkpoints/step-000000001/u.raw", "littered/checkpoints/step-000000000.removed/u.raw",
                  f"littered/checkpoints/step-{newest + 1:09}.partial/u.raw"]
        for path in litter:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write(path, "half")
        verified = program.checkpoint("verify", "littered")
        assert verified.returncode == 0, verified
        assert verified.stdout.count("leftover") == 3 and "FAILED" not in verified.stdout, verified.stdout
        done = program.solve(*words, "--output", "littered", "--time-limit", "0s")
        assert done.returncode in (0, 7), done.stderr
        assert "going back" not in done.stderr, done.stderr
        left = [path for path in litter if os.path.exists(path) and content(path) == b"half"]
        assert not left, (kind, words, left)
        shutil.rmtree("littered")


def names_of_any_bytes(program):
    write("a.toml", SOLVERS["fluid"][0].format(end="10"))
    for name in (b"run\xff\xfe", b"run\x1b[31m", "run\u202e".encode()):
        done = subprocess.run([*map(os.fsencode, program.words("a.toml", "--output")), name], capture_output=True, timeout=60)
        assert done.returncode == 0, done
        for command in ("list", "verify"):
            for form in ("text", "json"):
                done = subprocess.run([program.path.encode(), b"checkpoint", command.encode(), name, b"--format", form.encode()],
                                      capture_output=True, timeout=60)
                assert done.returncode == 0, done
                output = done.stdout.decode()  # is UTF-8
                assert "\x1b" not in output
                if form == "json":  # which has the name itself, as a reader of JSON needs it
                    paths = [checkpoint["path"] for checkpoint in json.loads(output)["checkpoints"]]
                    assert paths and all(path.startswith(name.decode(errors="replace") + "/") for path in paths), paths
                else:
                    assert "\u202e" not in output
        os.remove(os.path.join(name, b"checkpoints/step-000000010/manifest.json"))
        done = subprocess.run([program.path.encode(), b"checkpoint", b"verify", name], capture_output=True, timeout=60)
        assert done.returncode == 3 and b"manifest.json: is missing" in done.stderr and b"\x1b" not in done.stderr, done
    os.symlink("loop", "loop")
    for name in ("loop", "n" * 300, "a.toml", "nowhere"):
        one_error(program.checkpoint("list", name), 3)
        one_error(program.solve("--resume", "--output", name), 3)
        if name != "nowhere":
            one_error(program.solve("a.toml", "--output", name), 5)


def main():
    program = Program(sys.argv[1])
    with tempfile.TemporaryDirectory() as top:
        os.chdir(top)
        for kind in SOLVERS:
            a_new_run_is_its_own(program, kind)
            refused_resumes_write_nothing(program, kind)
            litter_is_removed(program, kind)
        one_process_at_a_time(program)
        names_of_any_bytes(program)
        os.chdir("/")
    print("folders are one run's at a time")


main()
