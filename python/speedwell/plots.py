"""Plots as small SVG, drawn by matplotlib. Colours become the page's CSS variables, so that a plot follows its light or dark
style; identifiers get a prefix, so that many plots can stand in one page; equal data give equal bytes."""
import io
import logging
import math
import re

logging.getLogger("matplotlib").setLevel(logging.ERROR)  # on import it may tell of its caches, where the home folder cannot be written

import matplotlib  # noqa: E402

matplotlib.use("svg")
from matplotlib.figure import Figure  # noqa: E402  (the backend is chosen first)

from .analysis import fastest, fastest_on_host, ladder, merit, merit_of, speedup  # noqa: E402
from .text import digits, joined, printable, seconds, times  # noqa: E402

# Okabe and Ito's palette for colour-blind readers; each stands for a CSS variable.
PALETTE = ("#0072b2", "#d55e00", "#00845f", "#b0578a", "#b07800", "#2f8fc4")
TEXT, SOFT, GRID, BACK = "#1b1f24", "#57606a", "#d4d8dd", "#f7f8fa"
_VARIABLES = {**{colour: f"var(--c{i})" for i, colour in enumerate(PALETTE)},
              TEXT: "var(--text)", SOFT: "var(--soft)", GRID: "var(--grid)", BACK: "var(--card)"}
_MARKERS = "osD^vP"
_STYLE = {
    "svg.fonttype": "none", "svg.hashsalt": "speedwell", "font.size": 9, "axes.edgecolor": SOFT, "axes.labelcolor": TEXT,
    "text.color": TEXT, "xtick.color": SOFT, "ytick.color": SOFT, "xtick.labelcolor": TEXT, "ytick.labelcolor": TEXT,
    "grid.color": GRID, "grid.linewidth": 0.6, "axes.grid": True, "axes.axisbelow": True, "axes.spines.top": False,
    "axes.spines.right": False, "legend.frameon": False, "legend.fontsize": 8, "axes.prop_cycle": matplotlib.cycler(color=PALETTE),
    "path.simplify": True, "figure.facecolor": "none", "axes.facecolor": "none", "errorbar.capsize": 2,
}
_BEHIND_TEXT = {"boxstyle": "square,pad=0.15", "facecolor": BACK, "edgecolor": "none"}  # no grid line runs through a label
_WIDTH = 4.8  # inches, of 72 points


class Plots:
    """Draws the plots of one page and numbers them."""

    def __init__(self):
        self.count = 0

    def _figure(self, height):
        figure = Figure(figsize=(_WIDTH, height))
        return figure, figure.add_subplot()

    def _svg(self, figure, title, description):
        self.count += 1
        stream = io.BytesIO()
        figure.savefig(stream, format="svg", bbox_inches="tight", pad_inches=0.06, metadata={"Date": None, "Creator": None})
        return _slim(stream.getvalue().decode("utf-8"), f"p{self.count}-", title, description)

    def speedups(self, runs):
        """Draws bars of every timed variant over the processor's best, or over one core if nothing ran on a GPU: execute, and end to end. Returns
        None if there is nothing to show."""
        on_gpu = any(run.timed and run.device_kind == "gpu" for run in runs)
        bases = [None if on_gpu else fastest(runs, "core", False, phase) for phase in ("execute_s", "end_to_end_s")]
        bases = [base or fastest_on_host(runs, phase) for base, phase in zip(bases, ("execute_s", "end_to_end_s"))]
        bars = []
        for run in runs:
            if not run.timed:
                continue
            ratios = [speedup(base.phases[phase], run.phases.get(phase)) if base and base is not run else None
                      for base, phase in zip(bases, ("execute_s", "end_to_end_s"))]
            if any(ratios):
                bars.append((run, ratios))
        if not bars:
            return None
        with matplotlib.rc_context(_STYLE):
            figure, axes = self._figure(0.75 + 0.36 * len(bars))
            for row, (run, ratios) in enumerate(bars):
                shown = [(n, r) for n, r in enumerate(ratios) if r]
                height = 0.76 / len(shown)
                for position, (n, ratio) in enumerate(shown):
                    y = row - 0.38 + height * (position + 0.5)
                    axes.barh(y, ratio.value - 1, height * 0.92, left=1, color=PALETTE[n])
                    if ratio.interval:
                        low, high = ratio.interval
                        axes.errorbar(ratio.value, y, xerr=[[max(0, ratio.value - low)], [max(0, high - ratio.value)]], fmt="none",
                                      ecolor=TEXT, elinewidth=0.8)
                    end = max(ratio.value, ratio.interval[1] if ratio.interval else 0, 1)
                    axes.annotate(times(ratio.value), (end, y), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8,
                                  bbox=_BEHIND_TEXT)
            axes.set_xscale("log")
            _wider(axes, 1.6)
            axes.axvline(1, color=SOFT, linewidth=0.8)
            axes.set_yticks(range(len(bars)), [printable(run.variant, 40) for run, _ in bars])
            axes.set_ylim(len(bars) - 0.4, -0.6)
            axes.grid(axis="y", visible=False)
            _log_ticks(axes.xaxis, *axes.get_xlim())
            axes.set_xlabel("times as fast as the base [×]")
            names = [name for n, name in enumerate(("execute", "end to end")) if any(r[n] for _, r in bars)]
            handles = [matplotlib.patches.Patch(color=PALETTE[n]) for n, name in enumerate(("execute", "end to end")) if name in names]
            _legend_above(axes, handles, names)
            base = bases[0] or bases[1]
            whole = f"; end to end {printable(bases[1].variant)}" if bases[1] and bases[1] is not bases[0] else ""
            best = "one core" if base.device_kind == "core" and not on_gpu else "the processor's best"
            note = (f"The base is {best}: {printable(base.variant)}{whole} on {printable(base.device)}. Bars to the "
                    "left of 1 are slower. Whiskers are 95 % intervals.")
            return self._svg(figure, f"Speed-up over {'the processor' if on_gpu else 'one core'}", note), note

    def ladder(self, runs):
        """Draws bars of the gain of each step of the ladder over the one before."""
        steps = ladder(runs)
        if not steps:
            return None
        shown = [step for step in steps if step.gain]
        with matplotlib.rc_context(_STYLE):
            figure, axes = self._figure(0.6 + 0.27 * len(shown))
            for row, step in enumerate(shown):
                axes.barh(row, step.gain.value - 1, 0.68, left=1, color=PALETTE[2] if step.gain.value >= 1 else PALETTE[1])
                if step.gain.interval:
                    low, high = step.gain.interval
                    axes.errorbar(step.gain.value, row, xerr=[[max(0, step.gain.value - low)], [max(0, high - step.gain.value)]],
                                  fmt="none", ecolor=TEXT, elinewidth=0.8)
                axes.annotate(times(step.gain.value), (max(step.gain.value, 1), row), xytext=(5, 0),
                              textcoords="offset points", va="center", fontsize=8, bbox=_BEHIND_TEXT)
            axes.set_xscale("log")
            _wider(axes, 1.5)
            _log_ticks(axes.xaxis, *axes.get_xlim())
            axes.axvline(1, color=SOFT, linewidth=0.8)
            axes.set_yticks(range(len(shown)), [printable(step.run.variant, 40) for step in shown])
            axes.set_ylim(len(shown) - 0.4, -0.6)
            axes.grid(axis="y", visible=False)
            axes.set_xlabel("execute: times as fast as the step before [×]")
            note = f"Each step adds one idea to the one before; the first is {printable(steps[0].run.variant)}."
            return self._svg(figure, "Ladder: what each step gains", note), note

    def phases(self, runs):
        """Draws the shares of the phases of one call, for the fastest variant on each kind of device."""
        rows = [r for r in (fastest(runs, kind, False, "end_to_end_s") for kind in ("core", "cores", "gpu")) if r]
        if not any(r.device_kind == "gpu" for r in rows):
            return None
        phases = (("prepare_s", "construct"), ("allocate_s", "allocate"), ("upload_s", "upload"), ("execute_s", "execute"),
                  ("download_s", "download"))
        present = [(key, name) for key, name in phases if any(key in r.phases for r in rows)]
        colours = {"construct": PALETTE[4], "allocate": PALETTE[3], "upload": PALETTE[1], "execute": PALETTE[0],
                   "download": PALETTE[2]}
        with matplotlib.rc_context(_STYLE):
            figure, axes = self._figure(0.75 + 0.3 * len(rows))
            for row, run in enumerate(rows):
                parts = {key: run.phases[key].median for key, _ in present if key in run.phases}
                if "first_execute_s" in run.phases:
                    parts["execute_s"] = run.phases["first_execute_s"].median
                whole, left = sum(parts.values()), 0.0
                for key, name in present:
                    share = 100 * parts.get(key, 0) / whole if whole else 0
                    if share > 0:
                        axes.barh(row, share, 0.66, left=left, color=colours[name])
                    left += share
                axes.annotate(seconds(run.end_to_end.median), (100, row), xytext=(4, 0), textcoords="offset points", va="center",
                              fontsize=8)
            axes.set_xlim(0, 100)
            axes.set_yticks(range(len(rows)), [printable(run.variant, 40) for run in rows])
            axes.set_ylim(len(rows) - 0.4, -0.6)
            axes.grid(axis="y", visible=False)
            axes.set_xlabel("share of the time of one call [%]")
            _legend_above(axes, [matplotlib.patches.Patch(color=colours[name]) for _, name in present], [n for _, n in present])
            note = ("Where the time of one call goes, by the medians of its phases; on the right the median from construction to "
                    "result. A processor works in place and uploads nothing.")
            return self._svg(figure, "Where the time goes", note), note

    def curve(self, family):
        """Draws the rate (or time) against the swept parameter, with one line per variant."""
        problems = [p for p in family.problems if (p.abscissa or 0) > 0]
        name, unit = merit_of(family.runs)
        lines = {}
        for problem in problems:
            for run in problem.runs:
                value = merit(run, name)
                if value:
                    lines.setdefault((run.device_kind, run.variant), []).append((problem.abscissa, value))
        if not lines or max(map(len, lines.values())) < 3:
            return None
        kinds = ("core", "cores", "gpu")
        dashes = {"core": ":", "cores": "--", "gpu": "-"}
        with matplotlib.rc_context(_STYLE):
            figure, axes = self._figure(2.9)
            for n, ((kind, variant), points) in enumerate(sorted(lines.items(), key=lambda item: kinds.index(item[0][0]))):
                colour, marker = PALETTE[n % len(PALETTE)], _MARKERS[(n // len(PALETTE)) % len(_MARKERS)]
                _with_intervals(axes, [p[0] for p in points], [p[1] for p in points], colour, dashes[kind], printable(variant, 28), marker)
            axes.set_xscale("log")
            axes.set_yscale("log")
            _log_ticks(axes.xaxis, *axes.get_xlim())
            _log_ticks(axes.yaxis, *axes.get_ylim())
            axes.set_xlabel(printable(family.sweep, 60) + (" [B]" if "byte" in family.sweep else ""))
            axes.set_ylabel(("execute" if name == "time" else "rate") + f" [{printable(unit, 30)}]")
            axes.legend(loc="upper left", bbox_to_anchor=(-0.1, -0.16), ncol=3, columnspacing=1.2, handlelength=2.2)
            title = f"{'Time' if name == 'time' else 'Rate'} against {printable(family.sweep, 60)}"
            note = "Solid lines are the GPU, dashed all cores, dotted one core. Both axes are logarithmic; bars are 95 % intervals."
            return self._svg(figure, title, note), note

    def crossover(self, sweep):
        """Draws a crossover.Sweep: the rates of both devices over size, and below them how many times faster the second is."""
        sizes, names = sweep.sizes, [p.device for p in (sweep.points[-1].base, sweep.points[-1].now)]
        with matplotlib.rc_context(_STYLE):
            figure = Figure(figsize=(_WIDTH, 4.6 if sweep.peaks else 2.7))
            upper, lower = figure.subplots(2, 1, sharex=True) if sweep.peaks else (None, figure.subplots())
            if upper:
                for colour, dash, name, rates in zip(PALETTE, ("--", "-"), names, sweep.rates):
                    _with_intervals(upper, sizes, rates, colour, dash, printable(name, 44))
                for colour, peak in ((PALETTE[0], sweep.peaks.base), (PALETTE[1], sweep.peaks.now)):
                    upper.axhline(peak.value, color=colour, linewidth=0.7, linestyle=":")
                upper.set_yscale("log")
                _log_ticks(upper.yaxis, *upper.get_ylim())
                upper.set_ylabel(f"rate [{printable(sweep.peaks.unit, 24)}]")
                _legend_above(upper, *upper.get_legend_handles_labels())
            for colour, name, ratios, found in ((PALETTE[2], "execute", [p.execute for p in sweep.points], sweep.execute),
                                                (PALETTE[3], "end to end", [p.end_to_end for p in sweep.points], sweep.end_to_end)):
                if not found:
                    continue
                _with_intervals(lower, sizes, ratios, colour, "-", name)
                if found.kind == "from":
                    low, high = found.interval or (found.value, found.value)
                    lower.axvspan(low or sizes[0], high or sizes[-1], color=colour, alpha=0.15, linewidth=0)
                    for axes in (lower, upper) if upper and name == "execute" else (lower,):
                        axes.axvline(found.value, color=colour, linewidth=0.8, linestyle="--")
            lower.axhline(1, color=SOFT, linewidth=0.8)
            lower.set_xscale("log")
            lower.set_yscale("log")
            _log_ticks(lower.xaxis, *lower.get_xlim())
            _log_ticks(lower.yaxis, *lower.get_ylim())
            lower.set_xlabel(printable(sweep.family.sweep, 60) + (" [B]" if "byte" in sweep.family.sweep else ""))
            lower.set_ylabel("times as fast [×]")
            _legend_above(lower, *lower.get_legend_handles_labels())
            subject = "the GPU" if sweep.on_gpu else "all cores"
            note = (f"{'Above, rates, with the best of each dotted; below, h' if upper else 'H'}ow many times as fast {subject} {'is' if sweep.on_gpu else 'are'}. "
                    "Dashed lines stand where a curve passes 1, shades are their 95 % intervals. All axes are logarithmic.")
            return self._svg(figure, f"Crossover over {printable(sweep.family.sweep, 60)}", note), note

    def roofline(self, machine, kind):
        """Draws the rate against operations per byte, with the measured roofs of memory, caches and arithmetic."""
        prefix = {"core": "host.core.", "cores": "host.", "gpu": "gpu."}[kind]
        points, arithmetic = {}, set()
        for application in machine.applications:
            for family in application.families:
                for run in family.largest.runs:
                    work = run.data["work"]
                    moved = (work["bytes_read"] or 0) + (work["bytes_written"] or 0)
                    if not run.timed or run.device_kind != kind or work["over_link"] or not moved > 0 or not (work["operations"] or 0) > 0:
                        continue
                    if run.role == "peer" or run is not fastest(family.largest.runs, kind):
                        continue
                    arithmetic.add(work["arithmetic"])
                    points.setdefault(application.name, []).append(
                        (work["operations"] / moved, work["operations"] / run.execute.median / 1e9))

        def ceiling(name):
            value = (machine.ceilings.get(prefix + name) or {}).get("value")
            return value if value and 1e-6 < value < 1e9 else None  # beyond that no axis could show it

        triad = ceiling("triad")
        if not points or not triad:
            return None
        intensities = [x for values in points.values() for x, _ in values]
        low, high = min(0.05, min(intensities) / 2), max(20.0, max(intensities) * 2)
        peaks = {name: ceiling(name) for kind_, name in (("f64", "fma.f64"), ("f32", "fma.f32"), ("int32", "integer"), ("dpx", "dpx"))
                 if kind_ in arithmetic and ceiling(name)}
        levels = [("memory", triad)]
        for name, key in (("L2", "l2.copy" if kind == "gpu" else "l2.triad"), ("L3", "l3.triad"), ("L1", "l1.triad")):
            if ceiling(key):
                levels.append((name, ceiling(key)))
        top = max(peaks.values(), default=high * triad)
        with matplotlib.rc_context(_STYLE):
            figure, axes = self._figure(3.2)
            left_ends = []
            for name, bandwidth in levels:
                end = min(top / bandwidth, high)
                axes.plot([low, end], [low * bandwidth, end * bandwidth], color=SOFT, linewidth=1.4 if name == "memory" else 0.7)
                left_ends.append((low * bandwidth, name))
            widest = max(bandwidth for _, bandwidth in levels)
            for group in _near(peaks):
                end = max(high, 4 * group[0][1] / widest)
                for _, peak in group:
                    axes.plot([peak / widest, end], [peak, peak], color=SOFT, linewidth=1)
                rates = joined(f"{name} {digits(peak)}" for name, peak in group)
                axes.annotate(f"{rates} Gop/s", (end, group[0][1]), xytext=(0, 3), textcoords="offset points", ha="right", fontsize=7,
                              color=SOFT, bbox=_BEHIND_TEXT)
            for n, (name, values) in enumerate(points.items()):
                axes.plot([x for x, _ in values], [y for _, y in values], linestyle="none", color=PALETTE[n % len(PALETTE)],
                          marker=_MARKERS[(n // len(PALETTE)) % len(_MARKERS)], markersize=4, label=printable(name, 28))
            axes.set_xscale("log")
            axes.set_yscale("log")
            _log_ticks(axes.xaxis, *axes.get_xlim())
            _log_ticks(axes.yaxis, *axes.get_ylim())
            axes.set_xlim(left=low / 8)
            _level_names(axes, low, left_ends)
            axes.set_xlabel("operations per byte of memory traffic [op/B]")
            axes.set_ylabel("rate [Gop/s]")
            axes.legend(loc="upper left", bbox_to_anchor=(-0.1, -0.16), ncol=4, columnspacing=1, handletextpad=0.2)
            device = {"core": "one core", "cores": "all cores", "gpu": "the GPU"}[kind]
            roofs = joined(f"{name} {digits(bandwidth)} GB/s" for name, bandwidth in levels)
            note = (f"Each mark is the fastest own variant on the largest problem of its kind. Sloping lines are measured bandwidths ({roofs}), "
                    "level ones measured arithmetic rates; work without arithmetic has no place here.")
            return self._svg(figure, f"Roofline of {device}", note), note


def _with_intervals(axes, x, values, colour, dash, label, marker="o"):
    """Draws a line through the values that exist, with their intervals as bars."""
    shown = [(a, v) for a, v in zip(x, values) if v]
    axes.plot([a for a, _ in shown], [v.value for _, v in shown], dash, color=colour, marker=marker, markersize=3, linewidth=1.2, label=label)
    spread = [(a, v.interval) for a, v in shown if v.interval]
    axes.vlines([a for a, _ in spread], [low for _, (low, _) in spread], [high for _, (_, high) in spread], color=colour, linewidth=0.8)


def standalone(svg):
    """Returns a plot of a page as a file of its own: with its namespace, and on white."""
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(variable, colour)
    return svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" style="background:#fff;font-family:sans-serif" ', 1) + "\n"


def _near(peaks):
    """Returns lists of (name, rate), largest first: rates within a third of each other share a label, in which each has its own number."""
    groups = []
    for name, peak in sorted(peaks.items(), key=lambda item: -item[1]):
        if groups and groups[-1][0][1] < 1.33 * peak:
            groups[-1].append((name, peak))
        else:
            groups.append([(name, peak)])
    return groups


def _level_names(axes, low, ends):
    """Names sloping lines beside their left ends, with names of lines that nearly coincide beside each other."""
    bottom, top = (math.log10(limit) for limit in axes.get_ylim())
    groups = []
    for y, name in sorted(ends):
        if groups and (math.log10(y) - math.log10(groups[-1][0])) / (top - bottom) < 0.045:
            groups[-1][1].append(name)
        else:
            groups.append((y, [name]))
    for y, names in groups:
        axes.annotate(", ".join(names), (low, y), xytext=(-3, 0), textcoords="offset points", ha="right", va="center", fontsize=7, color=SOFT)


def _wider(axes, factor):
    """Widens the axis to leave space for the labels beside the bars, which start at the line at 1: that line is the axis."""
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, 0.9), max(high, 1.1) * factor)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _log_ticks(axis, low, high):
    """Places labels at powers of ten, and at 2 and 5 where the axis is short. Small ticks between them would be half of the file."""
    decades = math.log10(high / low)
    steps = (1.0, 2.0, 5.0) if decades < 2 else (1.0,)
    axis.set_major_locator(matplotlib.ticker.LogLocator(subs=steps, numticks=12))
    axis.set_minor_locator(matplotlib.ticker.NullLocator())
    plain = low >= 1e-3 and high < 1e5  # otherwise powers of ten on the whole axis, so that the two are not mixed
    axis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: _power(value, plain)))


def _power(value, plain):
    """Formats a number as "0.5" or "100", or as a power of ten: "10⁶"."""
    if not value > 0:
        return ""
    if plain:
        return f"{value:g}"
    exponent = math.floor(math.log10(value) + 1e-9)
    factor = f"{value / 10**exponent:g}"
    return ("" if factor == "1" else factor + "·") + "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _legend_above(axes, handles, names):
    axes.legend(handles, names, loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncol=5, columnspacing=1.2, handlelength=1.2,
                borderaxespad=0.1)


def _slim(svg, prefix, title, description):
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.S)
    referenced = set(re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda m: f' id="{prefix}{m[1]}"' if m[1] in referenced else "", svg)
    svg = re.sub(r'xlink:href="#([^"]+)"', rf'href="#{prefix}\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}\1)", svg)
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, variable)
    svg = re.sub(r"<style[^>]*>.*?</style>", "", svg, flags=re.S)  # of all elements of the page, were it left
    svg = re.sub(r"font: ([\d.]+)px [^;\"]+", r"font-size: \1px", svg)
    svg = re.sub(r"<[^>]+>", lambda tag: re.sub(r"(\d+\.\d\d)\d+", r"\1", tag[0]), svg)  # hundredths of a point are enough
    svg = re.sub(r"stroke-linejoin: miter;? ?|stroke-linecap: butt;? ?|text-anchor: start;? ?", "", svg)
    svg = re.sub(r"<g>\s*</g>", "", svg)
    svg = re.sub(r">\s+<", "><", svg)
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    head = (f'<svg viewBox="0 0 {size[1]} {size[2]}" role="img" aria-label="{_attribute(title)}"><title>{_attribute(title)}</title>'
            f"<desc>{_attribute(description)}</desc>")
    return re.sub(r"^<svg[^>]*>", lambda _: head + '<g fill="none" stroke-linejoin="round">', svg).replace("</svg>", "</g></svg>").strip()


def _attribute(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
