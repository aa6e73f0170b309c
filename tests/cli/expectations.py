"""Shared code of the tests of commands: the program run in a folder, and what is expected of it."""
import os
import subprocess


class Expectations:
    """Collects what does not hold: expect(what, holds)."""

    def __init__(self):
        self.failures = []

    def __call__(self, what, holds):
        if not holds:
            self.failures.append(what)

    def report(self):
        """Prints what did not hold and returns the exit status of the test."""
        print("\n".join(self.failures) or "ok")
        return 1 if self.failures else 0


def run(program, folder, words, **environment):
    """Returns the status, the standard output and the standard error of a command in a folder."""
    done = subprocess.run([program, *words.split()], cwd=folder, env=os.environ | environment, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr
