#!/usr/bin/env python3
"""Writes docs/studies.md from docs/studies/*.toml and the records: tools/studies.py [--digests FILE | --check]

The page has a row for each numbered table and figure of the studies that Speedwell follows: what it shows, the command that repeats it, what the
records have, what was published. Published values are typed in the TOML files; measured ones are drawn from the records here. docs/studies/README.md
describes the files. The packages of docs/python.md are needed.

--digests FILE: digests of the present sources (cmake/source_digest.cmake), to mark what was measured with older ones; without it there are no marks.
--check: writes nothing; the status is 1, with a line for each reason, if the page is not what would be written (marks of older sources aside), if a row
is missing, or if a row has neither a record nor a reason, a selector that matches no run, or a command that is not understood.
"""
import fnmatch
import itertools
import os
import pathlib
import re
import shlex
import sys
import tomllib
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

from speedwell import analysis, records, tables  # noqa: E402
from speedwell.errors import SpeedwellError  # noqa: E402
from speedwell.text import DASH, digits, percent, seconds, times  # noqa: E402

PAGE = "docs/studies.md"
MAX_TITLE_WORDS = 12
ROW_KEYS = {"number", "title", "application", "command", "measured", "files", "published", "reason", "applicable"}
SELECTOR_KEYS = {"record", "application", "variant", "over", "over_ranks", "show", "where", "label"}
COMMANDS = {"run", "compare", "ladder", "scale", "crossover", "suite", "solve", "align", "machine", "report"}
OF_APPLICATION = {"run", "compare", "ladder", "scale", "crossover"}
NAMES = {"execute": "execute", "end_to_end": "end to end", "rate": "", "bandwidth": "", "limit": "of the limit", "energy": "energy of one execute"}
INTRODUCTION = """# Tables and figures of the studies

Speedwell follows five studies. This page has a row for each of their numbered tables and figures: the command that repeats it here, what our records
have, and what was published. *Published* is of the machine of the study, so that the two columns show the same quantity, not the same hardware;
where a study draws a curve without naming its values, the values that its text names stand there. Rows without a record say why, and those
that repeat a part say which. Records have more sizes and variants than the rows show; pages of applications and `speedwell report` have them all.

n: passes, where there are fewer than 5. †: measured with older sources. [How to read the figures](reading-figures.md) tells what execute and
end to end are; the names of variants are explained on the pages of the applications. The page is made by `tools/studies.py` from
[docs/studies](studies/README.md) and from the records named in the last column; `tools/studies.py --check` tests it.
"""


@dataclass
class Study:
    """One study: what its files say of it, and the rows of all its files in order."""

    name: str
    head: dict = field(default_factory=dict)
    rows: list = field(default_factory=list)

    def expected(self):
        """Returns the numbers of all its tables and figures, as "table 2.1"."""
        return [f"{kind} {number}" for kind in ("table", "figure") for part in self.head.get(kind + "s", []) for number in numbers(part)]


def numbers(part):
    """Returns the numbers of "4.1-4.23" or of a single one: the part behind the last point counts."""
    first, _, last = part.partition("-")
    if not last:
        return [first]
    chapter, _, begin = first.rpartition(".")
    return [f"{chapter}.{i}" if chapter else str(i) for i in range(int(begin), int(last.rpartition(".")[2]) + 1)]


def read_studies(folder):
    """Returns the studies of the TOML files of a folder, in the order of their `order`."""
    studies = {}
    for path in sorted(pathlib.Path(folder).glob("*.toml")):
        content = tomllib.loads(path.read_text())
        study = studies.setdefault(content["study"], Study(content["study"]))
        study.rows += content.pop("row", [])
        study.head.update(content)
    return sorted(studies.values(), key=lambda study: study.head.get("order", 0))


# --- runs of records -------------------------------------------------------------------------------------------------


class Archive:
    """The records below a folder, each file read once, and the marks that qualify their figures."""

    def __init__(self, root, digests=None):
        self.root, self.digests, self.documents = pathlib.Path(root), digests or {}, {}

    def runs(self, files):
        """Returns the timed runs of some files; of several of one problem, variant and device the latest. Builds with local changes do not count."""
        latest = {}
        for file in listed(files):
            if file not in self.documents:
                self.documents[file] = records.read([self.root / file])
            for document in self.documents[file]:
                for run in document.runs:
                    identity = (run.key, run.variant, run.device)
                    if run.timed and document.machine and not document.build.get("dirty") \
                            and (identity not in latest or latest[identity].document.started <= document.started):
                        latest[identity] = run
        return list(latest.values())

    def marks(self, runs):
        """Returns the marks of a figure that is made of some runs."""
        passes = min(run.execute.passes for run in runs)
        now = [self.digests.get(run.application) for run in runs]
        stale = any(digest and digest != run.data["source_digest"] for digest, run in zip(now, runs))
        return (f" (n={passes})" if passes < analysis.PUBLISHED_PASSES else "") + (tables.STALE if stale else "")


def value_of(run, name):
    """Returns a problem's parameter, or its size, ranks, threads."""
    if name in run.data["problem"]:
        return run.data["problem"][name]
    return {"size": run.data["size"], "ranks": (run.data.get("ranks") or {}).get("count"),
            "threads": 1 if run.device_kind == "core" else run.data["device"]["threads"]}.get(name)


def one(runs, application, variant, where, what):
    """Returns the only run that a selector matches. Raises ValueError where there is none, or more than one."""
    found = [r for r in runs if r.application == application and r.variant == variant and all(value_of(r, k) == v for k, v in where.items())]
    if len(found) == 1:
        return found[0]
    asked = ", ".join([f"{application} {variant}"] + [f"{k}={v}" for k, v in where.items()])
    raise ValueError(f"{what}: {asked} matches " + ("no run" if not found else f"{len(found)} runs: " + "; ".join(r.key for r in found[:3])))


def shown(run, base, show):
    """Returns one figure as text: a quantity of a run, or how many times that of `base` it is. Raises ValueError for a quantity that the run lacks."""
    kind, _, name = show.partition(".")
    text = None
    if base:
        if kind == "rate":
            ours, other = (analysis.merit(r, analysis.merit_of([r])[0]) for r in (run, base))
            text = times(ours.value / other.value)
        elif show + "_s" in run.phases and show + "_s" in base.phases:
            ratio = analysis.speedup(base.phases[show + "_s"], run.phases[show + "_s"])
            text = times(ratio.value) if ratio else None
    elif kind == "rate":
        merit, unit = analysis.merit_of([run])
        value = analysis.merit(run, merit)
        text = f"{digits(value.value)} {unit}" if value is not None and merit != "time" else None
    elif kind == "bandwidth" and run.data["rates"]["bandwidth_GBps"]:
        text = f"{digits(run.data['rates']['bandwidth_GBps'])} GB/s"
    elif kind == "limit":
        held, _ = analysis.limit_of(run)
        text = percent(held["fraction"]) if held else None
    elif kind == "choice" and name in run.data["choices"]:
        text = run.data["choices"][name]
        text = seconds(float(text)) if name.endswith("_s") else text
    elif kind == "share" and name + "_s" in run.phases:
        text = percent(run.phases[name + "_s"].median / run.phases["end_to_end_s"].median)
    elif kind == "energy" and run.data["energy"]["execute_J"]:
        text = f"{digits(run.data['energy']['execute_J'])} J"
    elif show + "_s" in run.phases:
        text = seconds(run.phases[show + "_s"].median)
    if text is None:
        raise ValueError(f"{run.key} {run.variant}: there is no {show}" + (f" over {base.variant}" if base else ""))
    return text


def lines_of(selector, row, archive):
    """Returns the lines that a selector makes: one for each variant, with a figure for each combination of the listed parameters."""
    what, unknown = row["number"], set(selector) - SELECTOR_KEYS
    if unknown:
        raise ValueError(f"{what}: a selector has no key {', '.join(sorted(unknown))}")
    runs = archive.runs(selector["record"])
    application = selector.get("application", row.get("application"))
    where, show, over = selector.get("where", {}), selector.get("show", "execute"), selector.get("over")
    swept = {k: v for k, v in where.items() if isinstance(v, list)}
    fixed = {k: v for k, v in where.items() if k not in swept}
    lines = []
    for variant in listed(selector["variant"]):
        figures, used = [], []
        for values in itertools.product(*swept.values()):
            parameters = {**fixed, **dict(zip(swept, values))}
            run = one(runs, application, variant, parameters, what)
            base = None
            if over or "over_ranks" in selector:
                same = {k: v for k, v in parameters.items() if k not in ("ranks", "threads")}
                base = one(runs, application, over or variant, {**same, **({"ranks": selector["over_ranks"]} if "over_ranks" in selector else {})}, what)
                # Ranks see as many cores as they are bound to, so that those of one file may differ in that.
                if base.document.machine["id"] != run.document.machine["id"] and base.document.file != run.document.file:
                    raise ValueError(f"{what}: {run.variant} and {base.variant} were measured on different machines")
            figures.append(shown(run, base, show))
            used += [run, base] if base else [run]
        lines.append((variant, ", ".join(figures), archive.marks(used)))
    quantity = quantity_of(selector, show, over, swept, fixed)
    if swept or len(lines) == 1:
        return [tables.plain(f"{variant}{quantity}: {figures}", 400) + marks for variant, figures, marks in lines]
    together = ", ".join(tables.plain(f"{variant} {figures}") + marks for variant, figures, marks in lines)
    return [tables.plain(quantity.strip(", ") + ":", 400) + " " + together]


def listed(value):
    return value if isinstance(value, list) else [value]


def quantity_of(selector, show, over, swept, fixed):
    """Returns what stands between the variant and the figures of a line: what it is compared with, the quantity and the parameters."""
    base = over or (f"{selector['over_ranks']} rank" if "over_ranks" in selector else "")
    kind, _, name = show.partition(".")
    name = name.removesuffix("_s").replace("_", " ")
    quantity = f"{name} of end to end" if kind == "share" else name or NAMES.get(show, show)
    parameters = [selector["label"]] if "label" in selector else [f"{k}={v}" for k, v in fixed.items()]
    parameters += [f"{k} {', '.join(map(str, v))}" for k, v in swept.items()]
    return (f" over {base}" if base else "") + "".join(f", {p}" for p in [quantity, *parameters] if p)


# --- what is wrong ---------------------------------------------------------------------------------------------------


def words_of(root, application, archive):
    """Returns the variants, and all words in quotation marks in the sources, of an application; nothing for an unknown one."""
    folders = [p for p in (root / "speedwell" / "apps").rglob(application) if p.is_dir()]
    quoted = {w for folder in folders for f in folder.rglob("*") if f.suffix in (".cpp", ".cu", ".hpp") for w in re.findall(r'"([\w-]+)"', f.read_text())}
    recorded = {r.variant for documents in archive.documents.values() for d in documents for r in d.runs if r.application == application}
    return recorded | quoted


def wrong_command(root, command, archive):
    """Returns what is wrong with a command, as far as the tree and the records tell; nothing if it is understood."""
    words = shlex.split(command)
    while words and re.match(r"(mpirun|-n|\d+)$", words[0]):
        words.pop(0)
    if not words:
        return "the command is empty"
    if words[0] != "speedwell":
        return None if (root / words[0]).exists() else f"there is no {words[0]}"
    if len(words) < 2 or words[1] not in COMMANDS:
        return f"'{command}' is no command of speedwell"
    missing = [w for w in words if w.endswith(".toml") and not (root / w).exists()]
    if words[1] not in OF_APPLICATION:
        return f"there is no {missing[0]}" if missing else None
    known = words_of(root, words[2], archive) if len(words) > 2 else set()
    if not known:
        return f"'{command}' names an unknown application"
    for option, value in zip(words, words[1:]):
        asked = value.split(",") if option in ("--variant", "--size") else []
        unknown = [name for name in asked if not fnmatch.filter(known, name)]
        if unknown:
            return f"{words[2]} has no {option[2:]} {', '.join(unknown)}"
    return None


def wrong_row(root, row, archive):
    """Yields what is wrong with a row, apart from its selectors."""
    unknown = set(row) - ROW_KEYS
    if unknown:
        yield f"a row has no key {', '.join(sorted(unknown))}"
    if not row.get("title") or len(row["title"].split()) > MAX_TITLE_WORDS:
        yield f"the title has not 1 to {MAX_TITLE_WORDS} words"
    recorded = row.get("measured") or row.get("files")
    if not recorded and not row.get("reason", "").strip():
        yield "has neither a record nor a reason"
    if recorded and not row.get("applicable", True):
        yield "is not applicable, and has a record"
    if recorded and not row.get("command"):
        yield "has a record, and no command"
    for file in row.get("files", []):
        if not (root / file).exists():
            yield f"there is no {file}"
    if "application" in row and not page_of(root, row["application"]):
        yield f"there is no page of {row['application']}"
    if row.get("command"):
        reason = wrong_command(root, row["command"], archive)
        if reason:
            yield reason


def wrong_numbers(study):
    """Yields the tables and figures of a study that have no row, several, or no place in its list."""
    found, expected = [row.get("number", "a row without a number") for row in study.rows], study.expected()
    for number in dict.fromkeys(expected + found):
        if found.count(number) != 1 or number not in expected:
            yield f"{number} has {found.count(number)} rows" + ("" if number in expected else ", and the study has no such table or figure in its list")


# --- the page --------------------------------------------------------------------------------------------------------


def page_of(root, application):
    """Returns the path of an application's page, or nothing."""
    return next((p.relative_to(root) for p in sorted((root / "speedwell" / "apps").rglob("README.md")) if p.parent.name == application), None)


def state_of(row):
    return "none" if not row.get("applicable", True) else "record" if row.get("measured") or row.get("files") else "published"


def files_of(row):
    """Returns the files that a row names, in order."""
    named = [f for selector in row.get("measured", []) for f in listed(selector["record"])]
    return list(dict.fromkeys(named + row.get("files", [])))


def link(file):
    return f"[{file.removeprefix('results/')}]({os.path.relpath(file, pathlib.Path(PAGE).parent)})"


def row_text(root, row, archive, wrong):
    measured = []
    for selector in row.get("measured", []):
        try:
            measured += lines_of(selector, row, archive)
        except (ValueError, KeyError, SpeedwellError) as error:
            wrong.append(str(error) if row["number"] in str(error) else f"{row['number']}: {error}")
    shows = tables.plain(row["title"])
    if page_of(root, row.get("application", "")):
        shows += f" ({link(str(page_of(root, row['application']))).replace(str(page_of(root, row['application'])), row['application'], 1)})"
    measured += [tables.plain(row["reason"], 400)] if row.get("reason") else []
    command = f"`{row['command'].replace('|', chr(92) + '|')}`" if row.get("command") else DASH
    return "| " + " | ".join([row["number"], shows, command, "<br>".join(measured) or DASH, tables.plain(row.get("published", DASH), 400),
                              "<br>".join(map(link, files_of(row))) or DASH]) + " |\n"


def chapter_of(row):
    number = row["number"].split()[1]
    return number.partition(".")[0] if "." in number else ""


def section(root, study, archive, wrong):
    """Returns the text of a study: a table, or one for each chapter."""
    head = study.head
    text = f"\n## {head['title']}\n\n{head['source']}\n"
    order = {number: i for i, number in enumerate(study.expected())}
    rows = sorted(study.rows, key=lambda row: order.get(row["number"], 0))
    for chapter in dict.fromkeys(sorted(map(chapter_of, rows), key=lambda c: (not c.isdigit(), int(c) if c.isdigit() else 0, c))):
        name = head.get("chapters", {}).get(chapter)
        text += f"\n### {name}\n" if name else ""
        text += "\n| | What it shows | Command | Measured here, or why not | Published | Records |\n| --- | --- | --- | --- | --- | --- |\n"
        text += "".join(row_text(root, row, archive, wrong) for row in rows if chapter_of(row) == chapter)
    return text


def origins(studies, archive):
    """Returns a table of where each record of the page was measured."""
    text = "\n## Where the records were measured\n\n| Record | Processor | GPU, card | Commit | Date |\n| --- | --- | --- | --- | --- |\n"
    named = sorted({f for study in studies for row in study.rows for selector in row.get("measured", []) for f in files_of({"measured": [selector]})})
    for file in named:
        cells = {}
        for document in archive.documents.get(file, []):
            if document.machine and document.runs and not document.build.get("dirty"):
                gpus = document.machine["gpus"]
                gpu = (f"{len(gpus)} x " if len(gpus) > 1 else "") + f"{gpus[0]['name']}, {document.card[:12]}" if gpus else DASH
                cells[tables.plain(document.machine["cpu"]["name"]), tables.plain(gpu), document.build["commit"][:12], document.started[:10]] = None
        text += "".join("| " + " | ".join([link(file), *row]) + " |\n" for row in cells)
    return text


def page(root, folder, digests=None):
    """Returns the text of the page, and a list of what is wrong with its data."""
    studies, archive, wrong = read_studies(folder), Archive(root, digests), []
    body = "".join(section(root, study, archive, wrong) for study in studies)
    for study in studies:
        found = list(wrong_numbers(study))
        found += [f"{row.get('number')}: {reason}" for row in study.rows for reason in wrong_row(root, row, archive)]
        wrong += [f"{study.name}: {reason}" for reason in found]
    text = INTRODUCTION + "\n| Study | Tables and figures | With a record | With a record, in part | Only published | Nothing to measure |\n"
    text += "| --- | ---: | ---: | ---: | ---: | ---: |\n"
    counts = []
    for study in studies:
        states = [state_of(row) for row in study.rows]
        part = sum(state_of(row) == "record" and bool(row.get("reason")) for row in study.rows)
        counts.append([len(states), states.count("record") - part, part, states.count("published"), states.count("none")])
        anchor = re.sub(r"[^\w -]", "", study.head["title"].lower()).replace(" ", "-")
        text += f"| [{study.head['title']}](#{anchor}) | " + " | ".join(map(str, counts[-1])) + " |\n"
    text += "| all | " + " | ".join(str(sum(column)) for column in zip(*counts)) + " |\n"
    return text + body + origins(studies, archive), wrong


def main():
    arguments = sys.argv[1:]
    check = arguments == ["--check"]
    if arguments and not check and not (len(arguments) == 2 and arguments[0] == "--digests"):
        sys.exit(__doc__)
    digests = tables.read_digests(arguments[1]) if arguments and not check else None
    text, wrong = page(ROOT, ROOT / "docs" / "studies", digests)
    path = ROOT / PAGE
    if not check:
        path.write_text(text)
    elif not path.exists() or path.read_text().replace(tables.STALE, "") != text.replace(tables.STALE, ""):
        wrong.append(f"{PAGE} is not what tools/studies.py writes: run tools/results.sh")
    print("\n".join(wrong) if wrong else f"{PAGE}: every row has a record or a reason")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
