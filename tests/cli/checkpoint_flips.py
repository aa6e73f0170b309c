#!/usr/bin/env python3
"""Tests damaged checkpoints: checkpoint_flips.py PROGRAM. Every byte of every file of a small checkpoint of each solver is changed in one bit,
drawn at random (FLIPS=all: every bit in turn; FLIPS=N: N of them), and `checkpoint verify` finds it; a run resumed from the damaged folder reports
it and goes back, and ends with the bits of one without damage. Manifests with values of other types, or nested without end, are refused with status
3, the file and the key, or the run goes back to the checkpoint before."""
import json
import os
import random
import shutil
import sys
import tempfile

from solve_support import SOLVERS, Program, blast_case, content, fluid_case, one_error, steps_in, tree, write, without_digest

SMALL = {
    "flow": "schema = 1\n[mesh]\ncells = [3, 2, 2]\n[fluid]\nviscosity = 0.01\n[start]\nflow = \"taylor-green\"\n[time]\nend = 0.4\n"
            "largest_step = 0.1\n[output]\nhistory_every = 0.1\ncheckpoint_every = 0.1\nfields_every = 0.2\n",
    "fluid": fluid_case([4, 4, 4], (1, 2, 1)).format(end=4),
    "blast": blast_case([5, 5, 5], (1, 2, 1)).format(end=4),
}


def flip(path, bit):
    damaged = bytearray(content(path))
    damaged[bit // 8] ^= 1 << bit % 8
    with open(path, "wb") as f:
        f.write(damaged)


def flips(program, kind, chance):
    """Tests flips: many of `verify`, and some of a resumed run."""
    write("small.toml", SMALL[kind])
    assert program.solve("small.toml", "--output", "good").returncode == 0
    whole = tree("good")
    newest = f"checkpoints/step-{steps_in('good')[0]:09}"
    names = sorted(os.listdir(f"good/{newest}"))
    places = [(name, bit) for name in names for bit in range(8 * os.path.getsize(f"good/{newest}/{name}"))]
    wanted = os.environ.get("FLIPS", "12")
    if wanted != "all":
        manifest = [p for p in places if p[0] == "manifest.json"]
        fields = [p for p in places if p[0] != "manifest.json"]
        places = chance.sample(manifest, min(len(manifest), int(wanted))) + chance.sample(fields, int(wanted) // 4)
    resumed = set(chance.sample(places, min(len(places), 4)))
    for name, bit in places:
        shutil.rmtree("bad", ignore_errors=True)
        shutil.copytree("good", "bad")
        flip(f"bad/{newest}/{name}", bit)
        verified = program.checkpoint("verify", "bad")
        assert verified.returncode == 3 and name in verified.stderr, (kind, name, bit, verified)
        if (name, bit) in resumed:
            done = program.solve("--resume", "--output", "bad")
            assert done.returncode == 0 and done.stderr.count("going back") == 1, (kind, name, bit, done.stderr)
            for path, bytes_ in tree("bad").items():
                assert whole[path] == bytes_, f"{kind}: after bit {bit} of {name} was changed {path} is another"
    # A checkpoint under another step's name is none either.
    shutil.rmtree("bad")
    shutil.copytree("good", "bad")
    os.rename(f"bad/{newest}", "bad/checkpoints/step-000000777")
    assert program.checkpoint("verify", "bad").returncode == 3
    done = program.solve("--resume", "--output", "bad")
    assert done.returncode == 0 and "step-000000777" in done.stderr and "going back" in done.stderr, done.stderr
    # Without an undamaged checkpoint there is nothing to continue from; the message names a file.
    for step in steps_in("bad"):
        flip(f"bad/checkpoints/step-{step:09}/manifest.json", 200)
    one_error(program.solve("--resume", "--output", "bad"), 3, "manifest.json")
    for folder in ("good", "bad"):
        shutil.rmtree(folder)
    return len(places)


OTHERS = [None, -1, 1e308, 9223372036854775808, "x", True, [], [1], [["a", 1]], [[1, 2, 3]], {}, {"a": 1}, "\x1b[31m", 0.5]


def shapes(program, kind):
    """Tests manifests of version 0.1, which have no digest, with a value of another type at every position."""
    write("small.toml", SMALL[kind])
    assert program.solve("small.toml", "--output", "good").returncode == 0
    for step in steps_in("good"):
        manifest = json.loads(without_digest(f"good/checkpoints/step-{step:09}/manifest.json"))
    os.remove("good/run.json")
    done = program.solve("--resume", "--output", "good")  # of version 0.1: continues
    assert done.returncode == 0 and "warning: good" not in done.stderr, done.stderr
    shutil.rmtree("good")
    assert program.solve("small.toml", "--output", "good").returncode == 0
    os.remove("good/run.json")
    newest, before = steps_in("good")
    for step in (newest, before):
        manifest = json.loads(without_digest(f"good/checkpoints/step-{step:09}/manifest.json"))
    manifest = json.loads(content(f"good/checkpoints/step-{newest:09}/manifest.json"))

    def places(at, path=()):
        yield path
        if isinstance(at, dict):
            for key in at:
                yield from places(at[key], path + (key,))
        elif isinstance(at, list) and at:
            yield from places(at[0], path + (0,))

    tried = 0
    for n, path in enumerate(places(manifest)):
        if path[:2] == ("details", "settings") and len(path) > 2 and n % 7:
            continue  # one of seven settings: they are alike
        for m, other in enumerate(OTHERS):
            if (n + m) % int(os.environ.get("SHAPES_STRIDE", "61")):
                continue
            bad = json.loads(json.dumps(manifest))
            if path:
                at = bad
                for key in path[:-1]:
                    at = at[key]
                at[path[-1]] = other
            else:
                bad = other
            shutil.rmtree("bad", ignore_errors=True)
            shutil.copytree("good", "bad")
            write(f"bad/checkpoints/step-{newest:09}/manifest.json", json.dumps(bad))
            verified = program.checkpoint("verify", "bad")
            assert verified.returncode in (0, 3), (kind, path, other, verified)
            done = program.solve("--resume", "--output", "bad")
            assert done.returncode in (0, 3), (kind, path, other, done)
            assert "\x1b" not in done.stderr + verified.stderr + verified.stdout, (kind, path, other)
            if done.returncode == 3:
                one_error(done, 3, f"bad/checkpoints/step-{newest:09}")
            tried += 1
    for depth in (100, 80000):
        shutil.rmtree("bad", ignore_errors=True)
        shutil.copytree("good", "bad")
        text = json.dumps(manifest)[:-1] + ', "deep": ' + "[" * depth + "]" * depth + "}"
        write(f"bad/checkpoints/step-{newest:09}/manifest.json", text)
        one_error(program.checkpoint("verify", "bad"), 3, "manifest.json", "levels deep")
        assert program.checkpoint("list", "bad").returncode == 0
        done = program.solve("--resume", "--output", "bad")
        assert done.returncode == 0 and "levels deep; going back" in done.stderr, done.stderr
    shutil.rmtree("good")
    return tried


def main():
    program, chance = Program(sys.argv[1]), random.Random(int(os.environ.get("SEED", "29")))
    changed = tried = 0
    with tempfile.TemporaryDirectory() as top:
        os.chdir(top)
        for kind in SOLVERS:
            changed += flips(program, kind, chance)
            tried += shapes(program, kind)
        os.chdir("/")
    print(f"{changed} bits changed, all found; {tried} manifests of another shape, all with status 0 or 3")


main()
