"""Sentences that explain ratios: what bounds both sides of a comparison, and what their measured limits alone predict.

With limits L and times T, T_host / T_gpu = (L_host / L_gpu) * (fraction of limit of the GPU / that of the host), where the fraction
is L / T. The first factor is what the ceilings alone predict, the second how well each side uses its own."""
import re

from .analysis import fastest, limit_of, same_algorithm, speedup
from .text import percent, plural, printable, times

NEAR = 1.25  # two fractions of their limits that differ by less are called equal: limits are good to some percent each
BOUND = 0.6  # from this fraction of a limit on, the limit counts as the bound
FAR = 0.3  # below this fraction of its limit a run is bound by something that no ceiling here measures

_BOUND_BY = {"memory": "memory bandwidth", "cache": "the bandwidth of a cache", "link": "the host link", "arithmetic": "arithmetic"}
_RATIO_OF = {"memory": "memory bandwidths", "cache": "cache bandwidths", "link": "links", "arithmetic": "arithmetic rates"}


def predicted_ratio(base, now):
    """Returns how many times faster `now` would be than `base` if both ran at their limits, or None if either has no limit."""
    first, second = limit_of(base)[0], limit_of(now)[0]
    return first["time_s"] / second["time_s"] if first and second else None


def why(base, now, base_name, now_name):
    """Returns one sentence on why `now` is so many times as fast as `base` (both timed runs)."""
    (first, no_first), (second, no_second) = limit_of(base), limit_of(now)
    if not first and not second:
        return f"No measured ceiling bounds this work on {base_name} or on {now_name}: {_in_words(no_second or no_first)}."
    if not first or not second:
        limit, known, unknown, reason = ((second, now_name, base_name, no_first) if second
                                         else (first, base_name, now_name, no_second))
        start = (f"On {known} it is bound by {_BOUND_BY[limit['bound']]}, at {percent(limit['fraction'])} of that limit"
                 if limit["fraction"] >= BOUND else
                 f"On {known} the nearest limit is {_BOUND_BY[limit['bound']]}, of which it reaches {percent(limit['fraction'])}")
        return f"{start}; on {unknown} there is none to compare with ({_in_words(reason)})."
    fraction_base, fraction_now = first["fraction"], second["fraction"]
    predicted = first["time_s"] / second["time_s"]
    measured = speedup(base.execute, now.execute).value
    both = f"{percent(fraction_base)} of the limit on {base_name} and {percent(fraction_now)} on {now_name}"
    if max(fraction_base, fraction_now) < FAR:
        return (f"Far from the measured limits on both sides ({both}), so the ratio is not that of the ceilings, which alone would "
                f"give {times(predicted)}: latency, dependences, synchronisation or uncounted instructions decide.")
    close = max(fraction_base, fraction_now) / min(fraction_base, fraction_now) < NEAR
    if first["bound"] == second["bound"]:
        bound = first["bound"]
        start = (f"Bound by {_BOUND_BY[bound]} on both sides" if min(fraction_base, fraction_now) >= BOUND
                 else f"The nearest limit is {_BOUND_BY[bound]} on both sides")
        if close:
            at = (f"at {percent(fraction_base)} of the limit" if percent(fraction_base) == percent(fraction_now)
                  else f"with {both}")
            return f"{start}, {at}, so the ratio is that of the {_RATIO_OF[bound]}, {times(predicted)}."
        behind, ahead = (now_name, base_name) if fraction_now < fraction_base else (base_name, now_name)
        return (f"{start}, but with {both}: the {_RATIO_OF[bound]} alone give {times(predicted)}; the measured ratio is {times(measured)}, "
                f"because {behind} {_stays(behind)} farther below {_its(behind)} limit than {ahead}.")
    start = (f"The nearest limit is {_BOUND_BY[first['bound']]} on {base_name} and {_BOUND_BY[second['bound']]} on {now_name}, with "
             f"{both}")
    return f"{start}: the limits alone give {times(predicted)}; the measured ratio is {times(measured)}."


def _is_plural(name):
    return name.endswith("cores")


def _stays(name):
    return "stay" if _is_plural(name) else "stays"


def _its(name):
    return "their" if _is_plural(name) else "its"


def host_name(run):
    return "all cores" if run.device_kind == "cores" else "one core"


def why_problem(runs):
    """Returns the sentence for the runs of one problem: processor against GPU, else one core against all cores; "" where there is nothing to
    compare."""
    found = same_algorithm(runs)
    if found.ratio:
        return why(found.host, found.gpu, host_name(found.host), "the GPU")
    core, cores = fastest(runs, "core"), fastest(runs, "cores")
    if not core or not cores:
        return ""
    return f"{other_code(core, cores)} {why(core, cores, 'one core', 'all cores')}".strip()


def beyond_cores(core, cores):
    """Returns whether all cores gain more over one core than their number explains, by a tenth or more."""
    threads = cores.data["device"]["threads"]
    return bool(threads) and speedup(core.execute, cores.execute).value > 1.1 * threads


def other_code(core, cores):
    """Returns a sentence for a ratio of all cores over one that is larger than the number of threads: both variants are named with what they do,
    because the ratio is then not one of cores alone. Returns "" for any other ratio."""
    if not beyond_cores(core, cores):
        return ""

    def named(run):
        words = [run.data["variant"]["adds"], run.algorithm and f"algorithm {run.algorithm}",
                 run.data["variant"]["lineage"] and f"in the study: {run.data['variant']['lineage']}"]
        return printable(f"{run.variant} ({'; '.join(filter(None, words)) or 'the record does not describe it'})", 300)

    return (f"The ratio is more than the {plural(cores.data['device']['threads'], 'thread')} explain, since the two variants are different "
            f"code: {named(cores)} against {named(core)}. It compares code as well as cores.")


def _in_words(reason):
    """Returns a reason from a record, with a ceiling that was not measured in words."""
    missing = re.fullmatch(r"no ceiling (\w+\.\S+)", reason)
    return f"the ceiling {missing[1]} was not measured" if missing else reason


def end_to_end_sentence(runs):
    """Returns a sentence on the cost of end to end on the GPU if that is less than half as fast as execute; else ""."""
    execute, whole = same_algorithm(runs), same_algorithm(runs, "end_to_end_s")
    if not execute.ratio or not whole.ratio or whole.ratio.value > 0.5 * execute.ratio.value:
        return ""
    time = whole.gpu.phases
    share = 1 - min(1.0, time["execute_s"].median / time["end_to_end_s"].median)
    part = "more than 99 %" if share > 0.99 else percent(share)
    return (f"For a single call, end to end, it is {times(whole.ratio.value)} as fast: construction, allocation, transfers and the "
            f"cold start take {part} of the GPU's time.")
