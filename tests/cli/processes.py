"""Processes of other programs as /proc shows them, and waiting for them without guessing how long they take. Shared by the tests of commands."""
import os
import signal
import time

PATIENCE = 60  # seconds within which anything happens that a test waits for, on a machine that builds and tests other things beside


def wait_until(holds, what, seconds=PATIENCE):
    """Waits until holds() is true; an AssertionError with `what` if it does not become true in time."""
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, f"not within {seconds} s: {what}"
        time.sleep(0.01)


def wait_for_handler(process, number=signal.SIGINT):
    """Waits until a program has begun to handle a signal by itself, which is when it has begun its work, or has ended."""
    def handles():
        if process.poll() is not None:
            return True
        with open(f"/proc/{process.pid}/status") as status:
            handled = next(line for line in status if line.startswith("SigCgt")).split()[1]
        return bool(int(handled, 16) >> (number - 1) & 1)

    wait_until(handles, f"process {process.pid} handles signal {number}")


def wait_for_work(process, seconds=0.5):
    """Waits until a program has taken so much processor time, which is more than it takes to start, or has ended."""
    def has_worked():
        if process.poll() is not None:
            return True
        with open(f"/proc/{process.pid}/stat") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
        return int(user) + int(system) >= seconds * os.sysconf("SC_CLK_TCK")

    wait_until(has_worked, f"process {process.pid} works for {seconds} s")


def wait_for_lines(path, count):
    """Waits until a file is there and has more than `count` lines."""
    def has_lines():
        if not os.path.exists(path):
            return False
        with open(path, "rb") as file:
            return file.read().count(b"\n") > count

    wait_until(has_lines, f"{path} has more than {count} lines")


def children():
    """Returns by the number of every process that has some the numbers of its children, in ascending order."""
    found = {}
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat") as file:
                found.setdefault(int(file.read().rpartition(")")[2].split()[1]), []).append(int(process))
        except OSError:
            pass  # it has ended meanwhile
    return {parent: sorted(below) for parent, below in found.items()}


def leaves_below(parent):
    """Returns the processes below a process that have no children themselves: the ranks of a launcher, whatever it has started them with."""
    everywhere = children()
    below, leaves = list(everywhere.get(parent, [])), []
    while below:
        process = below.pop()
        if process in everywhere:
            below += everywhere[process]
        else:
            leaves.append(process)
    return sorted(leaves)
