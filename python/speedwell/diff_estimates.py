"""Estimates for the comparison of two sets of records: intervals and p-values of rows by several sessions or by passes, and what other
processes may have cost."""
import math

import numpy

from .statistics import fit_t, moderated_variances, t_quantile, two_sided, variance_of_median

DEFAULT_SPREAD = 0.015  # of the median of one session: two suites on one H200 and 16 shared threads differed by this on the GPU
# The spread between two sessions is estimated from so many rows at least. The standard error of the estimate, 1.4826 times the median of absolute
# differences, is 1.17 / sqrt(n) of it: 32 % of 13 rows. With fewer rows, the GUARD below would hold back every difference, since the
# quantile of n rows lies (n - 1) GUARDED_SHARE of the way from the largest to the second largest: at a third or more only from 13 rows on.
ROWS_FOR_A_SPREAD = 13
FEW_ROWS_DEGREES = 3.0  # of the t distribution assumed for them: heavy tails, which cannot be told from one changed row by so few
ROWS_FOR_TAILS = 40  # from so many on the tails are estimated as well, by maximum likelihood
GUARDED_SHARE, GUARD = 0.03, 1.5  # of one session a side: a row has changed only if 97 % of the rows differ by less than that / 1.5


def allowance(run):
    """Returns the logarithm of the factor by which other processes may have lengthened a time: at least by the fraction of all processors that they
    had, and by up to two where all of it fell on one processor that the run waited for, whose time two threads share."""
    if not run.busy:
        return 0.0
    threads = run.document.machine["cpu"]["threads"] or 1
    lost = max(run.others, min(0.5, run.others * threads))
    return -math.log(1 - min(lost, 0.95))


def identical(timed, timed_now, phase):
    """Returns whether both sides hold the same samples: of the same sessions, or so many that it is no chance."""
    samples, samples_now = (sorted(r.data["phases"][phase]["samples"] for r in side) for side in (timed, timed_now))
    sessions, sessions_now = ({(r.document.started, r.document.session.get("command_line")) for r in side} for side in (timed, timed_now))
    return samples == samples_now and (sessions == sessions_now or min(map(len, samples)) >= 5)


def _finish(row, difference, variance, degrees):
    error = math.sqrt(variance)
    half = float(t_quantile(0.975, degrees)) * error
    row.interval = (math.exp(difference - half - row.allowance[1]), math.exp(difference + half + row.allowance[0]))
    row.p = float(two_sided(row.difference / error, degrees))


def by_sessions(rows, pairs, phase, known):
    """Tests with sessions as samples: a t-test of their logarithms whose variances are moderated by all rows of this kind of device."""
    variances, degrees = [], []
    for sides in pairs:
        logs = [[math.log(r.phases[phase].median) for r in side] for side in sides]
        free = sum(len(side) - 1 for side in logs)
        squares = sum(numpy.var(side) * len(side) for side in logs)
        variances.append(squares / free)
        degrees.append(free)
    moderated, gained = moderated_variances(variances, degrees)
    for row, sides, variance, free in zip(rows, pairs, moderated, gained):
        variance = max(variance, known**2 if known else 0.0)
        means = [numpy.mean([math.log(r.phases[phase].median) for r in side]) for side in sides]
        row.base_s, row.next_s = (math.exp(mean) for mean in means)
        row.ratio = math.exp(means[1] - means[0])
        if variance > 0:
            _finish(row, math.log(row.ratio), variance * sum(1 / len(side) for side in sides), free)
        else:
            row.note = "all times of a side are equal"
    return known or float(math.sqrt(numpy.median(moderated)))


def _clock_step(run, phase):
    """Returns the smallest difference between samples, in seconds: for times of some ten nanoseconds it is set by the clock."""
    samples = sorted(set(run.data["phases"][phase]["samples"]))
    return min((b - a for a, b in zip(samples, samples[1:])), default=0.0)


def by_passes(rows, pairs, phase, known, one_device=True):
    """Tests with one session on each side: the passes give the variance within a session, the spread of all rows the variance between. Of two
    models of device (not `one_device`) the rows differ by what these do, and sessions are taken to differ by DEFAULT_SPREAD."""
    variances, degrees, counts, steps = [], [], [], []
    for sides in pairs:
        logs = [[math.log(x) for x in side[0].phases[phase].by_pass if x > 0] for side in sides]
        free = sum(max(0, len(side) - 1) for side in logs)
        squares = sum(numpy.var(side) * len(side) for side in logs if side)
        variances.append(squares / free if free else 0.0)
        degrees.append(free)
        counts.append([max(1, len(side)) for side in logs])
        steps.append(sum((_clock_step(side[0], phase) / side[0].phases[phase].median) ** 2 for side in sides))
    moderated, gained = moderated_variances(variances, degrees)
    within = numpy.array([sum(variance_of_median(v, n) for n in count) + step for v, count, step in zip(moderated, counts, steps)])
    differences = numpy.array([math.log(row.ratio) for row in rows])
    spread_degrees, least = 100.0, 0.0
    if known:
        between, source = 2 * known**2, "given"
    elif not one_device:
        between, source = 2 * DEFAULT_SPREAD**2, "assumed: rows on two models of device differ by what these do"
    elif len(rows) >= ROWS_FOR_A_SPREAD:
        quiet = numpy.array([not any(row.busy) for row in rows])
        used = quiet if quiet.sum() >= ROWS_FOR_A_SPREAD else numpy.ones(len(rows), bool)
        # What disturbs a session disturbs some rows far more than others: heavy tails, so the degrees are estimated too.
        if used.sum() >= ROWS_FOR_TAILS:
            scale, spread_degrees = fit_t(differences[used])
        else:
            scale, spread_degrees = 1.4826 * float(numpy.median(numpy.abs(differences[used]))), FEW_ROWS_DEGREES
        between = max(0.0, scale**2 - float(numpy.median(within[used])))
        # Two sessions cannot tell a row that was disturbed from one that changed: what no more rows than these do is the rest.
        least = GUARD * float(numpy.quantile(numpy.abs(differences[used]), 1 - GUARDED_SHARE))
        source = f"from the spread of {used.sum()} rows"
    else:
        between, source = 2 * DEFAULT_SPREAD**2, f"assumed: fewer than {ROWS_FOR_A_SPREAD} rows and one session on each side"
    for row, difference, inside, free in zip(rows, differences, within, gained):
        variance = inside + between
        if variance > 0:  # Satterthwaite's degrees of freedom of the sum
            total = (inside**2 / free if free else 0.0) + between**2 / spread_degrees
            _finish(row, float(difference), variance, variance**2 / total if total > 0 else spread_degrees)
            row.guarded = abs(row.difference) < least
        else:
            row.note = "all passes of both sides are equal"
    return math.sqrt(between / 2), source
