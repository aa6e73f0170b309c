#!/usr/bin/env python3
"""Runs command lines against the program and checks status, message and streams.

Usage: command_lines.py PROGRAM. Each row: words, expected status, text that standard error must contain. For every row
with a failure: one line 'speedwell: error: …', nothing on standard output, and with --format json one valid document
whose error has the same status.
"""
import json
import os
import shlex
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
    ("list devices stream", 2, "'stream' is one word too many for list devices"),
    ("list stream matvec", 2, "'matvec' is one word too many for list stream"),
    ("info", 0, ""),
    ("info --format json", 0, ""),
    ("info --format csv", 2, "unknown format 'csv'; allowed: text, json"),
    ("schema", 0, ""),
    ("config show stream", 0, ""),
    ("config show npb --size C --set kernel=ft --format json", 0, ""),
    ("run --help", 0, ""),
    ("suite --help", 0, ""),
    ("run stream --size test --variant serial", 0, ""),
    ("run stream --size test --variant serial --set kernel=triad --precision f32", 0, ""),
    ("compare matvec --size test --variant serial,openmp --repeat 2", 0, ""),
    ("compare wavefront --size test --repeat 1", 0, ""),
    ("compare wavefront --set n=40 --set loops=0 --variant openmp --repeat 1 --project ranks=6,latency_us=2", 0, ""),
    ("run npb --size test --variant openmp --repeat 1 --format npb", 0, ""),
    ("run npb --set kernel=ft --set class=S --variant * --repeat 1", 0, ""),
    ("compare npb --set kernel=ft --size W --variant serial,openmp --repeat 1 --deterministic", 0, ""),
    ("compare uts --size test --repeat 1", 0, ""),
    ("run uts --set tree=default --set kind=hybrid --set root_seed=3 --variant openmp --repeat 2", 0, ""),
    ("compare block_matvec --size test --repeat 1", 0, ""),
    ("compare gups --size test --repeat 1", 0, ""),
    ("compare gups --size test --set rule=process --repeat 1", 0, ""),
    ("run gups --set words=2^12 --set updates_per_word=3 --variant openmp --repeat 2 --deterministic", 0, ""),
    ("run stream --dry-run", 0, ""),
    ("run stream --dry-run --variant openmp --set n=2^40", 4, "nothing of this can run here"),
    ("suite --dry-run", 0, ""),
    ("suite --dry-run --full", 0, ""),
    ("suite --dry-run --budget 5s stream", 0, ""),
    ("suite --budget soon", 2, "--budget: "),
    ("suite --energy stream", 2, "--energy: not within a budget"),
    ("suite --full --size test", 2, "--full is --size small; --size test is another"),
    ("suite --dry-run --size large", 0, ""),
    # solve
    ("solve --keys", 0, ""),
    ("solve --keys incompressible_flow", 0, ""),
    ("solve --keys foo", 2, "--keys: unknown solver 'foo'; \"incompressible_flow\", \"blast_wave\" or \"binary_fluid\" is required"),
    ("solve case.toml --time-limit 1", 2, "--time-limit: '1' is not a time"),
    ("solve case.toml --variant gpu", 2, "--variant: unknown value 'gpu'; allowed: auto, openmp, cuda, multi"),
    ("solve case.toml --variant openpm", 2, f"--variant: unknown value 'openpm'{NEAREST}'openmp'"),
    ("solve case.toml --field-format vtk", 2, "--field-format: unknown value 'vtk'"),
    ("completion", 2, "SHELL is required: bash, zsh or fish"),
    ("completion bash zsh", 2, "'zsh' is one word too many for completion"),
    ("solve ''", 2, "CASE: its value is empty"),
    ("checkpoint list ''", 2, "DIR: its value is empty"),
    ("align '' no-such-database.fa", 2, "QUERY: its value is empty"),
    ("align no-such-query.fa no-such-database.fa --out ''", 2, "--out: its value is empty"),
    ("run ''", 2, "APP: its value is empty"),
    ("run spmv --set matrix= --variant serial", 3, "the name of a file is empty"),
    # commands and options
    ("rnu stream", 2, f"unknown command 'rnu'{NEAREST}'run'"),
    ("benchmark", 2, "unknown command 'benchmark'"),
    ("--size test", 2, "unknown option '--size' before a command"),
    ("run", 2, "APP is required"),
    ("run stream matvec", 2, "'matvec' is one word too many for run"),
    ("run stream --sise test", 2, f"unknown option '--sise'{NEAREST}'--size'"),
    ("run stream --variants=serial", 2, f"unknown option '--variants'{NEAREST}'--variant'"),
    ("run stream -x", 2, "unknown option '-x'"),
    ("run stream --size", 2, "--size: its value is missing"),
    ("align no-such-query.fa no-such-database.fa --top", 2, "--top: its value is missing"),
    ("solve --resume --output no-such-folder", 3, "no-such-folder: there is no such folder to go on in"),
    ("solve --resume --dry-run --output good.toml", 3, "good.toml: is not a folder"),
    ("list aps", 2, f"unknown list 'aps'{NEAREST}'apps'"),
    ("list variants steam", 2, f"unknown application 'steam'{NEAREST}'stream'"),
    ("schema extra", 2, "'extra' is one word too many"),
    ("config shwo stream", 2, f"unknown word 'shwo'{NEAREST}'show'"),
    ("config show", 2, "APP is required"),
    ("config show strem", 2, f"unknown application 'strem'{NEAREST}'stream'"),
    ("config show stream --set n=0", 2, "stream: n=0: the least is 1"),
    ("config show stream --format csv", 2, "unknown format 'csv'; allowed: text, json"),
    ("checkpoint list", 2, "DIR is required"),
    ("checkpoint lits .", 2, f"unknown word 'lits'{NEAREST}'list'"),
    ("checkpoint list . --format csv", 2, "unknown format 'csv'; allowed: text, json"),
    ("report", 2, "RECORDS is required"),
    ("diff one", 2, "NEW is required"),
    ("align", 2, "is required"),
    ("run stream --size=", 2, "--size: its value is empty"),
    ("run stream --json x --csv x", 2, "--json and --csv name the same file, x"),
    ("run stream --csv x --trace x", 2, "--trace names a file of records, x"),
    ("report x.jsonl --out x.jsonl", 3, "x.jsonl: No such file or directory"),
    ("run stream --variant ser*,", 2, "a name is missing in the list of variants 'ser*,'"),
    ("run stream --seed 1e6Ki", 2, "--seed: '1e6Ki' is not a count"),
    ("run stream --threads 65536", 2, "--threads: 65536 is not between 1 and "),
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
    ("run stream --precision f32 --set precision=f64", 2, "--precision and --set precision=... both name the precision"),
    ("run stream --size test --size large", 2, "--size: given more than once"),
    ("config stream", 2, "unknown word 'stream'"),
    ("config show", 2, "APP is required"),
    ("run stream --precision f16", 2, "stream: precision=f16: allowed:"),
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
    ("run stream --threads 1,2", 2, "--threads: '1,2' is a list; a run has one number of threads"),
    ("run stream --set n=8,8", 2, "stream: n=8 is named twice"),
    ("run stream --set n=8 --set n=2^3", 2, "stream: n=8 is named twice"),
    ("run stream --set n=8,", 2, "'' is not a count"),
    ("run stream --threads many", 2, "--threads: 'many' is not a count"),
    ("run stream --seed -1", 2, "--seed: '-1' is not a count"),
    ("run stream --repeat 0", 2, "--repeat: 0 is not between 1 and"),
    ("run stream --warmup x", 2, "--warmup: 'x' is not a count"),
    ("run stream --passes 0", 2, "--passes: 0 is not between 1 and"),
    ("run stencil --size test --variant openmp-planes --repeat 1", 0, ""),  # some of its kernels have no such variant
    ("run stream --max-time 5", 2, "--max-time: '5' is not a time"),
    ("run stream --check-time 5", 2, "--check-time: '5' is not a time"),
    ("run stream --min-time 2s --max-time 1s", 2, "--min-time is longer than --max-time"),
    ("run stream --format jsn", 2, f"unknown format 'jsn'{NEAREST}'json'"),
    ("run stream --json -", 2, "--json -: this is no name of a file"),
    ("run stream --csv -", 2, "hint: --format csv is for standard output"),
    ("machine --quick --json -", 2, "--json -: this is no name of a file"),
    ("run stream --json " + 300 * "n", 5, "File name too long"),
    ("compare stream --dry-run --format csv", 2, "the plan is printed as text alone, not as csv"),
    ("run stream --devices foo", 2, "--devices: 'foo' is not the number of a GPU, and neither 'all' nor 'none'"),
    ("help run fast", 2, "'fast' is one word too many for help"),
    ("version now", 2, "'now' is one word too many for version"),
    ("run stream --color sometimes", 2, "--color: unknown value 'sometimes'"),
    ("list --color sometimes", 2, "--color: unknown value 'sometimes'"),
    ("schema --progress no", 2, "--progress: unknown value 'no'"),
    ("config show stream --color sometimes", 2, "--color: unknown value 'sometimes'"),
    ("run stream --progress no", 2, "--progress: unknown value 'no'"),
    ("run stream --devices x", 2, "--devices: 'x' is not the number of a GPU"),
    ("run stream --output /dev/null", 2, "exists and is not a folder"),
    ("machine --quick --format csv", 0, ""),
    # inputs
    ("run stream --config no-such-file.toml", 3, "no-such-file.toml"),
    ("report no-such-file.json", 3, "no-such-file.json"),
    ("checkpoint list no-such-folder", 3, "no-such-folder: there is no such folder"),
    ("checkpoint verify .", 3, "there is no checkpoint"),
    ("diff no-such-a.json no-such-b.json", 3, "no-such-a.json"),
    ("align no-such-query.fa no-such-database.fa", 3, "no-such-query.fa"),
    # not here
    ("run stream --set n=2^62", 2, "stream: n=2^62: the most is"),
    ("run stream --set n=2^40", 4, "available"),
    ("run stream --devices 77", 4, "--devices: GPU 77 is not here"),
    ("compare uts --project ranks=4", 2, "uts has no model"),
    ("compare wavefront --project rank=4", 2, f"unknown parameter of wavefront --project 'rank'{NEAREST}'ranks'"),
    ("compare wavefront --project ranks=0", 2, "ranks=N or gpus=N says how many"),
    ("compare wavefront --project ranks=1e6", 2, "ranks=1e6: the most is 16384"),
    ("compare wavefront --project latency_us=2", 2, "ranks=N or gpus=N says how many"),
    ("compare wavefront --set n=4 --project ranks=64", 2, "no rectangle of 64 ranks gives each a cell of 4 x 4"),
    ("run wavefront --project ranks=4", 2, "unknown option '--project'"),
    ("run wavefront --set n=0", 2, "wavefront: n=0: the least is 1"),
    ("run wavefront --set n=1e6", 2, "are more than 2^48 cells"),
    ("run wavefront --set n=20000", 4, "available"),
    ("run wavefront --set c=0", 2, "c must be positive"),
    ("run wavefront --set c=1e308", 2, "and 4c finite"),
    ("run wavefront --set loops=9 --set tc=1e300", 2, "sums overflow"),
    ("run stencil --set kernel=cg", 2, "cg is an application: speedwell run cg"),
    ("run stencil --set kernel=spmv --set matrix=m.mtx", 2, "spmv is an application: speedwell run spmv"),
    ("suite --set stencil.kernel=cg", 2, "cg is an application: speedwell run cg"),
    ("run stencil --set kernel=jacobi --set boundary=zero", 2, "jacobi is defined on a periodic box, not for boundary=zero"),
    ("run cg --set boundary=zero", 2, "unknown parameter of cg 'boundary'"),
    ("run stencil --set nx=2", 2, "along x it needs at least 3, or boundary=zero"),
    ("run spmv --set matrix=missing.mtx --variant serial", 3, "missing.mtx"),
    ("run cg --set matrix=27-point", 2, "solves to a tolerance above 0, such as tolerance=1e-8"),
    ("run cg --set tolerance=1e-15", 2, "tolerance=1e-15 is below what f64 reaches; at least 1e-13"),
    ("run stencil --set tolerance=1e-8", 2, "unknown parameter of stencil 'tolerance'"),
    ("run spmv --set nx=2", 2, "along x it needs at least 3, or boundary=zero"),
    ("run spmv --set boundary=none", 2, "spmv: boundary=none: allowed: periodic, zero"),
    ("run vector_calculus --size test --set operation=helicity --variant serial,openmp --repeat 1", 0, ""),
    ("run vector_calculus --set operation=rot", 2, "vector_calculus: operation=rot: allowed:"),
    ("run vector_calculus --set nz=2", 2, "nz=2: with derivatives an extent is from 3 to 2^30"),
    ("run vector_calculus --set operation=add --set nz=0", 2, "vector_calculus: nz=0: the least is 1"),
    ("run vector_calculus --set dx=0", 2, "dx=0: a spacing is positive and finite"),
    ("run vector_calculus --set dy=-0.5", 2, "dy=-0.5: a spacing is positive and finite"),
    ("run vector_calculus --set dz=nan", 2, "vector_calculus: dz: 'nan' is not a number"),
    ("run vector_calculus --set dz=0.3 --set values=integers --variant serial", 2, "values=integers are exact with spacings of 1, 0.5"),
    ("run vector_calculus --set n=2e9", 2, "vector_calculus: n="),
    ("run vector_calculus --set n=1e6 --variant serial", 2, "more than 2^48 points"),
    ("run vector_calculus --set n=20000 --variant serial", 4, "available"),
    ("run vector_calculus --set boundary=open", 2, "vector_calculus: boundary=open: allowed:"),
    ("run vector_calculus --set layout=aosoa", 2, "vector_calculus: layout=aosoa: allowed:"),
    ("run stencil --set kernel=e7", 2, "stencil: kernel=e7: allowed:"),
    ("run uts --set tree=T3 --set q=0.125 --set root_seed=1", 2, "uts: q m is 1; allowed: below 1"),
    ("run uts --set tree=default --set kind=binomial --set q=0.5 --set m=2", 2, "uts: q m is 1; allowed: below 1"),
    ("run uts --set tree=T6", 2, "uts: tree=T6: allowed: default, T1"),
    ("run uts --set depth=70000", 2, "uts: depth=70000: the most is 65536"),
    ("run uts --set kind=balanced --set depth=63", 2, "uts: the number of nodes is"),
    ("run uts --set kind=geometric --set shape=expdec --set b0=0.5", 2, "is growth"),
    ("run block_matvec --set nx=2", 2, "block_matvec: nx=2: the least is 3"),
    ("run gups --set words=1000", 2, "a table of 1000 words; the size must be a power of two, the nearest are 512 and 1024"),
    ("run gups --set words=0", 2, "gups: words=0: the least is 1"),
    ("run gups --set words=2^41", 2, "gups: words=2^41: the most is 1099511627776"),
    ("run gups --set updates_per_word=0", 2, "gups: updates_per_word=0: the least is 1"),
    ("run gups --set words=2^40 --set updates_per_word=2^22", 2, "the number must be 1 to the period of the stream"),
    ("run gups --set words=2^39", 4, "needs 4 TiB of host memory"),
    ("run gups --set rule=rank", 2, "gups: rule=rank: allowed: any, thread, process"),
    ("run gups --set rule=process --set words=1024 --variant openmp", 4, "openmp-atomic keeps the rule"),
    ("run npb --set class=G", 2, "npb: class=G: allowed: S, W, A, B, C, D, E, F"),
    ("run npb --size G", 2, "unknown size of npb 'G'"),
    ("run npb --set kernel=ft3", 2, "npb: kernel=ft3: allowed: ep, ft"),
    ("run npb --set kernel=ft --set class=F --variant openmp", 4, "openmp: needs 4 TiB of host memory"),
    ("run npb --set kernel=ft --set class=S --variant cuda-atomic", 4, "npb cuda-atomic: "),
    ("run stream --format npb", 2, "--format npb: stream is not one of the NAS Parallel Benchmarks"),
    ("suite --format npb", 2, "--format npb: stream is not one of the NAS Parallel Benchmarks"),
    ("machine --format npb", 2, "unknown format 'npb'; allowed: text, json, csv"),
    ("run wavefront --set direction=down", 2, "wavefront: direction=down: allowed: +++"),
]
# Files that the rows below name.
CHAIN = 200  # unknowns of a chain of springs: conjugate gradients need as many iterations
FILES = {
    "indefinite.mtx": "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 2 1\n2 1 5\n",
    "slow.mtx": f"%%MatrixMarket matrix coordinate real symmetric\n{CHAIN} {CHAIN} {2 * CHAIN - 1}\n"
                + "".join(f"{i} {i} 2\n" for i in range(1, CHAIN + 1))
                + "".join(f"{i + 1} {i} -1\n" for i in range(1, CHAIN)),
    "good.toml": 'schema = 1\n[stream]\nkernel = "triad"\nn = "2^12"\nprecision = "f32"\n[matvec]\nrows = 8\n',
    "syntax.toml": "schema = 1\n[stream\n",
    "schema.toml": '[stream]\nkernel = "triad"\n',
    "newer.toml": "schema = 2\n",
    "table.toml": "schema = 1\n[strem]\nn = 8\n",
    "top.toml": "schema = 1\nstream = 8\n",
    "key.toml": "schema = 1\n[stream]\n  kernal = 'triad'\n",
    "value.toml": "schema = 1\n[stream]\nkernel = 'trad'\n",
    "sweep.toml": "schema = 1\n[stream]\nn = [64, 128, '2^8']\nkernel = ['triad', 'copy']\nprecision = 'f64'\n",
    "list.toml": "schema = 1\n[stream]\nn = [8, 16]\n",
    "empty_list.toml": "schema = 1\n[stream]\nn = []\n",
    "twice.toml": "schema = 1\n[stream]\nn = [8, '2^3']\n",
    "date.toml": "schema = 1\n[stream]\nn = [[8]]\n",
    "other.toml": "schema = 1\n[matvec]\nrowz = 8\n",
    "binary.toml": "\0\x01\x02",
    "header.toml": "schema = 1\n[\nstream]\n",
    "huge.toml": "schema = 1e308\n",
    "empty.toml": "",
}
CG = "run cg --max-time 10ms --variant serial --set tolerance=1e-8 --set iterations=5 --set matrix="
FAILING = [
    (CG + "slow.mtx", 1, "not converged within the maximum number of iterations (iterations 5, residual 0."),
    (CG + "indefinite.mtx", 3, "not positive definite: p.Ap <= 0 after 1 iteration, at a residual of "),
]
CONFIG = [
    ("run stream --size test --variant serial --config good.toml", 0, ""),
    ("run stream --config syntax.toml", 3, "syntax.toml:2:"),
    ("run stream --config schema.toml", 3, "schema.toml:1:1: the file must say 'schema = 1'"),
    ("run stream --config newer.toml", 3, "newer.toml:1:10: the file must say 'schema = 1'"),
    ("run stream --config empty.toml", 3, "empty.toml:1:1: the file must say 'schema = 1'"),
    ("run stream --config binary.toml", 3, "binary.toml:1:"),
    ("run stream --config header.toml", 3, "header.toml:2:2: a table's name is required after '['"),
    ("run stream --config huge.toml", 3, "huge.toml:1:10: the file must say 'schema = 1'"),
    ("run stream --config /dev/zero", 3, "/dev/zero: is longer than 16777216 bytes"),
    ("run stream --config table.toml", 2, f"table.toml:2:1: unknown application 'strem'{NEAREST}'stream'"),
    ("run stream --config top.toml", 2, "top.toml:2:10: 'stream' is not a table"),
    ("run stream --config key.toml", 2, f"key.toml:3:12: unknown parameter of stream 'kernal'{NEAREST}'kernel'"),
    ("run stream --config value.toml", 2, "value.toml:3:10: "),
    ("run stream --size test --variant serial --repeat 1 --config list.toml", 0, ""),
    ("run stream --config empty_list.toml", 2, "empty_list.toml:3:5: 'n' has no value"),
    ("run stream --config twice.toml", 2, "twice.toml:3:9: stream: n=8 is named twice"),
    ("run stream --config date.toml", 2, "date.toml:3:6: 'n' is neither a number nor a text, nor an array of them"),
    ("run stream --config other.toml", 2, f"other.toml:3:8: unknown parameter of matvec 'rowz'{NEAREST}'rows'"),
]
WITHOUT_GPU = [
    ("run stream --size test --variant cuda", 4, "stream cuda: "),
    ("ladder matvec --size test", 4, ""),
    ("run stream --devices 0", 4, "GPU 0 is not here"),
]


def run(program, words, folder, extra=(), more=()):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SPEEDWELL_")} | dict(more)
    return subprocess.run([program, *shlex.split(words), *extra], capture_output=True, text=True, cwd=folder, env=environment, timeout=300)


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
    if status != 4 and done.stdout and (words, status, contains) not in FAILING:  # which leave records
        return f"printed on standard output: {done.stdout[:80]}"
    # A plan is printed as text alone.
    if words.split()[:1] not in (["run"], ["suite"], ["compare"]) or "--format" in words or "--dry-run" in words:
        return None
    done = run(program, words, folder, ("--format", "json"))
    try:
        document = json.loads(done.stdout)
    except json.JSONDecodeError as problem:
        return f"with --format json: {problem}"
    if not document.get("error") or document["error"]["status"] != status or done.returncode != status:
        return f"with --format json: status {done.returncode}, error {document.get('error')}"
    return None


def check_config(program, folder):
    """Checks that the file's values reach the problem, that --set overrides the file and the file the size, and that the environment can name a
    file."""
    def keys(*extra, **environment):
        done = run(program, "run stream --size test --variant serial --repeat 1 --format json", folder, extra, environment)
        runs = json.loads(done.stdout)["runs"]
        return {(r["problem"]["kernel"], r["problem"]["n"], r["problem"]["precision"]) for r in runs}
    expected = [
        (keys("--config", "good.toml"), {("triad", 4096, "f32")}),
        (keys("--config", "good.toml", "--set", "n=8192", "--precision", "f64"), {("triad", 8192, "f64")}),
        (keys(SPEEDWELL_CONFIG="good.toml"), {("triad", 4096, "f32")}),
    ]
    problems_ = [f"configuration: got {got}, expected {want}" for got, want in expected if got != want]
    def problems(*extra):
        done = run(program, "run stream --variant serial --repeat 1 --max-time 1ms --format json", folder, extra)
        return [(r["problem"]["kernel"], r["problem"]["n"], r["problem"]["precision"]) for r in json.loads(done.stdout)["runs"]]
    # Several values of a key are taken in turn, however they are given.
    product = {(kernel, n, "f64") for kernel in ("triad", "copy") for n in (64, 128, 256)}
    for extra in (("--set", "n=64,128,256", "--set", "kernel=triad,copy", "--precision", "f64"),
                  ("--set", "n=64", "--set", "kernel=triad", "--set", "n=128,2^8", "--set", "kernel=copy", "--precision", "f64"),
                  ("--config", "sweep.toml")):
        found = problems(*extra)
        if set(found) != product or len(found) != 6:
            problems_.append(f"{extra}: ran {found}")
    swept = run(program, "config show stream --size test --set n=64,128", folder).stdout
    with open(os.path.join(folder, "swept.toml"), "w") as file:
        file.write(swept)
    if "n = [64, 128] " not in swept or sorted(problems("--config", "swept.toml")) != sorted(problems("--size", "test", "--set", "n=64,128")):
        problems_.append(f"config show of sweeps: {swept}")
    # What `config show` prints is a configuration file, and says where each value is from.
    shown = run(program, "config show stream --size test --config good.toml --set n=8192", folder).stdout
    for line in ('kernel = "triad"', "n = 8192", 'precision = "f32"'):
        if line not in shown:
            problems_.append(f"config show lacks '{line}': {shown}")
    for line, source in (("kernel", "good.toml"), ("n =", "--set"), ("repeats", "default")):
        if not any(x.startswith(line) and x.endswith("# " + source) for x in shown.splitlines()):
            problems_.append(f"config show does not say that {line} is from {source}: {shown}")
    with open(os.path.join(folder, "shown.toml"), "w") as file:
        file.write(shown)
    if keys("--config", "shown.toml") != {("triad", 8192, "f32")}:
        problems_.append(f"what config show printed is read as {keys('--config', 'shown.toml')}")
    return problems_


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        gpu = "gpu: none" not in run(program, "list devices", folder).stdout
        rows = ROWS + CONFIG + FAILING + ([] if gpu else WITHOUT_GPU)
        for name, text in FILES.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        problems = check_config(program, folder)
        print("\n".join(problems))
        failed = len(problems)
        for words, status, contains in rows:
            problem = check(program, words, status, contains, folder)
            if problem:
                print(f"speedwell {words}\n  {problem}")
                failed += 1
    print(f"{len(rows)} command lines, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
