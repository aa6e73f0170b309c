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
import re
from dataclasses import dataclass

from . import analysis, records
from .errors import InputError, UsageError
from .markers import marker_names, read_document, replaced
from .problem_text import short
from .text import DASH, digits, percent, printable, seconds, times

MAX_OF_FAMILY = 4  # problems that differ in one number: more of them are a curve, which the report draws
STALE = " †"
_SPECIAL = re.compile(r"[\\`*_\[\]|~#]")


def plain(text, limit=160):
    """Returns text for a cell or a line: no character keeps a meaning in Markdown or HTML."""
    clean = printable(text, limit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(lambda found: "\\" + found.group(), clean)


# --- documents ---------------------------------------------------------------------------------------------------------


def updated(text, documents, digests=None, name="the text"):
    """Returns `text` with a table for each of its markers. A marker for which no record has runs keeps what it has: a document may be ahead of its
    records. `digests`: application to the digest of its present sources, for the marks of older figures."""
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


# --- which runs ------------------------------------------------------------------------------------------------------


def _identity(document, run):
    return ((document.machine or {}).get("id"), run.key, run.variant, run.device)


def _chosen(documents, application, sizes):
    """Returns, for builds without local changes alone, the latest of each run of an application (None: of any) with one of `sizes` (none: with
    any)."""
    found = []
    for document in documents:
        if document.build.get("dirty") or not document.machine:
            continue
        runs = [r for r in document.runs if application in (None, r.application) and (not sizes or r.data["size"] in sizes)]
        if runs:
            found.append((document, runs))
    latest = {}
    for document, runs in found:
        for run in runs:
            identity = _identity(document, run)
            latest[identity] = max(latest.get(identity, ""), document.started)
    documents = []
    for document, runs in found:
        runs = [r for r in runs if document.started >= latest[_identity(document, r)]]
        if runs:
            documents.append(records.Document(document.file, document.number, document.source, document.content, runs))
    return documents


@dataclass
class _Marks:
    """Collects the marks that qualify figures: too few passes, or older sources."""

    digests: dict

    def is_stale(self, run):
        now = self.digests.get(run.application)
        return bool(run.timed and now and run.data["source_digest"] != now)

    def few(self, run):
        passes = run.execute.passes if run.execute else 0
        return f" (n={passes})" if passes < analysis.PUBLISHED_PASSES else ""

    def of(self, run):
        return self.few(run) + (STALE if self.is_stale(run) else "")


# --- cells -----------------------------------------------------------------------------------------------------------


def _outcome(run):
    return {"passed": "ok", "failed": "**FAILED**", "error": "**error**: " + plain(run.reason)}[run.status]


def _device(name, machine):
    """Returns a device without the name of the processor, which stands below the table."""
    return plain(name.removesuffix(f" of {machine.processor}"))


def _not_run(runs):
    """Returns a sentence on the variants that ran for no problem, with the reasons."""
    ran = {r.variant for r in runs if r.status != "skipped"}  # others that were skipped are for another problem
    variants = {}
    for r in runs:
        if r.status == "skipped" and r.variant not in ran:
            of_reason = variants.setdefault(r.reason, [])
            if r.variant not in of_reason:
                of_reason.append(r.variant)
    text = "; ".join(f"{', '.join(map(plain, names))} ({plain(reason)})" for reason, names in variants.items())
    return f"Not run: {text}. " if text else ""


def _rate(run):
    name, unit = analysis.merit_of([run])
    value = analysis.merit(run, name)
    return DASH if value is None or name == "time" else f"{digits(value.value)} {plain(unit)}"


def _times(ratio):
    return times(ratio.value) if ratio else DASH


def _over_host(runs, run, phase):
    base = analysis.fastest_on_host(runs, phase)
    return _times(analysis.speedup(base.phases[phase], run.phases.get(phase))) if base else DASH


def _row(cells):
    return "| " + " | ".join(cells) + " |\n"


def _head(columns, right):
    return _row(columns) + _row(["---:" if i in right else "---" for i in range(len(columns))])


def _shared(labels):
    return f"Everywhere {plain(labels.chosen_everywhere, 2000)}. " if labels.chosen_everywhere else ""


def _origin(machine, runs, base, marks):
    latest, build = machine.latest, machine.latest.build
    text = f"Speedups are over {plain(base.variant)} on {plain(base.device)}. " if base else ""
    text += "Measured on " + " and ".join(dict.fromkeys([plain(machine.processor)] + [plain(g["name"]) for g in machine.gpus]))
    for before, value in (("driver ", latest.machine.get("driver")), ("", build.get("compiler")), ("CUDA ", build.get("cuda")),
                          ("card ", latest.card[:12])):
        if value:
            text += f", {before}{plain(value)}"
    shown = {id(r) for r in runs}
    commits = [plain(d.build["commit"][:12]) for d in machine.documents
               if d.build.get("commit") and any(id(r) in shown for r in d.runs)]
    if commits:
        text += ", commit " + ", ".join(dict.fromkeys(commits))
    text += "."
    if any(r.timed and marks.few(r) for r in runs):
        text += f" n: passes, where there are fewer than {analysis.PUBLISHED_PASSES}."
    if any(marks.is_stale(r) for r in runs):
        text += " †: measured with older sources."
    return text + "\n"


# --- the six kinds --------------------------------------------------------------------------------------------------


def table(documents, name, digests=None):
    """Returns the table that the marker `name` asks for; empty where no record has such runs. Each GPU card is a machine with a table of its own.
    Raises UsageError for a name that selects nothing."""
    words = name.split()
    marks = _Marks(digests or {})
    if not words:
        raise UsageError(f"'{printable(name)}' names no table")
    if words[0] == "summary" and len(words) <= 2:
        return _summary(documents, _sizes(words[1:]), marks)
    if (words[0] == "columns" and len(words) >= 5) or (words[0] == "ladder" and len(words) == 4):
        if words[3] not in ("execute", "end_to_end"):
            raise UsageError(f"'{printable(name)}': the phase is execute or end_to_end, not '{printable(words[3])}'")
        if words[0] == "ladder":
            return _ladder(documents, words[1], _sizes(words[2:3]), words[3] + "_s", marks)
        return _columns(documents, words[1], _sizes(words[2:3]), words[3] + "_s", words[4:], marks)
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
    for machine in analysis.by_machine(_chosen(documents, application, sizes), apart=True):
        for found in machine.applications:
            yield machine, found, analysis.Labels(found.runs)


def _results(documents, application, sizes, marks):
    tables = []
    for machine, found, labels in _tables_of(documents, application, sizes):
        text = _head(["Problem", "Variant", "Device", "Execute, median", "95 % interval", "Rate", "Of limit", "Speedup, execute",
                      "Speedup, end to end", "Verdict"], range(3, 9))
        named = None
        for family in found.families:
            for problem in family.problems:
                if len(family.problems) > MAX_OF_FAMILY and problem is not family.largest:
                    continue
                named = named or analysis.fastest_on_host(problem.runs)
                label = labels.of(problem)
                for run in problem.runs:
                    if run.status != "skipped":
                        text += _results_row(label, run, machine, problem.runs, marks)
                        label = ""  # of the first of its rows alone
        tables.append(text + "\n" + _shared(labels) + _not_run(found.runs) + _origin(machine, found.runs, named, marks))
    return "\n".join(tables)


def _results_row(label, run, machine, runs, marks):
    cells = [plain(label), plain(run.variant), _device(run.device, machine)]
    if not run.timed:
        return _row(cells + [DASH] * 6 + [_outcome(run)])
    time = run.execute
    interval = f"{seconds(time.interval[0], 4)} – {seconds(time.interval[1], 4)}" if time.interval else f"n={time.passes}"
    held, _ = analysis.limit_of(run)  # none where the record's is one that its own time beats
    limit = f"{percent(held['fraction'])} ({plain(held['bound'])})" if held else "withheld" if run.limit else DASH
    return _row(cells + [seconds(time.median, 4) + (STALE if marks.is_stale(run) else ""), interval, _rate(run), limit,
                         _over_host(runs, run, "execute_s"), _over_host(runs, run, "end_to_end_s"), _outcome(run)])


def _summary(documents, sizes, marks):
    tables = []
    for machine in analysis.by_machine(_chosen(documents, None, sizes), apart=True):
        rows, named = [], None
        for application in machine.applications:
            labels = analysis.Labels(application.runs)
            texts = [short(family.largest.first.data) for family in application.families]
            for family, text in zip(application.families, texts):
                execute = analysis.same_algorithm(family.largest.runs)
                if execute.gpu:
                    named = named or execute.host
                    label = text if texts.count(text) == 1 else f"{text}, {labels.distinct(family.largest)}"
                    rows.append(_summary_cells(application.name, label, family.largest.runs, execute, marks))
        if rows:
            columns = ["Application", "Problem", "Host", "GPU", "GPU, of limit", "Speedup, execute", "Speedup, end to end",
                       "Best against best", "Against a library"]
            if all(cells[-1] == DASH for cells in rows):  # no library ran
                columns, rows = columns[:-1], [cells[:-1] for cells in rows]
            tables.append(_head(columns, range(2, 7)) + "".join(map(_row, rows)) + "\n" + _origin(machine, machine.runs, named, marks))
    return "\n".join(tables)


def _summary_cells(name, label, runs, execute, marks):
    host, gpu = execute.host, execute.gpu
    peer = analysis.fastest(runs, "gpu", peer=True)
    over_peer = analysis.speedup(peer.execute, gpu.execute) if peer else None
    best = analysis.best_against_best(runs)
    limit, _ = analysis.limit_of(gpu)
    return [plain(name), plain(label), _rate(host) + marks.of(host) if host else DASH, _rate(gpu) + marks.of(gpu),
            percent(limit["fraction"]) if limit else "withheld" if gpu.limit else DASH, _times(execute.ratio),
            _times(analysis.same_algorithm(runs, "end_to_end_s").ratio),
            f"{_times(best.ratio)} {plain(best.gpu.variant)} / {plain(best.host.variant)}" if best.ratio else DASH,
            f"{_times(over_peer)} {plain(peer.variant)}" if over_peer else DASH]


def _columns(documents, application, sizes, phase, columns, marks):
    tables = []
    for machine, found, labels in _tables_of(documents, application, sizes):
        names = [plain(column).replace("/", " over ", 1) for column in columns]
        text = _head(["Problem", *names], range(1, len(columns) + 1))
        for family in found.families:
            for problem in family.problems:
                text += _row([plain(labels.of(problem))] + [_column_cell(problem, c, phase, marks) for c in columns])
        tables.append(text + "\n" + _shared(labels) + _origin(machine, found.runs, None, marks))
    return "\n".join(tables)


def _ladder(documents, application, sizes, phase, marks):
    tables = []
    for machine, found, labels in _tables_of(documents, application, sizes):
        problems = [problem for family in found.families for problem in family.problems]
        text = _head(["Variant", "Device", *(plain(labels.of(problem)) for problem in problems)], range(2, 2 + len(problems)))
        devices = {r.variant: r.device for problem in problems for r in problem.runs if r.timed}
        for variant, device in devices.items():
            text += _row([plain(variant), _device(device, machine)] + [_column_cell(problem, variant, phase, marks) for problem in problems])
        tables.append(text + "\n" + _shared(labels) + _not_run(found.runs) + _origin(machine, found.runs, None, marks))
    return "\n".join(tables)


def _column_cell(problem, column, phase, marks):
    """Returns the median for "VARIANT", and how many times as fast it is for "VARIANT/BASE"."""
    timed = {r.variant: r for r in problem.runs if r.timed and phase in r.phases}
    variant, _, base = column.partition("/")
    if variant not in timed or (base and base not in timed):
        return DASH
    run = timed[variant]
    if not base:
        return seconds(run.phases[phase].median) + marks.of(run)
    ratio = analysis.speedup(timed[base].phases[phase], run.phases[phase])
    return _times(ratio) + max(marks.of(timed[base]), marks.of(run), key=len)


def _figures(documents, application, sizes, figures, marks):
    tables = []
    for machine, found, labels in _tables_of(documents, application, sizes):
        text = _head(["Problem", "Variant", "Device", "Execute, median", *map(plain, figures)], range(3, 4 + len(figures)))
        for family in found.families:
            for problem in family.problems:
                for run in problem.runs:
                    if run.timed:
                        choices = run.data["choices"]
                        text += _row([plain(labels.of(problem)), plain(run.variant), _device(run.device, machine),
                                      seconds(run.execute.median, 4) + marks.of(run)]
                                     + [plain(choices[f]) if f in choices else DASH for f in figures])
        tables.append(text + "\n" + _shared(labels) + _origin(machine, found.runs, None, marks))
    return "\n".join(tables)


def _energy(documents, sizes, marks):
    tables = []
    for machine in analysis.by_machine(_chosen(documents, None, sizes), apart=True):
        text, shown = "", []
        for application in machine.applications:
            labels = analysis.Labels(application.runs)
            for family in application.families:
                for problem in family.problems:
                    mine = [run for run in problem.runs if run.timed and run.data["energy"]["execute_J"]]
                    text += "".join(_energy_row(application.name, labels.of(problem), run, machine, marks) for run in mine)
                    shown += mine
        if text:
            head = _head(["Application", "Problem", "Variant", "Device", "Execute, median", "Energy", "Power", "At rest", "Energy above rest", "Per update"],
                         range(4, 10))
            tables.append(head + text + "\n" + _origin(machine, shown, None, marks))
    return "\n".join(tables)


def _energy_row(name, label, run, machine, marks):
    measured, work = run.data["energy"], run.data["work"]
    energy, rest = measured["execute_J"], measured.get("idle_W")
    # The counter runs while states are reset, too: what an execute has is what stands between two of them.
    share = measured["window_s"] / measured["executes"] if measured.get("executes") and measured["window_s"] else None
    above = energy - rest * share if rest and share else None
    each = f"{_prefixed(energy / work['updates'], 'J')} / {plain(work['update'])}" if work["updates"] else DASH
    return _row([plain(name), plain(label), plain(run.variant), _device(run.device, machine), seconds(run.execute.median, 4) + marks.of(run),
                 _prefixed(energy, "J"), _prefixed(energy / share, "W") if share else DASH, _prefixed(rest, "W") if rest else DASH,
                 _prefixed(above, "J") if above and above > 0 else DASH, each])


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
            now = digests.get(run.application)
            then = run.data["source_digest"]
            if now and then and then != now:
                lines.add(f"{run.application} on {run.device}: measured from sources {then}, here they are {now}")
    return sorted(lines)
