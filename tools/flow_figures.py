#!/usr/bin/env python3
"""Draws figures of flows from the files that `speedwell solve` writes, beside published values (Python and gnuplot alone).

    flow_figures.py taylor-green OUT.svg RUN...      dissipation against the spectral one at Reynolds number 1600
    flow_figures.py channel OUT.svg RUN...           means and stresses against Moser, Kim and Mansour (1999)
    flow_figures.py decay OUT.svg RUN...             k, dissipation and the exponent n of decaying turbulence
    flow_figures.py strain OUT.svg RUN...            Reynolds stresses of plane strain
    flow_figures.py energy OUT.svg RUN...            k and dissipation of several runs
    flow_figures.py spectra OUT.svg RUN              E(kappa) at every time of a run
    flow_figures.py grid OUT.svg RUN...              spectra and energy against Comte-Bellot and Corrsin (1971)
    flow_figures.py growth OUT.svg RUN...            size of the domains of binary fluids that part, and its exponent
    flow_figures.py plane OUT.svg FILE.vti... [--component u|v|w|density|pressure|phi] [--axis z] [--cell N]
                                                     planes; OUT.csv keeps the first one's numbers, to stand for FILE

RUN is a folder of `speedwell solve`; OUT may end in .png, too. Numbers of the comparison go to
stdout. Exit status: 2 usage, 3 a file that is not as it should be, 4 no gnuplot, 5 gnuplot failed.
"""
import argparse
import csv
import math
import sys
import tomllib

from flow_drawing import BadFile, between, block, columns, draw, label, line, usage
from flow_planes import plane
from flow_references import CHANNEL_180, GRID_TURBULENCE, GRID_TURBULENCE_TIMES, TAYLOR_GREEN_1600

EXPONENTS = ((1.2, "6/5, Saffman"), (1.5, "3/2, Saffman at low Re"), (2.5, "5/2, final period"))


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


def of_case(run, table, key):
    """Returns a value of the case file of a run."""
    try:
        with open(f"{run}/case.toml", "rb") as file:
            return tomllib.load(file)[table][key]
    except (OSError, KeyError, tomllib.TOMLDecodeError) as e:
        raise BadFile(f"{run}/case.toml: not a case with {table}.{key} ({e})") from None


def decay(out, runs):
    data, plots = "", {name: [] for name in ("k", "dissipation", "reynolds", "length", "n")}
    for n, run in enumerate(runs):
        t, k, loss, exponent, _ = columns(f"{run}/decay.csv", ("t", "k", "dissipation", "n", "n0"))
        nu = of_case(run, "fluid", "viscosity")
        data += block(f"run{n}", t, k, loss, [a * a / (nu * b) for a, b in zip(k, loss)], [a ** 1.5 / b for a, b in zip(k, loss)], exponent)
        for column, name in enumerate(plots, 2):
            plots[name].append(line(f"run{n}", f"1:{column}", label(run), n))
        late = [e for a, e in zip(t, exponent) if a >= 12 and e == e]
        if late:
            print(f"{label(run)}: n from {min(late):.2f} to {max(late):.2f} after 12, {late[-1]:.2f} at the end")
    values = "".join(f"set arrow {i + 1} from graph 0,first {v} to graph 1,first {v} nohead lc rgb '#888888' dt 2\n"
                     f"set label {i + 1} '{name}' at graph 0.02,first {v + 0.05} tc rgb '#555555'\n"
                     for i, (v, name) in enumerate(EXPONENTS))
    panel = {name: "plot " + ", ".join(lines) + "\n" for name, lines in plots.items()}
    draw(out, data + "set multiplot layout 2,3\nset xlabel 'time'\nset autoscale xfix\nset logscale xy\n"
         "set ylabel 'turbulent kinetic energy k'\n" + panel["k"] + "set ylabel 'dissipation eps'\n" + panel["dissipation"]
         + "unset logscale y\nset key bottom left\nset ylabel 'Reynolds number k^2 / (nu eps)'\nset yrange [0:]\n" + panel["reynolds"]
         + "set key top left\nset ylabel 'length k^{3/2} / eps'\n" + panel["length"]
         + "set key top right\nset ylabel 'decay exponent n'\nset yrange [0.5:4]\n" + values + panel["n"] + "unset multiplot\n", "1260,780")


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


def power_law_at(points, x):
    """Interpolates in increasing points (x, y) by power laws; returns NaN outside."""
    value = between([math.log(a) for a, _ in points], [math.log(b) for _, b in points], math.log(x))
    return math.exp(value) if value == value else math.nan


def power_law_integral(points):
    total = 0
    for (a, p), (b, q) in zip(points, points[1:]):
        slope = math.log(q / p) / math.log(b / a)
        total += p * a * ((b / a) ** (slope + 1) - 1) / (slope + 1) if slope != -1 else p * a * math.log(b / a)
    return total


def grid(out, runs):
    data, shells, energies, measured = "", [], [], []
    for station, time in enumerate(GRID_TURBULENCE_TIMES):
        points = [(row[0], row[station + 1]) for row in GRID_TURBULENCE if row[station + 1]]
        measured.append(points)
        data += block(f"station{station}", *zip(*points))
        shells.append(f"$station{station} using 1:2 with points pt 6 ps 0.7 lc rgb '#000000' "
                      + ("title 'Comte-Bellot, Corrsin 1971'" if station == 0 else "notitle"))
    data += block("energies", GRID_TURBULENCE_TIMES, [power_law_integral(points) for points in measured])
    for n, run in enumerate(runs):
        t, k = columns(f"{run}/history.csv", ("t", "k"))
        data += block(f"run{n}", t, k)
        energies.append(line(f"run{n}", "1:2", label(run), n))
        at, _ = columns(f"{run}/scales.csv", ("t", "k"))
        with open(f"{run}/scales.csv", newline="", encoding="utf-8") as lines:
            files = [r["file"] for r in csv.DictReader(lines)]
        for station, time in enumerate(GRID_TURBULENCE_TIMES):
            if time not in at:
                raise BadFile(f"{run}/scales.csv: no spectrum of time {time}")
            kappa, energy = columns(f"{run}/{files[at.index(time)]}", ("kappa", "E"))
            both = [(x, e) for x, e in zip(kappa, energy) if x > 0 and e > 0]
            data += block(f"run{n}at{station}", *zip(*both))
            shells.append(line(f"run{n}at{station}", "1:2", f"{label(run)}, t = {time:g} s" if n == 0 or station == 0 else "", station, f"dt {n + 1}"))
            of_grid = power_law_integral(measured[station])
            worst = max((abs(e / power_law_at(measured[station], x) - 1), x) for x, e in both
                        if measured[station][0][0] <= x <= 8)
            print(f"{label(run)}: at {time:g} s k = {between(t, k, time):.4g} cm^2/s^2 ({100 * (between(t, k, time) / of_grid - 1):+.1f} % of the "
                  f"integral of the published spectrum, {of_grid:.4g}); E farthest from it by {100 * worst[0]:.0f} % up to 8/cm, at {worst[1]:.2f}/cm")
    energies.append("$energies using 1:2 with points pt 6 ps 0.7 lc rgb '#000000' title 'Comte-Bellot, Corrsin 1971'")
    draw(out, data + "set multiplot layout 1,2\nset logscale xy\nset format y '10^{%T}'\nset xrange [0.1:30]\nset yrange [1e-3:1e3]\n"
         "set key bottom left Left reverse samplen 2\nset xlabel 'wavenumber, 1/cm'\nset ylabel 'E, cm^3/s^2'\nplot " + ", ".join(shells)
         + "\nunset logscale x\nset format y '%g'\nset xrange [0:0.7]\nset yrange [50:1000]\nset key top right noreverse Right\n"
         "set xlabel 'time, s'\nset ylabel 'turbulent kinetic energy, cm^2/s^2'\nplot " + ", ".join(energies) + "\nunset multiplot\n", "1080,460")


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
        box = min(of_case(run, "lattice", "sites"))
        smallest = min(range(len(length)), key=lambda i: length[i])
        end = next((i for i in range(smallest, len(t)) if length[i] > box / 8), len(t))
        begin = next((i for i in range(smallest, end) if length[i] >= 1.25 * length[smallest]), end)
        data += block(f"run{n}", t[smallest:], length[smallest:])
        plots.append(line(f"run{n}", "1:2", label(run), n))
        if end - begin < 5:
            print(f"{label(run)}: too few sizes between {1.25 * length[smallest]:.3g} and {box / 8:.3g} for a fit")
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", choices=("taylor-green", "channel", "decay", "strain", "energy", "spectra", "grid", "growth", "plane"))
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
             "spectra": spectra, "grid": grid, "growth": growth}[o.figure](o.out, o.runs)
    except BadFile as e:
        print(f"flow_figures.py: error: {e}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
