"""Runs a command once and finds what is wrong with how it ended."""
import contextlib
import dataclasses
import os
import re
import resource
import signal
import subprocess
import tempfile
import threading
import time

MEMORY_MiB = 1024  # more than any small input may take
BUG = 70  # the status of an unexpected exception
CRASHES = {signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP, signal.SIGSYS}
MAPPED = 200  # bytes of a message that are kept
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclasses.dataclass
class Finding:
    kind: str  # of KINDS
    text: str


# What the columns of the table count.
KINDS = ("wrong", "crashed", "hung", "lost")


@dataclasses.dataclass
class Ended:
    words: list
    status: int  # as of subprocess: below 0 the signal
    seconds: float
    hung: bool
    memory_MiB: float
    out: bytes
    err: bytes

    @property
    def message(self):
        return self.err.decode(errors="replace")

    def errors(self):
        return [line for line in self.message.splitlines() if "speedwell: error: " in line]

    def __str__(self):
        words = " ".join(str(word)[:MAPPED] for word in self.words[1:])
        return f"{words}: status {self.status} after {self.seconds:.1f} s: {self.message.strip()[:MAPPED]}"


class Pipe:
    """A pipe whose write end is for a child; what it receives is written to a file."""

    def __init__(self, file):
        read_end, self.write_end = os.pipe()

        def keep():
            with open(read_end, "rb") as pipe:
                file.write(pipe.read())

        self.reader = threading.Thread(target=keep)
        self.reader.start()

    def fileno(self):
        return self.write_end

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.write_end)
        self.reader.join()


def run(words, folder, environment, limit_s, stdin=None, limits=None, signals=(), closed=()):
    """Runs a command in `folder`, for `limit_s` seconds at most. `limits`: a value for each resource. `signals`: pairs of a time after the one
    before and a signal, given while it runs. `closed`: the standard streams that it begins without."""
    def prepare():
        for what, value in (limits or {}).items():
            resource.setrlimit(what, (value, value))
        for descriptor in closed:
            os.close(descriptor)

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, contextlib.ExitStack() as pipes:
        to = (out, err)
        if resource.RLIMIT_FSIZE in (limits or {}):  # which pipes do not have
            to = [pipes.enter_context(Pipe(file)) for file in (out, err)]
        begin = time.monotonic()
        process = subprocess.Popen(words, cwd=folder, env=environment, stdin=stdin or subprocess.DEVNULL, stdout=to[0],
                                   stderr=to[1],
                                   preexec_fn=prepare if limits or closed else None)
        late = threading.Event()

        def end():
            late.set()
            os.kill(process.pid, signal.SIGKILL)

        timer = threading.Timer(limit_s, end)
        timer.start()
        for after, number in signals:
            time.sleep(after)
            if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                break
            os.kill(process.pid, number)  # Popen.send_signal() would wait for one that ended meanwhile
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        timer.cancel()  # before its number is anybody else's
        timer.join()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
        pipes.close()
        out.seek(0)
        err.seek(0)
        return Ended(list(words), process.returncode, seconds, late.is_set(), usage.ru_maxrss / 1024, out.read(1 << 24),
                     err.read(1 << 20))


def find_faults(ended, statuses, contains="", silent=False):
    """The findings on how a command ended: its status, its memory, its one error line with `contains`. `silent`: standard output is
    closed or full, or there can be no message for another reason."""
    if ended.hung:
        return [Finding("hung", str(ended))]
    if -ended.status in CRASHES or ended.status - 128 in CRASHES or ended.status == BUG:
        return [] if ended.status in statuses else [Finding("crashed", str(ended))]
    if ended.status not in statuses:
        return [Finding("wrong", f"{sorted(statuses)} expected: {ended}")]
    wrong = []
    if ended.memory_MiB > MEMORY_MiB:
        wrong.append(f"{ended.memory_MiB:.0f} MiB")
    if ended.status in (2, 3, 4, 5) and not silent:
        # `checkpoint verify` has a line for each checkpoint that is damaged.
        if len(ended.errors()) != 1 and not (ended.words[1:3] == ["checkpoint", "verify"] and ended.errors()):
            wrong.append(f"{len(ended.errors())} error lines")
        elif contains and contains not in ended.message:  # in the error, or in the hint below it
            wrong.append(f"no '{contains}'")
        if ended.out and "--format" not in ended.words and ended.words[1] not in ("checkpoint", "run"):
            wrong.append(f"prints {ended.out[:40]}")
    if CONTROL.search(ended.message.replace("\n", "").replace("\t", "")):
        wrong.append("control characters")
    return [Finding("wrong", f"{', '.join(wrong)}: {ended}")] if wrong else []
