#!/usr/bin/env python3
"""Draws the time line of a trace that `speedwell run --trace FILE` has written, as SVG (needs matplotlib).

    trace_picture.py TRACE.json OUT.svg [--phase NAME] [--variant TEXT] [--from US] [--to US] [--width INCHES]

One bar for each track of each rank; a nested span is drawn over the one around it, lower. --phase chooses what is drawn:
the last span of that name (execute), or all for the whole trace. --variant chooses among several variants in one file: a
part of the name of the span around all phases ("stencil", ": mpi"). --from and --to are microseconds after the
beginning of that. Exit status: 2 usage, 3 a file that is not as it should be, 4 no matplotlib, 5 OUT cannot be written.
"""
import argparse
import json
import sys

COLOURS = {"phase": "#d9d9d9", "compute": "#4c78a8", "halo": "#f58518", "communication": "#e45756", "wait": "#b8b0ac", "copy": "#54a24b"}
LETTER = 0.05  # inches of a letter of a name


class Mistake(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def read(path):
    """Returns the spans and the names of processes and of tracks of a file."""
    try:
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        spans = [{"rank": e["pid"], "track": e["tid"], "name": e["name"], "category": e.get("cat", ""), "begin": float(e["ts"]),
                  "end": float(e["ts"]) + float(e["dur"])} for e in events if e["ph"] == "X"]
        names = {(e["pid"], e["tid"] if e["name"] == "thread_name" else None): e["args"]["name"]
                 for e in events if e["ph"] == "M" and e["name"] in ("process_name", "thread_name")}
    except OSError as error:
        raise Mistake(3, f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Mistake(3, f"{path} is no trace of speedwell: {error!r}") from error
    if not spans:
        raise Mistake(3, f"{path}: no spans")
    return spans, names


def window(spans, phase, variant):
    """Returns the times between which the phase lies on all ranks."""
    around = (min(s["begin"] for s in spans), max(s["end"] for s in spans))
    if variant:
        chosen = [s for s in spans if s["category"] == "phase" and ": " in s["name"] and variant in s["name"]]
        if not chosen:
            raise Mistake(2, f"no variant with '{variant}' in this trace")
        around = (min(s["begin"] for s in chosen), max(s["end"] for s in chosen))
    if phase == "all":
        return around
    last = {}  # of each rank
    for s in spans:
        if s["name"] == phase and around[0] <= s["begin"] <= around[1] and s["begin"] >= last.get(s["rank"], s)["begin"]:
            last[s["rank"]] = s
    if not last:
        names = sorted({s["name"] for s in spans if s["category"] == "phase"})
        raise Mistake(2, f"no span '{phase}'; there are {', '.join(names)}")
    return min(s["begin"] for s in last.values()), max(s["end"] for s in last.values())


def with_depths(spans):
    """Adds to each span of one track how many are around it, and whether others are within it."""
    around = []
    for span in sorted(spans, key=lambda s: (s["begin"], -s["end"])):
        while around and around[-1]["end"] <= span["begin"] + 1e-6:
            around.pop()
        span["depth"], span["is_leaf"] = len(around), True
        if around:
            around[-1]["is_leaf"] = False
        around.append(span)


def draw(spans, names, begin, end, path, width):
    try:
        import matplotlib
        matplotlib.use("svg")
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch
    except ImportError as error:
        raise Mistake(4, f"no matplotlib: {error}") from error
    seen = [s for s in spans if s["end"] >= begin and s["begin"] <= end]
    tracks = sorted({(s["rank"], s["track"]) for s in seen})
    if not tracks:
        raise Mistake(2, "nothing lies between these times")
    for track in tracks:
        with_depths([s for s in seen if (s["rank"], s["track"]) == track])
    figure = Figure(figsize=(width, 0.8 + 0.5 * len(tracks)), layout="constrained")
    axes = figure.add_subplot()
    for span in sorted(seen, key=lambda s: s["depth"]):
        row = tracks.index((span["rank"], span["track"]))
        left, right = max(span["begin"], begin) - begin, min(span["end"], end) - begin
        height = 0.8 * 0.75 ** span["depth"]
        axes.barh(row + 0.4 - height / 2, right - left, left=left, height=height, color=COLOURS.get(span["category"], "#999999"),
                  edgecolor="white", linewidth=0.3)
        if span["is_leaf"] and LETTER * len(span["name"]) <= 0.85 * width * (right - left) / (end - begin):
            axes.text((left + right) / 2, row + 0.4 - height / 2, span["name"], ha="center", va="center", fontsize=6, clip_on=True)
    ranks = len({rank for rank, _ in tracks})
    axes.set_yticks(range(len(tracks)), [(f"rank {rank}: " if ranks > 1 else "") + names.get((rank, track), str(track)) for rank, track in tracks],
                    fontsize=7)
    axes.invert_yaxis()
    axes.set_xlim(0, end - begin)
    axes.set_xlabel("time / us")
    axes.legend(handles=[Patch(color=colour, label=name) for name, colour in COLOURS.items() if any(s["category"] == name for s in seen)],
                loc="upper center", bbox_to_anchor=(0.5, 1.0 + 0.5 / len(tracks)), ncols=len(COLOURS), fontsize=7, frameon=False)
    try:
        figure.savefig(path, format="svg")
    except OSError as error:
        raise Mistake(5, f"{path}: {error.strerror}") from error


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("trace", metavar="TRACE.json")
    parser.add_argument("out", metavar="OUT.svg")
    parser.add_argument("--phase", default="execute", help="the span that is drawn, or all (execute)")
    parser.add_argument("--variant", default="", help="of several variants in one file: a part of 'problem: variant' (any)")
    parser.add_argument("--from", dest="first", type=float, default=0, metavar="US", help="microseconds after its beginning (0)")
    parser.add_argument("--to", type=float, metavar="US", help="microseconds after its beginning (its end)")
    parser.add_argument("--width", type=float, default=10, help="in inches (10)")
    options = parser.parse_args()
    try:
        spans, names = read(options.trace)
        begin, end = window(spans, options.phase, options.variant)
        begin, end = begin + options.first, begin + options.to if options.to is not None else end
        if not begin < end:
            raise Mistake(2, "--from is not before --to")
        draw(spans, names, begin, end, options.out, options.width)
    except Mistake as mistake:
        print(f"trace_picture.py: {mistake}", file=sys.stderr)
        return mistake.status
    return 0


if __name__ == "__main__":
    sys.exit(main())
