"""Tables with machines as columns and applications as rows: times, ratios with intervals, and the ratios that the measured ceilings alone
predict."""
import csv
import io
import json
import os
from dataclasses import dataclass

from . import analysis, records
from .analysis import fastest, headline_family, speedup
from .errors import NothingMatchedError, UsageError
from .explain import predicted_ratio
from .page_template import asset, environment
from .report_cells import cell, missing, problem_words
from .text import DASH, interval, percent, plain_table, printable, seconds, times

KINDS = (("gpu", "GPU against GPU"), ("cores", "All cores against all cores"), ("core", "One core against one core"))
PHASES = {"execute": "execute_s", "end_to_end": "end_to_end_s"}
NOTE = ("Times of Speedwell's fastest verified variant on each machine. Ratios are over the first machine that has the row: how many times "
        "as fast, with the 95 % interval of that ratio; the line below has the time, and “ceilings” is what the measured ceilings of both machines alone predict for the counted work.")


@dataclass
class Entry:
    """One row of one machine: its run, and its ratio over the base (None for the base itself)."""

    run: records.Run
    ratio: analysis.Ratio = None
    predicted: float = None


@dataclass
class Row:
    application: str
    problem: str
    key: str
    kind: str
    entries: list  # of Entry or None, one per machine
    base: int  # the machine that ratios are over


@dataclass
class Versus:
    names: list
    rows: list
    phase: str = "execute_s"
    processors: list = None  # their names, where these tell the machines apart

    def columns(self, kind):
        """Returns the machines' names above a table: of the processors where processors are compared."""
        return self.processors if self.processors and kind in ("core", "cores") else self.names

    note = NOTE

    @property
    def tables(self):
        """Returns one table for pages per kind of device that at least two machines have."""
        return [{"title": title, "machines": self.columns(kind), "rows": [_cells(row, self.phase) for row in rows]}
                for kind, title in (*KINDS, ("best", "The fastest of each machine, whatever device it is"))
                if (rows := [row for row in self.rows if row.kind == kind])]


def read_machines(sources):
    """Reads one machine per source; a source with records of several kinds of machine gives one for each."""
    machines = []
    for source in sources:
        found = analysis.by_machine(records.read([source]))
        if not found:
            raise NothingMatchedError(f"{printable(source)}: the records hold no machine with runs")
        machines += [(machine, source) for machine in found]
    return machines


def names_of(machines, sources):
    """Returns short names that distinguish the machines: the GPU or the processor, the host, and the source where those are equal."""
    short = [m.latest.host or (m.gpus[0]["name"] if m.gpus else m.processor) for m in machines]
    if len(set(short)) == len(short):
        return [printable(name, 40) for name in short]
    bases = [os.path.basename(os.path.normpath(source)) for source in sources]
    if len(set(bases)) == len(bases):
        return [printable(name, 40) for name in bases]
    return [printable(f"{n}: {name}", 40) for n, name in enumerate(short, 1)]


def compare_machines(machines, names=None, phase="execute_s", everything=False):
    """Returns rows for every kind of device that at least two machines timed on a problem: of each application the headline problem of those in
    common, or all of them (`everything`)."""
    names = names or names_of(machines, [str(n) for n, _ in enumerate(machines, 1)])
    by_key = [_by_key(machine) for machine in machines]
    applications = {}
    for machine in machines:
        for application in machine.applications:
            applications.setdefault(application.name, []).append(application)
    kinds = [kind for kind, _ in KINDS]
    if any(machine.gpus for machine in machines) and not all(machine.gpus for machine in machines):
        kinds.append("best")
    rows = []
    for kind in kinds:
        for name, found in applications.items():
            keys = list(dict.fromkeys(p.first.key for a in found for f in a.families for p in f.problems))
            candidates = [row for key in keys if (row := _row(name, key, kind, by_key, phase))]
            if not candidates:
                continue
            labels = analysis.Labels([e.run for row in candidates for e in row.entries if e])
            for row in candidates:
                first = next(e.run for e in row.entries if e)
                row.problem = problem_words(labels, analysis.Problem([first]))
            rows += candidates if everything else [_headline(candidates, found)]
    processors = [printable(machine.processor, 40) for machine in machines]
    plain = not any(machine.latest.host for machine in machines) and len(set(processors)) == len(processors)
    return Versus(names, rows, phase, processors if plain else None)


def _by_key(machine):
    return {p.first.key: p.runs for a in machine.applications for f in a.families for p in f.problems}


def _headline(candidates, applications):
    """Returns the row of a headline problem of one of the machines if there is one, else the one with the longest time."""
    wanted = [headline_family(a).largest.first.key for a in applications]
    chosen = [row for row in candidates if row.key in wanted]
    return max(chosen or candidates, key=lambda row: (sum(e is not None for e in row.entries),
                                                      row.entries[row.base].run.execute.median))


def _row(application, key, kind, by_key, phase):
    def run_of(runs):
        if kind != "best":
            return fastest(runs, kind, phase=phase)
        found = [r for r in (fastest(runs, k, phase=phase) for k in records.DEVICE_KINDS) if r]
        return min(found, key=lambda r: r.phases[phase].median, default=None)

    runs = [run_of(problems[key]) if key in problems else None for problems in by_key]
    if sum(run is not None for run in runs) < 2:
        return None
    base = next(n for n, run in enumerate(runs) if run)
    entries = []
    for n, run in enumerate(runs):
        if run is None or n == base:
            entries.append(Entry(run) if run else None)
        else:
            entries.append(Entry(run, speedup(runs[base].phases[phase], run.phases[phase]),
                                 predicted_ratio(runs[base], run) if phase == "execute_s" else None))
    return Row(application, "", key, kind, entries, base)


def _cells(row, phase):
    cells = []
    for n, entry in enumerate(row.entries):
        if entry is None:
            cells.append(missing("not timed on this machine"))
            continue
        run = entry.run
        limit = analysis.limit_of(run)[0]
        share = f", {percent(limit['fraction'])} of its {limit['bound']} limit" if limit and phase == "execute_s" else ""
        time = f"{seconds(run.phases[phase].median)}, {run.variant}{share}"
        if entry.ratio is None:
            cells.append(cell("1×" if n == row.base else DASH, time, run.device, 1))
            continue
        ceilings = f"; ceilings {times(entry.predicted)}" if entry.predicted else ""
        cells.append(cell(f"{times(entry.ratio.value)} {interval(entry.ratio.interval)}".strip(), f"{time}{ceilings}", run.device,
                          entry.ratio.value))
    return {"application": row.application, "problem": row.problem, "key": row.key, "cells": cells}


# --- the command's outputs -------------------------------------------------------------------------------------------


def run(sources, phase="execute", everything=False):
    """Returns the comparison of the machines in `sources`. Raises NothingMatchedError if they have no problem in common."""
    if phase not in PHASES:
        raise UsageError(f"unknown phase '{printable(phase, 40)}'", "allowed: execute, end_to_end")
    found = read_machines(sources)
    if len(found) < 2:
        raise UsageError("a comparison needs the records of at least two machines", "report shows one")
    machines = [machine for machine, _ in found]
    names = names_of(machines, [source for _, source in found])
    versus = compare_machines(machines, names, PHASES[phase], everything)
    if not versus.rows:
        raise NothingMatchedError("nothing was compared: the machines have no problem in common that passed on the same kind of device",
                                  "measure both with the same command, for example speedwell suite")
    return versus, machines


def text(versus, machines):
    out = "".join(f"{name}: {printable(machine.name)}, {machine.latest.started[:10]}, commit {machine.latest.build['commit'] or 'unknown'}\n"
                  for name, machine in zip(versus.names, machines))
    out += f"{'execute' if versus.phase == 'execute_s' else 'end to end'}; times as fast as the first machine [interval] (by the ceilings alone)\n"
    titles = dict((*KINDS, ("best", "The fastest of each machine")))
    for kind, title in titles.items():
        rows = [row for row in versus.rows if row.kind == kind]
        if not rows:
            continue
        lines = []
        for row in rows:
            cells = []
            for n, entry in enumerate(row.entries):
                if entry is None:
                    cells.append(DASH)
                elif n == row.base:
                    cells.append(seconds(entry.run.phases[versus.phase].median))
                else:
                    predicted = f" ({times(entry.predicted)})" if entry.predicted else ""
                    cells.append(f"{times(entry.ratio.value)} {interval(entry.ratio.interval)}{predicted}".replace("  ", " "))
            lines.append([row.application, printable(row.problem, 44), *cells])
        out += f"\n{title}\n" + plain_table(["application", "problem", *versus.columns(kind)], lines)
    return out


def rows_of(versus):
    """Returns one flat object per row and machine, for JSON and CSV."""
    for row in versus.rows:
        for n, entry in enumerate(row.entries):
            if entry is None:
                continue
            ends = entry.ratio.interval if entry.ratio else None
            yield {"application": row.application, "key": row.key, "device_kind": row.kind, "machine": versus.names[n],
                   "base": versus.names[row.base], "variant": entry.run.variant, "device": entry.run.device,
                   "time_s": entry.run.phases[versus.phase].median, "ratio": entry.ratio.value if entry.ratio else 1.0,
                   "ratio_low": ends[0] if ends else None, "ratio_high": ends[1] if ends else None,
                   "ratio_by_ceilings": entry.predicted}


def as_json(versus):
    return json.dumps({"schema": "speedwell-compare/1", "phase": versus.phase, "machines": versus.names,
                       "rows": list(rows_of(versus))}, indent=1, ensure_ascii=False) + "\n"


def as_csv(versus):
    rows = list(rows_of(versus))
    stream = io.StringIO()
    writer = csv.DictWriter(stream, rows[0].keys(), lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def html(versus, machines):
    facts = [{"name": name, "machine": machine.name, "date": machine.latest.started, "version": machine.latest.build["version"],
              "commit": machine.latest.build["commit"] or "unknown", "command": machine.latest.session["command_line"],
              "id": machine.latest.machine["id"]} for name, machine in zip(versus.names, machines)]
    return environment().get_template("compare.html.j2").render(style=asset("style.css"), versus=versus, facts=facts,
                                                                phase="execute" if versus.phase == "execute_s" else "end to end")
