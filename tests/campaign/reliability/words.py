"""Tests command lines that are refused: those of tests/cli, and every option of every command with invalid values."""
import os
import shlex

from command_lines import CONFIG, FILES, ROWS
from kinds import Kind, good_inputs, write
from process import Finding, find_faults

VALUES = ["", "-1", "0", "x", "1e999", "nan", "99999999999999999999", "1.5", "\u202e", "\x1b[31m", "n" * 5000, "1,", ",1",
          "--help", "1 2", "\udcff"]
OPTIONS = {
    "run stream --size test --variant serial --repeat 1 --max-time 10ms -q": [
        "--seed", "--threads", "--repeat", "--warmup", "--passes", "--rounds", "--min-time", "--max-time", "--format", "--color",
        "--progress", "--devices", "--set", "--precision", "--config", "--gpus"],
    "solve flow.toml --output out -q": ["--threads", "--time-limit", "--variant", "--color", "--progress"],
    "align q.fa d.fa --threads 1": ["--top", "--matrix", "--gap-open", "--gap-extend", "--out-format", "--alphabet", "--evalue",
                                    "--outfmt", "--columns", "--max-target-seqs", "--query-cover", "--mask", "--query", "--db",
                                    "--threads", "--devices"],
    "checkpoint list .": ["--format", "--color"],
    "machine": ["--format", "--threads"],
    "report good.json --out out.html": ["--title", "--color"],
    "diff good.json good.json": ["--fail-on", "--format"],
    "config show stream": ["--format", "--set", "--size"],
    "compare stream --size test --variant serial --repeat 1 --max-time 10ms": ["--project", "--reference"],
    "completion": [""],
    "list": [""],
}
MANY = [
    "run", "run --", "run -- stream stream", "run stream --set", "run stream --set n", "run stream --set n=1 --set n=2 --dry-run",
    "run stream --json", "solve --resume --output", "solve", "solve flow.toml flow.toml",
    "solve --resume --force --output out", "align", "align q.fa", "align q.fa d.fa d.fa", "align - -", "checkpoint",
    "checkpoint verify", "checkpoint verify . .", "diff", "diff good.json", "diff a b c", "report", "report --out out.html",
    "report good.json --out good.json", "config", "config show", "config show stream stream", "list stream",
    "list variants nothing", "info info", "schema schema", "completion", "completion tcsh", "machine machine", "suite nothing",
    "ladder", "ladder nothing", "compare", "scale nothing", "--nothing", "-", "--", "-q", "help help", "RUN stream", "run STREAM",
    "run stream --SIZE test", "run stream -- --size", "align --out", "run stream --output good.json",
    "run stream --json /nonexistent/x.json --size test --variant serial --repeat 1 --max-time 10ms",
    "run stream --csv . --size test --variant serial --repeat 1 --max-time 10ms", "solve flow.toml --output good.json",
    "align q.fa d.fa --out nowhere/x",
    "report good.json --out nowhere/x.html", "solve flow.toml --output /proc/nothing/x",
]


class CommandLines(Kind):
    name = "words"
    title = "command lines"
    share = 3

    def begin(self):
        self.rows = [(shlex.split(words), {status}, text) for words, status, text in ROWS + CONFIG if status in (2, 3)]
        for words in MANY:
            may_pass = "--dry-run" in words or "help" in words or words.startswith("list")
            self.rows.append((words.split(), {2, 3, 4, 5} | ({0} if may_pass else set()), ""))
        for words, options in OPTIONS.items():
            for option in options:
                # What it takes of these is for the tests of each option to say; here it is refused in one line, or done.
                self.rows += [(words.split() + ([option] if option else []) + [value], {0, 1, 2, 3, 4, 5, 6, 7},
                               "") for value in VALUES]
                if option:
                    self.rows += [(words.split() + [option], {2}, ""),
                                  (words.split() + [f"{option}={'x' * 300}"], {2, 3, 4} | ({0} if option == "--title" else set()),
                                   "")]
        if not self.context.long:  # those of tests/cli have their own test
            self.rows = self.rows[7 % len(self.rows)::9]

    def count(self):
        return len(self.rows)

    def one(self, n, folder, chance):
        words, statuses, contains = self.rows[n]
        good_inputs(self.context, folder)
        for name, text in FILES.items():
            write(f"{folder}/{name}", text)
        before = sorted(os.listdir(folder))
        done = self.context.run([word.encode(errors="surrogateescape") for word in words], folder)
        done.words = [self.context.program, *(word[:40] for word in words)]
        found = find_faults(done, statuses, contains)
        if done.status == 2 and sorted(os.listdir(folder)) != before:
            found.append(Finding("wrong", f"what was refused has left {sorted(set(os.listdir(folder)) - set(before))}: {done}"))
        return 1, found
