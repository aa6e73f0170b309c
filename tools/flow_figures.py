#!/usr/bin/env python3
"""Draws figures of flows from the files that `speedwell solve` writes, beside published values (Python and gnuplot alone).

    flow_figures.py taylor-green OUT.svg RUN...      dissipation against the spectral one at Reynolds number 1600
    flow_figures.py channel OUT.svg RUN...           means and stresses against Moser, Kim and Mansour (1999)
    flow_figures.py decay OUT.svg RUN...             k, dissipation and the exponent n of decaying turbulence
    flow_figures.py strain OUT.svg RUN...            Reynolds stresses of plane strain
    flow_figures.py energy OUT.svg RUN...            k and dissipation of several runs
    flow_figures.py spectra OUT.svg RUN              E(kappa) at every time of a run
    flow_figures.py growth OUT.svg RUN...            size of the domains of binary fluids that part, and its exponent
    flow_figures.py plane OUT.svg FILE.vti... [--component u|v|w|density|pressure|phi] [--axis z] [--cell N]
                                                     planes; OUT.csv keeps the first one's numbers, to stand for FILE

RUN is a folder of `speedwell solve`; OUT may end in .png, too. Numbers of the comparison go to
stdout. Exit status: 2 usage, 3 a file that is not as it should be, 4 no gnuplot, 5 gnuplot failed.
"""
import argparse
import array
import csv
import math
import os
import re
import struct
import sys
import tomllib

import gnuplot

# The 512^3 spectral solution of the international workshop on high-order CFD methods, case C3.5 (DeBonis 2013): t, -dE/dt.
TAYLOR_GREEN_1600 = (
    (0, 0.00046874284), (1, 0.000518820935), (2, 0.000707563530), (3, 0.001126516665), (4, 0.002066236485),
    (5, 0.004127097335), (6, 0.005530986305), (7, 0.007364770230), (8, 0.010372895103), (8.25, 0.011203827412),
    (8.5, 0.011920707710), (8.75, 0.012721992654), (8.97, 0.012857528187), (9, 0.012854539499), (9.25, 0.012386349636),
    (9.5, 0.011729337467), (9.75, 0.011509036334), (10, 0.011272054483), (11, 0.010097898541), (12, 0.008360885748),
    (13, 0.006336065720), (14, 0.005424061226), (15, 0.004331856538), (16, 0.003621781658), (17, 0.003227656893),
    (18, 0.002748693410), (19, 0.002249383200), (19.99, 0.001873496392))
# R. D. Moser, J. Kim, N. N. Mansour, Phys. Fluids 11 (1999) 943, chan180: y+, U+, uu+, vv+, ww+, uv+.
CHANNEL_180 = (
    (0.85771, 0.85555, 0.096440, 3.38e-5, 0.023575, -4.77e-4), (5.3381, 5.1133, 3.1074, 0.017023, 0.37999, -0.099746),
    (10.412, 8.7741, 6.4495, 0.094281, 0.71647, -0.37304), (15.281, 10.967, 7.0655, 0.20842, 0.93516, -0.56738),
    (21.033, 12.520, 6.3698, 0.35398, 1.0853, -0.67778), (30.019, 13.870, 4.9093, 0.53880, 1.1719, -0.72308),
    (40.432, 14.750, 3.7157, 0.65930, 1.1720, -0.70437), (52.171, 15.419, 2.8994, 0.69928, 1.0988, -0.65677),
    (72.016, 16.260, 2.1376, 0.65429, 0.95714, -0.55620), (98.037, 17.094, 1.5889, 0.55678, 0.74250, -0.42015),
    (126.42, 17.756, 1.1227, 0.45050, 0.52921, -0.26817), (151.99, 18.154, 0.79787, 0.38900, 0.39186, -0.13470),
    (178.12, 18.301, 0.66256, 0.37436, 0.34727, 0))
EXPONENTS = ((1.2, "6/5, Saffman"), (1.5, "3/2, Saffman at low Re"), (2.5, "5/2, final period"))
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


def taylor_green(out, runs):
    times, losses = zip(*TAYLOR_GREEN_1600)
    data, plots = block("reference", times, losses), []
    for n, run in enumerate(runs):
        t, loss = columns(f"{run}/history.csv", ("t", "dissipation"))
        data += block(f"run{n}", t, loss)
        plots.append(line(f"run{n}", "1:2", label(run), n))
        peak = max(range(len(t)), key=lambda i: loss[i])
        worst = max(((abs(between(t, loss, a) / b - 1), a) for a, b in TAYLOR_GREEN_1600 if a <= t[-1]))
        until = [(a, b) for a, b in TAYLOR_GREEN_1600 if a <= min(t[-1], 10)]
        square = sum((between(t, loss, a) - b) ** 2 for a, b in until) / sum(b * b for _, b in until)
        print(f"{label(run)}: peak {loss[peak]:.6f} at {t[peak]:.2f} ({100 * (loss[peak] / 0.012857528 - 1):+.2f} % of the "
              f"spectral one, 0.012858 at 8.97); farthest from it by {100 * worst[0]:.2f} % at {worst[1]}; relative L2 "
              f"to time 10 {100 * math.sqrt(square):.2f} %")
    plots.append("$reference using 1:2 with points pt 6 ps 0.7 lc rgb '#000000' title 'spectral, 512^3'")
    draw(out, data + "set xlabel 'time'\nset ylabel 'dissipation of energy'\nset yrange [0:]\nplot " + ", ".join(plots) + "\n")


def channel(out, runs):
    data, means, stresses = block("reference", *zip(*CHANNEL_180)), [], []
    names = ("y_plus", "U_plus", "uu_plus", "vv_plus", "ww_plus", "uv_plus", "y", "stress_plus")
    for n, run in enumerate(runs):
        all_columns = columns(f"{run}/profiles.csv", names)
        count, y = len(all_columns[0]), all_columns[6]
        half = (count + 1) // 2
        height = y[0] + y[-1]
        # Both halves together; the velocities across change their sign.
        lower = [[0.5 * (c[j] + (-1 if name in ("uv_plus", "stress_plus") else 1) * c[count - 1 - j]) for j in range(half)]
                 for name, c in zip(names[:6] + ("stress_plus",), all_columns[:6] + [all_columns[7]])]
        data += block(f"run{n}", *lower)
        means.append(line(f"run{n}", "1:2", label(run), n))
        for k, name in ((3, "uu"), (4, "vv"), (5, "ww"), (6, "-uv")):
            stresses.append(line(f"run{n}", f"1:({'-' if k == 6 else ''}${k})", name + (f" {label(run)}" if n else ""), k - 3,
                                 f"dt {n + 1}"))
        inside = [row for row in CHANNEL_180 if row[0] <= lower[0][-1]]
        worst = max((abs(between(lower[0], lower[1], row[0]) / row[1] - 1), row[0]) for row in inside
                    if row[0] >= lower[0][0])
        peak = max(range(half), key=lambda j: lower[2][j])
        linear = max(abs(lower[6][j] - (1 - 2 * y[j] / height)) for j in range(half))
        print(f"{label(run)}: U+ farthest from the published one by {100 * worst[0]:.2f} % at y+ {worst[1]}; on the centre line "
              f"{lower[1][-1]:.2f} (18.30); largest u' {math.sqrt(lower[2][peak]):.3f} at y+ {lower[0][peak]:.1f} (2.66 at 15); "
              f"least uv {min(lower[5]):.3f} (-0.723); total stress within {linear:.3f} of a straight line")
    for k, name in ((3, "uu"), (4, "vv"), (5, "ww"), (6, "uv")):
        stresses.append(f"$reference using 1:({'-' if k == 6 else ''}${k}) with points pt 6 ps 0.6 lc rgb '#000000' "
                        + ("title 'Moser et al. 1999'" if k == 3 else "notitle"))
    means.append("$reference using 1:2 with points pt 6 ps 0.6 lc rgb '#000000' title 'Moser et al. 1999'")
    draw(out, data + "set multiplot layout 1,2\nset xlabel 'y^+'\nset key bottom right\nset logscale x\nset xrange [0.5:200]\n"
         "set ylabel 'U^+'\nplot " + ", ".join(means) + "\nunset logscale x\nset xrange [0:180]\nset key top right\n"
         "set ylabel 'Reynolds stresses in wall units'\nplot " + ", ".join(stresses) + "\nunset multiplot\n", "1080,460")


def decay(out, runs):
    data, energies, losses, exponents = "", [], [], []
    for n, run in enumerate(runs):
        t, k, loss, exponent, _ = columns(f"{run}/decay.csv", ("t", "k", "dissipation", "n", "n0"))
        data += block(f"run{n}", t, k, loss, exponent)
        energies.append(line(f"run{n}", "1:2", label(run), n))
        losses.append(line(f"run{n}", "1:3", label(run), n))
        exponents.append(line(f"run{n}", "1:4", label(run), n))
        late = [e for a, e in zip(t, exponent) if a >= 12 and e == e]
        if late:
            print(f"{label(run)}: n from {min(late):.2f} to {max(late):.2f} after 12, {late[-1]:.2f} at the end")
    values = "".join(f"set arrow {i + 1} from graph 0,first {v} to graph 1,first {v} nohead lc rgb '#888888' dt 2\n"
                     f"set label {i + 1} '{name}' at graph 0.02,first {v + 0.05} tc rgb '#555555'\n"
                     for i, (v, name) in enumerate(EXPONENTS))
    draw(out, data + "set multiplot layout 1,3\nset xlabel 'time'\nset autoscale xfix\nset logscale xy\n"
         "set ylabel 'turbulent kinetic energy'\nplot "
         + ", ".join(energies) + "\nset ylabel 'dissipation'\nplot " + ", ".join(losses)
         + "\nunset logscale\nset logscale x\nset ylabel 'decay exponent n'\nset yrange [0.5:4]\n" + values + "plot "
         + ", ".join(exponents) + "\nunset multiplot\n", "1260,420")


def strain(out, runs):
    data, plots = "", []
    for n, run in enumerate(runs):
        t, *stresses, k = columns(f"{run}/history.csv", ("t", "R11", "R22", "R33", "k"))
        data += block(f"run{n}", t, *stresses, k)
        plots.append(f"set title '{label(run)}'\nset xrange [{10 if t[-1] > 12 else '*'}:]\nplot " + ", ".join(
            line(f"run{n}", f"1:{c + 2}", name, c) for c, name in enumerate(("R11", "R22", "R33"))))
        print(f"{label(run)}: at time {t[-1]:g} k = {k[-1]:.4g}, R11 {stresses[0][-1]:.4g}, R22 {stresses[1][-1]:.4g}, "
              f"R33 {stresses[2][-1]:.4g}")
    wide = 2 if len(runs) > 1 else 1
    draw(out, data + f"set multiplot layout {(len(runs) + wide - 1) // wide},{wide}\nset logscale y\n"
         "set xlabel 'time'\nset ylabel 'Reynolds stresses'\n" + "\n".join(plots) + "\nunset multiplot\n",
         f"{520 * wide},{380 * ((len(runs) + wide - 1) // wide)}")


def energy(out, runs):
    data, energies, losses = "", [], []
    for n, run in enumerate(runs):
        t, k, loss = columns(f"{run}/history.csv", ("t", "k", "dissipation"))
        data += block(f"run{n}", t, k, loss)
        energies.append(line(f"run{n}", "1:2", label(run), n))
        losses.append(line(f"run{n}", "1:3", label(run), n))
    draw(out, data + "set multiplot layout 1,2\nset xlabel 'time'\nset autoscale xfix\nset logscale y\nset ylabel 'turbulent kinetic energy'\nplot "
         + ", ".join(energies) + "\nset ylabel 'dissipation'\nplot " + ", ".join(losses) + "\nunset multiplot\n", "1080,420")


def spectra(out, runs):
    if len(runs) != 1:
        usage("spectra are of one run")
    t, k = columns(f"{runs[0]}/scales.csv", ("t", "k"))
    with open(f"{runs[0]}/scales.csv", newline="", encoding="utf-8") as lines:
        files = [r["file"] for r in csv.DictReader(lines)]
    wanted = [i for i in range(len(t)) if k[i] > 0]
    wanted = wanted[::max(1, len(wanted) // 6)]
    data, plots = "", []
    for n, i in enumerate(wanted):
        kappa, energy = columns(f"{runs[0]}/{files[i]}", ("kappa", "E"))
        data += block(f"at{n}", kappa[1:], energy[1:])
        plots.append(line(f"at{n}", "1:2", f"t = {t[i]:g}", n))
    if not plots:
        raise BadFile(f"{runs[0]}/scales.csv: no flow to draw")
    plots.append("[*:*] top*x**(-5./3) with lines dt 2 lc rgb '#888888' title 'slope -5/3'")
    kappa, energy = columns(f"{runs[0]}/{files[wanted[0]]}", ("kappa", "E"))
    top = max(e * x ** (5 / 3) for x, e in zip(kappa, energy))
    draw(out, data + f"top = {top:.6g}\nset yrange [{1e-9 * max(energy):.3g}:]\nset autoscale xfix\nset logscale xy\n"
         "set format y '10^{%T}'\nset key bottom left\nset xlabel 'wavenumber'\nset ylabel 'E'\nplot "
         + ", ".join(plots) + "\n")


def box_of(run):
    """Returns the extents of the lattice of a binary fluid, as its case file says."""
    try:
        with open(f"{run}/case.toml", "rb") as file:
            return tomllib.load(file)["lattice"]["sites"]
    except (OSError, KeyError, tomllib.TOMLDecodeError) as e:
        raise BadFile(f"{run}/case.toml: not the case of a binary fluid ({e})") from None


def power_law(t, length, exponent):
    """Fits length = c (t - t0)^exponent by a straight line through length^(1 / exponent). Returns c, t0, and the root of the mean square
    relative distance of the lengths from it; infinity where they do not grow."""
    y = [value ** (1 / exponent) for value in length]
    mean_t, mean_y = sum(t) / len(t), sum(y) / len(y)
    slope = sum((a - mean_t) * (b - mean_y) for a, b in zip(t, y)) / sum((a - mean_t) ** 2 for a in t)
    if slope <= 0:
        return math.nan, math.nan, math.inf
    t0 = mean_t - mean_y / slope
    if t0 >= t[0]:
        return math.nan, math.nan, math.inf
    c = slope ** exponent
    distance = math.sqrt(sum((c * (a - t0) ** exponent / value - 1) ** 2 for a, value in zip(t, length)) / len(t))
    return c, t0, distance


def growth(out, runs):
    """The size of domains is the volume over the area of the interfaces. It is fitted from a quarter above its smallest value, which it has when
    the interfaces are complete, to an eighth of the box: layers of that size have twice that wavelength, a quarter of the box, and larger
    patterns feel it."""
    data, plots, exponents = "", [], [k / 100 for k in range(20, 151)]
    for n, run in enumerate(runs):
        t, length = columns(f"{run}/history.csv", ("t", "length"))
        sizes = [(a, b) for a, b in zip(t, length) if b == b and b > 0]
        if not sizes:
            raise BadFile(f"{run}/history.csv: no size of domains")
        t, length = zip(*sizes)
        smallest = min(range(len(length)), key=lambda i: length[i])
        end = next((i for i in range(smallest, len(t)) if length[i] > min(box_of(run)) / 8), len(t))
        begin = next((i for i in range(smallest, end) if length[i] >= 1.25 * length[smallest]), end)
        data += block(f"run{n}", t[smallest:], length[smallest:])
        plots.append(line(f"run{n}", "1:2", label(run), n))
        if end - begin < 5:
            print(f"{label(run)}: too few sizes between {1.25 * length[smallest]:.3g} and {min(box_of(run)) / 8:.3g} for a fit")
            continue
        fits = {e: power_law(t[begin:end], length[begin:end], e) for e in (*exponents, 2 / 3)}
        best = min(fits, key=lambda e: fits[e][2])
        if fits[best][2] == math.inf:
            print(f"{label(run)}: no power law fits sizes from {length[begin]:.3g} to {length[end - 1]:.3g}")
            continue
        print(f"{label(run)}: sizes from {length[begin]:.3g} to {length[end - 1]:.3g}, t from {t[begin]:g} to {t[end - 1]:g}: exponent {best:.2f}, "
              f"within {100 * fits[best][2]:.2g} % of them; "
              + "; ".join(f"{name}: {fits[e][0]:.4g} (t - {fits[e][1]:.0f})^{name}, within {100 * fits[e][2]:.2g} %" for e, name in ((1.0, "1"), (2 / 3, "2/3"))
                          if fits[e][2] < math.inf))
        c, t0, _ = fits[best]
        data += block(f"fit{n}", t[begin:end], [c * (a - t0) ** best for a in t[begin:end]])
        plots.append(line(f"fit{n}", "1:2", f"{c:.3g} (t - {t0:.0f})^{{{best:.2f}}}", n + 2, "dt 2"))
    draw(out, data + "set logscale xy\nset autoscale xfix\nset key top left\nset xlabel 'steps'\nset ylabel 'size of the domains, sites'\nplot "
         + ", ".join(plots) + "\n")


def read_vti(path):
    """Reads cells and arrays of a VTK image, raw and appended with 64-bit lengths: (nx, ny, nz), {name: (parts, values)}."""
    try:
        with open(path, "rb") as f:
            content = f.read()
    except OSError as e:
        raise BadFile(f"{path}: {e.strerror}") from None
    mark = content.find(b'<AppendedData encoding="raw">')
    begin = content.find(b"_", mark) + 1
    if mark < 0 or begin == 0:
        raise BadFile(f"{path}: no raw appended data")
    head = content[:mark].decode("utf-8", "replace")
    extent = re.search(r'WholeExtent="0 (\d+) 0 (\d+) 0 (\d+)"', head)
    if not extent or 'header_type="UInt64"' not in head:
        raise BadFile(f"{path}: not an image as speedwell writes it")
    shape = tuple(int(n) for n in extent.groups())
    fields = {}
    arrays = re.findall(r'type="Float32" Name="(\w+)" NumberOfComponents="(\d+)" format="appended" offset="(\d+)"',
                        head)
    for name, parts, offset in arrays:
        at = begin + int(offset)
        size = struct.unpack_from("<Q", content, at)[0] if at + 8 <= len(content) else -1
        if size != 4 * int(parts) * shape[0] * shape[1] * shape[2] or at + 8 + size > len(content):
            raise BadFile(f"{path}: '{name}' is cut short or has another size than its mesh")
        values = array.array("f")
        values.frombytes(content[at + 8:at + 8 + size])
        if sys.byteorder == "big":
            values.byteswap()
        fields[name] = (int(parts), values)
    return shape, fields


def plane_of(path, component, axis, cell):
    """Returns the rows of a plane of a component ('?' in solids), the axes it lies along, and its title."""
    shape, fields = read_vti(path)
    field = "velocity" if component in ("u", "v", "w") else component
    if field not in fields:
        raise BadFile(f"{path}: no {field}")
    across = "xyz".index(axis)
    if cell is None:
        cell = shape[across] // 2
    if not 0 <= cell < shape[across]:
        usage(f"cell {cell} along {axis}: 0 to {shape[across] - 1}")
    first, second = [d for d in range(3) if d != across]
    strides = (1, shape[0], shape[0] * shape[1])
    parts, values = fields[field]
    c, solid, rows = max(0, "uvw".find(component)), fields.get("solid"), []
    for j in range(shape[second]):
        at = [cell * strides[across] + j * strides[second] + i * strides[first] for i in range(shape[first])]
        rows.append(["?" if solid and solid[1][n] else f"{values[parts * n + c]:.4g}" for n in at])
    return rows, "xyz"[first] + "xyz"[second], f"{component} at {axis} = {cell} of {label(path)}"


def plane(out, files, component, axis, cell):
    planes = []
    for path in files:
        if path.endswith(".csv"):
            try:
                with open(path, encoding="utf-8") as f:
                    title, axes, *lines = f.read().splitlines()
            except (OSError, ValueError):
                raise BadFile(f"{path}: not a plane that this program wrote") from None
            planes.append(([row.split(",") for row in lines], axes[2:], title[2:]))
        else:
            planes.append(plane_of(path, component, axis, cell))
    if out.endswith(".csv"):
        rows, axes, title = planes[0]
        with open(out, "w", encoding="utf-8") as f:
            f.write(f"# {title}\n# {axes}\n" + "".join(",".join(row) + "\n" for row in rows))
        return
    wide = min(3, len(planes))
    high = (len(planes) + wide - 1) // wide
    small = " font ',8'" if len(planes) > 1 else ""
    script = f"set size ratio -1\nunset key\nunset grid\nset multiplot layout {high},{wide}\n"
    for n, (rows, axes, title) in enumerate(planes):
        numbers = [float(v) for row in rows for v in row if v != "?"] or [0]
        if title.startswith(("density", "pressure")):  # never below 0: from light to dark
            low, high_value = min(numbers), max(numbers)
            if low == high_value:
                high_value = low + 1
            palette = "0 '#ffffcc', 1 '#fd8d3c', 2 '#800026'"
        else:
            high_value = max(map(abs, numbers)) or 1
            low, palette = -high_value, "-1 '#2166ac', 0 '#f7f7f7', 1 '#b2182b'"
        script += (f"$plane{n} << EOD\n" + "\n".join(" ".join(row) for row in rows) + "\nEOD\n"
                   f"set palette defined ({palette})\nset cbrange [{low:.4g}:{high_value:.4g}]\nset xrange [-0.5:{len(rows[0]) - 0.5}]\n"
                   f"set xtics {max(1, len(rows[0]) // 4)}\nset ytics {max(1, len(rows) // 4)}\n"
                   f"set yrange [-0.5:{len(rows) - 0.5}]\nset xlabel '{axes[0]} (cells)'\nset ylabel '{axes[1]} (cells)'\n"
                   f"set title '{title}'{small}\nplot $plane{n} matrix with image\n")
    draw(out, script + "unset multiplot\n", f"{max(560, 310 * wide)},{280 * high if high > 1 else 520}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", choices=("taylor-green", "channel", "decay", "strain", "energy", "spectra", "growth", "plane"))
    parser.add_argument("out")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--component", choices=("u", "v", "w", "density", "pressure", "phi"), default="u")
    parser.add_argument("--axis", choices="xyz", default="z")
    parser.add_argument("--cell", type=int)
    o = parser.parse_args()
    try:
        if o.figure == "plane":
            plane(o.out, o.runs, o.component, o.axis, o.cell)
        else:
            {"taylor-green": taylor_green, "channel": channel, "decay": decay, "strain": strain, "energy": energy,
             "spectra": spectra, "growth": growth}[o.figure](o.out, o.runs)
    except BadFile as e:
        print(f"flow_figures.py: error: {e}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
