"""Draws a figure of the studies, given as data (tools/study_figures.py), with matplotlib: our records filled and solid, what was published open and
dashed, on an opaque white card."""
import io
import json
import math
import re
import textwrap

import matplotlib

matplotlib.use("svg")
from matplotlib import ticker  # noqa: E402  (the backend is chosen first)
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402

from speedwell.text import digits  # noqa: E402

PALETTE = ("#0072b2", "#d55e00", "#00845f", "#b0578a", "#b07800", "#2f8fc4")  # as in speedwell/plots.py
TEXT, SOFT, GRID = "#1b1f24", "#57606a", "#d4d8dd"
MARKERS = "osD^vP"
WIDTH, LEFT, RIGHT, TOP, BOTTOM = 640, 66, 212, 30, 46  # pixels: of the picture, and beside each panel
PANEL_HEIGHT, BAR_HEIGHT, LINE_HEIGHT = 210, 15, 13


def inches(pixels):
    """Returns the inches of which a browser makes that many pixels."""
    return pixels / 96


def style():
    return {"svg.fonttype": "none", "svg.hashsalt": "speedwell", "font.family": "DejaVu Sans", "font.size": 8, "axes.edgecolor": SOFT,
            "axes.labelcolor": TEXT, "text.color": TEXT, "xtick.color": SOFT, "ytick.color": SOFT, "xtick.labelcolor": TEXT,
            "ytick.labelcolor": TEXT, "grid.color": GRID, "grid.linewidth": 0.6, "axes.grid": True, "axes.axisbelow": True,
            "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False, "legend.fontsize": 7.5}


def power_of_two(value):
    for bound, unit in ((2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki")):
        if value >= bound:
            return f"{value / bound:g} {unit}"
    return f"{value:g}"


SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def plain(value):
    """Returns a tick's text: powers of ten as such where they have many digits."""
    exponent = round(math.log10(value)) if value > 0 else 0
    if abs(exponent) > 3 and math.isclose(value, 10.0**exponent):
        return "10" + str(exponent).translate(SUPERSCRIPTS)
    return f"{value:.0f}" if value >= 1 and value == round(value) else f"{value:g}"


def apart(values):
    """Returns of sorted values those whose texts have room on a logarithmic axis, from the largest on: it first, then powers of two, then others."""
    width = 8 + 6 * max(len(power_of_two(value)) for value in values)
    least, kept = math.log(values[-1] / values[0]) * width / (0.91 * (WIDTH - LEFT - RIGHT)), []
    for value in sorted(values, key=lambda v: (v != values[-1], not math.log2(v).is_integer(), -v)):
        if all(abs(math.log(other / value)) >= least for other in kept):
            kept.append(value)
    return sorted(kept, reverse=True)


def scaled(axis, scale, values):
    """Sets the scale of an axis with sorted values, and readable ticks."""
    if scale == "linear":
        axis.set_major_locator(ticker.MaxNLocator(9, integer=len(values) > 2 and all(float(v).is_integer() for v in values)))
        axis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:g}"))
        return
    (axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale)("log", base=2 if scale == "log2" else 10)
    low, high = values[0], values[-1]
    if scale == "log2":
        axis.set_major_locator(ticker.FixedLocator(apart(values)))
        axis.set_major_formatter(ticker.FuncFormatter(lambda v, _: power_of_two(v)))
    else:
        decades = high / low
        axis.set_major_locator(ticker.LogLocator(10, subs=(1, 2, 5) if decades < 300 else (1,), numticks=20))
        axis.set_major_formatter(ticker.FuncFormatter(lambda v, _: plain(v)))
    axis.set_minor_locator(ticker.NullLocator())


def values_of(panel, index):
    return sorted({p[index] for line in panel["lines"] for p in line["points"] if p[index] is not None})


def draw_curves(axes, panel):
    """Draws the lines of a panel; returns their handles for the legend."""
    handles = []
    for line in panel["lines"]:
        colour, published = PALETTE[line["colour"] % len(PALETTE)], line["published"]
        look = {"color": colour, "linestyle": (0, (4, 2.5)) if published else "-", "linewidth": 1.1 if published else 1.5}
        if line["level"]:
            handles.append(axes.axhline(line["points"][0][1], **look))
        else:
            handles += axes.plot(*zip(*line["points"]), **look, marker=MARKERS[line["colour"] % len(MARKERS)], markersize=4,
                                 markerfacecolor="white" if published else colour, markeredgewidth=1)
    for name in ("x", "y"):
        scaled(getattr(axes, name + "axis"), panel[name].get("scale", "linear"), values_of(panel, 0 if name == "x" else 1))
    if panel["y"].get("scale", "linear") == "linear":
        axes.set_ylim(0, max(axes.get_ylim()[1], 1.04 * axes.dataLim.y1))  # room for the upper half of a marker
    axes.set_xlabel(panel["x"]["label"])
    axes.set_ylabel(panel["y"]["label"])
    axes.yaxis.set_label_coords(-50 / (WIDTH - LEFT - RIGHT), 0.5)
    return handles


def categories(panel):
    return list(dict.fromkeys(p[0] for line in panel["lines"] for p in line["points"] if p[0] is not None))


def bars_of(panel):
    return [line for line in panel["lines"] if not line["level"]]


def draw_bars(axes, panel):
    """Draws horizontal bars, or dots where the axis is logarithmic, since a bar's length says nothing there; returns their handles for the legend."""
    handles = {}
    names, bars = categories(panel), bars_of(panel)
    logarithmic = panel["y"].get("scale", "linear") != "linear"
    height = 0.8 / len(bars)
    for index, line in enumerate(bars):
        colour, published = PALETTE[line["colour"] % len(PALETTE)], line["published"]
        at = [names.index(name) - 0.4 + height * (index + 0.5) for name, _ in line["points"]]
        values = [value for _, value in line["points"]]
        if logarithmic:
            handles[id(line)], = axes.plot(values, at, linestyle="none", color=colour, marker=MARKERS[line["colour"] % len(MARKERS)], markersize=5,
                                           markerfacecolor="white" if published else colour)
        else:
            look = {"facecolor": "white", "edgecolor": colour, "linestyle": "--"} if published else {"color": colour}
            handles[id(line)] = axes.barh(at, values, height * 0.88, **look)
        for y, value in zip(at, values):
            axes.annotate(digits(value), (value, y), (5 if logarithmic else 3, 0), textcoords="offset points",
                          va="center", fontsize=7, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.4})
    for line in panel["lines"]:
        if line["level"]:
            handles[id(line)] = axes.axvline(line["points"][0][1], color=PALETTE[line["colour"] % len(PALETTE)], linewidth=1.1,
                                             linestyle=(0, (4, 2.5)) if line["published"] else "-")
    axes.set_yticks(range(len(names)), [str(name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(panel["y"]["label"])
    scaled(axes.xaxis, panel["y"].get("scale", "linear"), values_of(panel, 1))
    low, high = axes.get_xlim()
    axes.set_xlim(low if logarithmic else 0, high * (high / low) ** 0.12 if logarithmic else high * 1.08)
    return [handles[id(line)] for line in panel["lines"]]


def legend(axes, panel, handles):
    """Draws the legend beside a panel: what was measured here, then what was published."""
    rows, headings = [], []
    for heading, published in (("here", False), ("published", True)):
        mine = [(handle, line["label"]) for handle, line in zip(handles, panel["lines"]) if line["published"] == published]
        if mine:
            headings.append(len(rows))
            rows += [(Line2D([], [], linestyle="none"), heading), *mine]
    made = axes.legend(*zip(*rows), loc="upper left", bbox_to_anchor=(1.01, 1.03), borderaxespad=0, handlelength=2.4, labelspacing=0.35)
    for index in headings:
        made.get_texts()[index].set_fontweight("bold")


def height_of(panel):
    entries = 15 * (len(panel["lines"]) + len({line["published"] for line in panel["lines"]}))
    body = PANEL_HEIGHT if panel["kind"] == "curve" else 14 + len(categories(panel)) * (10 + BAR_HEIGHT * len(bars_of(panel)))
    return max(body, entries)


def render(data):
    """Returns a figure as SVG."""
    caption = [line for text in data["caption"] for line in textwrap.wrap(text, 112)]
    panels = data["panels"]
    names = [str(name) for panel in panels if panel["kind"] == "bars" for name in categories(panel)]
    left = {"curve": LEFT, "bars": 26 + 6.3 * max(map(len, names), default=0)}
    total = sum(height_of(p) + TOP + BOTTOM for p in panels) + LINE_HEIGHT * len(caption) + 12
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **style(), "backend": "svg"}):
        figure = Figure(figsize=(inches(WIDTH), inches(total)), facecolor="white", edgecolor=GRID)
        top = total
        for panel in panels:
            height = height_of(panel)
            start = left[panel["kind"]]
            top -= TOP + height
            axes = figure.add_axes((start / WIDTH, top / total, (WIDTH - start - RIGHT) / WIDTH, height / total))
            legend(axes, panel, (draw_curves if panel["kind"] == "curve" else draw_bars)(axes, panel))
            if panel["title"]:
                axes.set_title(panel["title"], loc="left", fontsize=8.5, fontweight="bold")
            top -= BOTTOM
        for index, line in enumerate(reversed(caption)):
            figure.text(12 / WIDTH, (9 + LINE_HEIGHT * index) / total, line, fontsize=7, color=SOFT)
        stream = io.BytesIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return slim(stream.getvalue().decode("utf-8"), data, matplotlib.__version__)


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def without_plain_groups(svg):
    """Returns an SVG without the groups that have no attributes."""
    kept, parts = [], []
    for part in re.split(r"(<g\b[^>]*>|</g>)", re.sub(r"<g\b[^>]*/>", "", svg)):
        if part.startswith("<g"):
            kept.append(part != "<g>")
        if kept.pop() if part == "</g>" else part != "<g>":
            parts.append(part)
    return "".join(parts)


def one_style(match):
    """Returns a group of markers with their style at the group, if they all have the same."""
    if set(re.findall(r'style="[^"]*"', match[2])) != {match[3]} or "style=" in match[1]:
        return match[0]
    return f"{match[1]} {match[3]}>" + match[2].replace(" " + match[3], "")


def with_classes(svg):
    """Returns an SVG in which styles that stand there several times are classes."""
    svg = re.sub(r"<style[^>]*>.*?</style>", "", svg, flags=re.S).replace("<defs>\n  \n </defs>", "")
    styles = re.findall(r'style="([^"]*)"', svg)
    names = {style: f"s{i}" for i, style in enumerate(s for s in dict.fromkeys(styles) if styles.count(s) > 1)}
    svg = re.sub(r'style="([^"]*)"', lambda m: f'class="{names[m[1]]}"' if m[1] in names else m[0], svg)
    sheet = "*{stroke-linejoin:round;stroke-linecap:butt}" + "".join(f".{name}{{{style}}}" for style, name in names.items())
    return re.sub(r"^(<svg[^>]*>)", lambda m: f"{m[0]}\n<style>{sheet}</style>", svg)


def slim(svg, data, version):
    """Returns a small SVG with the numbers that it shows in its metadata."""
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg[svg.index("<svg"):], flags=re.S)
    referenced = set(re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda m: m[0] if m[1] in referenced else "", svg)
    svg = svg.replace("xlink:href=", "href=")
    svg = re.sub(r"<[^>]+>", lambda tag: re.sub(r"(\d+\.\d\d)\d+", r"\1", tag[0]), svg)  # hundredths of a point are enough
    svg = re.sub(r' transform="rotate\(-0 [^"]*"', "", svg)
    svg = without_plain_groups(svg)
    svg = re.sub(r'(<g [^>]*)>((?:\s*<use [^>]*(style="[^"]*")/>)+)', one_style, svg)
    svg = with_classes(svg)
    svg = re.sub(r">\s+<", ">\n<", svg)
    embedded = json.dumps({"matplotlib": version, **data}, ensure_ascii=False, separators=(",", ":"))
    head = f"<title>{escaped(data['title'])}</title>\n<metadata>{escaped(embedded)}</metadata>"
    return re.sub(r"^<svg([^>]*)>", lambda m: f'<svg{m[1]} role="img">\n{head}', svg).strip() + "\n"
