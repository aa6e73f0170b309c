"""Statistics of repeated measurements: the variation between sessions, and the certainty of a change.

Times are compared as logarithms, so that a difference is a ratio. Samples of one pass share its state of the machine, and passes of
one session share that of the session: the unit of a test is the session where there are several, else the pass."""
import math

import numpy
from scipy import special, stats


def benjamini_hochberg(p_values):
    """Returns adjusted p-values, each of which may be compared with a rate of false discoveries, in the given order: Benjamini and Hochberg,
    Journal of the Royal Statistical Society B 57 (1995) 289. If nothing changed, that rate is the chance of any discovery."""
    p = numpy.asarray(p_values, float)
    order = numpy.argsort(p, kind="stable")
    corrected = numpy.empty_like(p)
    scaled = p[order] * len(p) / numpy.arange(1, len(p) + 1)
    corrected[order] = numpy.minimum(1.0, numpy.minimum.accumulate(scaled[::-1])[::-1])
    return corrected


def moderated_variances(variances, degrees):
    """Shrinks sample variances towards the variance that all rows have in common and returns (variances, degrees), where the degrees of freedom
    include those gained: the empirical Bayes estimate of Smyth, Statistical Applications in Genetics and Molecular Biology 3 (2004), article 3.
    With fewer than three rows there is nothing in common to estimate, and both are returned unchanged."""
    variances, degrees = numpy.asarray(variances, float), numpy.asarray(degrees, float)
    known = (degrees > 0) & (variances > 0)
    if known.sum() < 3:
        return variances, degrees
    half = degrees[known] / 2
    centred = numpy.log(variances[known]) - special.digamma(half) + numpy.log(half)
    # Rows differ in their degrees of freedom; each counts by the precision of its logarithm.
    weights = 1 / special.polygamma(1, half)
    mean = numpy.average(centred, weights=weights)
    spread = numpy.average((centred - mean) ** 2, weights=weights) * known.sum() / (known.sum() - 1)
    excess = spread - numpy.average(special.polygamma(1, half), weights=weights)
    if excess > 0:
        prior_degrees = 2 * _inverse_trigamma(excess)
        prior = math.exp(mean + special.digamma(prior_degrees / 2) - math.log(prior_degrees / 2))
    else:  # rows do not differ by more than their own uncertainty
        prior_degrees, prior = 1000.0, math.exp(mean)
    moderated = (prior_degrees * prior + degrees * numpy.where(degrees > 0, variances, 0)) / (prior_degrees + degrees)
    return moderated, degrees + prior_degrees


def _inverse_trigamma(value):
    """Returns x with trigamma(x) = value > 0, by Newton's method on 1 / trigamma, which is nearly linear."""
    if value > 1e7:
        return 1 / math.sqrt(value)
    if value < 1e-6:
        return 1 / value
    x = 0.5 + 1 / value
    for _ in range(50):
        slope = special.polygamma(2, x)
        trigamma = special.polygamma(1, x)
        step = trigamma * (1 - trigamma / value) / slope
        x += step
        if abs(step) < 1e-10 * x:
            break
    return float(x)


def fit_t(values):
    """Returns (scale, degrees) of Student's t about zero, by maximum likelihood over a grid of degrees from 1 (heavy tails) to 100 (normal). The
    scale is that of the t distribution, less than a standard deviation."""
    deviations = numpy.asarray(values, float)
    start = 1.4826 * float(numpy.median(numpy.abs(deviations)))
    if not start > 0:
        return 0.0, 100.0
    best = None
    for degrees in (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 30.0, 100.0):
        scale = start
        for _ in range(60):  # expectation-maximisation of the scale: each value counts by its weight under the last one
            weights = (degrees + 1) / (degrees + (deviations / scale) ** 2)
            scale = math.sqrt(float(numpy.mean(weights * deviations**2)))
        likelihood = float(stats.t.logpdf(deviations, degrees, scale=scale).sum())
        if best is None or likelihood > best[0]:
            best = (likelihood, scale, degrees)
    return best[1], best[2]


def variance_of_median(variance, count):
    """Returns the variance of the median of `count` normal values: that of the mean, times pi / 2 from three values on (the asymptotic factor,
    which is slightly too large for few values)."""
    return variance / count * (math.pi / 2 if count > 2 else 1.0)


def median_interval(values):
    """Returns the 95 % interval of the median from order statistics, as the program computes it, or None below six values."""
    ordered = sorted(values)
    rank = int(stats.binom.ppf(0.025, len(ordered), 0.5)) if ordered else 0
    if rank < 1:
        return None
    return ordered[rank - 1], ordered[-rank]


def two_sided(t, degrees):
    """Returns the two-sided p-value of Student's t."""
    return 2 * stats.t.sf(numpy.abs(t), degrees)


def t_quantile(probability, degrees):
    return stats.t.ppf(probability, degrees)
