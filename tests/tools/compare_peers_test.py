#!/usr/bin/env python3
"""Drives tools/compare_peers.py with programs that print what the peers print: compare_peers_test.py SCRIPT PROGRAM."""
import os
import stat
import subprocess
import sys
import tempfile

BABELSTREAM = """#!/bin/sh
echo BabelStream
echo 'function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime'
for name in Copy Mul Add Triad Dot; do echo "$name,100,4096,8,1000.5,0.1,0.2,0.15"; done
"""
NPB = """#!/bin/sh
cat <<'END'
 EP Benchmark Completed
 Class           =                        S
 Time in seconds =                     1.00
 Mop/s total     =                    33.55
 Verification    =               {}
END
"""


def main():
    script, program = sys.argv[1:]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        def check(peer, text, extra, status, wanted, rounds="1"):
            path = os.path.join(folder, "peer")
            with open(path, "w") as file:
                file.write(text)
            os.chmod(path, stat.S_IRWXU)
            done = subprocess.run([sys.executable, script, peer, path, "--program", program, "--variant", "serial", "--rounds", rounds, "--max-time", "10ms",
                                   *extra], capture_output=True, text=True, cwd=folder, timeout=300)
            output = done.stdout + done.stderr
            if done.returncode != status or any(text not in output for text in wanted):
                failures.append(f"{peer} {extra}: status {done.returncode}, expected {status} and {wanted}: {output}")

        check("babelstream", BABELSTREAM, ["--elements", "4096"], 0,
              ["copy: babelstream 1000.5 (1000.5 to 1000.5), speedwell serial ", " dot: ", "n = 1"])
        check("babelstream", BABELSTREAM, ["--elements", "8192"], 1, ["ran 4096 elements, not 8192"])
        check("babelstream", "#!/bin/sh\necho nothing\n", [], 1, ["did not print BabelStream's table"])
        check("babelstream", "#!/bin/sh\nexit 3\n", [], 1, ["ended with status 3"])
        check("npb", NPB.format("SUCCESSFUL"), [], 0, ["EP class S: npb 33.55 (33.55 to 33.55), speedwell serial ", "n = 2"], rounds="2")
        check("npb", NPB.format("UNSUCCESSFUL"), [], 1, ["own verification failed"])
        check("cudasw", "#!/bin/sh\n", [], 1, ["needs --query, --fasta and --db"])
        for name, text in (("q.fa", ">q\nMKVLAAGIVGL\n"), ("d.fa", ">a\nMKVLAAGIVGL\n>b\nMKTAYIAKQR\n")):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        check("cudasw", "#!/bin/sh\nsleep 0.01\n", ["--query", "q.fa", "--fasta", "d.fa", "--db", "d"], 0, ["231 cells: cudasw "])
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
