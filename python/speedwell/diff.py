"""Compares two sets of records: which runs became faster or slower, and how certain that is.

Runs are matched by problem (key), variant and device (all cores by their threads and the processor); across machines by the kind of device
(core, cores, gpu). On each side all records of a run count, not the latest alone: every document is a session. Where both sides have several sessions, their medians are the samples.
Where each has one, its passes are, and what differs between sessions is taken from the spread of all rows about their median ratio,
with its tails: two sessions alone cannot tell a disturbed row from a changed one. With fewer than ROWS_FOR_A_SPREAD rows of a kind of
device DEFAULT_SPREAD stands for it. What other processes took from a row (host_load) widens its interval and lessens its difference."""
import json
import math
import statistics as basic
from dataclasses import dataclass, field

import numpy

from . import records
from .diff_estimates import allowance, by_passes, by_sessions, identical
from .errors import NothingMatchedError, UsageError
from .statistics import benjamini_hochberg, t_quantile
from .text import digits, joined, plain_table, plural, printable, seconds

ALPHA = 0.01  # of the rows called faster or slower, so many are wrong on average; if nothing changed, the chance that any is called so
MINIMUM_EFFECT = 0.02
ROWS_FOR_A_SHIFT = 20
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
    busy: tuple = (0.0, 0.0)  # fraction of the processors that others used on either side, where it was a tenth or more
    allowance: tuple = (0.0, 0.0)  # logarithm of the factor by which that may have lengthened the times of either side

    @property
    def name(self):
        return f"{self.key} {self.variant}"

    @property
    def difference(self):
        """The logarithm of the ratio, less what other processes may have contributed: 0 where they explain all of it."""
        found = math.log(self.ratio)
        return max(0.0, found - self.allowance[1]) if found > 0 else min(0.0, found + self.allowance[0])

    @property
    def remarks(self):
        """The note, and which side was busy, in words."""
        sides = [f"{100 * fraction:.0f} % ({side})" for fraction, side in zip(self.busy, ("base", "new")) if fraction]
        return "; ".join(filter(None, (self.note, f"busy: {joined(sides)}" if sides else "")))


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
            if len(ratios) >= ROWS_FOR_A_SHIFT and abs(math.log(basic.median(ratios))) > math.log1p(self.minimum_effect):
                found[kind] = basic.median(ratios)
        return found


def _sides(documents, across):
    """Returns a map from identity to the list of its runs, one per session, in order. A session that is given twice counts once."""
    side = {}
    for document in documents:
        session = (document.started, document.session.get("command_line"), document.host, document.card)
        for run in document.runs:
            identity = (run.application, run.key, run.variant, run.device_kind, "" if across else _hardware(run))
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


def _hardware(run):
    """Returns what tells one device from another. Of all cores that is the number of threads: how many cores these share is measured, and a virtual
    machine whose threads move has 16 cores in one session and 8 in the next."""
    if run.device_kind != "cores":
        return run.device
    return run.data["device"]["threads"], run.device.rpartition(" of ")[2]


def _device(run):
    return f"({run.device})"


def _timed(runs, phase):
    return [r for r in runs if r.timed and phase in r.phases and r.phases[phase].median > 0]


def _row(timed, timed_now, phase):
    base, new = (basic.median(r.phases[phase].median for r in side) for side in (timed, timed_now))
    busy = tuple(max((r.others for r in side if r.busy), default=0.0) for side in (timed, timed_now))
    lost = tuple(float(numpy.mean([allowance(r) for r in side])) for side in (timed, timed_now))
    change = Change(timed[0].key, timed[0].variant, timed[0].device_kind, (timed[0].device, timed_now[0].device), base, new, new / base,
                    (len(timed), len(timed_now)), tuple(sum(r.phases[phase].passes for r in side) for side in (timed, timed_now)),
                    busy=busy, allowance=lost)
    if identical(timed, timed_now, phase):
        change.change, change.interval, change.note = "same", (1.0, 1.0), "the samples of both sides are identical"
    return change


def _decide(rows, pairs, phase, minimum_effect, alpha, session_spread):
    """Fills in intervals, p-values and what changed for each kind of device."""
    spreads = {}
    for kind in records.DEVICE_KINDS:
        chosen = [n for n, row in enumerate(rows) if row.kind == kind and row.change != "same"]
        if not chosen:
            continue
        several = [n for n in chosen if sum(rows[n].sessions) > 2]
        single = [n for n in chosen if sum(rows[n].sessions) == 2]
        if several:
            spread = by_sessions([rows[n] for n in several], [pairs[n] for n in several], phase, session_spread)
            spreads[kind] = (spread, "from several sessions")
        if single:
            spread, source = by_passes([rows[n] for n in single], [pairs[n] for n in single], phase, session_spread,
                                       all(_hardware(a) == _hardware(b) for n in single for a, b in zip(*pairs[n])))
            spreads.setdefault(kind, (spread, source))
    corrected = benjamini_hochberg([row.p for row in rows])
    for row, p in zip(rows, corrected):
        row.p_corrected = float(p)
        effect = abs(row.difference)
        if p < alpha and effect >= math.log1p(minimum_effect):
            if row.guarded:
                row.note = "as many rows differ as much: more sessions would tell"
                continue
            row.change = "slower" if row.ratio > 1 else "faster"
        elif row.interval and row.interval[0] >= 1 / (1 + minimum_effect) and row.interval[1] <= 1 + minimum_effect:
            row.change = "same"
    return spreads


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
        lines.append("the two sides were measured on different machines: compare-machines sets each ratio beside that of their ceilings")
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
        if 1.96 * width > math.log1p(result.minimum_effect) and not any(r.change == "same" for r in rows):
            half = math.exp(1.96 * width)
            ends = f"±{digits(100 * (half - 1), 2)} %" if half < 2 else f"a factor of {digits(half, 2)} either way"
            lines.append(f"{_KIND_WORDS[kind]}: no row can be called the same, as a typical interval, {ends}, is wider than the minimum effect of "
                         f"{digits(100 * result.minimum_effect, 2)} %")
    busy = sum(any(row.busy) for row in result.rows)
    if busy:
        lines.append(f"{plural(busy, 'row')} measured while other processes used a tenth of the processors or more (busy): a difference counts "
                     "only beyond what that may have cost")
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
                 f"{printable(row.key, 110)} {printable(row.variant, 40)} ({_KIND_WORDS[row.kind]}){': ' + row.remarks if row.remarks else ''}"]
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
        left = len(result.rows) - len(shown)
        out += f"{plural(left, 'row')} did not change or {'is' if left == 1 else 'are'} unclear (--all shows them)\n"
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
                         "note": r.remarks or None, "busy": list(r.busy)} for r in result.rows],
        "status_changes": [{"name": n, "base": b, "next": a, "reason": r} for n, b, a, r in result.status_changes],
        "only_in_base": result.only_base, "only_in_next": result.only_next}, indent=1, ensure_ascii=False) + "\n"


def failure_line(reasons):
    return "failed: " + joined(reasons)
