"""Makes Markdown tables from records for documents, so that no figure is typed by hand.

A document has markers, each alone on its line; what stands between them is replaced:

    <!-- results:NAME -->
    <!-- /results -->

NAME begins with the kind of table (SIZES are names of sizes with commas between them):

    APPLICATION [SIZES]                              a row for each variant of each problem
    summary [SIZES]                                  a row for each problem: host, GPU, speed-ups, limit, library
    columns APPLICATION SIZES PHASE VARIANT[/BASE]…  a row for each problem, a column for each variant or ratio; PHASE is
                                                     execute or end_to_end
    ladder APPLICATION SIZES PHASE                   a row for each variant, a column for each problem, their medians
    figures APPLICATION SIZES NAME…                  a row for each timed run with what the runs say of themselves
    energy [SIZES]                                   a row for each run whose energy was measured
"""
import json

from . import analysis
from .errors import InputError, UsageError
from .markers import marker_names, read_document, replaced
from .table_cells import (STALE, STALE_LEGEND, Marks, device, latest, not_run, origin, plain, rate, ratio, selected, shared, shown_problems,  # noqa: F401
                          speedups_over)
from .table_cells import table as table_of
from .table_columns import columns_table, ladder_table
from .table_summary import summary_table
from .text import DASH, digits, percent, printable, seconds


# --- documents ---------------------------------------------------------------------------------------------------------


def updated(text, documents, digests=None, name="the text"):
    """Returns `text` with a table for each of its markers. A marker for which no record has runs keeps what it has: a document may be ahead of its
    records. `digests`: Run.sources to the digest of the present sources, for the marks of older figures."""
    tables = {}
    for marker in marker_names(text, name):
        content = table(documents, marker, digests)
        if content:
            tables[marker] = content
    return replaced(text, tables, name)[0]


def read_digests(path):
    """Reads a JSON object of application names and digests. Raises InputError."""
    try:
        digests = json.loads(read_document(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{printable(path)}: is not well-formed JSON") from error
    if not isinstance(digests, dict) or not all(isinstance(digest, str) for digest in digests.values()):
        raise InputError(f"{printable(path)}: is no object of application names and digests")
    return digests


# --- the six kinds --------------------------------------------------------------------------------------------------


def table(documents, name, digests=None):
    """Returns the table that the marker `name` asks for; empty where no record has such runs. The kinds `summary`, `columns` and `ladder` have one table
    for all cards of one kind of machine, the others one for each card. Raises UsageError for a name that selects nothing."""
    words = name.split()
    marks = Marks(digests or {})
    if not words:
        raise UsageError(f"'{printable(name)}' names no table")
    if words[0] == "summary" and len(words) <= 2:
        return summary_table(documents, _sizes(words[1:]), marks)
    if (words[0] == "columns" and len(words) >= 5) or (words[0] == "ladder" and len(words) == 4):
        if words[3] not in ("execute", "end_to_end"):
            raise UsageError(f"'{printable(name)}': the phase is execute or end_to_end, not '{printable(words[3])}'")
        if words[0] == "ladder":
            return ladder_table(documents, words[1], _sizes(words[2:3]), words[3] + "_s", marks)
        return columns_table(documents, words[1], _sizes(words[2:3]), words[3] + "_s", words[4:], marks)
    if words[0] == "figures" and len(words) >= 4:
        return _figures(documents, words[1], _sizes(words[2:3]), words[3:], marks)
    if words[0] == "energy" and len(words) <= 2:
        return _energy(documents, _sizes(words[1:]), marks)
    if words[0] in ("summary", "columns", "ladder", "figures", "energy") or len(words) > 2:
        raise UsageError(f"'{printable(name)}' is no table", "docs/python.md has the names of tables")
    return _results(documents, words[0], _sizes(words[1:]), marks)


def _sizes(words):
    return words[0].split(",") if words else []


def _tables_of(documents, application, sizes):
    for machine in analysis.by_machine(latest(selected(documents, application, sizes)), apart=True):
        for found in machine.applications:
            yield machine, found, analysis.Labels(found.runs)


def _results(documents, application, sizes, marks):
    names = ["Problem", "Variant", "Device", "Execute, median", "95 % interval", "Rate", "Of limit", "Speedup, execute", "Speedup, end to end", "Verdict"]
    tables = []
    for machine, found, labels in _tables_of(documents, application, sizes):
        rows, base = [], None
        for problem in shown_problems(found.families):
            base = base or analysis.fastest_on_host(problem.runs)
            label = labels.of(problem)
            for run in problem.runs:
                if run.status != "skipped":
                    rows.append(_results_row(label, run, machine, problem.runs, marks))
                    label = ""  # of the first of its rows alone
        if rows:
            tables.append(table_of(names, range(3, 9), rows, [0, 1, 2, 3, 9]) + "\n" + shared(labels) + not_run(found.runs)
                          + origin([(machine, found.runs)], speedups_over(base), marks, has_limits=True))
    return "\n".join(tables)


def _outcome(run):
    return {"passed": "ok", "failed": "**FAILED**", "error": "**error**: " + plain(run.reason)}[run.status]


def _over_host(runs, run, phase):
    base = analysis.fastest_on_host(runs, phase)
    return ratio(analysis.speedup(base.phases[phase], run.phases.get(phase))) if base else DASH


def _results_row(label, run, machine, runs, marks):
    cells = [plain(label), plain(run.variant), device(run.device, machine)]
    if not run.timed:
        return cells + [DASH] * 6 + [_outcome(run)]
    time = run.execute
    interval = f"{seconds(time.interval[0], 4)} – {seconds(time.interval[1], 4)}" if time.interval else f"n={time.passes}"
    held, _ = analysis.limit_of(run)  # none where the record's is one that its own time beats
    limit = f"{percent(held['fraction'])} ({plain(held['bound'])})" if held else "withheld" if run.limit else DASH
    return cells + [seconds(time.median, 4) + (STALE if marks.is_stale(run) else ""), interval, rate(run), limit,
                    _over_host(runs, run, "execute_s"), _over_host(runs, run, "end_to_end_s"), _outcome(run)]


def _figures(documents, application, sizes, figures, marks):
    names = ["Problem", "Variant", "Device", "Execute, median", *map(plain, figures)]
    tables = []
    for machine, found, labels in _tables_of(documents, application, sizes):
        rows = []
        for run in (run for family in found.families for problem in family.problems for run in problem.runs):
            choices = run.data["choices"]
            if run.timed and any(f in choices for f in figures):
                label = labels.of(analysis.Problem([run]))
                rows.append([plain(label), plain(run.variant), device(run.device, machine), seconds(run.execute.median, 4) + marks.of(run)]
                            + [plain(choices[f]) if f in choices else DASH for f in figures])
        if rows:
            tables.append(table_of(names, range(3, len(names)), rows, range(4)) + "\n" + shared(labels) + origin([(machine, found.runs)], "", marks))
    return "\n".join(tables)


def _energy(documents, sizes, marks):
    tables = []
    for machine in analysis.by_machine(latest(selected(documents, None, sizes)), apart=True):
        rows, shown = [], []
        for application in machine.applications:
            labels = analysis.Labels(application.runs)
            for family in application.families:
                for problem in family.problems:
                    mine = [run for run in problem.runs if run.timed and run.data["energy"]["execute_J"]]
                    rows += [_energy_row(application.name, labels.of(problem), run, machine, marks) for run in mine]
                    shown += mine
        if rows:
            names = ["Application", "Problem", "Variant", "Device", "Execute, median", "Energy", "Power", "At rest", "Energy above rest", "Per update"]
            tables.append(table_of(names, range(4, 10), rows, range(6)) + "\n" + origin([(machine, shown)], "", marks))
    return "\n".join(tables)


def _energy_row(name, label, run, machine, marks):
    measured, work = run.data["energy"], run.data["work"]
    energy, rest = measured["execute_J"], measured.get("idle_W")
    # The counter runs while states are reset, too: what an execute has is what stands between two of them.
    share = measured["window_s"] / measured["executes"] if measured.get("executes") and measured["window_s"] else None
    above = energy - rest * share if rest and share else None
    each = f"{_prefixed(energy / work['updates'], 'J')} / {plain(work['update'])}" if work["updates"] else DASH
    return [plain(name), plain(label), plain(run.variant), device(run.device, machine), seconds(run.execute.median, 4) + marks.of(run),
            _prefixed(energy, "J"), _prefixed(energy / share, "W") if share else DASH, _prefixed(rest, "W") if rest else DASH,
            _prefixed(above, "J") if above and above > 0 else DASH, each]


def _prefixed(value, unit):
    """Formats a positive value with three digits and a prefix of its unit."""
    for factor, prefix in ((1, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p")):
        if value >= 0.9995 * factor:
            return f"{digits(value / factor)} {prefix}{unit}"
    return f"{digits(value / 1e-15)} f{unit}"


# --- age -------------------------------------------------------------------------------------------------------------


def outdated(documents, digests):
    """Returns one line for each application and device whose records are of other sources than `digests`."""
    lines = set()
    for document in documents:
        for run in document.runs:
            now = digests.get(run.sources)
            then = run.data["source_digest"]
            if now and then and then != now:
                lines.add(f"{run.application} on {run.device}: measured from sources {then}, here they are {now}")
    return sorted(lines)
