"""Shared code of the tests of commands: the program run in a folder, and what is expected of it."""
import os
import subprocess


class Expectations:
    """Says and counts what does not hold: expect(holds, what), or expect(holds, what, done) with a process that has ended or a text to show."""

    def __init__(self):
        self.failures = 0

    def __call__(self, holds, what, done=None):
        if holds:
            return
        self.failures += 1
        shown = f"status {done.returncode}\n{done.stdout}\n{done.stderr}" if isinstance(done, subprocess.CompletedProcess) else done
        print(f"FAILED: {what}" if shown is None else f"FAILED: {what}\n{shown}\n")

    def report(self):
        """Prints how many did not hold and returns the exit status of the test."""
        print(f"{self.failures} failures")
        return 1 if self.failures else 0


def run(program, folder, words, **environment):
    """Returns the status, the standard output and the standard error of a command in a folder."""
    done = subprocess.run([program, *words.split()], cwd=folder, env=os.environ | environment, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr
