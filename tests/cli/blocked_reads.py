"""Tests that every command that reads a file ends at once at the first signal, with 130 or 143, while the file is a pipe without a writer."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

COMMANDS = {
    "solve, case": "solve {pipe} --output out",
    "solve, case of a folder": "solve --resume --output folder",
    "run, matrix": "run spmv --variant serial --set matrix={pipe}",
    "run, matrix of conjugate gradients": "run cg --variant serial --set tolerance=1e-8 --set matrix={pipe}",
    "run, configuration": "run stream --variant serial --config {pipe}",
    "config": "config show stream --config {pipe}",
    "report": "report {pipe}",
    "diff": "diff {pipe} {pipe}",
    "accept": "accept good.json --rules {pipe}",
    "compare-machines": "compare-machines good.json {pipe}",
    "align, query": "align {pipe} good.fa",
    "align, database": "align good.fa {pipe}",
    "align, matrix": "align good.fa good.fa --matrix {pipe}",
}


# Interpreters in the place of Python: one that does not see the first SIGTERM, and one that sees none.
DEAF = {
    "the first signal is lost": "trap 'lost=$((lost + 1)); [ $lost -lt 2 ] || exit 143' TERM; touch started; while :; do sleep 0.05; done",
    "every signal is lost": "trap '' TERM; touch started; exec sleep 60",
}


def deaf_interpreters(program, folder):
    """Returns how many runs of report did not end within five seconds of SIGTERM with 143, although Python did not heed it."""
    wrong = 0
    script, started = os.path.join(folder, "deaf"), os.path.join(folder, "started")
    for name, text in DEAF.items():
        with open(script, "w") as f:
            f.write(f"#!/bin/sh\n{text}\n")
        os.chmod(script, 0o755)
        process = subprocess.Popen([program, "report", "good.json"], cwd=folder, env={**os.environ, "SPEEDWELL_PYTHON": script},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        until = time.time() + 60
        while not os.path.exists(started) and time.time() < until:
            time.sleep(0.02)
        process.terminate()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        os.remove(started)
        if process.returncode != 143:
            wrong += 1
            print(f"report, SIGTERM, {name}: {process.returncode}, 143 expected")
    return wrong


class Waiting:
    """A command that waits for a pipe: in open() without a writer, in read() with one that writes nothing."""

    def __init__(self, program, folder, words, opened):
        pipe = os.path.join(folder, "folder", "case.toml")
        self.error = tempfile.TemporaryFile()  # not a pipe, which would be open for as long as a process of the program's is left
        self.process = subprocess.Popen([program, *words.format(pipe=pipe).split()], cwd=folder, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=self.error, start_new_session=True)
        self.writer = os.open(pipe, os.O_RDWR) if opened else None
        self.before, self.still = None, 0

    def is_still(self):
        """Whether it has slept and taken no more processor time in six calls one after the other, or has ended."""
        if self.process.poll() is not None:
            return True
        with open(f"/proc/{self.process.pid}/stat") as f:
            words = f.read().rsplit(")", 1)[1].split()
        now = words[11:13]
        self.still = self.still + 1 if now == self.before and words[0] == "S" else 0
        self.before = now
        return self.still >= 6

    def end(self, number):
        """Sends a signal. Returns the status, and how it ended in words."""
        self.process.send_signal(number)
        begin = time.time()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        seconds = time.time() - begin
        if self.writer is not None:
            os.close(self.writer)
        self.error.seek(0)
        with self.error:
            return self.process.returncode, f"{self.process.returncode} after {seconds:.1f} s: {self.error.read()[:200]}"


# What each command is tried with, all at a time: the signal, its status, and whether the pipe has a writer.
TRIALS = [(number, status, opened) for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)) for opened in (False, True)]


def main():
    program = os.path.abspath(sys.argv[1])
    wrong = tried = 0
    with tempfile.TemporaryDirectory() as top:
        folders = [os.path.join(top, str(n)) for n in range(len(TRIALS))]
        for folder in folders:
            os.makedirs(os.path.join(folder, "folder"))
            os.mkfifo(os.path.join(folder, "folder", "case.toml"))
            with open(os.path.join(folder, "good.fa"), "w") as f:
                f.write(">a\nMKV\n")
        subprocess.run([program, "run", "stream", "--size", "test", "--variant", "serial", "--repeat", "1", "-q", "--json", "good.json",
                        "--set", "kernel=copy"], cwd=folders[0], capture_output=True, check=True, timeout=120)
        for folder in folders[1:]:
            shutil.copy(os.path.join(folders[0], "good.json"), folder)
        wrong += deaf_interpreters(program, folders[0])
        tried += len(DEAF)
        for name, words in COMMANDS.items():
            all_waiting = [Waiting(program, folder, words, opened) for folder, (_, _, opened) in zip(folders, TRIALS)]
            until = time.time() + 60
            while not all([waiting.is_still() for waiting in all_waiting]) and time.time() < until:
                time.sleep(0.05)
            for waiting, (number, status, opened) in zip(all_waiting, TRIALS):
                tried += 1
                found, how = waiting.end(number)
                if found != status:
                    wrong += 1
                    print(f"{name}, {number.name}, {'read' if opened else 'open'}: {how}, {status} expected")
    print(f"{tried} signals to waiting commands, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
