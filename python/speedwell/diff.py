"""Compares two sets of records: which runs became faster or slower, and how certain that is.

Runs are matched by problem (key), variant and device; across machines by the kind of device (core, cores, gpu). On each side all records
of a run count, not the latest alone: every document is a session. Where both sides have several sessions, their medians are the samples.
Where each has one, its passes are, and what differs between sessions is taken from the spread of all rows about their median ratio,
with its tails: two sessions alone cannot tell a disturbed row from a changed one. With fewer than 20 rows of a kind of device
DEFAULT_SPREAD stands for it."""
import json
import math
import statistics as basic
from dataclasses import dataclass, field

import numpy

from . import records
from .errors import NothingMatchedError, UsageError
from .statistics import benjamini_hochberg, fit_t, moderated_variances, t_quantile, two_sided, variance_of_median
from .text import digits, joined, plain_table, plural, printable, seconds

ALPHA = 0.01  # of the rows called faster or slower, so many are wrong on average; if nothing changed, the chance that any is called so
MINIMUM_EFFECT = 0.02
DEFAULT_SPREAD = 0.015  # of the median of one session: two suites on one H200 and 16 shared threads differed by this on the GPU
ROWS_FOR_A_SPREAD = 20
GUARDED_SHARE, GUARD = 0.03, 1.5  # of one session a side: a row has changed only if 97 % of the rows differ by less than that / 1.5
ONE_SIDED_SHOWN = 5  # of each list of rows that are not on both sides
UNCONFIRMED_SHOWN = 5  # of the rows that GUARD holds back
CHANGES = ("slower", "faster", "same", "unclear")
PHASES = {"execute": "execute_s", "end_to_end": "end_to_end_s"}


@dataclass
class Change:
    """A run that passed on both sides."""

    key: str
    variant: str
    kind: str
    devices: tuple
    base_s: float
    next_s: float
    ratio: float  # next over base: above 1 is slower
    sessions: tuple  # on either side
    passes: tuple
    interval: tuple = None  # 95 %, of the ratio
    p: float = 1.0
    p_corrected: float = 1.0
    change: str = "unclear"
    note: str = ""
    guarded: bool = False  # differs by no more than other rows of the same two sessions do

    @property
    def name(self):
        return f"{self.key} {self.variant}"


@dataclass
class Diff:
    rows: list
    status_changes: list  # (name, status before, status now, reason)
    only_base: list
    only_next: list
    phase: str
    minimum_effect: float
    spreads: dict  # kind of device: (spread of a session's median, where it comes from)
    machines_differ: bool
    notes: list = field(default_factory=list)

    def count(self, change):
        return sum(1 for row in self.rows if row.change == change)

    @property
    def shifts(self):
        """Kind of device to the median ratio of its rows, where it is beyond the minimum effect: all of a side moved together."""
        found = {}
        for kind in records.DEVICE_KINDS:
            ratios = [row.ratio for row in self.rows if row.kind == kind]
            if len(ratios) >= ROWS_FOR_A_SPREAD and abs(math.log(basic.median(ratios))) > math.log1p(self.minimum_effect):
                found[kind] = basic.median(ratios)
        return found


def _sides(documents, across):
    """Returns a map from identity to the list of its runs, one per session, in order. A session that is given twice counts once."""
    side = {}
    for document in documents:
        session = (document.started, document.session.get("command_line"), document.host, document.card)
        for run in document.runs:
            identity = (run.application, run.key, run.variant, run.device_kind, "" if across else run.device)
            side.setdefault(identity, {})[session] = run
    return {identity: list(runs.values()) for identity, runs in side.items()}


def compare(base, new, phase="execute_s", across=False, minimum_effect=MINIMUM_EFFECT, alpha=ALPHA, session_spread=None):
    """Compares the documents of two sides. `session_spread`: the relative standard deviation of a session's median, where it is
    known. NothingMatchedError if no run passed on both sides."""
    if not minimum_effect >= 0:
        raise UsageError("the minimum effect must not be negative")
    if not 0 < alpha < 1:
        raise UsageError("alpha must lie between 0 and 1")
    old, now = _sides(base, across), _sides(new, across)
    rows, pairs, changes, only_base = [], [], [], []
    for identity, runs in old.items():
        others = now.get(identity)
        name = f"{identity[1]} {identity[2]} {_device(runs[-1])}"
        if others is None:
            if any(r.status != "skipped" for r in runs):
                only_base.append(name)
            continue
        timed, timed_now = _timed(runs, phase), _timed(others, phase)
        latest = [max(side, key=lambda r: r.document.started) for side in (runs, others)]
        statuses = [side.status for side in latest]
        if across and "skipped" in statuses:
            continue  # another machine has other parts
        if latest[0].status != latest[1].status:
            changes.append((name, latest[0].status, latest[1].status, latest[1].reason or latest[0].reason))
        elif timed and timed_now:
            rows.append(_row(timed, timed_now, phase))
            pairs.append((timed, timed_now))
    only_next = [f"{identity[1]} {identity[2]} {_device(runs[-1])}" for identity, runs in now.items()
                 if identity not in old and any(r.status != "skipped" for r in runs)]
    if not rows:
        devices = [{r.device for side in sides.values() for r in side if r.timed} for sides in (old, now)]
        hint = ("--across-machines matches by the kind of device" if not across and all(devices) and not devices[0] & devices[1] else "")
        detail = f"; {plural(len(changes), 'run')} changed status" if changes else ""
        raise NothingMatchedError(f"nothing was compared: no run passed on both sides{detail}", hint)
    spreads = _decide(rows, pairs, phase, minimum_effect, alpha, session_spread)
    ids = [{r.document.machine["id"] for side in pair for r in side} for pair in zip(*pairs)]
    return Diff(rows, changes, only_base, only_next, phase, minimum_effect, spreads, ids[0] != ids[1])


def _device(run):
    return f"({run.device})"


def _timed(runs, phase):
    return [r for r in runs if r.timed and phase in r.phases and r.phases[phase].median > 0]


def _row(timed, timed_now, phase):
    base, new = (basic.median(r.phases[phase].median for r in side) for side in (timed, timed_now))
    return Change(timed[0].key, timed[0].variant, timed[0].device_kind, (timed[0].device, timed_now[0].device), base, new, new / base,
                  (len(timed), len(timed_now)), tuple(sum(r.phases[phase].passes for r in side) for side in (timed, timed_now)))


def _decide(rows, pairs, phase, minimum_effect, alpha, session_spread):
    """Fills in intervals, p-values and what changed for each kind of device."""
    spreads = {}
    for kind in records.DEVICE_KINDS:
        chosen = [n for n, row in enumerate(rows) if row.kind == kind]
        if not chosen:
            continue
        several = [n for n in chosen if sum(rows[n].sessions) > 2]
        single = [n for n in chosen if sum(rows[n].sessions) == 2]
        if several:
            spread = _by_sessions([rows[n] for n in several], [pairs[n] for n in several], phase, session_spread)
            spreads[kind] = (spread, "from several sessions")
        if single:
            spread, source = _by_passes([rows[n] for n in single], [pairs[n] for n in single], phase, session_spread)
            spreads.setdefault(kind, (spread, source))
    corrected = benjamini_hochberg([row.p for row in rows])
    for row, p in zip(rows, corrected):
        row.p_corrected = float(p)
        effect = abs(math.log(row.ratio))
        if p < alpha and effect >= math.log1p(minimum_effect):
            if row.guarded:
                row.note = "as many rows differ as much: more sessions would tell"
                continue
            row.change = "slower" if row.ratio > 1 else "faster"
        elif row.interval and row.interval[0] >= 1 / (1 + minimum_effect) and row.interval[1] <= 1 + minimum_effect:
            row.change = "same"
    return spreads


def _finish(row, difference, variance, degrees):
    error = math.sqrt(variance)
    half = float(t_quantile(0.975, degrees)) * error
    row.interval = (math.exp(difference - half), math.exp(difference + half))
    row.p = float(two_sided(difference / error, degrees))


def _by_sessions(rows, pairs, phase, known):
    """Tests with sessions as samples: a t-test of their logarithms whose variances are moderated by all rows of this kind of device."""
    variances, degrees = [], []
    for sides in pairs:
        logs = [[math.log(r.phases[phase].median) for r in side] for side in sides]
        free = sum(len(side) - 1 for side in logs)
        squares = sum(numpy.var(side) * len(side) for side in logs)
        variances.append(squares / free)
        degrees.append(free)
    moderated, gained = moderated_variances(variances, degrees)
    for row, sides, variance, free in zip(rows, pairs, moderated, gained):
        variance = max(variance, known**2 if known else 0.0)
        means = [numpy.mean([math.log(r.phases[phase].median) for r in side]) for side in sides]
        row.base_s, row.next_s = (math.exp(mean) for mean in means)
        row.ratio = math.exp(means[1] - means[0])
        if variance > 0:
            _finish(row, math.log(row.ratio), variance * sum(1 / len(side) for side in sides), free)
        else:
            row.note = "all times of a side are equal"
    return known or float(math.sqrt(numpy.median(moderated)))


def _clock_step(run, phase):
    """Returns the smallest difference between samples, in seconds: for times of some ten nanoseconds it is set by the clock."""
    samples = sorted(set(run.data["phases"][phase]["samples"]))
    return min((b - a for a, b in zip(samples, samples[1:])), default=0.0)


def _by_passes(rows, pairs, phase, known):
    """Tests with one session on each side: the passes give the variance within a session, the spread of all rows the variance between."""
    variances, degrees, counts, steps = [], [], [], []
    for sides in pairs:
        logs = [[math.log(x) for x in side[0].phases[phase].by_pass if x > 0] for side in sides]
        free = sum(max(0, len(side) - 1) for side in logs)
        squares = sum(numpy.var(side) * len(side) for side in logs if side)
        variances.append(squares / free if free else 0.0)
        degrees.append(free)
        counts.append([max(1, len(side)) for side in logs])
        steps.append(sum((_clock_step(side[0], phase) / side[0].phases[phase].median) ** 2 for side in sides))
    moderated, gained = moderated_variances(variances, degrees)
    within = numpy.array([sum(variance_of_median(v, n) for n in count) + step for v, count, step in zip(moderated, counts, steps)])
    differences = numpy.array([math.log(row.ratio) for row in rows])
    spread_degrees, least = 100.0, 0.0
    if known:
        between, source = 2 * known**2, "given"
    elif len(rows) >= ROWS_FOR_A_SPREAD:
        # What disturbs a session disturbs some rows far more than others: heavy tails, so the degrees are estimated too.
        scale, spread_degrees = fit_t(differences)
        between = max(0.0, scale**2 - float(numpy.median(within)))
        # Two sessions cannot tell a row that was disturbed from one that changed: what no more rows than these do is the rest.
        least = GUARD * float(numpy.quantile(numpy.abs(differences), 1 - GUARDED_SHARE))
        source = f"from the spread of {len(rows)} rows"
    else:
        between, source = 2 * DEFAULT_SPREAD**2, f"assumed: fewer than {ROWS_FOR_A_SPREAD} rows and one session on each side"
    for row, difference, inside, free in zip(rows, differences, within, gained):
        variance = inside + between
        if variance > 0:  # Satterthwaite's degrees of freedom of the sum
            total = (inside**2 / free if free else 0.0) + between**2 / spread_degrees
            _finish(row, float(difference), variance, variance**2 / total if total > 0 else spread_degrees)
            row.guarded = abs(float(difference)) < least
        else:
            row.note = "all passes of both sides are equal"
    return math.sqrt(between / 2), source


# --- conditions and outputs ------------------------------------------------------------------------------------------


@dataclass
class FailOn:
    """The conditions of --fail-on: "slower[:PERCENT]", "missing", "unclear", separated by commas."""

    slower: float = None  # percent
    missing: bool = False
    unclear: bool = False

    @classmethod
    def parse(cls, text):
        found = cls()
        for word in text.split(","):
            name, colon, value = word.strip().partition(":")
            if name == "slower":
                try:
                    percent = float(value) if colon else 0.0
                except ValueError:
                    percent = -1.0
                if not 0 <= percent < math.inf:
                    raise UsageError(f"--fail-on: '{printable(word, 40)}': the percentage is a number from 0 on, as in slower:5")
                found.slower = percent
            elif name in ("missing", "unclear") and not colon:
                setattr(found, name, True)
            else:
                raise UsageError(f"--fail-on: '{printable(word, 40)}' is not a condition", "allowed: slower, slower:PERCENT, missing, unclear")
        return found

    def reasons(self, result):
        """Returns what in `result` fails, in words; empty if nothing does. A run that passed and no longer does always fails."""
        reasons = []
        if self.slower is not None:
            slower = [row for row in result.rows if row.change == "slower" and (
                self.slower == 0 or row.interval and row.interval[0] > 1 + self.slower / 100)]
            if slower:
                reasons.append(f"{plural(len(slower), 'row')} slower" + (f" by more than {self.slower:g} %" if self.slower else ""))
            reasons += [f"half of the rows on {_KIND_WORDS[kind]} slower by more than {digits(100 * (shift - 1), 2)} %"
                        for kind, shift in result.shifts.items() if shift > 1 + self.slower / 100]
        broken = [c for c in result.status_changes if c[1] == "passed"]
        if broken:
            reasons.append(f"{plural(len(broken), 'row')} that passed before and {'does' if len(broken) == 1 else 'do'} not now")
        if self.missing and result.only_base:
            reasons.append(f"{plural(len(result.only_base), 'row')} missing")
        if self.unclear and result.count("unclear"):
            reasons.append(f"{plural(result.count('unclear'), 'row')} unclear")
        return reasons


_KIND_WORDS = {"core": "one core", "cores": "all cores", "gpu": "the GPU"}


def summary(result):
    """Returns the summary in a few lines, for the top of the output."""
    counts = ", ".join(f"{result.count(change)} {change}" for change in CHANGES)
    lines = [f"{plural(len(result.rows), 'row')} compared ({'execute' if result.phase == 'execute_s' else 'end to end'}): {counts}"]
    if result.status_changes or result.only_base or result.only_next:
        lines.append(f"{len(result.status_changes)} changed status, {len(result.only_base)} only in base, {len(result.only_next)} only in new")
    if result.machines_differ:
        lines.append("the two sides were measured on different machines")
    for kind, (spread, source) in result.spreads.items():
        rows = [r for r in result.rows if r.kind == kind and r.interval]
        if not rows:
            continue
        # The typical row's smallest ratio that would be called a change: its error times the threshold for one of so many.
        width = numpy.median([math.log(r.interval[1] / r.interval[0]) / 2 / 1.96 for r in rows])
        smallest = math.expm1(max(width * -t_quantile(ALPHA / 2 / len(result.rows), 1000), math.log1p(result.minimum_effect)))
        least = f"{digits(100 * smallest, 2)} %" if smallest < 10 else "more than a factor of ten"
        lines.append(f"{_KIND_WORDS[kind]}: sessions differ by {digits(100 * spread, 2)} % ({source}); a typical row is called changed from "
                     f"{least} on")
    for kind, shift in result.shifts.items():
        word = "slower" if shift > 1 else "faster"
        lines.append(f"half of the rows on {_KIND_WORDS[kind]} are {word} by more than {digits(100 * abs(shift - 1), 2)} %: the program as a whole, "
                     "or the state of the machine")
    if max((max(row.sessions) for row in result.rows), default=0) == 1:
        lines.append("one session on each side: --more-base and --more-new add others, and sharpen the comparison")
    return lines


def text(result, everything=False):
    """Returns the summary, then what changed; with `everything` all rows."""
    out = "\n".join(summary(result)) + "\n"
    largest = {change: sorted((r for r in result.rows if r.change == change), key=lambda r: -abs(math.log(r.ratio))) for change in CHANGES}
    guarded = [r for r in largest["unclear"] if r.guarded and r.note][:UNCONFIRMED_SHOWN]
    shown = largest["slower"] + largest["faster"] + (largest["same"] + largest["unclear"] if everything else guarded)
    if shown:
        rows = [[row.change, f"{row.ratio:.3f}", f"[{row.interval[0]:.3f}, {row.interval[1]:.3f}]" if row.interval else "-",
                 seconds(row.base_s), seconds(row.next_s), f"{row.p_corrected:.2g}",
                 f"{printable(row.key, 110)} {printable(row.variant, 40)} ({_KIND_WORDS[row.kind]}){': ' + row.note if row.note else ''}"]
                for row in shown]
        out += "\n" + plain_table(["", "ratio", "95 %", "base", "new", "p", "row; a ratio above 1 is slower"], rows, right=(1, 3, 4))
    changes = [f"{name}: {before} -> {after}{': ' + reason if reason else ''}" for name, before, after, reason in
               sorted(result.status_changes, key=lambda c: (c[1] != "passed", c[1] == "skipped"))]
    for title, names in (("changed status", changes), ("only in base", result.only_base), ("only in new", result.only_next)):
        limit = len(names) if everything else ONE_SIDED_SHOWN
        out += "".join(f"{title}: {printable(name, 300)}\n" for name in names[:limit])
        if len(names) > limit:
            out += f"{title}: {len(names) - limit} more (--all shows them)\n"
    if not everything and len(shown) < len(result.rows):
        out += f"{len(result.rows) - len(shown)} rows did not change or are unclear (--all shows them)\n"
    return out


def as_json(result):
    return json.dumps({
        "schema": "speedwell-diff/2", "phase": result.phase, "alpha": ALPHA, "minimum_effect": result.minimum_effect,
        "machines_differ": result.machines_differ,
        "session_spread": {kind: {"relative": spread, "source": source} for kind, (spread, source) in result.spreads.items()},
        "counts": {change: result.count(change) for change in CHANGES},
        "comparisons": [{"key": r.key, "variant": r.variant, "device_kind": r.kind, "devices": list(r.devices), "base_s": r.base_s,
                         "next_s": r.next_s, "ratio": r.ratio, "interval": list(r.interval) if r.interval else None, "p": r.p,
                         "p_corrected": r.p_corrected, "sessions": list(r.sessions), "passes": list(r.passes), "change": r.change,
                         "note": r.note or None} for r in result.rows],
        "status_changes": [{"name": n, "base": b, "next": a, "reason": r} for n, b, a, r in result.status_changes],
        "only_in_base": result.only_base, "only_in_next": result.only_next}, indent=1, ensure_ascii=False) + "\n"


def failure_line(reasons):
    return "failed: " + joined(reasons)
