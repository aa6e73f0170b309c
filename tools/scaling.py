#!/usr/bin/env python3
"""Writes tables and curves of what `speedwell scale` recorded into the documents: tools/scaling.py [--digests FILE | --check]

A document has markers, each alone on its line; what stands between them is replaced:

    <!-- scaling: FOLDER -->
    <!-- /scaling -->

FOLDER, below the root of the tree, has the records of one machine (records.jsonl), those of one command behind those of the other, and what the commands
printed (scale.txt), of which the model's predictions are taken where the model is at most 15 % off on the largest number that was measured; or it has a
folder with these for each command, as tools/measure.py writes them. A table has a row for each problem: the times on the first and on the last number
of ranks or GPUs, the speed-ups in between, and beside them the one process and the model. The curves of efficiency become
docs/images/scaling/NAME.svg, where NAME is that of the folder's path below results/ with hyphens; they need matplotlib.

--digests FILE: digests of the present sources (cmake/source_digest.cmake), to mark what was measured with older ones.
--check: writes nothing; the status is 1, with a line for each reason, if a table or a picture is not what would be written (marks of older sources aside).

Exit status: 1 also for a folder without series; 2 usage; 4 no matplotlib or another package.
"""
import pathlib
import re
import sys
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "python")]

try:
    from speedwell import analysis, records, tables
    from speedwell.errors import SpeedwellError
    from speedwell.problem_text import short
    from speedwell.text import DASH, digits, percent, seconds
    from study_figures import MAX_LABEL, differs, finish, origin, renderer, rounded, store
except ImportError as error:
    print(f"scaling.py: error: there is no {error.name}: install python3-{error.name}", file=sys.stderr)
    sys.exit(4)

DOCUMENTS = ("docs/several-devices.md",)
PICTURES = pathlib.Path("docs/images/scaling")
OPENING = re.compile(r"<!-- scaling: (\S+) -->\Z")
CLOSING = "<!-- /scaling -->"
MAX_OFF_PERCENT = 15  # the model foresees nothing where it is further off on the largest number that was measured
SERIES_OF_A_PICTURE = 6  # as many as there are colours
# A line of scale.txt that begins a command's output, and one of the model's.
TITLE = re.compile(r".*: (strong|weak) scaling of (\S+), (?:of one (?:GPU|rank) )?(\S.*)\Z")
MODEL = re.compile(r"  the model says .* for (\d+) (?:GPU|rank)s, .* was measured \(([+-]\d+) %\)\Z")
PREDICTED = re.compile(r" *(\d+) +(\S+ \S+) .* predicted\Z")


@dataclass
class Series:
    """One variant on several numbers of ranks or GPUs."""

    runs: list = field(default_factory=list)  # in the order of the numbers
    compared: dict = field(default_factory=dict)  # of the one process: number of threads, or 1 of a GPU, to run

    @property
    def first(self):
        return self.runs[0]

    @property
    def is_weak(self):
        return updates(self.runs[-1]) > 1.2 * updates(self.first)

    @property
    def is_on_gpus(self):
        return self.first.backend == "multi"

    @property
    def counts(self):
        return [count(run) for run in self.runs]

    def speedup(self, run):
        return rate(run) / rate(self.first)

    def efficiency(self, run):
        """Returns the rate of one rank or GPU over that of the best single one: the first of the series, or the variant of one GPU where that is faster."""
        alone = rate(self.first) / self.counts[0]
        if self.is_on_gpus and 1 in self.compared:
            alone = max(alone, rate(self.compared[1]))
        return rate(run) / count(run) / alone

    def over_compared(self, run):
        """Returns the rate over that of the one process, or None."""
        other = self.compared.get(1 if self.is_on_gpus else count(run))
        return rate(run) / rate(other) if other else None


def count(run):
    return run.data["ranks"]["count"]


def updates(run):
    return run.data["work"]["updates"]


def rate(run):
    return updates(run) / run.execute.median


def series_of(documents):
    """Returns the series of some documents, in their order. A variant on a number that is not above the one before begins another."""
    found = []
    for document in documents:
        for run in document.runs:
            if not run.timed or document.build.get("dirty"):
                continue
            if run.data.get("ranks"):
                last = found[-1] if found else None
                if not last or (last.first.application, last.first.variant) != (run.application, run.variant) or count(run) <= last.counts[-1]:
                    last = Series()
                    found.append(last)
                last.runs.append(run)
            elif found:
                found[-1].compared[1 if run.device_kind in ("gpu", "core") else run.data["device"]["threads"]] = run
    return [series for series in found if len(series.runs) > 1]


@dataclass
class Model:
    """What the model said of one series."""

    off: dict = field(default_factory=dict)  # number to how far it is off in percent
    predicted: dict = field(default_factory=dict)  # number to the time, as text


def read_models(path, found):
    """Returns what the model said of each of some series, which stand in the same order in what was printed; there may be others in between, of commands
    that were stopped."""
    printed = []  # (weak, variant, application), Model
    for line in path.read_text().splitlines() if path.exists() else []:
        title = TITLE.match(line)
        if title:
            printed.append(((title[1] == "weak", title[2], title[3].split()[0]), Model()))
        elif printed and (match := MODEL.match(line)):
            printed[-1][1].off[int(match[1])] = int(match[2])
        elif printed and (match := PREDICTED.match(line)):
            printed[-1][1].predicted[int(match[1])] = match[2]
    models = []
    for series in found:
        wanted = series.is_weak, series.first.variant, series.first.application
        at = next((i for i, (title, _) in enumerate(printed) if title == wanted), None)
        models.append(Model() if at is None else printed[at][1])
        printed = printed if at is None else printed[at + 1:]
    return models


# --- tables --------------------------------------------------------------------------------------------------------------


def name_of(series):
    """Returns the application and its problem: of weak scaling that of one rank."""
    variant = "" if series.first.variant in ("multi", "mpi") else f", `{series.first.variant}`"
    grown = f" on each {'GPU' if series.is_on_gpus else 'rank'}" if series.is_weak else ""
    return f"`{series.first.application}`, {short(series.first.data)}{grown}{variant}"


def marked(series, digests):
    runs = [*series.runs, *series.compared.values()]
    passes = min(run.execute.passes for run in runs)
    stale = any(run.data["source_digest"] != digests.get(run.sources, run.data["source_digest"]) for run in runs)
    return (f" (n={passes})" if passes < analysis.PUBLISHED_PASSES else "") + (tables.STALE if stale else "")


def exposed(run):
    exchange = (run.data["phases"].get("exchange_s") or {}).get("median")
    return percent(exchange / run.execute.median) if exchange is not None else DASH


def row_of(series, numbers, model, digests):
    """Returns the cells of a series."""
    by_count = dict(zip(series.counts, series.runs))

    def each(text):
        cells = [text(by_count[n]) if n in by_count else DASH for n in numbers[1:]]
        return DASH if all(cell == DASH for cell in cells) else ", ".join(cells)

    def over(run):
        value = series.over_compared(run)
        return f"{value:.2f}" if value else DASH

    last = by_count.get(numbers[-1])
    times = [seconds(by_count[n].execute.median) if n in by_count else DASH for n in sorted({numbers[0], numbers[-1]})]
    return [name_of(series) + marked(series, digests), *times, each(lambda run: f"{series.speedup(run):.2f}"),
            percent(series.efficiency(last)) if last else DASH, exposed(last) if last else DASH, each(over),
            each(lambda run: f"{model.off[count(run)]:+d} %" if count(run) in model.off else DASH)]


def table(found, models, digests):
    """Returns the table of some series on the same numbers of ranks or GPUs."""
    numbers = sorted({n for series in found for n in series.counts})
    gpus = found[0].is_on_gpus
    unit, listed = ("GPU" if gpus else "rank"), ", ".join(map(str, numbers[1:]))
    head = ["application, problem", *(f"{n} {unit}{'s' * (n > 1)}" for n in sorted({numbers[0], numbers[-1]})), f"speed-up of {listed}",
            f"efficiency, {numbers[-1]}", f"exposed, {numbers[-1]}", "over `cuda`" if gpus else "over `openmp`", "model"]
    rows = [row_of(series, numbers, model, digests) for series, model in zip(found, models)]
    keep = [i for i in range(len(head)) if any(row[i] != DASH for row in rows)]
    lines = [[head[i] for i in keep], ["---" if i == 0 else "---:" for i in keep], *([row[i] for i in keep] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def described(found, digests):
    """Returns the sentence below a table: where, when, by which commit."""
    runs = [run for series in found for run in series.runs]
    documents = [run.document for run in runs]
    commits = sorted({document.build["commit"] for document in documents})
    text = f"Measured on {origin(runs)}; commit {', '.join(commits)}."
    if any(marked(series, {}) for series in found):
        text += " n: passes, where there are fewer than 5."
    if any(tables.STALE in marked(series, digests) for series in found):
        text += f" {tables.STALE_LEGEND}."
    return text


def doubt(series, model):
    """Returns why the model's predictions are not shown, or nothing: it has to be near what was measured on the largest number of ranks or GPUs."""
    last, unit = series.counts[-1], "GPUs" if series.is_on_gpus else "ranks"
    off = model.off.get(last)
    if off is None:
        return f"the model says nothing of the {last} {unit} that were measured"
    return f"the model is {abs(off)} % too {'long' if off > 0 else 'short'} on {last} {unit}" if abs(off) > MAX_OFF_PERCENT else ""


def predictions(found, models):
    """Returns a table of predicted times and a sentence on the series that have none for the model's error, or nothing."""
    rows = [(series, model.predicted, doubt(series, model)) for series, model in zip(found, models) if model.predicted]
    measured = {n for series in found for n in series.counts}
    numbers = sorted({n for _, times, why in rows if not why for n in times} - measured)
    unit = "GPUs" if found[0].is_on_gpus else "ranks"
    parts = []
    if numbers:
        lines = [[f"predicted, as if all {unit} were linked as these are", *(f"{n} {unit}" for n in numbers)], ["---", *["---:"] * len(numbers)]]
        lines += [[name_of(series), *(times.get(n, DASH) for n in numbers)] for series, times, why in rows if not why and set(times) - measured]
        parts.append("\n".join("| " + " | ".join(line) + " |" for line in lines))
    doubted = [f"{name_of(series)}: no prediction: {why}" for series, _, why in rows if why]
    if doubted:
        parts.append("; ".join(doubted) + ".")
    return "\n\n".join(parts)


# --- pictures ------------------------------------------------------------------------------------------------------------


def picture_file(folder):
    return PICTURES / ("-".join(pathlib.PurePath(folder).parts[1:]) + ".svg")


def fitted(application, parts):
    """Returns the application and as many of the parts as have room beside a panel, at least one."""
    while len(parts) > 1 and len(", ".join([application, *parts])) > MAX_LABEL:
        parts = parts[:-1]
    return ", ".join([application, *parts])


def labels(found):
    """Returns the application and as much of the problem of each series as has room beside a panel; of those that would be called the same, what
    tells them apart."""
    problems = [short(series.first.data).split(", ") for series in found]
    made = [fitted(series.first.application, parts) for series, parts in zip(found, problems)]
    for name in {name for name in made if made.count(name) > 1}:
        alike = [i for i, other in enumerate(made) if other == name]
        for i in alike:
            apart = [part for part in problems[i] if not all(part in problems[j] for j in alike)]
            made[i] = fitted(found[i].first.application, apart or problems[i])
    return made


def panels(found):
    """Returns the panels of a picture: efficiencies of strong and of weak scaling, a few series in each."""
    made = []
    for weak in (False, True):
        mine = [series for series in found if series.is_weak == weak]
        for begin in range(0, len(mine), SERIES_OF_A_PICTURE):
            drawn = mine[begin:begin + SERIES_OF_A_PICTURE]
            lines = [{"label": label, "published": False, "level": False, "colour": i,
                      "points": [[n, rounded(100 * series.efficiency(run))] for n, run in zip(series.counts, series.runs)]}
                     for i, (series, label) in enumerate(zip(drawn, labels(drawn)))]
            unit = "GPUs" if found[0].is_on_gpus else "ranks"
            made.append({"kind": "curve", "title": "weak scaling" if weak else "strong scaling", "lines": lines,
                         "x": {"label": unit, "scale": "log2"}, "y": {"label": "efficiency (%)", "unit": "%"}})
    return made


def picture(found):
    """Returns what a picture shows, as data."""
    return {"title": "Efficiency on several " + ("GPUs" if found[0].is_on_gpus else "ranks"), "panels": panels(found),
            "caption": [f"Here: {origin([run for series in found for run in series.runs])}."]}


# --- documents -----------------------------------------------------------------------------------------------------------


def content(folder, digests):
    """Returns what stands between the markers of a folder, and its series. Raises ValueError where there are none."""
    found, models = [], []
    for file in sorted([*(ROOT / folder).glob("records.jsonl"), *(ROOT / folder).glob("*/records.jsonl")]):
        series = series_of(records.read([file]))
        found += series
        models += read_models(file.with_name("scale.txt"), series)
    if not found:
        raise ValueError(f"{folder}: no records of one variant on several numbers of ranks or GPUs")
    parts = [table(found, models, digests), described(found, digests), predictions(found, models)]
    return "\n\n".join(part for part in parts if part), found


def updated(text, digests, name):
    """Returns a document with its tables made anew, and the series by folder."""
    out, shown, opened = [], {}, None
    for number, line in enumerate(text.splitlines(), 1):
        marker = OPENING.match(line.strip())
        if marker and opened is None:
            opened = marker[1]
            made, shown[opened] = content(opened, digests)
            out += [line, made]
        elif line.strip() == CLOSING:
            if opened is None:
                raise ValueError(f"{name}:{number}: '{CLOSING}' closes nothing")
            opened = None
            out.append(line)
        elif opened is None:
            out.append(line)
        elif marker:
            raise ValueError(f"{name}:{number}: the marker of {opened} is not closed")
    if opened:
        raise ValueError(f"{name}: the marker of {opened} is not closed")
    return "\n".join(out) + "\n", shown


def without_marks(text):
    return text.replace(f" {tables.STALE_LEGEND}.", "").replace(tables.STALE, "")


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    digests = {}
    if arguments[:1] == ["--digests"] and len(arguments) == 2:
        digests = tables.read_digests(arguments[1])
    elif arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    render, version = renderer("scaling.py")
    wrong, pictures = [], {}
    for name in DOCUMENTS:
        path = ROOT / name
        before = path.read_text()
        try:
            after, shown = updated(before, digests, name)
        except (ValueError, KeyError, SpeedwellError) as error:
            wrong.append(str(error))
            continue
        pictures.update({picture_file(folder): picture(found) for folder, found in shown.items()})
        if not check:
            path.write_text(after)
        elif without_marks(before) != without_marks(after):
            wrong.append(f"{name} is not what tools/scaling.py writes: run tools/results.sh")
    for file, data in pictures.items():
        path = ROOT / file
        if not check:
            store(path, data, render)
        elif not path.exists() or differs(path.read_text(), data, render, version):
            wrong.append(f"{file} is not what tools/scaling.py draws: run tools/results.sh")
    finish(wrong, PICTURES, pictures, "table", f"{', '.join(DOCUMENTS)}: {len(pictures)} tables and pictures")


if __name__ == "__main__":
    main()
