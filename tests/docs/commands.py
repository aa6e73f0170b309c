#!/usr/bin/env python3
"""Checks that the commands in the documents work: commands.py ROOT PROGRAM [DOCUMENT...]

Looks at the fenced `sh` blocks of README.md, CONTRIBUTING.md and docs/*.md, at the speedwell commands of the applications' pages, and at the
commands of docs/studies/*.toml. A block
is run, in a folder that it shares with the other blocks of its document, if the line before it says so; otherwise its commands are checked:

    <!-- run -->                   run by bash, with the program first in PATH; every command has to end with status 0
    <!-- run with: PATH... -->     the same, with these files or folders of the repository there
    <!-- not run: REASON -->       or no comment: checked

A command is checked by --dry-run where it has that, by running it where it is short, and otherwise by looking for its options in its
--help. Scripts and presets have to exist. Exits with 1 and a line for each command that fails, and with 2 if there are none.
"""
import concurrent.futures
import gzip
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib

import markdown

# What the documents call files that a reader has, and which of the test's inputs stands for each.
READERS_FILES = {"q.fa": "query.fa", "query.fa": "query.fa", "db.fa": "database.fa", "db.fa.gz": "database.fa", "database.fa": "database.fa",
                 "thermal2.mtx.gz": "matrix.mtx"}
SHORT = {"align", "list", "info", "config", "schema", "completion", "help"}  # run where a document has them
OTHERS = {"apt-get", "awk", "cat", "cmake", "ctest", "export", "head", "pip", "planted_faults", "source"}
FOLDERS = ("tests", "tools", "docs", "examples", "results", "fuzz", "python", "schema")
SECONDS = 50  # for one command or block


class Place:
    """The repository, the program and a folder with what a reader has."""

    def __init__(self, root, program, folder):
        self.root, self.program, self.folder = root, program, folder
        (folder / "bin").mkdir()
        (folder / "bin" / "speedwell").symlink_to(program)
        self.environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(root / "python"),
                            "OMP_NUM_THREADS": "2", "SPEEDWELL_CACHE_DIR": str(folder / "cache")}
        self.read = folder / "reader"
        self.read.mkdir()
        (self.read / "examples").symlink_to(root / "examples")
        inputs = pathlib.Path(__file__).resolve().parent / "inputs"
        for name, source in READERS_FILES.items():
            content = (inputs / source).read_bytes()
            (self.read / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        for sequences in (root / "tests" / "data").glob("*.fa"):
            shutil.copy(sequences, self.read)
        shutil.copy(self.read / "proteins-100.fa", self.read / "proteins-500.fasta")

    def run(self, words, folder=None):
        """Returns the status of a command and the last lines of its output."""
        try:
            done = subprocess.run(words, cwd=folder or self.read, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=SECONDS)
            return done.returncode, " / ".join((done.stderr or done.stdout).strip().splitlines()[-2:])
        except subprocess.TimeoutExpired:
            return -1, f"takes longer than {SECONDS} s"

    def help(self, words):
        return subprocess.run([*words, "--help"], cwd=self.read, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=SECONDS)


# --- single commands -------------------------------------------------------------------------------------------------


def commands_of(line):
    """Returns the words of each command of a line of a shell script, without redirections and what prefixes a command."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>()")
    lexer.whitespace_split = True
    command, words = [], list(lexer)
    while words:
        word = words.pop(0)
        if set(word) <= set("|&;()"):
            yield command
            command = []
        elif set(word) <= set("<>"):
            if words and set(words[0]) <= set("("):
                continue  # a process substitution, whose command follows
            words and words.pop(0)
        elif command or not re.fullmatch(r"[A-Z_]+=.*", word):
            command.append(word)
    yield command


def wrong_options(words, text):
    """Returns the options among `words` that a help text does not have."""
    known = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text))
    for word in words:
        if word == "--":
            return
        if re.match(r"--?[a-zA-Z]", word) and word.split("=")[0] not in known:
            yield word.split("=")[0]


def check_speedwell(place, words):
    """Returns why a speedwell command would not do what a document says, or ""."""
    program = [str(place.program)]
    if not words or words[0].startswith("-"):
        status, output = place.run(program + words)
        return output if status else ""
    if words[0] in SHORT:
        status, output = place.run(program + words)
        return f"status {status}: {output}" if status not in (0, 4) else ""  # 4: no GPU here
    shown = place.help(program + words[:1])
    if shown.returncode == 4:
        return ""  # the Python packages are not here
    if shown.returncode:
        return f"there is no command {words[0]}: {shown.stderr.strip().splitlines()[0]}"
    unknown = list(wrong_options(words[1:], shown.stdout))
    if unknown:
        return f"{words[0]} has no {', '.join(unknown)}"
    if "--dry-run" in shown.stdout and not {"--resume", "--keys"} & set(words):
        status, output = place.run(program + words + [w for w in ["--dry-run"] if w not in words])
        if status not in (0, 4):  # 4: this machine has too little memory, or no GPU
            return f"status {status}: {output}"
    return ""


def check(place, words):
    """Returns why a command of a checked block would fail, or ""."""
    if not words:
        return ""
    if os.path.basename(words[0]) in ("mpirun", "mpiexec"):
        programs = [i for i, word in enumerate(words) if os.path.basename(word) == "speedwell"]
        return check(place, words[programs[0]:] if programs else words[3:] if words[1] in ("-n", "-np") else words[1:])
    name = os.path.basename(words[0])
    if name == "speedwell" or (words[0] == "./run.sh" and len(words) > 1):
        return check_speedwell(place, words[1:])
    if words[:3] == ["python3", "-m", "speedwell"]:
        shown = place.help([sys.executable, "-m", "speedwell", *words[3:4]])
        unknown = list(wrong_options(words[4:], shown.stdout))
        return shown.stderr.strip() if shown.returncode else f"has no {', '.join(unknown)}" if unknown else ""
    missing = [w for w in words if w.split("/")[0] in FOLDERS and "/" in w and "*" not in w and not (place.root / w).exists()]
    if missing:
        return f"there is no {missing[0]}"
    if "--preset" in words:
        presets = json.loads((place.root / "CMakePresets.json").read_text())["configurePresets"]
        wanted = words[words.index("--preset") + 1]
        return "" if wanted in [p["name"] for p in presets] else f"there is no preset {wanted}"
    if words[0].startswith("build/"):
        return ""  # what the commands before it have built
    if words[0].endswith((".sh", ".py")):
        return "" if os.access(place.root / words[0], os.X_OK) else f"{words[0]} cannot be run"
    return "" if name in OTHERS or words[:2] == ["python3", "-m"] else f"an unknown command, {name}"


# --- documents -------------------------------------------------------------------------------------------------------


def lines_of(block):
    """Returns the commands' lines of a block with their numbers; lines that end with a backslash continue."""
    joined, begin = "", 0
    for number, line in enumerate(block.lines, block.line):
        begin = begin if joined else number
        joined += line.strip()
        if joined.endswith("\\"):
            joined = joined[:-1] + " "
            continue
        if joined:
            yield begin, joined
        joined = ""


def commands_in_text(document):
    """Returns the speedwell commands of indented blocks, and the commands of the rows of a TOML file."""
    if document.suffix == ".toml":
        for number, line in enumerate(document.read_text().splitlines(), 1):
            if line.startswith("command = "):
                yield number, tomllib.loads(line)["command"]
        return
    for number, line in markdown.indented(document.read_text()):
        found = re.match(r"(?:\$ )?((?:mpirun -n \d+ )?speedwell .*)", line)
        if found and not line.startswith("speedwell:"):
            yield number, found[1]


def run_block(place, folder, block):
    """Runs a block that is marked to run and returns why it fails, or ""."""
    for name in block.comment.partition("with:")[2].split():
        source, target = place.root / name, folder / pathlib.Path(name).name
        if not source.exists():
            return f"there is no {name} to run it with"
        if not target.exists():
            target.symlink_to(source) if source.is_dir() else shutil.copy(source, target)
    status, output = place.run(["bash", "-euo", "pipefail", "-c", "\n".join(block.lines)], folder)
    return f"the block ends with status {status}: {output}" if status else ""


def jobs_of(place, document):
    """Returns the checks of a document: functions that return a line of output or "". Blocks that run are one job, in order."""
    where = lambda line: f"{os.path.relpath(document, place.root)}:{line}: "  # noqa: E731
    blocks = [b for b in markdown.blocks(document.read_text()) if b.language == "sh"]
    to_run = [b for b in blocks if b.comment == "run" or b.comment.startswith("run with:")]

    def checked(number, text):
        try:
            reasons = [check(place, words) for words in commands_of(text)]
        except ValueError as error:
            reasons = [str(error)]
        return [f"{where(number)}{text}: {reason}" for reason in reasons if reason]

    def run():
        folder = pathlib.Path(tempfile.mkdtemp(dir=place.folder))
        return [where(b.line) + reason for b in to_run for reason in [run_block(place, folder, b)] if reason]

    for block in blocks:
        if block not in to_run:
            for number, text in lines_of(block):
                if not text.startswith("#"):
                    yield lambda n=number, t=text: checked(n, t)
    for number, text in commands_in_text(document):
        yield lambda n=number, t=text: checked(n, t)
    if to_run:
        yield run


def main():
    root, program = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    documents = [pathlib.Path(d).resolve() for d in sys.argv[3:]] or [
        root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md")), *sorted((root / "speedwell" / "apps").rglob("README.md")),
        *sorted((root / "docs" / "studies").glob("*.toml"))]
    with tempfile.TemporaryDirectory() as folder:
        place = Place(root, program, pathlib.Path(folder))
        jobs = [job for document in documents for job in jobs_of(place, document)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            wrong = [line for lines in pool.map(lambda job: job(), jobs) for line in lines]
    return markdown.status(wrong, len(jobs), f"{len(jobs)} lines and blocks of commands in {len(documents)} documents")


if __name__ == "__main__":
    sys.exit(main())
