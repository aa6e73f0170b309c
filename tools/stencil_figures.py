#!/usr/bin/env python3
"""Draws a figure of the stencil for the machine that the records are from, and makes tables (Python and gnuplot alone).

    stencil_figures.py parts OUT.svg RECORDS...      figure 7.5: an iteration, a product and a sum against the mesh
                                                     (OUT may end in .png, too)
    stencil_figures.py sums README.md RECORDS...     errors of sums: the table between <!-- figures:sums --> and
                                                     <!-- /figures --> of a document
    stencil_figures.py solve README.md RECORDS...    iterations and time to a tolerance, between <!-- figures:solve --> and …

RECORDS are files that `speedwell compare --json` wrote for stencil and cg. Numbers of the figures go to stdout. Exit status: 2 usage, 3 a
file that is not as it should be, or no record of what is to be drawn, 4 no gnuplot, 5 gnuplot failed.
"""
import importlib.util
import json
import pathlib
import sys

import gnuplot

# Not as a part of its package, which needs more than Python.
_SPEC = importlib.util.spec_from_file_location("renamed", pathlib.Path(__file__).parents[1] / "python" / "speedwell" / "renamed.py")
renamed = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(renamed)

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


class BadFile(Exception):
    pass


class Run:
    """A run that passed and was timed: its problem, variant, device and median."""

    def __init__(self, record):
        self.application, self.problem = record["application"], record["problem"]
        self.variant = record["variant"]["name"]
        self.kind, self.threads = record["device"]["kind"], record["device"]["threads"]
        self.device = record["device"]["name"]
        self.seconds = record["phases"]["execute_s"]["median"]
        self.rate = record["rates"]["rate"]
        self.error = record["verdict"]["error"]
        self.choices = record["choices"]
        self.size = record["size"]

    def cells(self):
        return self.problem["n"] or self.problem["nx"]

    def per_step(self):
        return self.seconds / self.problem.get("iterations", 1)


def runs_of(paths):
    runs = []
    for path in paths:
        try:
            with open(path, encoding="utf-8") as f:
                document = json.load(f)
            for record in document["runs"]:
                renamed.rename(record)
            runs += [Run(r) for r in document["runs"] if r["application"] in ("stencil", "cg") and r["status"] == "passed"]
        except OSError as e:
            raise BadFile(f"{path}: {e.strerror}") from None
        except (ValueError, KeyError, TypeError) as e:
            raise BadFile(f"{path}: no records: {e}") from None
    return runs


def cubes(runs, size, kernel=None):
    """Returns the runs of a named family, with this kernel if it is one of stencil, by (variant, precision, n)."""
    found = {}
    for r in runs:
        if r.size == size and r.problem.get("kernel") == kernel:
            found.setdefault((r.variant, r.problem["precision"], r.cells()), r)
    return found


def curve(found, variant, precision, value):
    return sorted((n, value(r)) for (v, p, n), r in found.items() if v == variant and p == precision)


def draw(out, panels, size="900,400"):
    """Draws panels side by side: (title, ylabel, settings, [(label, style, points)])."""
    kind = "pngcairo" if out.endswith(".png") else "svg dynamic"
    script = [f"set terminal {kind} size {size} font 'sans-serif,12' background '#ffffff'", f"set output '{out}'",
              f"set multiplot layout 1,{len(panels)}", "set grid lc rgb '#c8c8c8'", "set key top left font ',10' spacing 1.0"]
    for title, ylabel, settings, lines in panels:
        script += [f'set title "{title}"', f'set ylabel "{ylabel}"', *settings]
        drawn = [line for line in lines if line[2]]
        if not drawn:
            raise BadFile(f"no record of what is drawn in '{title}'")
        for i, (_, _, points) in enumerate(drawn):
            script += [f"$d{i} << EOD", *(f"{x:g} {y:.6g}" for x, y in points), "EOD"]
        script.append("plot " + ", ".join(f'$d{i} using 1:2 {style} title "{label}"'
                                          for i, (label, style, _) in enumerate(drawn)))
        print(title)
        for label, _, points in drawn:
            print(f"  {label}: " + ", ".join(f"{x:g}: {y:.4g}" for x, y in points))
    gnuplot.draw("\n".join(script) + "\nunset multiplot\n")


def style(colour, dashed=False, point=7):
    return f"with linespoints lc rgb '{COLOURS[colour]}' dt {2 if dashed else 1} pt {point} ps 0.5 lw 1.5"


MESH = ["set xlabel 'cells along an axis'", "set xrange [24:320]", "set logscale x 2",
        "set xtics (32,64,96,128,192,256)"]


def parts(out, runs):
    cg, e, total = (cubes(runs, *of) for of in (("curve",), ("parts-curve", "e"), ("parts-curve", "sum")))
    ms = lambda r: r.per_step() * 1e3
    steps = [(label, style(i), curve(cg, variant, "f64", ms)) for i, (variant, label) in enumerate((
        ("cuda-naive", "a kernel a line"), ("cuda-fused", "fused sums"), ("cuda-mapped", "sums mapped"),
        ("cuda-passes", "two passes, loop on the device"), ("cuda", "on chip where it fits")))]
    pieces = [("product, tile of 16 x 16", style(0), curve(e, "cuda-tile", "f64", ms)),
              ("product, march", style(1), curve(e, "cuda", "f64", ms)),
              ("sum along z, then on the host", style(2), curve(total, "cuda-stages", "f64", ms)),
              ("sum on the GPU", style(3), curve(total, "cuda", "f64", ms)),
              ("iteration", style(4), curve(cg, "cuda", "f64", ms))]
    settings = MESH + ["set logscale y 10", "set format y '%g'"]
    draw(out, [("An iteration of conjugate gradients, f64", "ms", settings, steps),
               ("Its parts", "ms", settings, pieces)])


def update(document, name, table):
    with open(document, encoding="utf-8") as f:
        text = f.read()
    opening, closing = f"<!-- figures:{name} -->\n", "<!-- /figures -->"
    begin = text.find(opening)
    end = text.find(closing, begin)
    if begin < 0 or end < 0:
        raise BadFile(f"{document}: no '{opening.strip()}' with its '{closing}'")
    with open(document, "w", encoding="utf-8") as f:
        f.write(text[:begin + len(opening)] + table + text[end:])
    print(table, end="")


def sums(document, runs):
    found = cubes(runs, "sum", "sum")
    meshes = sorted({n for _, _, n in found})
    if not meshes:
        raise BadFile("no record of sums")
    columns = (("one running sum", None), ("along z, y, x on the host", "openmp-stages"),
               ("along z on the GPU, y, x", "cuda-stages"), ("lanes and halves, f64", "openmp"),
               ("grid of threads, f64", "cuda"))
    table = "| Cells | Data | " + " | ".join(c for c, _ in columns) + " |\n" + "| ---: | --- |" + " ---: |" * len(columns) + "\n"
    for precision in ("f64", "f32"):
        for n in meshes:
            cells = []
            for _, variant in columns:
                of = [r for (v, p, m), r in found.items() if p == precision and m == n and variant in (None, v)]
                if not of:
                    cells.append("–")
                else:
                    cells.append(f"{float(of[0].choices['running_sum_error']) if variant is None else of[0].error:.1e}")
            table += f"| {n}^3 | {precision} | " + " | ".join(cells) + " |\n"
    update(document, "sums", table)


def solve(document, runs):
    of = [r for r in runs if r.size == "solve"]
    if not of:
        raise BadFile("no record of solutions to a tolerance")
    table = "| Cells | Variant | Device | Iterations | Time | Time an iteration |\n| ---: | --- | --- | ---: | ---: | ---: |\n"
    for r in sorted(of, key=lambda r: (r.cells(), r.seconds)):
        count = int(r.choices["iterations"])
        table += (f"| {r.cells()}^3 | {r.variant} | {r.device} | {count} | {r.seconds * 1e3:.4g} ms | "
                  f"{r.seconds / count * 1e6:.4g} µs |\n")
    update(document, "solve", table)


COMMANDS = {"parts": parts, "sums": sums, "solve": solve}


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in COMMANDS:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    try:
        COMMANDS[sys.argv[1]](sys.argv[2], runs_of(sys.argv[3:]))
    except BadFile as e:
        print(f"stencil_figures.py: error: {e}", file=sys.stderr)
        sys.exit(3)


if __name__ == "__main__":
    main()
