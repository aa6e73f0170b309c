#!/usr/bin/env python3
"""Tests commands as users type them, and their output: help, lists, names that do not exist, pipes that are closed.

Usage: typed_commands.py PROGRAM
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from processes import wait_for_work

PROGRAM = ""
# The commands that print their help themselves; report, compare-machines, diff and accept leave it to Python.
COMMANDS = ("list", "info", "run", "compare", "ladder", "crossover", "scale", "suite", "machine", "align", "solve", "checkpoint", "config",
            "schema", "completion")


def speedwell(*words):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SPEEDWELL_")}
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, env=environment, timeout=300)


class Help(unittest.TestCase):
    def test_help_of_a_command_is_what_the_command_says(self):
        for command in COMMANDS:
            with self.subTest(command):
                asked = speedwell("help", command)
                self.assertEqual((asked.returncode, asked.stderr), (0, ""))
                self.assertEqual(asked.stdout, speedwell(command, "--help").stdout)
                _, *examples = re.split(r"\nExamples?:\n  ", asked.stdout)
                self.assertEqual(len(examples), 1, asked.stdout)
                self.assertIn(f"speedwell {command}", examples[0])
                if command not in ("align", "solve"):  # whose own texts are wider
                    self.assertEqual([line for line in asked.stdout.splitlines()[1:] if len(line) > 80], [])

    def test_help_of_nothing_is_a_mistake(self):
        self.assertEqual(speedwell("help", "compaer").returncode, 2)
        self.assertIn("the nearest is 'compare'", speedwell("help", "compaer").stderr)

    def test_options_are_in_groups_and_begin_their_text_in_one_column(self):
        text = speedwell("help", "run").stdout
        at = [text.index("\n" + group + ":\n") for group in ("Problem", "Measuring", "Output", "Messages")]
        self.assertEqual(at, sorted(at))
        self.assertTrue(text.index("--variant") < at[1] < text.index("--max-time") < at[2] < text.index("--json") < at[3])

    def test_every_option_with_a_value_states_its_default(self):
        without_default = {"--json", "--csv"}  # whose description says "also"
        lines = speedwell("help", "suite").stdout.split("\n  --")[1:]
        for option in lines:
            name = "--" + option.split()[0]
            if option.split()[1].isupper() or "," in option.split()[1]:
                text = " ".join(option.split("\n\n")[0].split())
                self.assertTrue(name in without_default or "(" in text, option)

    def test_version(self):
        outputs = {speedwell(word).stdout for word in ("--version", "-V", "version")}
        self.assertEqual(len(outputs), 1)
        self.assertRegex(outputs.pop(), r"^speedwell \d+\.\d+\.\d+\n$")


class Lists(unittest.TestCase):
    def test_list_alone_names_the_applications(self):
        listed = speedwell("list")
        self.assertEqual(listed.returncode, 0)
        names = [line.split()[0] for line in speedwell("list", "apps").stdout.splitlines()]
        self.assertIn("stream", names)
        self.assertEqual([line.split()[0] for line in listed.stdout.split("\n\n")[0].splitlines()], names)
        self.assertNotIn("openmp", listed.stdout)

    def test_list_of_an_application_has_its_variants_sizes_and_parameters(self):
        text = speedwell("list", "stream").stdout
        for part in ("\nvariants\n", "  openmp ", "\nsizes\n", "  standard ", "\nparameters", "  kernel=triad"):
            self.assertIn(part, text)
        self.assertNotIn("matvec", text)

    def test_a_reason_is_told_once(self):
        for words in (("list", "stream"), ("list", "variants")):
            reasons = [line for line in speedwell(*words).stdout.splitlines() if "not here" in line]
            self.assertEqual(len(reasons), len(set(reasons)))
            self.assertTrue(all(line.startswith("(") for line in reasons), reasons)

    def test_an_unknown_list(self):
        self.assertIn("the nearest is 'stream'", speedwell("list", "steam").stderr)
        self.assertEqual(speedwell("list", "stream", "matvec").returncode, 2)


class Hints(unittest.TestCase):
    def test_a_far_name_is_no_hint(self):
        for words, allowed in ((("run", "stream", "--size", "big"), "allowed: test, "),
                               (("run", "stream", "--variant", "foo"), "allowed: serial, "),
                               (("run", "stream", "--format", "xml"), "allowed: text, json, csv, npb"),
                               (("benchmark",), "allowed: list, info, run, "),
                               (("run", "stream", "--set", "kernel=fma"), "allowed: copy, ")):
            with self.subTest(words):
                done = speedwell(*words)
                self.assertEqual(done.returncode, 2)
                self.assertIn(allowed, done.stderr)
                self.assertNotIn("nearest", done.stderr)


class ClosedPipes(unittest.TestCase):
    """A reader that closes the pipe early is no error: there is no message, and the status is that of a program that SIGPIPE ended."""

    def end_of(self, *words):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([PROGRAM, *words], stdout=writing, stderr=subprocess.PIPE, text=True, timeout=300)
        os.close(writing)
        return done.returncode, done.stderr

    def test_every_command_is_silent(self):
        data = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data")
        proteins = os.path.join(data, "proteins-100.fa")
        for words in (("list",), ("info",), ("schema",), ("help",), ("help", "run"), ("version",), ("config", "show", "stream"),
                      ("completion", "bash"), ("machine", "--quick"), ("suite", "stream", "--dry-run"),
                      ("run", "stream", "--size", "test", "--variant", "serial", "--repeat", "1"),
                      ("run", "stream", "--size", "test", "--variant", "serial", "--repeat", "1", "--format", "json"),
                      ("run", "npb", "--size", "test", "--variant", "openmp", "--repeat", "1", "--format", "npb"),
                      ("align", proteins, proteins, "--top", "1", "--devices", "none", "-q")):
            with self.subTest(words):
                self.assertEqual(self.end_of(*words), (-signal.SIGPIPE, ""))

    def test_a_failure_is_told_all_the_same(self):
        status, text = self.end_of("run", "stream", "--size", "big")
        self.assertEqual(status, 2)
        self.assertIn("unknown size", text)

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "list"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 5)
        self.assertIn("standard output could not be written", done.stderr)


class Outputs(unittest.TestCase):
    """An output that cannot be written is detected before anything is measured, and existing files are not changed."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_refused_beforehand(self):
        missing = os.path.join(self.folder.name, "missing", "x")
        for words in (("--json", missing), ("--csv", missing), ("--json", self.folder.name), ("--output", "/proc/nowhere")):
            with self.subTest(words):
                done = speedwell("compare", "stream", "--size", "test", *words)
                self.assertEqual((done.returncode, done.stdout), (5, ""))
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        done = speedwell("machine", "--json", missing)
        self.assertEqual((done.returncode, done.stdout), (5, ""))

    def test_what_is_there_stays_until_it_is_replaced(self):
        file = os.path.join(self.folder.name, "old.json")
        with open(file, "w") as old:
            old.write("old")
        done = speedwell("run", "stream", "--set", "n=2^60", "--variant", "serial", "--json", file)
        self.assertEqual(done.returncode, 2)
        with open(file) as now:
            self.assertEqual(now.read(), "old")
        self.assertEqual(speedwell("run", "stream", "--size", "test", "--variant", "serial", "--repeat", "1", "--json", file).returncode, 0)
        with open(file) as now:
            self.assertEqual(len(json.load(now)["runs"]), 12)
        self.assertEqual(os.listdir(self.folder.name), ["old.json"])


class Plans(unittest.TestCase):
    def test_a_dry_run_is_a_table_of_short_names_and_a_total(self):
        text = speedwell("suite", "--dry-run", "--full").stdout
        lines = text.splitlines()
        self.assertEqual(lines[0].split(), ["problem", "variants", "host", "device", "at", "most"])
        self.assertLess(max(map(len, lines)), 160)
        self.assertTrue(any(line.startswith("stream kernel=triad ") for line in lines))
        self.assertIn("at most about ", text)

    def test_the_total_has_the_planning_of_fftw(self):
        variants = speedwell("list", "fft").stdout
        if next(line for line in variants.splitlines() if line.startswith("  fftw ")).split()[2].startswith("("):
            self.skipTest("built without FFTW")
        words = ("compare", "fft", "--set", "kind=3d", "--precision", "f64", "--set", "data=complex", "--variant", "openmp,fftw", "--max-time", "1s")
        small, large = (speedwell(*words, "--set", f"n={n}", "--dry-run").stdout.replace("\n", " ") for n in (64, 128))
        self.assertIn("at most about 8 s", small)  # 2 x 1 s of timed phases, 2 x 3 s of checks
        self.assertIn("at most about 68 s", large)
        self.assertIn("planning 60", large)


class NothingToRun(unittest.TestCase):
    def setUp(self):
        if "gpu: none" not in speedwell("list", "devices").stdout:
            self.skipTest("there is a GPU")

    def test_is_one_line(self):
        for words in (("ladder", "wavefront"), ("run", "stream", "--variant", "cuda*")):
            done = speedwell(*words)
            self.assertEqual((done.returncode, done.stdout), (4, ""))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_other_variants_are_told_of_once(self):
        text = speedwell("compare", "stream", "--size", "test", "--set", "kernel=copy", "--precision", "f64", "--repeat", "1").stdout
        self.assertEqual(text.count("cuda-naive"), 1, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80, text)


class Signals(unittest.TestCase):
    def test_the_first_is_acknowledged_at_once(self):
        process = subprocess.Popen([PROGRAM, "run", "stream", "--size", "test", "--variant", "serial", "--min-time", "60s", "--max-time", "60s",
                                    "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for_work(process)
        process.send_signal(signal.SIGINT)
        line = process.stderr.readline()
        self.assertEqual(line, "speedwell: stopping after this step; again to stop now\n")
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        json.loads(out)

    def test_the_second_stops_at_once(self):
        # The nodes take minutes to count, in one execute, which begins when the ceilings have been measured: two seconds of processor time.
        process = subprocess.Popen([PROGRAM, "run", "uts", "--set", "tree=T2XXL", "--variant", "serial", "--threads", "2"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        wait_for_work(process, 4)
        process.send_signal(signal.SIGINT)
        self.assertIn("again to stop now", process.stderr.readline())
        time.sleep(1.2)  # one within a second of the first counts as the same
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130)

    def test_quiet_says_nothing(self):
        process = subprocess.Popen([PROGRAM, "run", "stream", "--size", "test", "--variant", "serial", "--min-time", "60s", "--max-time", "60s",
                                    "-q"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for_work(process)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        self.assertEqual((process.returncode, error), (130, ""))


class Terminals(unittest.TestCase):
    def test_progress_has_the_variant_the_time_and_what_is_left(self):
        import fcntl
        import pty
        import struct
        import termios
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 90, 0, 0))
        process = subprocess.Popen([PROGRAM, "run", "binary_fluid", "--size", "test", "--variant", "serial", "--min-time", "1s", "--max-time", "3s"],
                                   stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        text = b""
        while True:
            try:
                more = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not more or len(text) > 4000:
                break
            text += more
        os.close(master)
        process.terminate()
        process.wait()
        lines = [line for line in text.decode().replace("\x1b[K", "").split("\r") if line.startswith("[")]
        self.assertTrue(any(": serial" in line for line in lines), lines)
        for line in lines:
            self.assertLess(len(line), 90)
            self.assertRegex(line, r"^\[\d+/\d+\] binary_fluid.*, \d+:\d\d:\d\d so far(, (at most )?\d+:\d\d:\d\d left)?$")


class Colors(unittest.TestCase):
    WORDS = ("run", "stream", "--size", "test", "--set", "kernel=copy", "--precision", "f64", "--variant", "serial", "--max-time", "10ms")

    def test_verdicts_are_in_colour_where_that_is_asked_for(self):
        self.assertIn("\x1b[32mok\x1b[0m", speedwell(*self.WORDS, "--color", "always").stdout)

    def test_nothing_is_in_colour_behind_a_pipe(self):
        for words in ((), ("--color", "never")):
            self.assertNotIn("\x1b", speedwell(*self.WORDS, *words).stdout)

    def test_terminals_get_colour_unless_their_user_wants_none(self):
        for variables, wanted in (({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False), ({"TERM": "xterm", "NO_COLOR": "1"}, False)):
            with self.subTest(variables):
                main, terminal = os.openpty()
                environment = {k: v for k, v in os.environ.items() if k not in ("TERM", "NO_COLOR") and not k.startswith("SPEEDWELL_")} | variables
                process = subprocess.Popen([PROGRAM, *self.WORDS], stdout=terminal, stderr=subprocess.DEVNULL, env=environment)
                os.close(terminal)
                text = b""
                try:
                    while piece := os.read(main, 4096):
                        text += piece
                except OSError:  # the program has ended
                    pass
                os.close(main)
                self.assertEqual(process.wait(), 0)
                self.assertEqual(b"\x1b[32mok" in text, wanted, text)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
