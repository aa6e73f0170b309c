#!/usr/bin/env python3
"""Tests keys that may change when a run is resumed, and the values that outputs may have: solve_keys.py PROGRAM. Whatever changes, no file that a
run has written is written again with other bytes, every line of a history and every file of a series has its own time, and the files named in
flow.pvd and scales.csv exist. Intervals of 0, tiny, huge or below 0 are accepted or refused in seconds, with the name of the key."""
import os
import re
import shutil
import sys
import tempfile

from solve_support import SOLVERS, Program, content, one_error, tree, write

MAY_CHANGE = {
    "flow": {"time.end": "0.6", "output.history_every": "0.15", "output.fields_every": "0.2", "output.checkpoint_every": "0.3",
             "output.spectra_every": "0.2", "output.spectra_at": "[0.45, 0.55]", "output.fields_at": "[0.55, 0.65]", "output.decay_from": "0.2"},
    "fluid": {"time.steps": "60", "output.history_every": "15", "output.fields_every": "20", "output.checkpoint_every": "30"},
    "blast": {"time.steps": "12", "output.history_every": "3", "output.fields_every": "4", "output.checkpoint_every": "6"},
}


def changed(text, key, value):
    """Returns the case with another value of 'table.key'; a key that it does not have is added."""
    table, name = key.split(".")
    part = re.search(rf"\[{table}\]\n(?:[^\[\n].*\n)*", text)
    lines = part.group(0).splitlines(keepends=True)
    lines = [line for line in lines if not line.startswith(f"{name} =")] + [f"{name} = {value}\n"]
    return text.replace(part.group(0), "".join(lines))


def series(folder):
    """Returns times and files of flow.pvd."""
    return [(float(t), f) for t, f in re.findall(r'timestep="([^"]*)" file="([^"]*)"', content(f"{folder}/flow.pvd").decode())]


def times_in(path):
    return [float(line.split(b",")[0]) for line in content(path).splitlines()[1:]]


def keys_that_may_change(program, kind):
    text, shorter, longer = SOLVERS[kind]
    for key, value in MAY_CHANGE[kind].items():
        write("a.toml", text.format(end=shorter))
        assert program.solve("a.toml", "--output", "run").returncode == 0
        before = {path: bytes_ for path, bytes_ in tree("run").items() if path.startswith(("fields", "spectra"))}
        old = series("run")
        write("b.toml", changed(text.format(end=longer), key, value))
        done = program.solve("b.toml", "--resume", "--output", "run")
        assert done.returncode == 0, (kind, key, done.stderr)
        after = tree("run")
        for path, bytes_ in before.items():
            assert after[path] == bytes_, f"{kind}, {key}: {path} was written over"
        now = series("run")
        assert now[:len(old)] == old, f"{kind}, {key}: {old} became {now}"
        assert len({f for _, f in now}) == len(now) and [t for t, _ in now] == sorted({t for t, _ in now}), (kind, key, now)
        assert all(os.path.exists(f"run/{f}") for _, f in now), (kind, key, now)
        times = times_in("run/history.csv")
        assert times == sorted(set(times)), (kind, key, times)
        if kind == "flow":
            spectra = [line.rsplit(b",", 1)[1].decode() for line in content("run/scales.csv").splitlines()[1:]]
            assert len(set(spectra)) == len(spectra) and all(os.path.exists(f"run/{f}") for f in spectra), (key, spectra)
            times = times_in("run/scales.csv")
            assert times == sorted(set(times)), (key, times)
            if key == "output.fields_every":
                expected = [0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8]
                assert [round(t, 9) for t, _ in now] == expected, now
            if key == "output.fields_at":
                assert {0.55, 0.65} <= {t for t, _ in now}, now
        shutil.rmtree("run")


# Values that a case may have for an interval: a time or, of the others, a number of steps.
VALUES = ["0", "1e-300", "1e-30", "5e-324", "1e-12", "1e300", "1.7e308", "-0.0", "-1", "-1e-300", "nan", "inf", "-inf", "1", "-2147483649",
          "2147483647", "2147483648", "9223372036854775807", "true", "\"1\"", "[]", "{}"]
INTERVALS = {
    "flow": ["history_every", "fields_every", "checkpoint_every", "spectra_every", "profiles_every", "profiles_from", "fields_at",
             "decay_from"],
    "fluid": ["history_every", "fields_every", "checkpoint_every"],
    "blast": ["history_every", "fields_every", "checkpoint_every"],
}


def values_of_intervals(program, kind):
    text, shorter, _ = SOLVERS[kind]
    taken = refused = 0
    for key in INTERVALS[kind]:
        base = text.format(end={"flow": "0.05"}.get(kind, "6"))
        if key == "profiles_every":
            base = base.replace("[fluid]", "[edges]\ny = \"wall\"\n[fluid]").replace("spectra_every = 0.1\n", "")
            base = base.replace('flow = "taylor-green"', 'flow = "channel"')
        for value in VALUES + (["[1e-300, 2e-300, 0.01]", "[0.01, 0.01]", "[0.02, 0.01]", "[-1]"] if key == "fields_at" else []):
            write("v.toml", changed(base, f"output.{key}", value))
            done = program.solve("v.toml", "--output", "values", timeout=20)
            if done.returncode == 3:
                line = one_error(done, 3, f"output.{key}")
                assert re.search(r"v\.toml:\d+:\d+: ", line), line
                assert not os.path.exists("values"), (kind, key, value)
                refused += 1
            else:
                assert done.returncode == 0, (kind, key, value, done.returncode, done.stderr)
                shutil.rmtree("values")
                taken += 1
    for key in ("largest_step",) if kind == "flow" else ():
        for value in ("1e-300", "5e-324", "1e-30"):
            write("v.toml", changed(text.format(end="0.05"), f"time.{key}", value))
            one_error(program.solve("v.toml", "--output", "values", timeout=20), 3, f"time.{key}")
    assert taken >= 4 and refused >= 10, (kind, taken, refused)
    return taken + refused


def main():
    program, tried = Program(sys.argv[1]), 0
    with tempfile.TemporaryDirectory() as top:
        os.chdir(top)
        for kind in SOLVERS:
            keys_that_may_change(program, kind)
            tried += values_of_intervals(program, kind)
        os.chdir("/")
    print(f"{sum(len(k) for k in MAY_CHANGE.values())} keys changed, {tried} values of intervals tried")


main()
