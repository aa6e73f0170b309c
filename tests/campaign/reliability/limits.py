"""Tests full disks, by size and by number of files, small limits of the process (addresses, files, stack, size of a file), and standard streams
that are closed or full. What was saved must stay, and what is written must be whole or absent."""
import json
import os
import resource
import shutil
import subprocess

from kinds import CASES, Kind, good_inputs, read, write
from process import Finding, find_faults

SIZES_KiB = [0, 4, 8, 12, 16, 24, 32, 48, 64, 80, 100, 128, 160, 200, 256, 400]
FILES = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 30]
RUN = "run stream --size test --variant serial --repeat 1 --max-time 10ms --set kernel=copy -q"
WRITERS = {
    "align": "align q.fa d.fa --threads 1 --out full/out.tsv",
    "report": "report good.json --out full/out.html",
    "run": RUN + " --json full/out.json --csv full/out.csv --output full/out --format json",
    "run, csv": RUN + " --csv full/out.csv --format json",
    "solve flow": "solve flow.toml -q --variant openmp --threads 1 --output full/flow",
    "solve fluid": "solve fluid.toml -q --variant openmp --threads 1 --output full/fluid",
    "solve blast": "solve blast.toml -q --variant openmp --threads 1 --output full/blast",
}


def after_no_room(context, folder, command, done, at="full"):
    """Returns the findings on a full disk: statuses, documents, checkpoints, and whether a run continues."""
    found = find_faults(done, {0, 5})
    top = f"{folder}/{at}"
    if "--format json" in WRITERS.get(command, ""):
        try:
            error = json.loads(done.out)["error"]
            if (done.status == 0) != (error is None):
                found.append(Finding("wrong", f"the document has another end: {done}"))
        except ValueError as problem:
            found.append(Finding("lost", f"standard output is not one document: {problem}: {done}"))
    for name, end in (("out.html", b"</html>\n"), ("out.csv", b"\n"), ("out.json", b"}\n"), ("out.tsv", b"\n")):
        path = f"{top}/{name}"
        if os.path.exists(path) and not read(path).endswith(end):
            found.append(Finding("lost", f"{name} is half there: {done}"))
    records = f"{top}/out/records.jsonl"
    if os.path.exists(records):
        try:
            [json.loads(line) for line in read(records).splitlines()]
        except ValueError as problem:
            found.append(Finding("lost", f"records.jsonl: {problem}: {done}"))
    left = [name for _, _, names in os.walk(top) for name in names if name.startswith(".speedwell-") and name.endswith(".tmp")]
    if left:
        found.append(Finding("lost", f"left behind: {left}: {done}"))
    if command.startswith("solve"):
        run = f"{top}/{command.split()[1]}"
        if os.path.isdir(f"{run}/checkpoints"):
            verified = context.run(["checkpoint", "verify", run], folder)
            if verified.status != 0 and "there is no checkpoint" not in verified.message:
                found.append(Finding("lost", f"{verified}, after {done}"))
    return found


class FullDisks(Kind):
    name = "disks"
    title = "full disks, by size, by number of files, by the size of one file"
    share = 6

    def begin(self):
        self.mounted = []
        self.rows = [("file size", size, command) for size in (0, 100, 1000, 5000, 20000, 50000) for command in WRITERS]
        probe = f"{self.context.folder}/probe"
        os.makedirs(probe)
        if self.mount(probe, "size=64k"):
            self.unmount(probe)
            self.rows += [("size", size, command) for size in SIZES_KiB for command in WRITERS]
            self.rows += [("files", number, command) for number in FILES for command in WRITERS]
        else:
            self.skipped.append("small file systems, which may not be mounted")
        self.rows += [("/dev/full", 0, command) for command in WRITERS]
        self.rows *= 2 if self.context.long else 1  # again beside a state that is there already

    def count(self):
        return len(self.rows)

    def mount(self, path, options):
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", path], capture_output=True, check=False)
        if done.returncode == 0:
            self.mounted.append(path)
        return done.returncode == 0

    def unmount(self, path):
        subprocess.run(["umount", path], capture_output=True, check=True)
        self.mounted.remove(path)

    def end(self):
        for path in list(self.mounted):
            subprocess.run(["umount", "-l", path], capture_output=True, check=False)

    def one(self, n, folder, chance):
        how, much, command = self.rows[n]
        again = n >= len(self.rows) // 2 and self.context.long
        good_inputs(self.context, folder)
        words = WRITERS[command]
        os.makedirs(f"{folder}/full")
        found, limits = [], {}
        if how == "/dev/full":
            with open("/dev/full", "wb") as full:
                return 1, self.to_full(words, folder, full)
        if how == "file size":
            limits = {resource.RLIMIT_FSIZE: much}
        elif not self.mount(f"{folder}/full", f"size={much}k" if how == "size" else f"nr_inodes={much}") and much > 0:
            return 1, [Finding("wrong", f"no file system of {how} {much}")]
        try:
            done = self.context.run(words, folder, limits=limits)
            found += after_no_room(self.context, folder, command, done)
            if again and command.startswith("solve") and done.status == 5 and how != "file size":
                # Once there is space again the run continues, or begins anew where it had saved nothing.
                self.remount(f"{folder}/full")
                name = command.split()[1]
                resumed = self.context.solve(folder, "--resume", "--output", f"full/{name}")
                if resumed.status == 3 and not os.path.exists(f"{folder}/full/{name}/checkpoints/step-000000002"):
                    resumed = self.context.solve(folder, f"{name}.toml", "--force", "--output", f"full/{name}")
                if resumed.status != 0:
                    found.append(Finding("lost", f"cannot continue: {resumed}, after {done}"))
        finally:
            if f"{folder}/full" in self.mounted:
                self.unmount(f"{folder}/full")
        return 1, [Finding(f.kind, f"{how} {much}, {command}: {f.text}") for f in found]

    def remount(self, path):
        subprocess.run(["mount", "-o", "remount,size=64m,nr_inodes=10000", path], check=True, capture_output=True)

    def to_full(self, words, folder, full):
        done = subprocess.run([self.context.program, *words.replace("-q ", "").split()], cwd=folder, env=self.context.environment,
                              stdout=full, stderr=subprocess.PIPE, check=False)
        message = done.stderr.decode(errors="replace")
        # Without --out all is printed; `report` says where its file is.
        statuses = {"align": {0}, "report": {0, 5}}.get(words.split()[0], {5})
        if done.returncode not in statuses or (done.returncode == 5 and "standard output" not in message):
            return [Finding("wrong", f"standard output is full: {words}: status {done.returncode}: {message[:200]}")]
        return []


READERS = {
    "version": "--version", "list": "list apps", "verify": "checkpoint verify flow-run",
    "config": "config show stream",
    "align to standard output": "align q.fa d.fa --threads 2", "machine": "machine --quick",
}
LIMITS = {
    "addresses": (resource.RLIMIT_AS, [1 << 20, 30 << 20, 60 << 20, 80 << 20, 100 << 20, 150 << 20, 200 << 20, 300 << 20,
                                       500 << 20, 800 << 20, 1200 << 20, 1500 << 20, 3000 << 20]),
    "data": (resource.RLIMIT_DATA, [0, 1 << 20, 4 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20]),
    "files": (resource.RLIMIT_NOFILE, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16]),
    "stack": (resource.RLIMIT_STACK, [256 << 10, 512 << 10, 1 << 20, 2 << 20]),
    "core": (resource.RLIMIT_CORE, [0]),
}
STREAMS = [(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)]


class SmallLimits(Kind):
    name = "limits"
    title = "small limits of addresses, data, files, stack; closed streams"
    share = 6

    def begin(self):
        # With little memory the status depends on Python's own libraries.
        commands = {name: words for name, words in WRITERS.items() if name != "report"} | READERS
        self.environment = self.context.environment | {"SPEEDWELL_PYTHON": "none"}
        # Where the dynamic linker has too little memory for the libraries there is no program yet.
        begins = {(what, limit) for what, (resource_, limits) in LIMITS.items() for limit in limits
                  if self.context.run("--version", self.context.folder, limits={resource_: limit}).status == 0}
        self.rows = [(what, limit, command) for what, limit in sorted(begins) for command in commands]
        self.rows += [("closed", streams, command) for streams in STREAMS for command in commands]
        self.commands = commands
        self.run_folder = f"{self.context.folder}/limits-run"
        os.makedirs(self.run_folder)
        write(f"{self.run_folder}/flow.toml", CASES["flow"][0].format(end="0.4"))
        done = self.context.solve(self.run_folder, "flow.toml", "--output", "run", limit_s=120)
        assert done.status == 0, done

    def count(self):
        return len(self.rows)

    def one(self, n, folder, chance):
        what, limit, command = self.rows[n]
        good_inputs(self.context, folder)
        os.makedirs(f"{folder}/full")
        shutil.copytree(f"{self.run_folder}/run", f"{folder}/flow-run")
        words = self.commands[command]
        name = f"{what} {limit}, {command}"
        if what == "closed":
            done = self.context.run(words, folder, closed=limit, environment=self.environment)
            found = find_faults(done, {0, 5} if 1 in limit else {0}, silent=2 in limit)
        else:
            done = self.context.run(words, folder, limits={LIMITS[what][0]: limit}, environment=self.environment)
            found = find_faults(done, {0, 3, 4, 5})
        return 1, [Finding(f.kind, f"{name}: {f.text}") for f in found]
