#!/usr/bin/env python3
"""Writes docs/targets.md from docs/targets/*.toml and the records: tools/targets.py [--digests FILE | --check]

The page has the performance targets of the applications: what the records have beside each, whether it is reached, and what bounds it. Targets and
thresholds are typed in the TOML files; measured figures are taken from the records here. docs/targets/README.md describes the files. The packages of
docs/python.md are needed.

--digests FILE: digests of the present sources (cmake/source_digest.cmake), to mark what was measured with older ones; without it there are no marks.
--check: writes nothing; the status is 1, with a line for each reason, if the page is not what would be written (marks of older sources aside), if a
selector matches no run or several, or if a target that is missed or not measured does not say what bounds it.
"""
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "python")]

from speedwell import tables  # noqa: E402
from speedwell.errors import SpeedwellError  # noqa: E402
from speedwell.text import DASH, digits  # noqa: E402
from study_records import (SELECTOR_KEYS, Archive, NoShare, base_name, figure_in, files_named, link, listed, origins, page_of,  # noqa: E402
                           refuse_unknown, runs_of, section_link, swept_and_fixed, write_or_check)

PAGE = "docs/targets.md"
MAX_WORDS = 15
MAX_SHOWN = 6  # figures of a target that are all shown
KEYS = {"application", "target", "stretch", "measured", "at_least", "at_most", "unit", "bound"}
NOT_MEASURED = "Not measured: "
VERDICTS = ("reached", "missed", "not measured")
INTRODUCTION = """# Performance targets

A target was set before the measurement, as a share of a hardware limit (the bandwidth of a copy, the rate of plain hashes) or as a ratio to a peer, and is not
moved to what was measured later. Where nothing else is said, it is for one NVIDIA H200. A stretch target was set beyond another one of the same figure.
*Measured* is what the records of this repository have: a target is reached if all of its figures reach it, and missed if one of them does not; of
many figures the lowest and the highest are shown. Figures are compared before they are rounded.

n: passes, where there are fewer than 5. †: measured with older sources, whose limits may count operations and bytes differently.
[How to read the figures](reading-figures.md) tells what they are; names of variants are explained on the pages of the applications. The page is made by
`tools/targets.py` from [docs/targets](targets/README.md) and the records in the last column; `tools/targets.py --check` tests it.
"""


def read_groups(folder):
    """Returns the contents of the TOML files of a folder, in the order of their `order`."""
    return sorted((tomllib.loads(path.read_text()) for path in sorted(pathlib.Path(folder).glob("*.toml"))), key=lambda group: group.get("order", 0))


# --- one target ------------------------------------------------------------------------------------------------------


def reaches(target, value):
    return value >= target["at_least"] if "at_least" in target else value <= target["at_most"]


def shown(target, value):
    """Returns a figure as text, with more digits where three would not tell it from the threshold, or the reason why there is none."""
    if isinstance(value, str):
        return f"no share ({value})"
    threshold = target.get("at_least", target.get("at_most"))
    count = next((n for n in (3, 4, 5) if digits(value, n) != digits(float(threshold), n)), 3)
    return digits(value, count) + ("×" if target["unit"] == "times" else f" {target['unit']}")


def figures_of(selector, target, archive, what):
    """Returns the figures that a selector takes, each with the values of the listed parameters, and the runs that they are made of. A figure is a number,
    or the reason why the record has no limit or ceiling to compare with."""
    refuse_unknown(selector, SELECTOR_KEYS | {"per"}, f"{what}: a selector")
    figures, used, swept = [], [], swept_and_fixed(selector.get("where", {}))[0]
    for variant in listed(selector["variant"]):
        names = [variant] if isinstance(selector["variant"], list) else []
        for values, run, base in runs_of(selector, variant, target, archive, what):
            named = names + [value if isinstance(value, str) else f"{key}={value}" for key, value in zip(swept, values)]
            try:
                figure = figure_in(target["unit"], selector, run, base)
            except NoShare as none:
                figure = none.args[1]
            figures.append((" ".join(named), figure))
            used += [run, base] if base else [run]
    return figures, used


def line_of(selector, target, figures, marks):
    """Returns the text of the figures of a selector: all of a few, else the lowest and the highest."""
    base, one = base_name(selector), not isinstance(selector["variant"], list)
    head = ([selector["variant"]] if one else []) + ([f"over {base}"] if base else [])
    label = selector.get("label") or ", ".join(f"{k}={v}" for k, v in swept_and_fixed(selector.get("where", {}))[1].items())
    head = " ".join(head) + (f", {label}" if label else "")
    if len(figures) > MAX_SHOWN and not any(isinstance(value, str) for _, value in figures):
        low, *_, high = sorted(figures, key=lambda figure: figure[1])
        count = sum(reaches(target, value) for _, value in figures)
        text = f"{shown(target, low[1])} ({low[0]}) to {shown(target, high[1])} ({high[0]}); {count} of {len(figures)} reach it"
    else:
        text = ", ".join(f"{name} {shown(target, value)}".strip() for name, value in figures)
    return tables.plain(f"{head}: {text}", 400) + marks


def wrong_target(root, target):
    """Yields what is wrong with a target, apart from its selectors and its verdict."""
    refuse_unknown(target, KEYS, "a target")
    if not 0 < len(target.get("target", "").split()) <= MAX_WORDS:
        yield f"the target has not 1 to {MAX_WORDS} words"
    if ("at_least" in target) == ("at_most" in target) or not target.get("unit"):
        yield "has not one threshold, at_least or at_most, with its unit"
    if not page_of(root, target.get("application", "")):
        yield f"there is no page of {target.get('application', 'an application without a name')}"
    bound = target.get("bound", "")
    if bound and not re.fullmatch(r"[A-Z].*\.", bound, re.DOTALL):
        yield "the bound is no whole sentence"
    if not target.get("measured") and not bound.startswith(NOT_MEASURED):
        yield f"has neither a record nor a bound that begins with '{NOT_MEASURED.strip()}'"
    if target.get("measured") and bound.startswith(NOT_MEASURED):
        yield "has a record, and a bound that says that it is not measured"


def measured(target, archive):
    """Returns the lines and the verdict of a target. Raises ValueError if a selector matches no run or several."""
    lines, figures = [], []
    for selector in target.get("measured", []):
        found, used = figures_of(selector, target, archive, target["target"])
        lines.append(line_of(selector, target, found, archive.marks(used)))
        figures += found
    numbers = [value for _, value in figures if not isinstance(value, str)]
    if not all(reaches(target, value) for value in numbers):
        return lines, "missed"
    return lines, "reached" if numbers and len(numbers) == len(figures) else "not measured"


def files_of(root, target):
    """Returns the files that a target names, in order."""
    return list(dict.fromkeys(f for selector in target.get("measured", []) for f in files_named(root, selector["record"])))


# --- the page --------------------------------------------------------------------------------------------------------


def row_of(root, target, archive, wrong):
    """Returns the cells of a target, and its verdict; what is wrong with it is added to a list."""
    name, reasons, lines, verdict = target.get("target", "a target without a text"), [], [], "not measured"
    try:
        reasons += wrong_target(root, target)
        if not reasons:
            lines, verdict = measured(target, archive)
            if verdict == "missed" and not target.get("bound"):
                reasons.append("is missed, and nothing says what bounds it")
    except (ValueError, KeyError, SpeedwellError) as error:
        reasons.append(str(error).removeprefix(f"{name}: "))
    wrong += [f"{name}: {reason}" for reason in reasons]
    application, page = target.get("application", ""), page_of(root, target.get("application", ""))
    direction = "at least" if "at_least" in target else "at most"
    threshold = f"{target.get('at_least', target.get('at_most', 0)):g}" + ("×" if target.get("unit") == "times" else f" {target.get('unit')}")
    cells = [link(page, application) if page else application,
             tables.plain(f"{'stretch: ' if target.get('stretch') else ''}{name}: {direction} {threshold}", 400), "<br>".join(lines) or DASH,
             f"**{verdict}**" if verdict == "missed" else verdict, tables.plain(target.get("bound", DASH), 600), "<br>".join(map(link, files_of(root, target))) or DASH]
    return cells, verdict


def counts(name, verdicts):
    return f"| {name} | " + " | ".join(map(str, [len(verdicts), *(verdicts.count(verdict) for verdict in VERDICTS)])) + " |\n"


def page(root, folder, digests=None):
    """Returns the text of the page, and a list of what is wrong with its data."""
    archive, wrong, body, everything = Archive(root, digests), [], "", []
    text = INTRODUCTION + "\n| Targets | All | Reached | Missed | Not measured |\n| --- | ---: | ---: | ---: | ---: |\n"
    groups = read_groups(folder)
    for group in groups:
        title, verdicts = group["title"], []
        body += f"\n## {title}\n\n| Application | Target | Measured | Verdict | What bounds it | Record |\n| --- | --- | --- | --- | --- | --- |\n"
        for target in group["row"]:
            cells, verdict = row_of(root, target, archive, wrong)
            body += "| " + " | ".join(cells) + " |\n"
            verdicts.append((bool(target.get("stretch")), verdict))
        text += counts(section_link(title), [verdict for _, verdict in verdicts])
        everything += verdicts
    text += counts("all", [verdict for _, verdict in everything])
    text += counts("of these, stretch targets", [verdict for stretch, verdict in everything if stretch])
    return text + body + origins([f for group in groups for target in group["row"] for f in files_of(root, target)], archive), wrong


def main():
    write_or_check(__doc__, "tools/targets.py", PAGE, lambda digests: page(ROOT, ROOT / "docs" / "targets", digests),
                   f"{PAGE}: every target has a record, or says why not")


if __name__ == "__main__":
    main()
