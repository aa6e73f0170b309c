#!/usr/bin/env python3
"""Runs command lines against the program and checks status, message and streams.

Usage: command_lines.py PROGRAM. Each row: words, expected status, text that standard error must contain. For every row
with a failure: one line 'speedwell: error: …', nothing on standard output, and with --format json one valid document
whose error has the same status.
"""
import json
import os
import subprocess
import sys
import tempfile

NEAREST = "; the nearest is "
ROWS = [
    # words, status, standard error contains
    ("", 0, ""),
    ("--help", 0, ""),
    ("--version", 0, ""),
    ("help", 0, ""),
    ("list", 0, ""),
    ("list apps", 0, ""),
    ("list variants stream", 0, ""),
    ("list sizes", 0, ""),
    ("list devices", 0, ""),
    ("info", 0, ""),
    ("schema", 0, ""),
    ("run --help", 0, ""),
    ("suite --help", 0, ""),
    ("run stream --size test --variant serial", 0, ""),
    ("run stream --size test --variant serial --set kernel=triad --precision f32", 0, ""),
    ("compare matvec --size test --variant serial,openmp --repeat 2", 0, ""),
    ("run stream --dry-run", 0, ""),
    ("suite --dry-run --size large", 0, ""),
    # commands and options
    ("rnu stream", 2, f"unknown command 'rnu'{NEAREST}'run'"),
    ("benchmark", 2, "unknown command 'benchmark'"),
    ("--size test", 2, "unknown option '--size' before a command"),
    ("run", 2, "APP is required"),
    ("run stream matvec", 2, "'matvec' is one word too many for run"),
    ("run stream --sise test", 2, f"unknown option '--sise'{NEAREST}'--size'"),
    ("run stream --variants=serial", 2, f"unknown option '--variants'{NEAREST}'--variant'"),
    ("run stream -x", 2, "unknown option '-x'"),
    ("run stream --size", 2, "--size"),
    ("list aps", 2, f"unknown list 'aps'{NEAREST}'apps'"),
    ("list variants steam", 2, f"unknown application 'steam'{NEAREST}'stream'"),
    ("schema extra", 2, "'extra' is one word too many"),
    ("report", 2, "is required"),
    ("diff one", 2, "is required"),
    ("align", 2, "is required"),
    # names
    ("run strem", 2, f"unknown application 'strem'{NEAREST}'stream'"),
    ("run stream --size tset", 2, f"unknown size of stream 'tset'{NEAREST}'test'"),
    ("run stream --variant seriall", 2, f"unknown variant of stream 'seriall'{NEAREST}'serial'"),
    ("run stream --variant serial,opnmp", 2, f"unknown variant of stream 'opnmp'{NEAREST}'openmp'"),
    ("run stream --set kernal=triad", 2, f"unknown parameter of stream 'kernal'{NEAREST}'kernel'"),
    ("run stream --set kernel=trad", 2, f"the nearest is 'triad'"),
    ("run stream --set kernel", 2, "'kernel' is not a setting (allowed: KEY=VALUE)"),
    ("run stream --set =3", 2, "'=3' is not a setting"),
    ("run stream --set matvec.rows=3", 2, "this run is of stream"),
    ("run stream --precision f16", 2, "stream: precision=f16: allowed are"),
    ("suite --set n=5", 2, "several applications run; name one"),
    ("suite steam", 2, f"unknown application 'steam'{NEAREST}'stream'"),
    ("suite --set steam.n=5", 2, f"unknown application 'steam'{NEAREST}'stream'"),
    ("suite --variant nothing", 2, "no application has a variant 'nothing'"),
    # values
    ("run stream --set n=0", 2, "stream: n=0: the least is"),
    ("run stream --set n=-5", 2, "'-5' is not a count"),
    ("run stream --set n=1e99", 2, "'1e99' is not a count"),
    ("run stream --set n=", 2, "'' is not a count"),
    ("run stream --set n=12q", 2, "'12q' is not a count"),
    ("run stream --threads 0", 2, "--threads: 0 is not between 1 and"),
    ("run stream --threads many", 2, "--threads: 'many' is not a count"),
    ("run stream --seed -1", 2, "--seed: '-1' is not a count"),
    ("run stream --repeat 0", 2, "--repeat: 0 is not between 1 and"),
    ("run stream --warmup x", 2, "--warmup: 'x' is not a count"),
    ("run stream --max-time 5", 2, "--max-time: '5' is not a time"),
    ("run stream --min-time 2s --max-time 1s", 2, "--min-time is longer than --max-time"),
    ("run stream --format jsn", 2, f"unknown format 'jsn'{NEAREST}'json'"),
    ("run stream --color sometimes", 2, "--color: unknown value 'sometimes'"),
    ("run stream --progress no", 2, "--progress: unknown value 'no'"),
    ("run stream --devices x", 2, "--devices: 'x' is not a count"),
    ("run stream --output /dev/null", 2, "it is there and is no folder"),
    ("machine --format csv", 2, "machine prints text or json"),
    # inputs
    ("run stream --config no-such-file.toml", 3, "no-such-file.toml"),
    ("report no-such-file.json", 3, "no-such-file.json"),
    ("diff no-such-a.json no-such-b.json", 3, "no-such-a.json"),
    ("align no-such-query.fa no-such-database.fa", 3, "no-such-query.fa"),
    # not here
    ("run stream --set n=2^62", 2, "stream: n=2^62: the most is"),
    ("run stream --set n=2^40", 4, "available"),
    ("run stream --devices 77", 4, "GPU 77 is not here"),
]
WITHOUT_GPU = [
    ("run stream --size test --variant cuda", 4, "stream cuda: "),
    ("ladder matvec --size test", 4, ""),
    ("run stream --devices 0", 4, "GPU 0 is not here"),
]


def run(program, words, folder, extra=()):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SPEEDWELL_")}
    return subprocess.run([program, *words.split(), *extra], capture_output=True, text=True, cwd=folder, env=environment, timeout=300)


def check(program, words, status, contains, folder):
    done = run(program, words, folder)
    if done.returncode != status:
        return f"status {done.returncode}, expected {status}: {done.stderr.strip()}"
    if contains not in done.stderr:
        return f"standard error lacks '{contains}': {done.stderr.strip()}"
    if status == 0:
        return None if done.stdout else "printed nothing"
    errors = [line for line in done.stderr.splitlines() if line.startswith("speedwell: error: ")]
    if len(errors) != 1:
        return f"{len(errors)} error lines: {done.stderr.strip()}"
    if status != 4 and done.stdout:
        return f"printed on standard output: {done.stdout[:80]}"
    if words.split()[:1] not in (["run"], ["suite"], ["compare"]) or "--format" in words:
        return None
    done = run(program, words, folder, ("--format", "json"))
    try:
        document = json.loads(done.stdout)
    except json.JSONDecodeError as problem:
        return f"with --format json: {problem}"
    if not document.get("error") or document["error"]["status"] != status or done.returncode != status:
        return f"with --format json: status {done.returncode}, error {document.get('error')}"
    return None


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        gpu = "gpu: none" not in run(program, "list devices", folder).stdout
        rows = ROWS + ([] if gpu else WITHOUT_GPU)
        failed = 0
        for words, status, contains in rows:
            problem = check(program, words, status, contains, folder)
            if problem:
                print(f"speedwell {words}\n  {problem}")
                failed += 1
    print(f"{len(rows) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
