"""Crossovers as sentences, tables, JSON and CSV."""
import csv
import io
import json
import math
import shlex

from . import analysis, crossover
from .errors import NothingMatchedError, UsageError
from .text import DASH, digits, interval, nearest_hint, plain_table, printable, times

SCHEMA = "speedwell-crossover/1"


def find(documents, application=None):
    """Returns [(machine, sweep)] of all records, or of one application. Raises an error where there is none."""
    machines = analysis.by_machine(documents)
    names = sorted({a.name for machine in machines for a in machine.applications})
    if application is not None and application not in names:
        raise UsageError(f"--application: these records hold no runs of '{printable(application, 60)}'", nearest_hint(application, names))
    found = [(machine, sweep) for machine in machines for a in machine.applications if application in (None, a.name)
             for sweep in crossover.sweeps(machine, a)]
    if not found:
        what = f"runs of {application}" if application else "records"
        raise NothingMatchedError(f"these {what} hold no {crossover.MIN_SIZES} sizes of one problem that both a processor and a GPU passed",
                                  "speedwell crossover APP measures them, also one core and all cores where there is no GPU")
    return found


def size(value):
    """Formats a size as it is typed, rounded up to a whole one with three digits: no smaller one has the property."""
    step = 10.0 ** max(0, math.floor(math.log10(value)) - 2)
    return _short(math.ceil(value / step - 1e-9) * step)


def _short(value):
    """Formats a number as "34100" or "2.1e6"."""
    if value < 1e6:
        return f"{value:.12g}"
    number, exponent = f"{value:.2e}".split("e")
    return f"{number.rstrip('0').rstrip('.')}e{int(exponent)}"


def ends(found):
    """Formats an interval as "[28, 41]"; an end beyond the sizes measured is open: "[28, …)"."""
    if found is None or found == (None, None):
        return ""
    low, high = found
    return f"{'(…' if low is None else '[' + size(low)}, {'…)' if high is None else size(high) + ']'}"


def _subject(sweep):
    return ("the GPU", "is", "it does") if sweep.on_gpu else ("all cores", "are", "they do")


def base_name(sweep):
    return sweep.points[-1].base.device


def _range(sweep):
    return f"{sweep.parameter} = {_short(sweep.sizes[0])} to {_short(sweep.sizes[-1])}"


def _where(sweep, found):
    """Formats where a device is faster, or for "never" where it is not: "from n = 48 [47, 50] on (1.1e5 cells)"."""
    first, last = sweep.sizes[0], sweep.sizes[-1]
    if found.kind == "from":
        updates = sweep.updates_at(min(last, max(found.value, float(size(found.value)))))
        work = f" ({_short(float(f'{updates:.2g}'))} {sweep.update}s)" if updates else ""
        bounds = ends(found.interval)
        return f"from {sweep.parameter} = {size(found.value)}{' ' + bounds if bounds else ''} on{work}"
    if found.kind == "always":
        unsure = found.interval and found.interval[1] != first
        sure = "" if not unsure else " (for sure at none)" if found.interval[1] is None else f" (for sure from {size(found.interval[1])} on)"
        return f"at every size measured, {_range(sweep)}{sure}"
    unsure = found.interval and found.interval[0] != last
    possible = "" if not unsure else f" (the intervals admit it from {size(found.interval[0] or first)} on)"
    return f"at the largest size measured, {sweep.parameter} = {_short(last)}{possible}"


def from_words(sweep, found):
    """Returns "from n = 48 on", "at every size measured, …" or "not at the largest size measured, …"."""
    return ("not " if found.kind == "never" else "") + _where(sweep, found)


def sentence(sweep):
    """Returns the answer in one sentence, and one sentence on the peaks."""
    subject, verb, does = _subject(sweep)
    execute, whole = sweep.execute, sweep.end_to_end
    text = (f"{subject} {verb}{' not' if execute.kind == 'never' else ''} faster than {base_name(sweep)} {_where(sweep, execute)}")
    if whole and from_words(sweep, whole) == from_words(sweep, execute):
        text = f"Executing alone and end to end, {text}"
    elif whole:
        text = f"Executing alone, {text}; end to end, with construction, allocation and transfers, {from_words(sweep, whole)}"
    else:
        text = f"Executing alone, {text}"
    if not sweep.peaks:
        return text + "."
    bounds = interval(sweep.peaks.ratio.interval)
    return f"{text}. At the best size of each, {does} {times(sweep.peaks.ratio.value)}{' ' + bounds if bounds else ''} the rate."


def solves_text(found):
    if found is None:
        return DASH
    if found.first is None:
        text = "never"
    else:
        text = digits(float(found.first), 3) if found.first >= 1e6 else str(found.first)
        if found.last is not None:
            text = f"up to {found.last}"
    if found.interval and found.interval[0] != found.interval[1]:
        low, high = ("never" if math.isinf(end) else digits(float(end), 3) if end >= 1e6 else str(end) for end in found.interval)
        text += f" [{low}, {high}]"
    return text


def _ratio(found):
    return DASH if not found else f"{times(found.value)} {interval(found.interval)}".strip()


def summary(sweep):
    """Returns [(what, value)]: the numbers of the answer."""
    subject = _subject(sweep)[0]
    rows = [("execute alone", from_words(sweep, sweep.execute))]
    if sweep.end_to_end:
        rows.append(("end to end", from_words(sweep, sweep.end_to_end)))
    peaks = sweep.peaks
    if peaks:
        rows.append(("peak ratio", f"{_ratio(peaks.ratio)}: {digits(peaks.now.value)} {peaks.unit} at {sweep.parameter} = {_short(peaks.now_size)} "
                                   f"against {digits(peaks.base.value)} at {_short(peaks.base_size)}"))
        rows.append(("peak reached", f"{from_words(sweep, peaks.reached)}: {subject} against the best rate of {base_name(sweep)}"))
    return rows


def table(sweep):
    """Returns (columns, rows), with one row per size."""
    columns = [sweep.family.sweep, "execute", "end to end", "solves to pay"]
    rows = [[f"{p.size:.12g}", _ratio(p.execute), _ratio(p.end_to_end), solves_text(p.solves)] for p in sweep.points]
    shown = len(columns) if any(p.solves for p in sweep.points) else len(columns) - 1
    return columns[:shown], [row[:shown] for row in rows]


def heading(sweep):
    base, now = sweep.points[-1].base, sweep.points[-1].now
    return f"{sweep.application.name} {sweep.label}: {now.variant} on {now.device} against {base.variant} on {base.device}"


def text(found):
    """Returns the plain text of `python3 -m speedwell crossover`."""
    blocks = []
    for _, sweep in found:
        rows = summary(sweep)
        width = max(len(name) for name, _ in rows)
        lines = [printable(sentence(sweep)), *(printable(f"  {name.ljust(width)}  {value}") for name, value in rows), ""]
        shown, cells = table(sweep)
        lines.append(plain_table(shown, cells, right=range(len(shown))).rstrip("\n"))
        lines += [f"  {printable(note)}" for note in sweep.notes]
        blocks.append("\n".join(([printable(heading(sweep))] if len(found) > 1 else []) + lines) + "\n")
    return "\n".join(blocks)


def view(machine, application, plots):
    """Returns what a page shows of the longest sweep of an application, or None where two devices have none."""
    found = crossover.sweeps(machine, application)
    if not found:
        return None
    sweep = found[0]
    own = sweep.family.largest.first.data["size"] == crossover.SIZE
    return {"title": f"From which {sweep.family.sweep} on {'does the GPU pay' if sweep.on_gpu else 'do all cores pay'}?",
            "label": sweep.label, "sentence": sentence(sweep), "rows": summary(sweep), "plot": plots.crossover(sweep),
            "table": table(sweep), "notes": sweep.notes, "more": len(found) - 1, "keys": {run.key for run in sweep.family.runs},
            "command": shlex.join(["speedwell", "crossover", application.name]) if own else ""}


# --- JSON and CSV ----------------------------------------------------------------------------------------------------


def _crossing(found):
    if not found:
        return None
    return {"kind": found.kind, "size": found.value, "interval": list(found.interval) if found.interval else None, "changes": found.changes}


def _interval(found):
    return list(found.interval) if found and found.interval else None


def _row(sweep, n, point):
    pays = point.solves
    bounds = pays.interval if pays and pays.interval else (None, None)
    rates = [side[n] for side in sweep.rates]

    def ratio(name, found):
        low, high = found.interval or (None, None) if found else (None, None)
        return {name: found.value if found else None, f"{name}_low": low, f"{name}_high": high}

    overheads = crossover.overhead(point.base), crossover.overhead(point.now)
    return {
        "size": point.size, "updates": point.updates,
        "base_variant": point.base.variant, "variant": point.now.variant,
        "base_execute_s": point.base.execute.median, "execute_s": point.now.execute.median, **ratio("execute_ratio", point.execute),
        "base_end_to_end_s": point.base.end_to_end.median if point.base.end_to_end else None,
        "end_to_end_s": point.now.end_to_end.median if point.now.end_to_end else None, **ratio("end_to_end_ratio", point.end_to_end),
        "base_overhead_s": overheads[0].value if overheads[0] else None, "overhead_s": overheads[1].value if overheads[1] else None,
        "solves": pays.first if pays else None, "solves_last": pays.last if pays else None,
        "solves_low": _finite(bounds[0]), "solves_high": _finite(bounds[1]),
        "base_rate": rates[0].value if rates[0] else None, "rate": rates[1].value if rates[1] else None,
    }


def _finite(value):
    """Replaces infinity, where a device does not pay at all, by None."""
    return None if value is None or math.isinf(value) else value


def as_json(found):
    blocks = []
    for machine, sweep in found:
        peaks = sweep.peaks
        blocks.append({
            "machine": machine.name, "application": sweep.application.name, "problem": sweep.label, "parameter": sweep.family.sweep,
            "base": base_name(sweep), "device": sweep.points[-1].now.device, "sentence": sentence(sweep),
            "execute": _crossing(sweep.execute), "end_to_end": _crossing(sweep.end_to_end),
            "peaks": {"ratio": peaks.ratio.value, "interval": _interval(peaks.ratio), "unit": peaks.unit, "base_rate": peaks.base.value,
                      "base_size": peaks.base_size, "rate": peaks.now.value, "size": peaks.now_size, "reached": _crossing(peaks.reached)}
            if peaks else None,
            "sizes": [_row(sweep, n, p) for n, p in enumerate(sweep.points)], "notes": sweep.notes})
    return json.dumps({"schema": SCHEMA, "crossovers": blocks}, indent=1, ensure_ascii=False) + "\n"


def as_csv(found):
    """Returns CSV with one row per size; the crossings are in the text and in JSON."""
    rows = []
    for machine, sweep in found:
        for n, point in enumerate(sweep.points):
            rows.append({"machine": machine.name, "application": sweep.application.name, "problem": sweep.label,
                         "parameter": sweep.family.sweep, "base": base_name(sweep), "device": point.now.device, **_row(sweep, n, point)})
    stream = io.StringIO()
    writer = csv.DictWriter(stream, rows[0].keys(), lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()
