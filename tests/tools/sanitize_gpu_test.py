#!/usr/bin/env python3
"""Tests tools/sanitize_gpu.py with stand-ins for compute-sanitizer, nvidia-smi and a program of tests: sanitize_gpu_test.py SOURCE_FOLDER"""
import json
import os
import subprocess
import sys
import tempfile

TOOL = os.path.join(sys.argv[1], "tools", "sanitize_gpu.py")
# A program with tests that pass, fail, are skipped, take long, and one that memcheck alone finds fault with.
PROGRAM = """#!/usr/bin/env python3
import os, sys, time
if "--gtest_list_tests" in sys.argv:
    print("Running main() from somewhere\\nSuite.\\n  Passes\\n  Fails\\n  Skips\\n  TakesLong\\n  Sized/0  # GetParam() = 1\\n  ReadsBeyond\\n  Host")
    sys.exit()
test = sys.argv[1].split("=")[1]
open(os.environ["LOG"], "a").write(test + "\\n")
if test.endswith("TakesLong"): time.sleep(60)
if test.endswith("Fails"): print("[  FAILED  ] 1 test"); sys.exit(1)
if test.endswith("Skips"): print("[  SKIPPED ] 1 test, listed below:"); sys.exit()
print("[  PASSED  ] 1 test.")
"""
SANITIZER = """#!/usr/bin/env python3
import subprocess, sys
words = sys.argv[sys.argv.index("99") + 1:]
status = subprocess.run(words).returncode
wrong = words[-1].endswith("ReadsBeyond") and "memcheck" in sys.argv
if words[-1].endswith("Host"):
    print("========= Error: Target application terminated before first instrumented API call")
    sys.exit(255)
print(f"========= ERROR SUMMARY: {int(wrong)} errors" if "memcheck" in sys.argv else "========= RACECHECK SUMMARY: 0 hazards displayed")
sys.exit(99 if wrong else status)
"""


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, 0o755)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/bin")
        os.makedirs(f"{folder}/build/apps")
        write(f"{folder}/bin/compute-sanitizer", SANITIZER)
        write(f"{folder}/bin/nvidia-smi", "#!/bin/sh\nexit 0\n")
        write(f"{folder}/build/apps/one_gpu_test", PROGRAM)
        write(f"{folder}/build/apps/one_test", PROGRAM)  # no test of a GPU
        log, state = f"{folder}/log", f"{folder}/state.json"

        def run(*words, path=f"{folder}/bin:{os.environ['PATH']}"):
            open(log, "w").close()
            done = subprocess.run([sys.executable, TOOL, f"{folder}/build", "--state", state, "--limit", "4", "--jobs", "2", *words],
                                  capture_output=True, text=True, env=dict(os.environ, PATH=path, LOG=log), check=False)
            with open(log) as file:
                return done, sorted(file.read().split())

        done, tried = run("--tools", "racecheck")
        assert done.returncode == 1, done  # a test fails
        assert tried == [f"Suite.{name}" for name in ("Fails", "Host", "Passes", "ReadsBeyond", "Sized/0", "Skips", "TakesLong")], tried
        assert "| one_gpu_test | 3 clean, 1 failed, 1 not ended, 1 skipped, 1 without a GPU |" in done.stdout, done.stdout
        with open(state) as file:
            kept = json.load(file)["results"]
        assert kept["racecheck one_gpu_test Suite.Passes"]["outcome"] == "clean", kept
        assert "FAILED" in kept["racecheck one_gpu_test Suite.Fails"]["output"], kept

        done, tried = run("--tools", "racecheck")  # nothing is left
        assert tried == [] and done.returncode == 1, (done, tried)
        done, tried = run("--tools", "racecheck", "--again")
        assert tried == ["Suite.TakesLong"], tried
        done, tried = run("--tools", "memcheck,racecheck")
        assert len(tried) == 7, tried
        assert "| one_gpu_test | 3 clean, 1 failed, 1 not ended, 1 skipped, 1 without a GPU | 2 clean, 1 error, 1 failed, 1 not ended, 1 skipped, 1 without a GPU |" in done.stdout, done.stdout
        done, tried = run("--table")
        assert tried == [] and "2 clean, 1 error" in done.stdout, done

        write(f"{folder}/build/apps/one_gpu_test", PROGRAM.replace("sleep(60)", "sleep(0)"))  # another program: all anew
        done, tried = run("--tools", "racecheck")
        assert len(tried) == 7 and "4 clean, 1 failed, 1 skipped, 1 without a GPU" in done.stdout, done

        done, tried = run("--tools", "racecheck,nothing")
        assert done.returncode == 2 and "'nothing' is none of racecheck" in done.stderr, done
        done, tried = run("--only", "other*")
        assert done.returncode == 1 and "no program named other*" in done.stderr, done
        os.remove(f"{folder}/bin/compute-sanitizer")
        if not any(os.access(os.path.join(path, "compute-sanitizer"), os.X_OK) for path in os.environ["PATH"].split(":")):
            done, tried = run()
            assert done.returncode == 4 and "no compute-sanitizer" in done.stderr, done


main()
