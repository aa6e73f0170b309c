#!/usr/bin/env python3
"""Tests what a run saves, and when it is asked to: solve_saved.py PROGRAM. At SIGUSR1 it saves and ends with 7, and the run continues to the bits
of one that was not stopped; `checkpoint` lists what was saved, and finds a byte that is changed."""
import json
import os
import signal
import subprocess
import sys
import tempfile

from processes import wait_for_lines
from solve_support import content

CASE = """schema = 1
[mesh]
cells = [16, 16, 16]
size = [1, 1, 1]
[fluid]
viscosity = 0.01
[start]
flow = "taylor-green"
[time]
end = 2
largest_step = 0.0005
[output]
history_every = 0.01
checkpoint_every = 0.5
"""


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=300)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as top:
        os.chdir(top)
        with open("case.toml", "w") as f:
            f.write(CASE)
        solve = [program, "solve", "case.toml", "-q", "--variant", "openmp", "--threads", "2", "--output"]
        whole = run(*solve, "whole")
        assert whole.returncode == 0, whole.stderr
        stopped = subprocess.Popen([*solve, "stopped"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wait_for_lines("stopped/history.csv", 20)
        stopped.send_signal(signal.SIGUSR1)
        stopped.send_signal(signal.SIGUSR1)  # more than once is once
        assert stopped.wait(60) == 7, (stopped.returncode, stopped.stderr.read())
        # With another number of threads, on which no bit depends.
        again = run(program, "solve", "--resume", "-q", "--variant", "openmp", "--threads", "1", "--output", "stopped")
        assert again.returncode == 0, again.stderr
        names = sorted(os.listdir("whole/checkpoints"))
        assert names == sorted(os.listdir("stopped/checkpoints")), os.listdir("stopped/checkpoints")
        for field in ("u", "v", "w", "p"):
            path = f"checkpoints/{names[-1]}/{field}.raw"
            assert content(f"whole/{path}") == content(f"stopped/{path}"), f"{field} has other bits"

        # Two signals at once, as a terminal and a launcher give them, are one: the state is saved.
        for first, second, status in ((signal.SIGINT, signal.SIGINT, 130), (signal.SIGTERM, signal.SIGINT, 143)):
            name = f"twice{status}"
            twice = subprocess.Popen([*solve, name], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            wait_for_lines(f"{name}/history.csv", 5)
            twice.send_signal(first)
            twice.send_signal(second)
            assert twice.wait(60) in ((130, 143) if first != second else (status,)), (twice.returncode, twice.stderr.read())
            assert os.listdir(f"{name}/checkpoints"), "two signals at once left nothing"

        # A case without end is read up to its limit.
        with open("/dev/zero", "rb") as endless:
            zero = subprocess.run([program, "solve", "/dev/stdin", "--output", "none"], stdin=endless, capture_output=True, text=True, timeout=60)
        assert zero.returncode == 3 and "is longer than 16777216 bytes" in zero.stderr, zero
        folder = run(program, "solve", ".", "--output", "none")
        assert folder.returncode == 3 and "folder" in folder.stderr and not os.path.exists("none"), folder

        listed = run(program, "checkpoint", "list", "whole")
        assert listed.returncode == 0 and names[0] in listed.stdout and "u v w p: f64 16 x 16 x 16" in listed.stdout, listed
        verified = run(program, "checkpoint", "verify", "whole", "--format", "json")
        document = json.loads(verified.stdout)
        assert verified.returncode == 0 and document["error"] is None, verified
        assert [c["whole"] for c in document["checkpoints"]] == [True, True], document
        assert document["checkpoints"][0]["time"] == 2 and document["checkpoints"][0]["fields"][0]["bytes"] == 32768

        path = f"whole/checkpoints/{names[0]}/v.raw"
        bytes_now = bytearray(content(path))
        bytes_now[12345] ^= 4
        with open(path, "wb") as f:
            f.write(bytes_now)
        os.remove(f"whole/checkpoints/{names[1]}/manifest.json")
        broken = run(program, "checkpoint", "verify", "whole", "--format", "json")
        document = json.loads(broken.stdout)
        assert broken.returncode == 3 and document["error"]["status"] == 3, broken
        assert [c["fault"]["id"] for c in document["checkpoints"]] == ["input.checkpoint.sum", "input.checkpoint.manifest"]
        text = run(program, "checkpoint", "verify", "whole")
        assert text.returncode == 3 and text.stdout.count("FAILED") == 2 and "v.raw" in text.stderr, text
        assert run(program, "checkpoint", "list", "whole").returncode == 0


main()
