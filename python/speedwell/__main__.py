"""Command line python3 -m speedwell report|compare|diff|accept|crossover|tables, which makes reports and comparisons from records. docs/python.md
is the manual."""
import argparse
import contextlib
import difflib
import errno
import importlib.util
import io
import os
import re
import signal
import sys

from .errors import SpeedwellError, UnavailableError, UsageError, document
from .text import nearest_hint, printable

PACKAGES = {"numpy": "python3-numpy", "pandas": "python3-pandas", "scipy": "python3-scipy", "matplotlib": "python3-matplotlib",
            "jinja2": "python3-jinja2", "jsonschema": "python3-jsonschema"}


class _Parser(argparse.ArgumentParser):
    """Reports mistakes as one line on standard error, with status 2, in the words of the commands of the program."""

    def error(self, message):
        for pattern, words in _MISTAKES:
            if found := re.fullmatch(pattern, message, re.DOTALL):
                message = words.format(*found.groups())
        raise UsageError(message, f"{self.prog} --help")

    def reject(self, word):
        """Raises the mistake of a word that is no option and no argument of this command."""
        if not word.startswith("-") or word == "-":
            self.error(f"'{word}' is one word too many for {self.prog.rpartition(' ')[2]}")
        option, names = word.partition("=")[0], [name.lstrip("-") for action in self._actions for name in action.option_strings]
        close = difflib.get_close_matches(option.lstrip("-")[:200], names, n=1, cutoff=0.6)
        self.error(f"unknown option '{option}'" + (f"; the nearest is '--{close[0]}'" if close else ""))


_MISTAKES = (  # of argparse, and how they are said here
    (r"the following arguments are required: (.*)", "{} is required"),
    (r"argument (\S+): expected one argument", "{}: its value is missing"),
    (r"argument (\S+): expected at least one argument", "{}: its value is missing"),
    (r"argument (\S+): invalid (\S+) value: (.*)", "{0}: {2} is not a {1}"),
    (r"argument COMMAND: invalid choice: (.*) \(choose from (.*)\)", "unknown command {}; allowed: {}"),
)


# The program `speedwell`, which starts this package, says so: messages and examples then show what the user typed.
_NAME = os.environ.get("SPEEDWELL_NAME") or "python3 -m speedwell"
_COMPARE = "compare-machines" if os.environ.get("SPEEDWELL_NAME") else "compare"  # `speedwell compare` compares variants


def _parser():
    parser = _Parser(prog=_NAME, description="Reports, comparisons and acceptance from the records of Speedwell.",
                     epilog="Exit statuses: 0 done; 1 a rule failed; 2 usage; 3 a damaged input; 4 a package is missing; 5 an output "
                            "cannot be written; 6 --fail-on holds, or nothing was compared.")
    parser.add_argument("--version", action="version", version="speedwell (Python) " + __import__("speedwell").__version__)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser, required=True)
    records = "records: .json, .jsonl or .jsonl.gz files, or folders of them"

    def outputs(command, what, default=None):
        command.add_argument("--out", metavar="FILE", default=default,
                             help=f"{what}{f' ({default})' if default else ''}; - is standard output")
        command.add_argument("--force", action="store_true", help="replace files that exist")

    report = commands.add_parser("report", help="one HTML page with plots", description="One self-contained HTML page with its plots.",
                                 epilog=f"example: {_NAME} report speedwell-output --out report.html")
    report.add_argument("records", nargs="+", metavar="RECORDS", help=records)
    outputs(report, "the page to write", "report.html")
    report.add_argument("--title", default="Speedwell report", help="title of the page")
    report.add_argument("--apart", action="store_true", help="make each GPU of one kind a machine of its own")

    compare = commands.add_parser("compare", aliases=["compare-machines"], help="machines as columns", description="Machines as columns, applications as rows: ratios "
                                  "with intervals, and what the measured ceilings alone predict.",
                                  epilog=f"example: {_NAME} {_COMPARE} old-node new-node", prog=f"{_NAME} {_COMPARE}")
    compare.add_argument("records", nargs="+", metavar="RECORDS", help="one machine each; the first is the base. " + records)
    compare.add_argument("--all", action="store_true", help="all problems in common, not one per application")
    compare.add_argument("--phase", default="execute", metavar="PHASE", help="execute or end_to_end (execute)")
    compare.add_argument("--format", default="text", metavar="F", help="text, json or csv (text)")
    outputs(compare, "also write an HTML page")

    diff = commands.add_parser("diff", help="what became faster or slower", description="What became faster or slower from BASE to NEW, and "
                               "how sure that is.", epilog=f"example: {_NAME} diff before after --fail-on slower:5")
    diff.add_argument("base", metavar="BASE", help=records)
    diff.add_argument("new", metavar="NEW", help="records to hold against them")
    diff.add_argument("--more-base", action="append", default=[], metavar="RECORDS", help="another session of the base (repeatable)")
    diff.add_argument("--more-new", action="append", default=[], metavar="RECORDS", help="another session of the new side (repeatable)")
    diff.add_argument("--across-machines", action="store_true", help="match by problem and kind of device (core, cores, gpu)")
    diff.add_argument("--phase", default="execute", metavar="PHASE", help="execute or end_to_end (execute)")
    diff.add_argument("--minimum-effect", type=_percent, default=0.02, metavar="PCT", help="smaller changes are none, percent (2)")
    diff.add_argument("--session-spread", type=_percent, default=None, metavar="PCT",
                      help="standard deviation of a session's median, percent, where it is known (estimated)")
    diff.add_argument("--fail-on", metavar="WHAT", help="slower[:PCT], missing, unclear, separated by commas: status 6 if one holds")
    diff.add_argument("--all", action="store_true", help="show all rows, not the changes alone")
    diff.add_argument("--format", default="text", metavar="F", help="text or json (text)")

    accept = commands.add_parser("accept", help="rules with PASS or FAIL per node", description="Holds the records of one or many nodes "
                                 "against rules.", epilog=f"example: {_NAME} accept node-*/ --rules rules.toml --junit accept.xml")
    accept.add_argument("records", nargs="+", metavar="RECORDS", help=records)
    accept.add_argument("--rules", required=True, metavar="FILE", help="the rules, TOML")
    accept.add_argument("--baseline", action="append", metavar="RECORDS", help="what rules about a baseline compare with (repeatable)")
    accept.add_argument("--nodes", metavar="BY", help="tell nodes apart by host, card or source (what the records have)")
    accept.add_argument("--junit", metavar="FILE", help="also write JUnit XML")
    accept.add_argument("--format", default="text", metavar="F", help="text or json (text)")
    outputs(accept, "also write an HTML page")

    crossover = commands.add_parser("crossover", help="from which size on the GPU pays", description="From which problem size on a GPU pays "
                                    "(or all cores, where there is none), with intervals.",
                                    epilog=f"example: {_NAME} crossover speedwell-output/crossover-* --out crossover.svg")
    crossover.add_argument("records", nargs="+", metavar="RECORDS", help=records)
    crossover.add_argument("--application", metavar="APP", help="only this application")
    crossover.add_argument("--format", default="text", metavar="F", help="text, json or csv (text)")
    outputs(crossover, "also draw the curves, SVG")

    tables = commands.add_parser("tables", help="Markdown tables for documents", description="Markdown tables from records, for documents "
                                 "with markers <!-- results:NAME --> and <!-- /results -->.",
                                 epilog=f"example: {_NAME} tables speedwell-output --name 'summary headline'")
    tables.add_argument("records", nargs="+", metavar="RECORDS", help=records)
    tables.add_argument("--name", action="append", default=[], metavar="NAME", help="print this table (repeatable)")
    tables.add_argument("--update", nargs="+", action="extend", default=[], metavar="FILE", help="replace the tables of these documents")
    tables.add_argument("--digests", metavar="FILE", help="JSON, application to the digest of its present sources: older figures are marked")
    tables.add_argument("--check", action="store_true", help="list records of other sources than --digests has (status 1 if any)")
    return parser, commands.choices


def _parse(arguments):
    parser, commands = _parser()
    options, others = parser.parse_known_args(arguments)
    if others:
        commands[options.command].reject(others[0])
    for name in ("records", "base", "new"):
        if "" in (value if isinstance(value := getattr(options, name, None), list) else [value]):
            raise UsageError(f"{name.upper()}: its value is empty", f"{commands[options.command].prog} --help")
    return options


def _percent(text):
    value = float(text.rstrip("%"))
    if not 0 <= value < 1000:
        raise ValueError
    return value / 100


_percent.__name__ = "percentage"  # what argparse calls it


def _choice(option, value, allowed):
    if value not in allowed:
        raise UsageError(f"{option}: '{printable(value, 60)}' is not allowed", nearest_hint(value, allowed))


def _print(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def _report(options):
    from . import output, records, report
    output.check_output(options.out, options.force, options.records)
    page = report.render(records.read(options.records), options.title, options.apart)
    output.write_file(options.out, page)
    if options.out != "-":
        _print(f"report: {printable(options.out)}\n")
    return 0


def _compare(options):
    from . import compare, output
    _choice("--format", options.format, ("text", "json", "csv"))
    if options.out:
        output.check_output(options.out, options.force, options.records)
    versus, machines = compare.run(options.records, options.phase, options.all)
    if options.out:
        output.write_file(options.out, compare.html(versus, machines))
    if options.out != "-":
        _print({"text": lambda: compare.text(versus, machines), "json": lambda: compare.as_json(versus),
                "csv": lambda: compare.as_csv(versus)}[options.format]())
    return 0


def _diff(options):
    from . import diff, records
    _choice("--format", options.format, ("text", "json"))
    _choice("--phase", options.phase, tuple(diff.PHASES))
    condition = diff.FailOn.parse(options.fail_on) if options.fail_on is not None else None
    sides = [records.read([first, *more]) for first, more in ((options.base, options.more_base), (options.new, options.more_new))]
    result = diff.compare(*sides, diff.PHASES[options.phase], options.across_machines, options.minimum_effect,
                          session_spread=options.session_spread)
    _print(diff.as_json(result) if options.format == "json" else diff.text(result, options.all))
    reasons = condition.reasons(result) if condition else []
    if reasons:
        sys.stderr.write(diff.failure_line(reasons) + "\n")
    return 6 if reasons else 0


def _accept(options):
    from . import accept, output, records
    _choice("--format", options.format, ("text", "json"))
    if options.nodes is not None:
        _choice("--nodes", options.nodes, accept.NODE_BY)
    inputs = [*options.records, options.rules, *(options.baseline or [])]
    for path in (options.out, options.junit):
        if path:
            output.check_output(path, options.force, inputs)
    title, nodes, rules = accept.read_rules(options.rules)
    baseline = records.read(options.baseline) if options.baseline else None
    result = accept.accept(records.read(options.records), rules, title, baseline, options.nodes or nodes)
    if options.junit:
        output.write_file(options.junit, accept.junit(result))
    if options.out:
        output.write_file(options.out, accept.html(result))
    if "-" not in (options.out, options.junit):
        _print(accept.as_json(result) if options.format == "json" else accept.text(result))
    return 0 if result.passed else 1


def _crossover(options):
    from . import crossover_text, output, records
    from .plots import Plots, standalone
    _choice("--format", options.format, ("text", "json", "csv"))
    if options.out:
        output.check_output(options.out, options.force, options.records)
    found = crossover_text.find(records.read(options.records), options.application)
    if options.out:
        if len(found) > 1:
            raise UsageError(f"--out draws one sweep, and these records hold {len(found)}", "--application, or fewer records")
        output.write_file(options.out, standalone(Plots().crossover(found[0][1])[0]))
    if options.out != "-":
        _print({"text": crossover_text.text, "json": crossover_text.as_json, "csv": crossover_text.as_csv}[options.format](found))
    return 0


def _tables(options):
    from . import output, records, tables
    if options.check and not options.digests:
        raise UsageError("--check needs --digests FILE")
    if not (options.name or options.update or options.check):
        raise UsageError("nothing to do: give --name, --update or --check")
    digests = tables.read_digests(options.digests) if options.digests else {}
    documents = records.read(options.records)
    for name in options.name:
        _print(tables.table(documents, name, digests))
    texts = [(path, tables.read_document(path)) for path in options.update]
    changed = [(path, new) for path, old in texts if (new := tables.updated(old, documents, digests, path)) != old]
    for path, text in changed:  # once all of them are made
        output.write_file(path, text)
    if not options.check:
        return 0
    lines = tables.outdated(documents, digests)
    _print("\n".join(lines or ["every record was measured from these sources"]) + "\n")
    return 1 if lines else 0


def _json_wanted(arguments):
    return any(word == "--format=json" or (word == "--format" and following == "json")
               for word, following in zip(arguments, [*arguments[1:], ""]))


_signals = []  # that have come: an import that one interrupts fails as if the package were broken


def _fail(error, arguments=()):
    if _signals:
        return 128 + _signals[0]
    if _json_wanted(list(arguments)):
        with contextlib.suppress(OSError):  # the line on standard error says what failed first
            sys.stdout.write(document(error))
    sys.stderr.write(f"speedwell: error: {printable(error.message, 2000)}\n")
    if error.hint:
        sys.stderr.write(f"hint: {printable(error.hint, 500)}\n")
    return error.status


def main(arguments=None):
    """Runs one command and returns its exit status."""
    try:
        options = _parse(arguments)
        missing = [package for module, package in PACKAGES.items() if importlib.util.find_spec(module) is None]
        if missing:
            raise UnavailableError(f"this needs Python packages that are not here: {', '.join(missing)}", f"apt-get install {' '.join(missing)}")
        return {"report": _report, "compare": _compare, "diff": _diff, "accept": _accept, "crossover": _crossover, "tables": _tables}[options.command.removesuffix("-machines")](options)
    except SpeedwellError as error:
        return _fail(error, sys.argv[1:] if arguments is None else arguments)
    except BrokenPipeError:  # whoever read the output has seen enough
        sys.stdout = open(os.devnull, "w")
        return 0
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        sys.stderr.write(f"speedwell: error: {error.filename or 'standard output'}: {error.strerror}\n")
        return 5
    except ImportError as error:  # a package that is there and cannot be loaded
        return _fail(UnavailableError(f"a Python package cannot be loaded: {error}"), sys.argv[1:] if arguments is None else arguments)
    except MemoryError:
        sys.stderr.write("speedwell: error: too little memory for these records\n")
        return 4
    except Exception as error:  # a mistake in this package
        if _signals:
            return 128 + _signals[0]
        if os.environ.get("SPEEDWELL_LOG") == "debug":
            raise
        frame = error.__traceback__
        while frame.tb_next:
            frame = frame.tb_next
        place = f"{os.path.basename(frame.tb_frame.f_code.co_filename)}:{frame.tb_lineno}"
        sys.stderr.write(f"speedwell: error: a bug: {type(error).__name__} at {place}: {error}\n"
                         "hint: SPEEDWELL_LOG=debug shows where it comes from\n".replace("\x1b", "?"))
        return 70


class _Closed(io.TextIOBase):
    """Stands for a standard output that was closed before the program began: nothing can be written to it."""

    def write(self, _text):
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def flush(self):
        pass

    def reconfigure(self, **_options):
        pass

    @property
    def buffer(self):
        return self


def _write_utf8():
    """Makes the standard streams UTF-8 whatever the locale is, since texts have characters such as × that others lack. Half of a surrogate pair, which a
    record may hold, is written as an escape."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _use_system_python():
    """Replaces this interpreter by the distribution's own if it lacks packages that the latter has (as apt-get installs them)."""
    system = "/usr/bin/python3"
    if all(importlib.util.find_spec(module) for module in PACKAGES) or os.environ.get("SPEEDWELL_PYTHON"):
        return
    if os.path.exists(system) and os.path.realpath(system) != os.path.realpath(sys.executable):
        folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        path = os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])])
        os.execve(system, [system, "-m", "speedwell", *sys.argv[1:]], {**os.environ, "PYTHONPATH": path, "SPEEDWELL_PYTHON": system})


def _terminated(number, _frame):
    _signals.append(number)
    raise SystemExit(128 + number)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _terminated)
    if sys.stdout is None:
        sys.stdout = _Closed()
    _write_utf8()
    _use_system_python()
    status = main()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")
    sys.exit(status)
