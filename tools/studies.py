#!/usr/bin/env python3
"""Writes docs/studies.md from docs/studies/*.toml and the records: tools/studies.py [--digests FILE | --check]

The page has every numbered table and figure of the studies that Speedwell follows: what it shows, the command that repeats it, what the records have,
what was published. Those that follow each other with the same command and figures share a row, and what has nothing to measure is named in a
sentence. Published values are typed in the TOML files; measured ones are drawn from the records here. docs/studies/README.md describes the files.
The packages of docs/python.md are needed.

--digests FILE: digests of the present sources (cmake/source_digest.cmake), to mark what was measured with older ones; without it there are no marks.
--check: writes nothing; the status is 1, with a line for each reason, if the page is not what would be written (marks of older sources aside), if a row
is missing, or if a row has neither a record nor a reason, a selector that matches no run, or a command that is not understood.
"""
import fnmatch
import os
import pathlib
import re
import shlex
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "python")]

from speedwell import tables  # noqa: E402
from speedwell.errors import SpeedwellError  # noqa: E402
from speedwell.text import DASH, digits, joined, percent, seconds, times  # noqa: E402
from study_figures import figures, file_of, picture_of  # noqa: E402
from study_records import (SELECTOR_KEYS, Archive, base_name, files_named, link, listed, origins, page_of, quantity, read_studies,  # noqa: E402
                           refuse_unknown, runs_of, section_link, swept_and_fixed, write_or_check)

PAGE = "docs/studies.md"
MAX_TITLE_WORDS = 12
ROW_KEYS = {"number", "title", "application", "command", "measured", "files", "published", "reason", "applicable", "picture"}
COMMANDS = {"run", "compare", "ladder", "scale", "crossover", "suite", "solve", "align", "machine", "report"}
OF_APPLICATION = {"run", "compare", "ladder", "scale", "crossover"}
NAMES = {"execute": "execute", "end_to_end": "end to end", "rate": "", "bandwidth": "", "limit": "of the limit", "energy": "energy of one execute",
         "update": "an update", "power": "power while it executes", "rest": "power at rest"}
INTRODUCTION = """# Tables and figures of the studies

Speedwell follows five studies. This page has all of their numbered tables and figures: the command that repeats each here, what our records
have, and what was published. Those that follow each other share a row where they are repeated by the same command and records; those in which
nothing can be measured, such as diagrams and photographs, stand in a sentence below the table of their chapter. *Published* is of the machine of
the study, so that the two columns show the same quantity, not the same hardware; where a study draws a curve without naming its values, the values
that its text names stand there. Rows without a record say why, and those that repeat a part say which. Records have more sizes and variants than
the rows show; pages of applications and `speedwell report` have them all.

n: passes, where there are fewer than 5. †: measured with older sources, whose limits may count operations and bytes differently.
[How to read the figures](reading-figures.md) tells what execute and
end to end are; the names of variants are explained on the pages of the applications. The page is made by `tools/studies.py` from
[docs/studies](studies/README.md) and from the records named in the last column; `tools/studies.py --check` tests it. The pictures, behind the tables
of each study, are drawn by `tools/study_figures.py` from the same records: what was measured here with solid lines and filled markers, what was
published with dashed lines and open markers, where the study's text or tables name numbers.
"""


# --- figures of rows -------------------------------------------------------------------------------------------------


def shown(run, base, show):
    """Returns one figure as text: a quantity of a run, or how many times that of `base` it is. Raises ValueError for a quantity that the run lacks."""
    kind, _, name = show.partition(".")
    if kind == "choice" and not base and not name.endswith("_s") and name in run.data["choices"]:
        return run.data["choices"][name]
    value, unit = quantity(run, base, show)
    formats = {"s": seconds, "times": times, "fraction": percent}
    return formats[unit](value) if unit in formats else f"{digits(value)} {unit}"


def lines_of(selector, row, archive):
    """Returns the lines that a selector makes: one for each variant, with a figure for each combination of the listed parameters."""
    refuse_unknown(selector, SELECTOR_KEYS, f"{row['number']}: a selector")
    show, (swept, fixed), lines = selector.get("show", "execute"), swept_and_fixed(selector.get("where", {})), []
    for variant in listed(selector["variant"]):
        figures, used = [], []
        for values, run, base in runs_of(selector, variant, row, archive, row["number"]):
            name = f"{values[0]} " if names_of(swept) else ""
            figures.append(name + shown(run, base, show))
            used += [run, base] if base else [run]
        lines.append((variant, ", ".join(figures), archive.marks(used)))
    quantity = quantity_of(selector, show, swept, fixed)
    if swept or len(lines) == 1:
        return [tables.plain(f"{variant}{quantity}: {figures}", 400) + marks for variant, figures, marks in lines]
    together = ", ".join(tables.plain(f"{variant} {figures}") + marks for variant, figures, marks in lines)
    return [tables.plain(quantity.strip(", ") + ":", 400) + " " + together]


def names_of(swept):
    """Returns the values of the parameter that is swept if they are names, which then stand beside their figures; nothing for numbers or several parameters."""
    (values,) = swept.values() if len(swept) == 1 else ([],)
    return values if all(isinstance(value, str) for value in values) else []


def quantity_of(selector, show, swept, fixed):
    """Returns what stands between the variant and the figures of a line: what it is compared with, the quantity and the parameters."""
    base, (kind, _, name) = base_name(selector), show.partition(".")
    name = name.removesuffix("_s").replace("_", " ")
    quantity = f"{name} of end to end" if kind == "share" else f"of {name}" if kind == "of" else name or NAMES.get(show, show)
    parameters = [selector["label"]] if "label" in selector else [f"{k}={v}" for k, v in fixed.items()]
    parameters += [] if names_of(swept) else [f"{k} {', '.join(map(str, v))}" for k, v in swept.items()]
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


def state_of(row):
    return "none" if not row.get("applicable", True) else "record" if row.get("measured") or row.get("files") else "published"


def files_of(root, row):
    """Returns the files that a row names, in order."""
    named = [f for selector in row.get("measured", []) for f in files_named(root, selector["record"])]
    return list(dict.fromkeys(named + row.get("files", [])))


def row_cells(root, study, row, archive, wrong):
    """Returns what the cells of a row have beside its number, its title and what was published: application, command, figures and reason, records."""
    measured = []
    for selector in row.get("measured", []):
        try:
            measured += lines_of(selector, row, archive)
        except (ValueError, KeyError, SpeedwellError) as error:
            wrong.append(str(error) if row["number"] in str(error) else f"{row['number']}: {error}")
    page = page_of(root, row.get("application", ""))
    application = f" ({link(page, row['application'])})" if page else ""
    measured += [tables.plain(row["reason"], 400)] if row.get("reason") else []
    command = f"`{row['command'].replace('|', chr(92) + '|')}`" if row.get("command") else DASH
    try:
        shown_in = picture_of(study, row)
        links = [f"[picture]({os.path.relpath(file_of(study, shown_in['number']), pathlib.Path(PAGE).parent)})"] if shown_in else []
    except ValueError as error:
        wrong.append(str(error))
        links = []
    return application, command, "<br>".join(measured) or DASH, "<br>".join(links + [link(file) for file in files_of(root, row)]) or DASH


def grouped(rows, key, expected):
    """Returns the rows in groups: of tables or of figures that follow each other in the study, and have the same key."""
    groups, place = [], {number: i for i, number in enumerate(expected)}
    for row in rows:
        last = groups[-1][-1] if groups else None
        follows = last and place.get(row["number"], 0) == place.get(last["number"], 0) + 1 and row["number"].split()[0] == last["number"].split()[0]
        if follows and key(row) == key(last):
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def numbers_of(rows):
    """Returns "figure 7.6", "figures 7.6 and 7.7" or "figures 7.6 to 7.9"."""
    kind, first = rows[0]["number"].split()
    if len(rows) == 1:
        return f"{kind} {first}"
    return f"{kind}s {first} {'and' if len(rows) == 2 else 'to'} {rows[-1]['number'].split()[1]}"


def each_of(rows, key):
    """Returns the text of some rows: once where all have the same, else one line for each with its number."""
    texts = [tables.plain(row.get(key, DASH), 400) for row in rows]
    return texts[0] if len(set(texts)) == 1 else "<br>".join(f"{row['number'].split()[1]}: {text}" for row, text in zip(rows, texts))


def nothing_to_measure(rows, expected):
    """Returns a sentence on the rows of a chapter that are not applicable, with their titles and reasons; nothing where there are none."""
    parts = []
    for group in grouped(rows, lambda row: row.get("reason", ""), expected):
        titles, reason = [tables.plain(row["title"]) for row in group], tables.plain(group[0].get("reason", "").rstrip("."), 400)
        parts.append(f"{numbers_of(group)}, {joined(titles)} ({reason[:1].lower()}{reason[1:]})")
    return f"\nNothing to measure: {'; '.join(parts)}.\n" if parts else ""


def chapter_of(row):
    number = row["number"].split()[1]
    return number.partition(".")[0] if "." in number else ""


def section(root, study, archive, wrong):
    """Returns the text of a study: a table and a sentence, or these for each chapter."""
    head = study.head
    text = f"\n## {head['title']}\n\n{head['source']}\n"
    order = {number: i for i, number in enumerate(study.expected())}
    rows = sorted(study.rows, key=lambda row: order.get(row["number"], 0))
    for chapter in dict.fromkeys(sorted(map(chapter_of, rows), key=lambda c: (not c.isdigit(), int(c) if c.isdigit() else 0, c))):
        name = head.get("chapters", {}).get(chapter)
        text += f"\n### {name}\n" if name else ""
        mine = [row for row in rows if chapter_of(row) == chapter]
        cells = {id(row): row_cells(root, study, row, archive, wrong) for row in mine}
        lines = grouped([row for row in mine if state_of(row) != "none"], lambda row: cells[id(row)], study.expected())
        if lines:
            text += "\n| | What it shows | Command | Measured here, or why not | Published | Records |\n| --- | --- | --- | --- | --- | --- |\n"
        for group in lines:
            application, command, measured, files = cells[id(group[0])]
            shows, published = each_of(group, "title") + application, each_of(group, "published")
            text += "| " + " | ".join([numbers_of(group), shows, command, measured, published, files]) + " |\n"
        text += nothing_to_measure([row for row in mine if state_of(row) == "none"], study.expected())
    return text


def pictures(study, drawn, archive):
    """Returns the pictures of a study, each with what it shows and the marks of its figures."""
    text, order = "", study.expected()
    mine = [(file, runs, row) for file, (data, runs, row) in drawn.items() if data["study"] == study.name]
    for file, runs, row in sorted(mine, key=lambda picture: order.index(picture[2]["number"])):
        numbers = [r["number"] for r in study.rows if picture_of(study, r) is row]
        title = f"{row['number'].replace('figure', 'Figure')}: {tables.plain(row['title'])}"
        others = f" Drawn here too: {', '.join(number for number in numbers if number != row['number'])}." if len(numbers) > 1 else ""
        text += f"\n![{title}]({os.path.relpath(file, pathlib.Path(PAGE).parent)})\n\n{title}{archive.marks(runs)}.{others}\n"
    return f"\n### {study.head['title']}: pictures\n{text}" if text else ""


def page(root, folder, digests=None):
    """Returns the text of the page, and a list of what is wrong with its data."""
    studies, archive, wrong = read_studies(folder), Archive(root, digests), []
    drawn = figures(root, folder, wrong, archive)
    body = "".join(section(root, study, archive, wrong) + pictures(study, drawn, archive) for study in studies)
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
        text += f"| {section_link(study.head['title'])} | " + " | ".join(map(str, counts[-1])) + " |\n"
    text += "| all | " + " | ".join(str(sum(column)) for column in zip(*counts)) + " |\n"
    named = [f for study in studies for row in study.rows for selector in row.get("measured", []) for f in files_named(root, selector["record"])]
    return text + body + origins(named, archive), wrong


def main():
    write_or_check(__doc__, "tools/studies.py", PAGE, lambda digests: page(ROOT, ROOT / "docs" / "studies", digests), f"{PAGE}: every row has a record or a reason")


if __name__ == "__main__":
    main()
