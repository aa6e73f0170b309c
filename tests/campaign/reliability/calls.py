"""Makes every call of one function of the C library in a short run fail in turn, with the preloaded library of failing_calls.cpp. The run must end
in order with a one-line message, its files must be whole or absent, and what it had saved before must still exist: the same run, begun or resumed
without a fault, ends with the same bits as a run without faults."""
import errno
import json
import os
import shutil

from kinds import CASES, Kind, different, good_inputs, read, write
from process import Finding, find_faults, run

NAMES = ["write", "pwrite", "fsync", "rename", "open", "close", "ftruncate", "mkdir", "unlink", "read", "lock", "stat", "folder",
         "thread", "mmap", "malloc"]  # in the order of failing_calls.cpp
# Libraries that crash without memory; the program sees to it that there is some before it calls them. Of those of the GPU's driver
# there are no sources: what they do without memory is not ours to mend.
SPARED = "libhwloc:libmpi:libopen-:libevent:libpmix:libcuda:libnvidia"
MEMORY_CALLS = 400
# A stream of the C++ library that gets no memory for its buffer says that it cannot read or write.
MEMORY = {0, 3, 4, 5}
WRITING = {0, 5}
READING = {0, 3, 4, 5}
# What a function fails with, whether one call or all from one on, and what the program may end with.
FAULTS = {
    "write": [(errno.ENOSPC, True, WRITING), (errno.EIO, False, WRITING), (errno.EINTR, False, {0}), (0, False, WRITING)],
    "pwrite": [(errno.ENOSPC, True, WRITING), (0, False, WRITING)],
    "fsync": [(errno.EIO, False, WRITING), (errno.ENOSPC, True, WRITING)],
    "rename": [(errno.ENOSPC, False, WRITING), (errno.EACCES, True, WRITING)],
    "open": [(errno.EMFILE, False, READING), (errno.EACCES, True, READING)],
    "close": [(errno.EIO, False, READING)],
    "ftruncate": [(errno.EIO, False, WRITING)],
    "mkdir": [(errno.ENOSPC, False, WRITING), (errno.EROFS, True, WRITING)],
    "unlink": [(errno.EACCES, False, WRITING), (errno.EACCES, True, WRITING)],
    "read": [(errno.EIO, False, READING), (errno.EINTR, False, READING)],
    "lock": [(errno.ENOLCK, True, WRITING)],
    "stat": [(errno.EACCES, False, READING), (errno.EIO, False, READING)],
    "folder": [(errno.EMFILE, False, READING), (errno.EACCES, True, READING)],
    "thread": [(errno.EAGAIN, True, {0, 4})],
    "mmap": [(errno.ENOMEM, False, READING), (errno.ENOMEM, True, READING)],
    "malloc": [(errno.ENOMEM, False, MEMORY), (errno.ENOMEM, True, MEMORY)],
}
COMMANDS = {
    "align": "align q.fa d.fa --out out.tsv --threads 2 -q",
    "run": "run stream --size test --variant openmp --threads 2 --repeat 1 --warmup 0 --max-time 10ms --set kernel=copy -q "
           "--json out.json --csv out.csv --output out",
    "verify": "checkpoint verify flow --format json",
    "list": "checkpoint list flow",
    "config": "config show stream --config bad.toml",
}


class FailingCalls(Kind):
    name = "calls"
    title = "calls that fail (files, memory, threads)"
    share = 20

    def begin(self):
        self.rows, self.before = [], 0
        if not self.context.library:
            self.skipped.append("there is no library of failing calls (--library)")
            return
        self.make_whole()
        # Manifests that could not be opened were taken for damaged ones, and removed; a history that could not be looked at for a
        # missing one.
        counts = self.counts("resume blast")
        opened, looked = counts[NAMES.index("open")], counts[NAMES.index("stat")]
        self.rows = [("resume blast", "open", n, errno.EACCES, True, READING) for n in range(opened // 2, opened + 1, 4)]
        self.rows += [("resume blast", "stat", n, errno.EIO, False, READING) for n in range(1, looked + 1, 2)]
        self.before = len(self.rows)
        for command in list(COMMANDS) + [f"{how} {solver}" for solver in CASES for how in ("solve", "resume")]:
            counts = self.counts(command)
            for f, function in enumerate(NAMES):
                for error, rest, statuses in FAULTS[function]:
                    # One more than there are: with that none fails.
                    self.rows += [(command, function, n, error, rest, statuses) for n in self.numbers(function, counts[f])]

    def numbers(self, function, count):
        """Returns which calls fail in turn: all, except for the thousands of allocations, of which a number spread over the run is chosen."""
        if function != "malloc" or count < MEMORY_CALLS:
            return range(1, count + 2)
        return sorted({1 + i * count // MEMORY_CALLS for i in range(MEMORY_CALLS)} | {count + 1})

    def count(self):
        return len(self.rows)

    def first(self):
        return self.before

    def make_whole(self):
        """Makes the runs without faults: short ones, from which resumed runs continue, and whole ones."""
        self.top = f"{self.context.folder}/whole"
        os.makedirs(self.top)
        good_inputs(self.context, self.top)
        for solver, (text, end, later) in CASES.items():
            write(f"{self.top}/later-{solver}.toml", text.format(end=later))
            for words in ((f"{solver}.toml", "--output", solver), (f"{solver}.toml", "--output", f"{solver}-resumed"),
                          (f"later-{solver}.toml", "--resume", "--output", f"{solver}-resumed")):
                done = self.context.solve(self.top, *words, limit_s=120)
                assert done.status == 0, done
        done = self.context.run(COMMANDS["align"], self.top, limit_s=120)
        assert done.status == 0, done

    def prepare(self, command, folder):
        """Returns the words of a command after it has filled the folder in which the command runs."""
        if " " not in command:
            good_inputs(self.context, folder)
            write(f"{folder}/bad.toml", "schema = 1\n[stream]\nn = 4096\n")
            shutil.copytree(f"{self.top}/flow", f"{folder}/flow")
            return COMMANDS[command].split()
        how, solver = command.split()
        text, end, later = CASES[solver]
        write(f"{folder}/case.toml", text.format(end=later if how == "resume" else end))
        if how == "resume":
            shutil.copytree(f"{self.top}/{solver}", f"{folder}/out")
        # The interface of the binary fluid runs on two threads: their making may fail, too.
        threads = "2" if solver == "fluid" else "1"
        return ["solve", "case.toml", "-q", "--variant", "openmp", "--threads", threads, "--output",
                "out"] + (["--resume"] if how == "resume" else [])

    def run_failing(self, command, folder, function, n, error, rest):
        words = self.prepare(command, folder)
        counts = write(f"{folder}.counts", bytes(8 * (len(NAMES) + 1)))
        environment = self.context.environment | {"LD_PRELOAD": self.context.library, "FAILING_CALL": function,
                                                  "FAILING_NUMBER": str(n),
                                                  "FAILING_ERROR": str(error), "FAILING_NOT_IN": SPARED, "FAILING_COUNTS": counts,
                                                  "SPEEDWELL_PYTHON": "none"}
        if rest:
            environment["FAILING_REST"] = "1"
        # Without its cache a run measures ceilings, which takes seconds.
        done = run([self.context.program, *words], folder, environment, self.context.hang_s * (3 if command == "run" else 1))
        numbers = read(counts)
        os.remove(counts)
        return done, [int.from_bytes(numbers[8 * i:8 * i + 8], "little") for i in range(len(NAMES) + 1)]

    def counts(self, command):
        folder = f"{self.context.folder}/counted"
        os.makedirs(folder)
        done, counts = self.run_failing(command, folder, "-", 0, 0, False)
        assert done.status == 0, done
        if " " in command:
            self.compare_solve(command, folder, done)
        shutil.rmtree(folder)
        return counts

    def one(self, n, folder, chance):
        command, function, number, error, rest, statuses = self.rows[n]
        done, counts = self.run_failing(command, folder, function, number, error, rest)
        failed = counts[-1]
        # Errors go to standard error by write(): where that fails there can be no message.
        silent = function == "write" or (function == "malloc" and rest)
        found = find_faults(done, statuses if failed else {0}, silent=silent)
        if not any(f.kind == "hung" for f in found):
            found += [Finding("lost", text) for text in self.lost(command, folder, done)]
        name = f"{command}, {function} {number}{' and later' if rest else ''}, errno {error}"
        return 1, [Finding(f.kind, f"{name}: {f.text}") for f in found]

    def lost(self, command, folder, done):
        """Returns what is lost or damaged after a run in which a call failed."""
        if command == "align" and os.path.exists(f"{folder}/out.tsv"):
            return [] if read(f"{folder}/out.tsv") == read(f"{self.top}/out.tsv") else [f"out.tsv is not whole: {done}"]
        if command == "align":
            return [f"no out.tsv: {done}"] if done.status == 0 else []
        if command == "run":
            return self.lost_records(folder, done)
        if command == "verify":
            try:
                document = json.loads(done.out)
                return [] if (done.status == 0) == (document["error"] is None) else [f"the document is of another end: {done}"]
            except ValueError:
                return [f"no document: {done}: {done.out[:80]}"]
        return self.compare_solve(command, folder, done) if " " in command else []

    def lost_records(self, folder, done):
        wrong = []
        for name in ("out.json", "out/records.jsonl"):
            path = f"{folder}/{name}"
            if not os.path.exists(path):
                wrong += [f"no {name}: {done}"] if done.status == 0 else []
                continue
            try:
                text = read(path)
                documents = [json.loads(line) for line in text.splitlines()] if name.endswith("jsonl") else [json.loads(text)]
                if done.status == 0 and not documents:
                    wrong.append(f"{name} is empty: {done}")
            except ValueError as problem:
                wrong.append(f"{name}: {problem}: {done}")
        if os.path.exists(f"{folder}/out.csv") and not read(f"{folder}/out.csv").endswith(b"\n"):
            wrong.append(f"out.csv is not whole: {done}")
        return wrong

    def compare_solve(self, command, folder, done):
        how, solver = command.split()
        whole = f"{self.top}/{solver}" + ("-resumed" if how == "resume" else "")
        out = f"{folder}/out"
        if done.status == 0:
            names = different(out, whole)
            return [f"other files than without a fault: {names}: {done}"] if names else []
        wrong = []
        for name in os.listdir(f"{out}/fields") if os.path.isdir(f"{out}/fields") else ():
            if not name.startswith(".speedwell-") and read(f"{out}/fields/{name}") != read(f"{whole}/fields/{name}"):
                wrong.append(f"{name} is not whole: {done}")
        again = self.context.solve(folder, "--resume", "--output", "out") if os.path.isdir(out) else None
        if again is None or (how == "solve" and again.status == 3):  # it had saved nothing
            again = self.context.solve(folder, "case.toml", "--force", "--output", "out")
        elif how == "resume":
            again = self.context.solve(folder, "case.toml", "--resume", "--output", "out")
        if again.status != 0:
            return wrong + [f"cannot continue: {again}, after {done}"]
        names = different(out, whole)
        return wrong + ([f"other files after continuing: {names}: {done}"] if names else [])
