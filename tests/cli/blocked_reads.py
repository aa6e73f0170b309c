"""Tests that every command that reads a file ends at once at the first signal, with 130 or 143, while the file is a pipe without a writer."""
import os
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


def main():
    program = os.path.abspath(sys.argv[1])
    wrong = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "good.fa"), "w") as f:
            f.write(">a\nMKV\n")
        subprocess.run([program, "run", "stream", "--size", "test", "--variant", "serial", "--repeat", "1", "-q", "--json", "good.json",
                        "--set", "kernel=copy"], cwd=folder, capture_output=True, check=True, timeout=120)
        wrong += deaf_interpreters(program, folder)
        tried += len(DEAF)
        os.mkdir(os.path.join(folder, "folder"))
        os.mkfifo(os.path.join(folder, "folder", "case.toml"))
        for name, words in COMMANDS.items():
            for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
                for opened in (False, True):
                    pipe = os.path.join(folder, "folder", "case.toml")
                    error = tempfile.TemporaryFile()  # not a pipe, which would be open for as long as a process of the program's is left
                    process = subprocess.Popen([program, *words.format(pipe=pipe).split()], cwd=folder, stdin=subprocess.DEVNULL,
                                               stdout=subprocess.DEVNULL, stderr=error, start_new_session=True)
                    # A writer that writes nothing: then it is read() that waits.
                    writer = os.open(pipe, os.O_RDWR) if opened else None
                    # It waits once it takes no more processor time.
                    until, before, still = time.time() + 20, None, 0
                    while time.time() < until and still < 6 and process.poll() is None:
                        time.sleep(0.05)
                        with open(f"/proc/{process.pid}/stat") as f:
                            now = f.read().rsplit(")", 1)[1].split()[11:13]
                        still = still + 1 if now == before else 0
                        before = now
                    process.send_signal(number)
                    begin = time.time()
                    try:
                        process.wait(timeout=5)
                    except subprocess.TimeoutExpired:
                        os.killpg(process.pid, signal.SIGKILL)
                        process.wait()
                    tried += 1
                    if process.returncode != status:
                        wrong += 1
                        error.seek(0)
                        print(f"{name}, {number.name}, {'read' if opened else 'open'}: {process.returncode} after "
                              f"{time.time() - begin:.1f} s, {status} expected: {error.read()[:200]}")
                    error.close()
                    if writer is not None:
                        os.close(writer)
    print(f"{tried} signals to waiting commands, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
