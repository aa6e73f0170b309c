"""From which problem size on a device pays: two devices over one sweep of sizes. After the peak-based measures of Huebler, Larson,
Dennis and Voelz, Actionable reporting of CPU-GPU performance comparisons, Geosci. Model Dev. 19 (2026) 3783: where curves cross and
how far apart their peaks are, in place of one speed-up at a chosen size.

Between neighbouring sizes every time is taken as a power of the size, so that the logarithm of a ratio is linear in that of the size.
The interval of a ratio pairs the ends of the two 95 % intervals (analysis.Ratio). That of a crossing goes from where the upper ends
of the ratios cross 1 to where their lower ends do: it holds if those of the times do."""
import math
import statistics
from dataclasses import dataclass, field

from . import analysis, records
from .analysis import Ratio, fastest, fastest_on_host, merit, merit_of, same_algorithm, speedup
from .statistics import median_interval

MIN_SIZES = 3  # fewer say nothing of a curve
SMALLEST, LARGEST = 1e-30, 1e30  # of sizes and rates: what lies beyond was not measured, and no axis could show it
SIZE = "crossover"  # the named size that `speedwell crossover` measures


@dataclass(frozen=True)
class Crossing:
    """From which size on a ratio stays above 1. `kind`: "from" (`value` is interpolated), "always" (at every size measured), "never"
    (not at the largest). The crossing lies in `interval`: an end that is None is beyond the sizes measured, so that (last size, None)
    is never for sure, and (None, first size) always. Without `interval` some ratio has none.
    `changes`: how often the ratio passes 1."""

    kind: str
    value: float = None
    interval: tuple = None
    changes: int = 0


def crossing(sizes, ratios):
    """Returns the crossing of the ratios (analysis.Ratio) at ascending `sizes`: the last, if there are several."""
    values = [r.value for r in ratios]
    last = _last_rise(sizes, values)
    interval = None
    if all(r.interval for r in ratios):
        low, high = (_last_rise(sizes, [r.interval[end] for r in ratios]) for end in (1, 0))
        interval = (sizes[-1] if low is None else None if low == -math.inf else low, sizes[0] if high == -math.inf else high)
    changes = sum((a > 1) != (b > 1) for a, b in zip(values, values[1:]))
    if last is None:
        return Crossing("never", None, interval, changes)
    return Crossing("always", None, interval, changes) if last == -math.inf else Crossing("from", last, interval, changes)


def _last_rise(sizes, values):
    """Returns where values pass 1 upwards for the last time and stay above: -inf if all are above, None if the last is not."""
    if not values[-1] > 1:
        return None
    below = [i for i, value in enumerate(values) if not value > 1]
    if not below:
        return -math.inf
    i = below[-1]
    if values[i] <= 0:
        return sizes[i + 1]
    share = -math.log(values[i]) / (math.log(values[i + 1]) - math.log(values[i]))
    return between(sizes[i], sizes[i + 1], share)


def between(first, second, share):
    """Returns a point of a power law."""
    return math.exp((1 - share) * math.log(first) + share * math.log(second))


def at(sizes, values, size):
    """Returns `values` interpolated at a size within `sizes`."""
    for (a, b), (u, v) in zip(zip(sizes, sizes[1:]), zip(values, values[1:])):
        if a <= size <= b:
            return between(u, v, (math.log(size) - math.log(a)) / (math.log(b) - math.log(a)))
    return None


# --- how many solves an upload has to serve --------------------------------------------------------------------------


@dataclass(frozen=True)
class Time:
    """Seconds, and their 95 % interval or None."""

    value: float
    interval: tuple = None


@dataclass(frozen=True)
class Solves:
    """The device pays from `first` solves per upload on, or up to `last`; None: it does not, or without end. `interval` has the values
    of `first` at the ends of the intervals that favour it most and least, infinite where it does not pay."""

    first: int = None
    last: int = None
    interval: tuple = None


def overhead(run):
    """Returns the cost of one upload in addition to executing: end to end without its execute, which is the first and cold one, or where that was
    faster by chance than those after it, their median (docs/records.md)."""
    parts = [run.phases[name] for name in ("prepare_s", "allocate_s", "upload_s", "download_s") if name in run.phases]
    count = len(parts[0].by_pass) if parts else 0
    if not run.end_to_end or not count or any(len(part.by_pass) != count for part in parts):
        return None
    passes = [sum(values) for values in zip(*(part.by_pass for part in parts))]
    return Time(statistics.median(passes), median_interval(passes))


def solves(overhead_base, time_base, overhead_now, time_now):
    """Returns the smallest k with overhead_now + k time_now <= overhead_base + k time_base. Arguments are Time."""
    first, last = _solves(overhead_base.value, time_base.value, overhead_now.value, time_now.value)
    times = (overhead_base, time_base, overhead_now, time_now)
    if not all(t.interval for t in times):
        return Solves(first, last)
    (low_ob, high_ob), (low_tb, high_tb), (low_on, high_on), (low_tn, high_tn) = (t.interval for t in times)
    ends = (_solves(high_ob, high_tb, low_on, low_tn)[0], _solves(low_ob, low_tb, high_on, high_tn)[0])
    return Solves(first, last, tuple(math.inf if end is None else end for end in ends))


def _solves(overhead_base, time_base, overhead_now, time_now):
    gain, price = time_base - time_now, overhead_now - overhead_base
    if gain > 0:
        return max(1, math.ceil(price / gain * (1 - 1e-12))), None
    if price > gain:  # not even the first pays
        return None, None
    return 1, None if gain == 0 else math.floor(price / gain * (1 + 1e-12))


# --- a sweep of two devices ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    """One size that both devices have times of. `updates`: the work of one execute in the application's unit, or None."""

    size: float
    updates: float
    base: records.Run
    now: records.Run
    execute: Ratio
    end_to_end: Ratio  # or None
    solves: Solves  # or None


@dataclass(frozen=True)
class Peaks:
    """The best rates of both devices over all sizes, where they are, and their ratio."""

    ratio: Ratio
    base: Ratio  # a value with its interval
    now: Ratio
    base_size: float
    now_size: float
    unit: str
    reached: Crossing  # from which size on the device has at least the base's best rate


@dataclass
class Sweep:
    application: analysis.Application
    family: analysis.Family
    label: str
    points: list
    execute: Crossing
    end_to_end: Crossing  # or None
    peaks: Peaks  # or None
    rates: tuple  # (of the base, of the device): a Ratio or None at each point
    notes: list = field(default_factory=list)

    @property
    def parameter(self):
        """ "n", or of edges that grow together "nx = ny = nz"; the first where they differ from each other."""
        keys = self.family.sweep.split(", ")
        equal = all(len({p.now.data["problem"][key] for key in keys}) == 1 for p in self.points)
        return " = ".join(keys) if equal else keys[0]

    @property
    def sizes(self):
        return [p.size for p in self.points]

    @property
    def on_gpu(self):
        return self.points[-1].now.device_kind == "gpu"

    @property
    def update(self):
        return self.points[-1].now.data["work"]["update"]

    def updates_at(self, size):
        """The work at a size, if it is more to say than the size itself."""
        updates = [p.updates for p in self.points]
        if updates == self.sizes or not _grow(updates):
            return None
        return at(self.sizes, updates, size)


def sweeps(machine, application):
    """Returns the sweeps of an application for which two devices have runs: of the size that `speedwell crossover` measures, else every family of
    at least three sizes. They compare the GPU with the processor, or where that size has no run on a GPU, all cores with one; longest first."""
    own = [run for run in application.runs if run.data["size"] == SIZE]
    families = analysis.families(own, machine) if own else application.families
    found = [_sweep(application, family, _pair_of(family, bool(own))) for family in families if family.sweep]
    return sorted(filter(None, found), key=lambda s: -len(s.points))


def _pair_of(family, own):
    """Returns a function (runs, phase) -> (base, now): the fastest on each of the two devices in a phase."""
    if fastest(family.runs, "gpu"):
        def pair(runs, phase):
            found = same_algorithm(runs, phase)
            return (found.host, found.gpu)
    elif own:
        def pair(runs, phase):
            return fastest(runs, "core", False, phase), fastest(runs, "cores", False, phase)
    else:
        return None
    return pair


def _sweep(application, family, pair):
    if pair is None:
        return None
    points = [p for p in (_point(problem, pair) for problem in family.problems) if p]
    if len(points) < MIN_SIZES:
        return None
    sizes = [p.size for p in points]
    whole = [p.end_to_end for p in points]
    shared = {key for key in points[0].now.data["problem"] if key not in family.sweep.split(", ")}
    rates, peaks = _peaks(points)
    sweep = Sweep(application, family, records.label(points[0].now.data, set(points[0].now.data["problem"]) - shared), points,
                  crossing(sizes, [p.execute for p in points]), crossing(sizes, whole) if all(whole) else None, peaks, rates)
    sweep.notes = _notes(sweep, family, pair)
    return sweep


def _point(problem, pair):
    base, now = pair(problem.runs, "execute_s")
    if not base or not now or not SMALLEST < (problem.abscissa or 0) < LARGEST:
        return None
    whole_base, whole_now = pair(problem.runs, "end_to_end_s")
    whole = speedup(whole_base.end_to_end, whole_now.end_to_end) if whole_base and whole_now else None
    overheads = overhead(base), overhead(now)
    times = Time(base.execute.median, base.execute.interval), Time(now.execute.median, now.execute.interval)
    count = solves(overheads[0], times[0], overheads[1], times[1]) if all(overheads) else None
    return Point(problem.abscissa, now.data["work"]["updates"] or None, base, now, speedup(base.execute, now.execute), whole, count)


def _peaks(points):
    """Returns the rates of both sides in one unit, and the best of each."""
    runs = [run for p in points for run in (p.base, p.now)]
    name, unit = merit_of(runs)
    if name != "rate":  # bandwidths count what each variant moves: updates are the same on both sides
        name, unit = "updates_per_s", f"{points[-1].now.data['work']['update']}s/s"
    sides = tuple([merit(run, name) for run in side] for side in ([p.base for p in points], [p.now for p in points]))
    if not _grow([p.updates for p in points]) or not all(rate and SMALLEST < rate.value < LARGEST for side in sides for rate in side):
        return sides, None
    best = [max(range(len(side)), key=lambda i: side[i].value) for side in sides]
    base, now = (Ratio(side[i].value, _interval_of_maximum(side)) for side, i in zip(sides, best))
    ends = (now.interval[0] / base.interval[1], now.interval[1] / base.interval[0]) if base.interval and now.interval else None
    over_peak = [Ratio(r.value / base.value, (r.interval[0] / base.interval[1], r.interval[1] / base.interval[0])
                       if r.interval and base.interval else None) for r in sides[1]]
    sizes = [p.size for p in points]
    return sides, Peaks(Ratio(now.value / base.value, ends), base, now, sizes[best[0]], sizes[best[1]], unit, crossing(sizes, over_peak))


def _grow(updates):
    """Returns whether the work is a measure of the size: of transfers it is one operation, however long."""
    return all(updates) and all(a < b for a, b in zip(updates, updates[1:]))


def _interval_of_maximum(rates):
    """Returns an interval that contains the largest true rate if every rate's interval contains its own."""
    if not all(rate.interval for rate in rates):
        return None
    return max(rate.interval[0] for rate in rates), max(rate.interval[1] for rate in rates)


def _notes(sweep, family, pair):
    """Returns the notes that a reader needs to interpret the numbers."""
    from .text import percent, plural
    total = len(sweep.points)
    notes = []
    sizes = set(sweep.sizes)
    missing = [p.abscissa for p in family.problems if p.abscissa not in sizes]
    if missing:
        names = ", ".join(f"{x:.12g}" for x in missing)
        notes.append(f"{sweep.parameter} = {names}: not on both devices, so left out.")
    few = [p for p in sweep.points if not p.execute.interval]
    if few:
        passes = min(min(p.base.execute.passes, p.now.execute.passes) for p in few)
        notes.append(f"No interval of a crossing: {plural(len(few), 'size')} of {total} {'has' if len(few) == 1 else 'have'} fewer than 6 passes "
                     f"({passes} at least); a larger --budget makes more passes.")
    for what, changes in (("execute", sweep.execute), ("end to end", sweep.end_to_end)):
        if changes and changes.changes > 1:
            notes.append(f"The curves of {what} cross {changes.changes} times: the last crossing counts.")
    runs = [run for p in sweep.points for run in (p.base, p.now)]
    busy = [run.others for run in runs if run.busy]
    if busy:
        notes.append(f"busy: other processes used up to {percent(max(busy))} of the processors during {plural(len(busy), 'run')} of {len(runs)}: "
                     "times of the processor are too long there.")
    throttled = sum(1 for run in runs if run.data["throttled"])
    if not any(p.solves for p in sweep.points):
        notes.append("No solves per upload: these records do not hold construction, allocation and transfers pass by pass.")
    if throttled:
        notes.append(f"throttled: {plural(throttled, 'run')} of {len(runs)} had samples taken while the device was slowed down.")
    return notes
