"""Runs commands in 1.5 GB of address space: each ends within seconds with its status, and only the peer's command loads OpenBLAS."""
import os
import resource
import subprocess
import sys
import tempfile
import time

from solve_support import blast_case, write

ADDRESS_SPACE = 1500000 * 1024
# Ten times what the slowest takes here (run, which measures ceilings: 3 s), on a machine that does other things, too.
SECONDS = 30
COMMANDS = [
    ("--version", 0),
    ("--help", 0),
    ("align a.fa a.fa --threads 2", 0),
    ("align a.fa none.fa --threads 2", 3),
    ("solve case.toml --output run --threads 2 --variant openmp", 0),
    ("solve case.toml --output run --threads 2 --variant openmp", 2),
    ("run stream --size test --variant serial --repeat 1 --threads 2 --json records.json", 0),
    ("report records.json", 0),
    ("diff records.json records.json", 0),
    ("checkpoint verify run", 0),
]


def main():
    program = os.path.abspath(sys.argv[1])
    wrong = 0
    libraries = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    if "not a dynamic executable" not in libraries and "openblas" in libraries:
        print("the program is linked with OpenBLAS: it is loaded by every command")
        wrong += 1
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "a.fa"), ">a\nMKVLAAGIVGLCAKAYLE\n")
        write(os.path.join(folder, "case.toml"), blast_case([7, 6, 8]).format(end=4))
        for words, status in COMMANDS:
            begin = time.time()
            try:
                done = subprocess.run([program, *words.split()], cwd=folder, capture_output=True, text=True, timeout=SECONDS,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE)))
                fault = f"status {done.returncode}, {status} expected: {done.stderr.strip()[:200]}" if done.returncode != status else ""
            except subprocess.TimeoutExpired:
                fault = f"still there after {SECONDS} s"
            if fault:
                wrong += 1
                print(f"speedwell {words}: {fault} ({time.time() - begin:.1f} s)")
    print(f"{len(COMMANDS)} commands in 1.5 GB, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
