#!/usr/bin/env python3
"""Draws the figures of the studies from the records: tools/study_figures.py [--check] [NUMBER...]

Every row of docs/studies/*.toml with a `picture` becomes docs/images/studies/STUDY-NUMBER.svg: our records with filled markers and solid lines, what the
study published with open markers and dashed lines. docs/studies/README.md describes the keys. Needs matplotlib and the packages of docs/python.md.

NUMBER: draws the figures of that number alone ("figure 4.6" or 4.6).
--check: writes nothing; the status is 1, with a line for each reason, if a file is missing, is not what would be drawn, or belongs to no row. The numbers
that are drawn stand in each file; where another version of matplotlib drew it, they alone are compared.

Exit status: 1 also for a series that matches no run, 2 usage, 4 no matplotlib or another package.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "python")]

try:
    from speedwell.analysis import PUBLISHED_PASSES
    from speedwell.errors import SpeedwellError
    from study_records import SELECTOR_KEYS, Archive, base_of, figure_in, listed, read_studies, refuse_unknown, value_of
except ImportError as error:
    if __name__ != "__main__":
        raise
    print(f"study_figures.py: error: there is no {error.name}: install python3-{error.name}", file=sys.stderr)
    sys.exit(4)

FOLDER = pathlib.Path("docs/images/studies")
PICTURE_KEYS = {"machine", "note", "panel"}
PANEL_KEYS = {"kind", "title", "x", "y", "series", "published"}
SERIES_KEYS = SELECTOR_KEYS | {"per", "level", "like"}
PUBLISHED_KEYS = {"label", "points", "level", "source", "like"}
AXIS_KEYS = {"parameter", "label", "unit", "scale", "names"}
MAX_LABEL = 29  # characters beside the panel
COLOURS, MAX_BYTES = 6, 40000


# --- what is drawn: no matplotlib here ---------------------------------------------------------------------------------


def selected(series, row, archive):
    """Returns the runs of a series, with the variants in the order of its list."""
    application, where = series.get("application", row.get("application")), series.get("where", {})
    variants = listed(series["variant"])
    found = [r for r in archive.runs(series["record"]) if r.application == application and r.variant in variants
             and all(value_of(r, k) in listed(v) for k, v in where.items())]
    return sorted(found, key=lambda r: variants.index(r.variant))


def measured(series, panel, row, archive):
    """Returns the points of a series as (x, y), and the runs that they are made of. Raises ValueError if there is no run, or several for one x."""
    what = f"{row['number']}, '{series['label']}'"
    refuse_unknown(series, SERIES_KEYS, what)
    x, y = panel["x"], panel["y"]
    application = series.get("application", row.get("application"))
    everything, points, used = archive.runs(series["record"]), {}, []
    for run in selected(series, row, archive):
        at = run.variant if x["parameter"] == "variant" else value_of(run, x["parameter"])
        at = None if series.get("level") else x.get("names", {}).get(str(at), at)
        if at in points:
            raise ValueError(f"{what} matches several runs" + ("" if at is None else f" at {at}"))
        fixed = {k: value_of(run, k) for k in [*series.get("where", {}), x["parameter"]] if k != "variant"}
        base = base_of(series, run, everything, application, fixed, what)
        try:
            points[at] = rounded(figure_in(y["unit"], series, run, base))
        except ValueError as error:
            raise ValueError(f"{what}: {error}") from None
        used += [run, base] if base else [run]
    if not points:
        raise ValueError(f"{what} matches no run")
    return list(points.items()) if is_categorical(panel) or series.get("level") else sorted(points.items()), used


def is_categorical(panel):
    return panel.get("kind", "curve") != "curve"


def rounded(value):
    return float(f"{value:.4g}")


def drawn_panel(panel, row, archive, colours):
    """Returns a panel as data, and the runs that it is made of. Adds its labels to the colours of the picture, in which a label has one colour."""
    what = row["number"]
    refuse_unknown(panel, PANEL_KEYS, f"{what}: a panel")
    for axis in ("x", "y"):
        refuse_unknown(panel[axis], AXIS_KEYS, f"{what}: axis {axis}")
    lines, runs = [], []
    for series in panel["series"]:
        points, used = measured(series, panel, row, archive)
        lines.append({"label": series["label"], "points": points, "published": False, "level": bool(series.get("level"))})
        runs += used
    for series in panel.get("published", []):
        refuse_unknown(series, PUBLISHED_KEYS, f"{what}, '{series['label']}'")
        points = [[None, series["level"]]] if "level" in series else series["points"]
        lines.append({"label": series["label"], "points": points, "published": True, "level": "level" in series})
    mine = set()
    for line, series in zip(lines, [*panel["series"], *panel.get("published", [])]):
        if len(line["label"]) > MAX_LABEL:
            raise ValueError(f"{what}: '{line['label']}' is longer than {MAX_LABEL} characters")
        name = series.get("like", line["label"])
        if "like" in series and name not in colours:
            raise ValueError(f"{what}: '{line['label']}' is drawn like '{name}', which does not stand before it")
        if name not in colours:
            taken = set(colours.values()) if len(set(colours.values())) < COLOURS else mine
            colours[name] = next(i for i in range(len(colours) + 1) if i not in taken)
        line["colour"] = colours.setdefault(line["label"], colours[name])
        mine.add(line["colour"])
    axes = {axis: {k: panel[axis][k] for k in ("label", "unit", "scale") if k in panel[axis]} for axis in ("x", "y")}
    return {"kind": panel.get("kind", "curve"), "title": panel.get("title", ""), **axes, "lines": lines}, runs


def plain_name(name):
    return re.sub(r"\s+", " ", name.replace("(R)", "").replace("(TM)", "")).strip()


def joined(words):
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def counted(numbers, one, several):
    """Returns "one core", "16 threads", "1 and 16 threads" or "1 to 16 threads"."""
    low, high = min(numbers), max(numbers)
    if low == high:
        return one if high == 1 else f"{high} {several}"
    return f"{low} {'to' if len(numbers) > 2 else 'and'} {high} {several}"


def origin(runs):
    """Returns where and when some runs were measured, and how many passes the fewest had."""
    gpus, cores, ranks, cards = {}, {}, {}, {}
    for run in runs:
        machine, number = run.document.machine, (run.data.get("ranks") or {}).get("count")
        if run.device_kind == "gpu":
            name = machine["gpus"][0]["name"]
            gpus.setdefault(name, set()).add(number or 1)
            cards.setdefault(name, {})[run.document.card[:12]] = None
        else:
            processors = number or (1 if run.device_kind == "core" else run.data["device"]["threads"])
            (ranks if number else cores).setdefault(plain_name(machine["cpu"]["name"]), set()).add(processors)
    places = [counted(n, name, f"× {name}") + f", card{'s' * (len(cards[name]) > 1)} {joined(list(cards[name]))}" for name, n in gpus.items()]
    places += [counted(n, "one core", "threads") + f" of {name}" for name, n in cores.items()]
    places += [counted(n, "one rank", "ranks") + f" on {name}" for name, n in ranks.items()]
    days = sorted({run.document.started[:10] for run in runs})
    passes = sorted(run.execute.passes for run in runs)
    count = f"{passes[0]} to {passes[-1]} passes" if passes[0] < passes[-1] else f"{passes[0]} passes" if passes[0] > 1 else "one pass"
    return "; ".join([*places, days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"]) + (f"; {count}" if passes[0] < PUBLISHED_PASSES else "")


def figure_data(study, row, archive):
    """Returns all that is drawn of a row, and the runs that it is made of. Raises ValueError for a picture that cannot be drawn."""
    picture, what = row["picture"], row["number"]
    refuse_unknown(picture, PICTURE_KEYS, f"{what}: picture")
    if not picture.get("panel"):
        raise ValueError(f"{what}: the picture has no panel")
    panels, runs, colours = [], [], {}
    for panel in picture["panel"]:
        data, used = drawn_panel(panel, row, archive, colours)
        panels.append(data)
        runs += used
    published = [s for panel in picture["panel"] for s in panel.get("published", [])]
    caption = [f"Here: {origin(runs)}."]
    if published:
        if "machine" not in picture or not all("source" in s for s in published):
            raise ValueError(f"{what}: published series need the machine of the study and a source each")
        sources = list(dict.fromkeys(s["source"] for s in published))
        caption.append(f"Published, dashed: {picture['machine']} ({joined(sources)}).")
    caption += [picture["note"]] if "note" in picture else []
    return {"study": study.name, "figure": what, "title": row["title"], "panels": panels, "caption": caption}, runs


def file_of(study, number):
    return FOLDER / f"{study.name}-{number.split()[-1]}.svg"


def picture_of(study, row):
    """Returns the row whose picture a row shows: itself, another of the same study that `picture` names, or None."""
    shown = row.get("picture")
    if isinstance(shown, str):
        shown = next((r for r in study.rows if r["number"] == shown and isinstance(r.get("picture"), dict)), None)
        if not shown:
            raise ValueError(f"{row['number']}: there is no picture of {row['picture']}")
        return shown
    return row if shown else None


def figures(root, folder, wrong, archive=None):
    """Returns the figures by file: what is drawn, the row and the runs; adds to `wrong` what cannot be drawn."""
    found, archive = {}, archive or Archive(root)
    for study in read_studies(folder):
        for row in study.rows:
            try:
                if picture_of(study, row) is row:
                    found[file_of(study, row["number"])] = (*figure_data(study, row, archive), row)
            except (ValueError, KeyError, SpeedwellError) as error:
                wrong.append(f"{study.name}: {error}" if row["number"] in str(error) else f"{study.name}: {row['number']}: {error}")
    return found


# --- files ----------------------------------------------------------------------------------------------------------------


def embedded_in(svg):
    """Returns the numbers that a figure shows and the version of matplotlib that drew it, or nothing."""
    found = re.search(r"<metadata>(.*?)</metadata>", svg, flags=re.S)
    try:
        data = json.loads(found[1].replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")) if found else {}
    except ValueError:
        data = {}
    return data, data.pop("matplotlib", None)


def differs(svg, data, draw, version):
    """Tells whether a file is not what would be drawn: its numbers, or where the same version of matplotlib drew it a byte."""
    embedded, drawn_with = embedded_in(svg)
    return embedded != json.loads(json.dumps(data)) or (drawn_with == version and svg != draw(data))


def renderer(program):
    """Returns the function that draws a picture, and the version of matplotlib. Ends the program with status 4 where there is none."""
    try:
        import matplotlib
        from study_drawing import render  # not at the top: what is drawn can be told without matplotlib
    except ImportError:
        print(f"{program}: error: there is no matplotlib: install python3-matplotlib", file=sys.stderr)
        sys.exit(4)
    return render, matplotlib.__version__


def store(path, data, render):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(data))


def finish(wrong, folder, pictures, row, summary):
    """Ends a program that draws pictures: prints what is wrong, or else the summary. A picture in `folder` that is not one of `pictures` is
    that of no `row`, and wrong, too. The status is 1 if anything is."""
    for path in sorted((ROOT / folder).glob("*.svg")):
        if path.relative_to(ROOT) not in pictures:
            wrong.append(f"{path.relative_to(ROOT)} is the picture of no {row}")
    print("\n".join(wrong) if wrong else summary)
    sys.exit(1 if wrong else 0)


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    numbers = [a.removeprefix("figure ") for a in arguments if a != "--check"]
    if any(a.startswith("-") for a in numbers) or check and numbers:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    render, version = renderer("study_figures.py")
    wrong = []
    found = figures(ROOT, ROOT / "docs" / "studies", wrong)
    for file, (data, _, row) in found.items():
        path = ROOT / file
        if check:
            if not path.exists() or differs(path.read_text(), data, render, version):
                wrong.append(f"{file} is not what tools/study_figures.py draws: run tools/results.sh")
            elif path.stat().st_size > MAX_BYTES:
                wrong.append(f"{file} has more than {MAX_BYTES} bytes")
        elif not numbers or row["number"].split()[-1] in numbers:
            store(path, data, render)
    finish(wrong, FOLDER, found, "row", f"{FOLDER}: {len(found)} figures")


if __name__ == "__main__":
    main()
