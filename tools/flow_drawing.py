"""What the figures of tools/flow_figures.py share: columns of files, and gnuplot's blocks and lines."""
import csv
import math
import os
import sys

import gnuplot

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


class BadFile(Exception):
    pass


def usage(message):
    print(f"flow_figures.py: error: {message}", file=sys.stderr)
    sys.exit(2)


def columns(path, names):
    """Returns the named columns of a CSV file as lists; empty fields are NaN."""
    try:
        with open(path, newline="", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
    except OSError as e:
        raise BadFile(f"{path}: {e.strerror}") from None
    if not rows:
        raise BadFile(f"{path}: no lines below the header")
    missing = [n for n in names if n not in rows[0]]
    if missing:
        raise BadFile(f"{path}: no column '{missing[0]}'")
    try:
        return [[float(r[n]) if r[n] else math.nan for r in rows] for n in names]
    except (ValueError, TypeError):
        raise BadFile(f"{path}: a field that is no number") from None


def label(run):
    return os.path.basename(os.path.normpath(run)).replace("_", " ").replace('"', "'")


def between(x, y, at):
    """Interpolates y at `at` on a straight line between its neighbours of increasing x; returns NaN outside."""
    for i in range(1, len(x)):
        if x[i - 1] <= at <= x[i] and x[i] > x[i - 1]:
            return y[i - 1] + (y[i] - y[i - 1]) * (at - x[i - 1]) / (x[i] - x[i - 1])
    return math.nan


def block(name, *lists):
    rows = "\n".join(" ".join(f"{v:.9g}" if v == v else "?" for v in row) for row in zip(*lists))
    return f"${name} << EOD\n{rows}\nEOD\n"


def draw(out, script, size="760,520"):
    kind = "pngcairo" if out.endswith(".png") else "svg dynamic"
    script = (f"set terminal {kind} size {size} font 'sans-serif,13' background '#ffffff'\nset output '{out}'\n"
              "set datafile missing '?'\nset key top right\nset grid lc rgb '#dddddd'\n" + script)
    gnuplot.draw(script)


def line(name, using, title, n, extra=""):
    return f"${name} using {using} with lines lw 2 {extra} lc rgb '{COLOURS[n % len(COLOURS)]}' title \"{title}\""
