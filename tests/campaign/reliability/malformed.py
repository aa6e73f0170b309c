"""Tests malformed, truncated, huge and endless inputs of everything that the program reads: each is refused with status 3 (or that of its row) and
one line that names the file, within seconds and little memory. Input that is cut or changed at random may be valid by chance, and is then
accepted."""
import gzip
import json
import os
import shutil

from kinds import BLAST, CASES, FLOW, FLUID, Kind, good_inputs, read, write
from process import Finding, find_faults
from solve_support import without_digest

REFUSED, TAKEN = {3}, {0, 3}
HUGE = "9" * 400
NESTED = 100000
LONG = "n" * 300

# Sequences: name, bytes, what is accepted.
SEQUENCES = [
    ("empty", b"", REFUSED), ("blank", b"\n \n\t\n", REFUSED), ("no header", b"MKV\n", REFUSED), ("header alone", b">a", REFUSED),
    ("no identifier", b">\nMKV\n", REFUSED), ("blank identifier", b">  \nMKV\n", REFUSED), ("digit", b">a\nMK1V\n", REFUSED),
    ("zero byte", b">a\nMK\0V\n", REFUSED), ("binary", bytes(range(256)) * 16, REFUSED), ("UTF-8", ">a\nMKé\n".encode(), REFUSED),
    ("invalid UTF-8", b">a\nMK\xff\xfe\n", REFUSED), ("byte order mark", b"\xef\xbb\xbf>a\nMKV\n", {0}),
    ("UTF-16", ">a\nMKV\n".encode("utf-16"), REFUSED), ("lone carriage return", b">a\rMKV\n", REFUSED),
    ("carriage returns alone", b">a\rMKV\r>b\rMKV\r", REFUSED),
    ("header too long", b">" + b"a" * ((16 << 20) + 1) + b"\nMKV\n", REFUSED),
    ("FASTQ without plus", b"@a\nACGT\nIIII\n", REFUSED), ("FASTQ cut in letters", b"@a\nAC", REFUSED),
    ("FASTQ cut after plus", b"@a\nACGT\n+\n", REFUSED), ("FASTQ short qualities", b"@a\nACGT\n+\nIII\n", REFUSED),
    ("FASTQ long qualities", b"@a\nACGT\n+\nIIIII\n", REFUSED), ("FASTQ blank quality", b"@a\nACGT\n+\nII I\n", REFUSED),
    ("FASTQ other header", b"@a\nACGT\n+b\nIIII\n", REFUSED), ("FASTQ then FASTA", b"@a\nACGT\n+\nIIII\n>b\nACGT\n", REFUSED),
    ("FASTA then FASTQ", b">a\nACGT\n@b\nACGT\n+\nIIII\n", REFUSED), ("XML", b"<?xml version='1.0'?><a/>", REFUSED),
    ("gzip of nothing", gzip.compress(b""), REFUSED), ("gzip header alone", gzip.compress(b">a\nMKV\n")[:10], REFUSED),
    ("gzip cut", gzip.compress(b">a\nMKV\n" * 100)[:-9], REFUSED),
    ("gzip, other sum", gzip.compress(b">a\nMKV\n")[:-8] + b"\0" * 8, REFUSED),
    ("gzip with a tail", gzip.compress(b">a\nMKV\n") + b"tail", REFUSED),
    ("gzip in gzip", gzip.compress(gzip.compress(b">a\nMKV\n")), REFUSED),
    ("gzip bomb of records", gzip.compress(b">a\n\n" * (12 << 20), 1), REFUSED),
    ("gzip bomb of zeros", gzip.compress(bytes(64 << 20), 9), REFUSED),
    ("zip", b"PK\x03\x04" + bytes(60), REFUSED), ("bzip2", b"BZh91AY&SY" + bytes(40), REFUSED),
    ("semicolons", b";a\nMKV\n", TAKEN),
    ("gaps alone", b">a\n---\n", TAKEN), ("stars", b">a\nMKV*\n", TAKEN), ("one letter", b">a\nM\n", {0}),
    ("no letters", b">a\n>b\nMKV\n", TAKEN), ("control in header", b">a \x1b[31m\nMKV\n", TAKEN),
    ("comma", b">a\nMK,V\n", REFUSED),
    ("right to left", ">a\u202eb\nMKV\n".encode(), TAKEN), ("a million records of one letter", b">a\nM\n" * 100000, {0}),
]
MATRICES = [
    ("empty", b""), ("comments alone", b"# none\n"), ("no rows", b"  A R\n"), ("row missing", b"  A R\nA 1 0\n"),
    ("short row", b"  A R\nA 1\nR 0 1\n"), ("long row", b"  A R\nA 1 0 0\nR 0 1\n"), ("asymmetric", b"  A R\nA 1 2\nR 0 1\n"),
    ("letter twice", b"  A A\nA 1 1\nA 1 1\n"), ("row twice", b"  A R\nA 1 0\nA 1 0\n"), ("word", b"  A R\nA 1 x\nR 0 1\n"),
    ("fraction", b"  A R\nA 1 0.5\nR 0.5 1\n"), ("128", b"  A R\nA 128 0\nR 0 1\n"), ("-129", b"  A R\nA 1 -129\nR -129 1\n"),
    ("huge", f"  A R\nA {HUGE} 0\nR 0 1\n".encode()), ("infinity", b"  A R\nA inf 0\nR 0 1\n"),
    ("digit as a letter", b"  A 1\nA 1 0\n1 0 1\n"),
    ("two letters in a word", b"  AR N\nAR 1 0\nN 0 1\n"), ("zero byte", b"  A R\nA 1 \0\nR 0 1\n"),
    ("invalid UTF-8", b"  A \xff\nA 1 0\n"),
    ("binary", bytes(range(256)) * 16), ("too long", b"#" * ((1 << 20) + 1) + b"\n  A R N\n"), ("comma", b"  A,R\nA,1,0\n"),
    ("other letters", b"  W V\nW 1 0\nV 0 1\n"), ("minus alone", b"  A R\nA - 0\nR 0 1\n"),
    ("hexadecimal", b"  A R\nA 0x1 0\nR 0 1\n"),
]
BANNER = b"%%MatrixMarket matrix coordinate real general\n"
MARKET = [
    ("empty", b""), ("no banner", b"2 2 1\n1 1 1\n"), ("half a banner", b"%%MatrixMarket matrix\n"),
    ("unknown word", b"%%MatrixMarket matrix coordinate reel general\n"),
    ("complex", b"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n"),
    ("hermitian", BANNER.replace(b"general", b"hermitian") + b"1 1 1\n1 1 1\n"),
    ("array", b"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n"), ("no sizes", BANNER),
    ("two sizes", BANNER + b"2 2\n"), ("four sizes", BANNER + b"2 2 1 1\n1 1 1\n"),
    ("sizes in words", BANNER + b"two 2 1\n1 1 1\n"), ("size below 0", BANNER + b"-2 2 1\n1 1 1\n"),
    ("size of 0", BANNER + b"0 0 1\n1 1 1\n"),
    ("size with a fraction", BANNER + b"2.5 2 1\n1 1 1\n"), ("huge size", BANNER + f"{HUGE} 2 1\n1 1 1\n".encode()),
    ("size of 2^31", BANNER + b"2147483648 2147483648 1\n1 1 1\n"),
    ("size of 2^63", BANNER + b"9223372036854775808 2 1\n1 1 1\n"),
    ("count of 2^62", BANNER + b"2 2 4611686018427387904\n1 1 1\n"),
    ("largest rows", BANNER + b"2147483647 2147483647 1\n1 1 1\n"),
    ("count of 10^12", BANNER + b"1000000 1000000 1000000000000\n1 1 1\n"), ("entries missing", BANNER + b"2 2 3\n1 1 1\n"),
    ("an entry too many", BANNER + b"2 2 1\n1 1 1\n2 2 1\n"),
    ("index of 0", BANNER + b"2 2 1\n0 1 1\n"), ("index beyond", BANNER + b"2 2 1\n3 1 1\n"),
    ("index below 0", BANNER + b"2 2 1\n-1 1 1\n"), ("index with a fraction", BANNER + b"2 2 1\n1.5 1 1\n"),
    ("huge index", BANNER + f"2 2 1\n{HUGE} 1 1\n".encode()), ("no value", BANNER + b"2 2 1\n1 1\n"),
    ("two values", BANNER + b"2 2 1\n1 1 1 1\n"), ("word as a value", BANNER + b"2 2 1\n1 1 x\n"),
    ("value beyond doubles", BANNER + b"2 2 1\n1 1 1e999\n"), ("not a number", BANNER + b"2 2 1\n1 1 nan\n"),
    ("infinity", BANNER + b"2 2 1\n1 1 inf\n"), ("hexadecimal", BANNER + b"2 2 1\n1 1 0x10\n"),
    ("symmetric, not square", BANNER.replace(b"general", b"symmetric") + b"2 3 1\n1 1 1\n"),
    ("above the diagonal", BANNER.replace(b"general", b"symmetric") + b"2 2 1\n1 2 1\n"),
    ("skew diagonal", BANNER.replace(b"general", b"skew-symmetric") + b"2 2 1\n1 1 1\n"),
    ("zero byte", BANNER + b"2 2 1\n1 1 \0\n"), ("binary", bytes(range(256)) * 16),
    ("invalid UTF-8", BANNER + b"\xff\xfe\n"), ("line too long", BANNER + b"%" * ((1 << 20) + 1) + b"\n2 2 1\n1 1 1\n"),
    ("gzip cut", gzip.compress(BANNER + b"2 2 1\n1 1 1\n" * 99)[:-9]),
]
# Cases of each solver: what replaces what.
VALUES = ["-1", "0", "1e308", "1e-300", "nan", "-inf", HUGE, "true", "\"word\"", "[]", "[1]", "{}", "[[1, 2], [3]]", "1979-05-27",
          "9223372036854775808",
          "0x10", "\"\\u202e\"", "'''a'''"]
CHANGES = {
    "flow": ("cells = [4, 4, 4]", "cells = {}", "viscosity = 0.01", "viscosity = {}", "end = 0.4", "end = {}",
             'flow = "taylor-green"', "flow = {}",
             "fields_every = 0.2", "fields_every = {}", "schema = 1", "schema = {}", "largest_step = 0.1", "largest_step = {}"),
    "fluid": ("sites = [8, 8, 8]", "sites = {}", "steps = 4", "steps = {}", "fields_every = 2", "fields_every = {}",
              'solver = "binary_fluid"', "solver = {}"),
    "blast": ("points = [5, 5, 5]", "points = {}", "steps = 4", "steps = {}", "checkpoint_every = 2", "checkpoint_every = {}",
              'solver = "blast"', "solver = {}"),
}
TOML = [
    ("empty", ""), ("binary", bytes(range(256)) * 16), ("zero byte", "schema = 1\n\0"),
    ("invalid UTF-8", b"schema = 1\n# \xff\xfe\nx = 1\n"), ("half a table", "schema = 1\n[mesh"),
    ("no name", "schema = 1\n[]\n"), ("header and line feed", "schema = 1\n[\nmesh]\n"), ("no value", "schema = 1\nmesh =\n"),
    ("no equals sign", "schema 1\n"), ("two values", "schema = 1 2\n"),
    ("open text", "schema = 1\nsolver = \"bl\n"), ("open array", "schema = 1\n[mesh]\ncells = [1, 2\n"),
    ("key twice", "schema = 1\nschema = 1\n"), ("table twice", FLOW.format(end=1) + "[mesh]\ncells = [4, 4, 4]\n"),
    ("deep array", "schema = 1\nx = " + "[" * NESTED + "]" * NESTED),
    ("deep table", "schema = 1\nx = " + "{a = " * 5000 + "1" + "}" * 5000),
    ("deep key", "schema = 1\n" + "a." * NESTED + "a = 1\n"),
    ("many keys", "schema = 1\n" + "".join(f"k{i} = {i}\n" for i in range(5000))),
    ("many tables", "schema = 1\n" + "".join(f"[t{i}]\n" for i in range(5000))),
    ("long key", "schema = 1\n" + "k" * (1 << 20) + " = 1\n"),
    ("long text", "schema = 1\nsolver = \"" + "s" * (1 << 20) + "\"\n"), ("too long", "schema = 1\n" + "#" * ((16 << 20) + 1)),
    ("byte order mark of UTF-16", "schema = 1\n".encode("utf-16")),
    ("control character", "schema = 1\nsolver = \"\x1b[31m\"\n"),
    ("escape of no character", "schema = 1\nsolver = \"\\ud800\"\n"), ("JSON", "{\"schema\": 1}"),
    ("array of tables", "schema = 1\n[[mesh]]\ncells = [4, 4, 4]\n"),
    ("mesh is a number", "schema = 1\nmesh = 3\n"), ("cubes without end", FLOW.format(end=1).replace("cells = [4, 4, 4]",
        "cells = [64, 64, 64]") + "[cubes]\ncount = 2147483647\nedge = 60\n"),
    ("one cube too large", FLOW.format(end=1) + "[cubes]\ncount = 1\nedge = 2147483647\n"),
    ("mesh beyond memory", FLOW.format(end=1).replace("[4, 4, 4]", "[65536, 65536, 65536]")),
    ("lattice beyond memory", FLUID.format(end=1).replace("[8, 8, 8]", "[65536, 65536, 65536]")),
    ("points beyond memory", BLAST.format(end=1).replace("[5, 5, 5]", "[4096, 4096, 4096]")),
]
RECORDS = [
    ("empty", b""), ("blank", b"\n\n"), ("not JSON", b"records"), ("null", b"null"), ("number", b"1"), ("text", b"\"runs\""),
    ("array", b"[]"), ("object", b"{}"), ("open object", b"{"),
    ("other schema", b'{"schema": "other/1", "runs": []}'), ("schema of a number", b'{"schema": 1, "runs": []}'),
    ("no runs", b'{"schema": "speedwell-records/1"}'), ("runs of a number", b'{"schema": "speedwell-records/1", "runs": 3}'),
    ("run of a number", b'{"schema": "speedwell-records/1", "runs": [3]}'),
    ("run of nothing", b'{"schema": "speedwell-records/1", "runs": [{}]}'), ("deep", b"[" * NESTED + b"]" * NESTED),
    ("deep objects", b'{"a":' * NESTED + b"1" + b"}" * NESTED), ("invalid UTF-8", b'{"schema": "\xff\xfe"}'),
    ("half a pair", b'{"schema": "\\ud800"}'), ("zero byte", b'{"schema": "a\0"}'), ("binary", bytes(range(256)) * 16),
    ("NaN", b'{"schema": NaN}'), ("two documents", b"{}\n{} {}"), ("huge number", b'{"schema": ' + HUGE.encode() + b"}"),
    ("exponent", b'{"schema": 1e999999}'), ("long text", b'{"schema": "' + b"a" * (1 << 22) + b'"}'),
    ("UTF-16", '{"schema": 1}'.encode("utf-16")), ("comment", b'// none\n{"schema": 1}'), ("gzip", gzip.compress(b"{}")),
]
MANIFESTS = [
    ("empty", b""), ("null", b"null"), ("array", b"[]"), ("object", b"{}"), ("binary", bytes(range(256)) * 16),
    ("deep", b"[" * NESTED + b"]" * NESTED), ("invalid UTF-8", b'{"schema": "\xff"}'),
    ("no fields", b'{"schema": "speedwell-checkpoint/1", "step": 4, "details": {}}'), ("schema of a number", b'{"schema": 1}'),
    ("newer", b'{"schema": "speedwell-checkpoint/9", "step": 4}'),
    ("step below 0", b'{"schema": "speedwell-checkpoint/1", "step": -4}'),
    ("huge step", b'{"schema": "speedwell-checkpoint/1", "step": 1e99}'), ("cut", None), ("doubled", None),
    ("name with a slash", None),
    ("shape beyond numbers", None), ("shape below 0", None), ("no sums", None), ("sums of numbers", None),
    ("unknown element", None),
]
# What stands where a file is wanted.
PLACES = ["/dev/zero", "endless pipe", "folder", "loop", "long name", "long path", "missing", "empty name", "broken link",
          "below a file", "device"]
# Commands that read a file: words with {}, and whether a device without end is above their limit (and not a text of one line).
READERS = {
    "query": "align {} d.fa", "database": "align q.fa {}",
    "matrix": "align arn.fa arn.fa --matrix {} --gap-open 5 --gap-extend 1",
    "market": "run spmv --variant serial --repeat 1 --max-time 10ms --set matrix={}",
    "case": "solve {} --output out --variant openmp --threads 1 -q",
    "configuration": "config show stream --config {}", "records": "report {} --out out.html", "base": "diff {} good.json",
    "new": "diff good.json {}",
    "checkpoints": "checkpoint verify {}", "run": "solve --resume --output {} -q",
}


class Malformed(Kind):
    name = "malformed"
    title = "malformed input files"
    share = 7

    def begin(self):
        self.saved = f"{self.context.folder}/saved"  # a run of each solver
        os.makedirs(self.saved, exist_ok=True)
        for kind, (text, end, _) in CASES.items():
            write(f"{self.saved}/{kind}.toml", text.format(end=end))
            done = self.context.solve(self.saved, f"{kind}.toml", "--output", kind, "--force", limit_s=120)
            assert done.status == 0, done
        self.rows = list(self.all_rows())

    def count(self):
        return len(self.rows)

    def all_rows(self):
        """Yields reader, name, bytes (or a function of the valid ones) and statuses."""
        for name, content, statuses in SEQUENCES:
            yield "query", name, content, statuses
            if self.context.long or len(content) < 1 << 20:
                yield "database", name, content, statuses
        yield from (("matrix", name, content, REFUSED) for name, content in MATRICES)
        yield from (("market", name, content, REFUSED | {4} if name in ("largest rows", "count of 10^12") else REFUSED) for name,
                    content in MARKET)
        for name, content in TOML:
            yield "case", name, content, REFUSED | ({4} if "beyond memory" in name else set())
            if "memory" not in name and "cube" not in name and "mesh" not in name and "table twice" != name:
                yield "configuration", name, content, {2, 3}
        for solver, changes in CHANGES.items():
            text, end, _ = CASES[solver]
            for old, new in zip(changes[::2], changes[1::2]):
                for value in VALUES:
                    yield "case", f"{solver}: {new.format(value)[:60]}", text.format(end=end).replace(old, new.format(value)), {0,
                        3, 4}
        for name, content in RECORDS:
            yield "records", name, content, REFUSED
            yield "base", name, content, REFUSED
        yield from (("manifest", name, content, REFUSED) for name, content in MANIFESTS)
        for reader in READERS:
            for place in PLACES:
                # A word without a slash may be the name of a built-in matrix.
                yield reader, f"at {place}", None, {2, 3} if place == "empty name" or (reader, place) == ("matrix",
                    "broken link") else REFUSED
        for reader, good in (("query", "q.fa"), ("matrix", "arn.txt"), ("market", "good.mtx"), ("case", "flow.toml"),
                             ("case", "fluid.toml"), ("case", "blast.toml"), ("records", "good.json"), ("base", "good.json")):
            for number in range(60 if self.context.long else 3):
                yield reader, f"{good} cut {number}", cut(good), {0, 1, 3}
                yield reader, f"{good} changed {number}", mutate(good), {0, 1, 3, 4}

    def one(self, n, folder, chance):
        reader, name, content, statuses = self.rows[n]
        good_inputs(self.context, folder)
        if reader == "manifest":
            return 1, self.manifest(folder, name, content, chance)
        if callable(content):
            content = content(folder, chance)
        path, stdin = "bad", None
        if content is None:
            path, stdin = place(folder, name[3:], statuses)
        else:
            write(f"{folder}/bad", content)
        words = [word.format(path) if word == "{}" or word.endswith("={}") else word for word in READERS[reader].split()]
        try:
            done = self.context.run(words, folder, stdin=stdin)
        finally:
            if stdin is not None:
                stdin.close()
        named = "" if content is None or done.status == 2 else "bad"
        found = find_faults(done, statuses, named if done.status == 3 else "")
        if done.status not in (0, 1, 7) and os.path.exists(f"{folder}/out"):
            found.append(Finding("wrong", f"a refused case made its folder: {done}"))
        return 1, [Finding(f.kind, f"{reader}, {name}: {f.text}") for f in found]

    def manifest(self, folder, name, content, chance):
        solver = chance.choice(sorted(CASES))
        shutil.copytree(f"{self.saved}/{solver}", f"{folder}/run")
        steps = sorted(os.listdir(f"{folder}/run/checkpoints"))
        # Those of version 0.1, which have no digest that would find any change.
        os.remove(f"{folder}/run/run.json")
        for step in steps:
            without_digest(f"{folder}/run/checkpoints/{step}/manifest.json")
        path = f"{folder}/run/checkpoints/{steps[-1]}/manifest.json"
        if content is None:
            content = damaged_manifest(name, read(path).decode())
        write(path, content.replace(b"\"step\": 4", f"\"step\": {int(steps[-1][5:])}".encode()))
        found = find_faults(self.context.run("checkpoint verify run", folder), REFUSED, f"run/checkpoints/{steps[-1]}/")
        found += find_faults(self.context.run("checkpoint list run --format json", folder), {0})
        resumed = self.context.solve(folder, "--resume", "--output", "run")
        found += find_faults(resumed, {0})
        if resumed.message.count("going back to the checkpoint before") != 1:
            found.append(Finding("wrong", f"no warning: {resumed}"))
        return [Finding(f.kind, f"{solver}'s manifest, {name}: {f.text}") for f in found]


def damaged_manifest(name, text):
    if name == "cut":
        return text[:-10].encode()
    if name == "doubled":
        return (text + text).encode()
    manifest = json.loads(text)
    field = manifest["fields"][0]
    change = {"name with a slash": {"name": "../u"}, "shape beyond numbers": {"shape": [1 << 62, 1 << 62]},
              "shape below 0": {"shape": [-1, 2]}, "no sums": {"xxh3_128": []},
              "sums of numbers": {"xxh3_128": [1]}, "unknown element": {"element": "f16"}}[name]
    field.update(change)
    return json.dumps(manifest).encode()


def cut(good):
    def content(folder, chance):
        bytes_ = read(f"{folder}/{good}")
        return bytes_[:chance.randrange(len(bytes_))]
    return content


def mutate(good):
    """Returns a copy with bytes changed, doubled, left out, or replaced by numbers and words that are at a limit."""
    def content(folder, chance):
        bytes_ = bytearray(read(f"{folder}/{good}"))
        for _ in range(chance.choice((1, 1, 2, 5))):
            at = chance.randrange(len(bytes_) + 1)
            piece = chance.choice((bytes([chance.randrange(256)]), b"", b"\n", b"\0", b"-", b"\"", b"[", b"]", b"{", b"1e999",
                                   b"99999999999999999999", b"\xff", b"\xe2\x80\xae", bytes_[at:at + 20] * 3))
            bytes_[at:at + chance.choice((0, 1, 1, 8))] = piece
        return bytes(bytes_)
    return content


def place(folder, what, statuses):
    """Returns a path that is no regular file, and the standard input that belongs to it."""
    write(f"{folder}/file", b"")
    os.makedirs(f"{folder}/empty")
    if what == "endless pipe":
        import subprocess
        return "/dev/stdin", subprocess.Popen(["yes"], stdout=subprocess.PIPE).stdout
    if what == "loop":
        os.symlink("loop", f"{folder}/loop")
    if what == "broken link":
        os.symlink("nowhere", f"{folder}/broken")
    return {"/dev/zero": "/dev/zero", "folder": "empty", "loop": "loop", "long name": LONG, "long path": "/".join(["d" * 200] * 30),
            "missing": "nowhere/none", "empty name": "", "broken link": "broken",
            "below a file": "file/none", "device": "/dev/null"}[what], None
