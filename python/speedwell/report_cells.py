"""Cells and rows of the report's tables: {"text", "small", "hint", "sort"} each."""
import re

from markupsafe import Markup

from . import analysis, problem_text, records
from .analysis import best_against_best, fastest, limit_of, same_algorithm, speedup
from .text import DASH, digits, interval, percent, plural, seconds, seconds_interval, times


def cell(text, small="", hint="", sort=None):
    small = re.sub(r"(\[[^\[\],]+,) ([^\[\],]+\])", "\\1\u00a0\\2", small)  # an interval stays on one line
    return {"text": text, "small": small, "hint": hint, "sort": sort}


def missing(hint):
    return cell(DASH, hint=hint)


def mark_of(run, stale=()):
    """Returns the marks that qualify a figure: too few passes, a busy machine, older sources, local changes."""
    marks = [f"n\u00a0=\u00a0{run.execute.passes}"] if run.execute and run.execute.passes < analysis.PUBLISHED_PASSES else []
    if run.busy:
        marks.append(f"busy\u00a0{percent(run.others).replace(' ', chr(0xa0))}")
    text = " " + ", ".join(marks) if marks else ""
    return text + (" †" if id(run) in stale else "") + (" ‡" if run.document.build["dirty"] else "")


def time_cell(run, phase="execute_s", stale=()):
    found = run.phases.get(phase)
    if not found:
        return missing("this variant has no such phase" if run.timed else run.reason or "not timed")
    small = seconds_interval(found.median, found.interval) if phase == "execute_s" or found.interval else ""
    hint = (f"{plural(found.samples, 'sample')} in {plural(found.passes, 'pass', 'passes')}: 5 % below {seconds(found.p5)}, 95 % below "
            f"{seconds(found.p95)}")
    if phase == "execute_s":
        small = (small + mark_of(run, stale)).strip()
    elif run.execute and found.median < run.execute.median:
        small = (small + " below execute").strip()
        hint = "it is below execute, because the two are medians of different samples; " + hint
    return cell(seconds(found.median, 4 if found.interval else 3), small, hint, found.median)


def ratio_cell(ratio, reason=""):
    if not ratio:
        return missing(reason or "needs a passing run on both")
    hint = "" if ratio.interval else "no interval: one of the two has fewer than 6 passes"
    return cell(times(ratio.value), interval(ratio.interval), hint, ratio.value)


def limit_cell(run):
    limit, reason = limit_of(run)
    if not limit:
        return missing(reason)
    value = limit.get("ceiling_value")
    hint = f"the least time is {seconds(limit['time_s'])} by {limit['ceiling']}"
    if value:
        hint += f", {digits(value)} {limit['ceiling_unit']}"
    return cell(percent(limit["fraction"]), limit["bound"], hint, limit["fraction"])


def rate_cell(run):
    name, unit = analysis.merit_of([run])
    value = analysis.merit(run, name)
    if not value or name == "time":
        return missing("no rate says anything about it")
    return cell(f"{digits(value.value)} {unit}", sort=value.value)


def energy_text(run):
    joules = run.data["energy"]["execute_J"] if run else None
    return f"{digits(joules)} J" if joules is not None else None


def verdict_text(run):
    verdict = run.data["verdict"]
    if not verdict:
        return run.reason
    error, tolerance = (digits(v) if v is not None else "not finite" for v in (verdict["error"], verdict["tolerance"]))
    return f"error {error}, tolerance {tolerance}; {verdict['oracle']}" + (f"; {run.reason}" if run.reason else "")


def verdict_cell(run):
    small = []
    if run.data["throttled"]:
        small.append("throttled")
    if run.data["cache_resident"] and run.timed:
        small.append("data < 4 × last cache")
    text = {"passed": "✓ ok", "failed": "✗ FAILED", "error": "✗ error", "skipped": "skipped"}[run.status]
    if run.status in ("failed", "error"):
        small.append(verdict_text(run))
    return cell(text, "; ".join(small), verdict_text(run))


VARIANTS = (("variant", "Variant"), ("device", "Device"), ("execute", "Execute, median"), ("end_to_end", "End to end"), ("rate", "Rate"),
             ("limit", "Of limit"), ("prediction", "Predicted / measured"), ("energy", "Energy"), ("core_ratio", "Over one core"),
             ("cores_ratio", "Over all cores"), ("whole_ratio", "End to end over all cores"), ("verdict", "Verdict"))
_DEVICES = {"core": "one core", "cores": "all cores", "gpu": "GPU"}


def device_text(run):
    threads = run.data["device"]["threads"]
    if run.device_kind == "cores" and threads:
        named = re.match(r"\d+ (?:cores?|threads on \d+ cores?)(?= of )", run.device)
        return named[0] if named else plural(threads, "thread")
    ranks = (run.data.get("ranks") or {}).get("count")
    gpus = {p.get("gpu") for p in (run.data.get("ranks") or {}).get("placement", [])} - {None}
    if ranks and ranks == len(gpus):
        return "GPU" if ranks == 1 else f"{ranks} GPUs"
    return _DEVICES[run.device_kind] + (f", {ranks} ranks" if ranks else "")


def variant_row(run, runs, stale):
    core, cores = fastest(runs, "core"), fastest(runs, "cores")
    whole = fastest(runs, "cores", phase="end_to_end_s")

    def over(base, phase):
        if not run.timed or not base:
            return missing("not timed" if not run.timed else "nothing to compare with passed")
        if base is run:
            return cell("1×", hint="the others are compared with this one", sort=1)
        return ratio_cell(speedup(base.phases.get(phase), run.phases.get(phase)))

    variant = run.data["variant"]
    small = [variant["adds"]] if variant["adds"] else []
    if run.role == "peer":
        small.insert(0, "library")
    if variant["lineage"]:
        small.append(f"in the study: {variant['lineage']}")
    prediction = run.data.get("prediction") or {}
    energy = energy_text(run)
    return {
        "variant": cell(run.variant, "; ".join(small)), "device": cell(device_text(run), hint=run.device),
        "execute": time_cell(run, "execute_s", stale), "end_to_end": time_cell(run, "end_to_end_s"), "rate": rate_cell(run) if run.timed
        else missing("not timed"), "limit": limit_cell(run),
        "prediction": cell(digits(prediction["ratio"]), prediction["model"], "", prediction["ratio"]) if prediction.get("ratio")
        else missing(run.data.get("prediction_reason") or "the application has no model of it"),
        "energy": cell(energy, hint=run.data["energy"]["source"] or "", sort=run.data["energy"]["execute_J"]) if energy
        else missing(run.data["energy_reason"] or "not measured"),
        "core_ratio": over(core, "execute_s"), "cores_ratio": over(cores, "execute_s"), "whole_ratio": over(whole, "end_to_end_s"),
        "verdict": verdict_cell(run), "bad": run.status in ("failed", "error"),
    }


def problem_words(labels, problem):
    """Returns the parameters that distinguish a problem from the others of its application, or where it is the only one a short description."""
    return labels.distinct(problem) or problem_text.short(problem.first.data)


def other_rows(problem, labels, stale):
    rows = []
    for run in problem.runs:
        if run.status == "skipped":
            continue
        rows.append([problem_words(labels, problem), run.variant, device_text(run), time_cell(run, "execute_s", stale), time_cell(run, "end_to_end_s"),
                     rate_cell(run) if run.timed else missing("not timed"), limit_cell(run), verdict_cell(run)])
    return rows


def summary_row(application, problem, labels, stale):
    runs = problem.runs
    execute, whole, best = same_algorithm(runs), same_algorithm(runs, "end_to_end_s"), best_against_best(runs)
    gpu = execute.gpu
    core, cores = fastest(runs, "core"), fastest(runs, "cores")

    def device(run, kind):
        if run:
            marks = mark_of(run, stale).strip()
            return cell(seconds(run.execute.median), f"{run.variant} ({marks})" if marks else run.variant, run.device, run.execute.median)
        reason = next((r.reason for r in runs if r.device_kind == kind and r.reason), "no variant for it")
        return missing(reason)

    if gpu or not (core and cores):
        ratio, whole_ratio = execute.ratio, whole.ratio
    else:
        ratio, whole_ratio = speedup(core.execute, cores.execute), speedup(core.end_to_end, cores.end_to_end)
    energies = [energy_text(run) for run in (execute.host, gpu)]
    ratios = (best.ratio and (best.host is not execute.host or best.gpu is not execute.gpu))
    return {
        "application": application.name, "problem": problem_words(labels, problem), "full": records.label(problem.first.data),
        "core": device(core, "core"), "cores": device(cores, "cores"), "gpu": device(gpu, "gpu"),
        "execute": ratio_cell(ratio, "needs a passing run of one algorithm on both devices"), "end_to_end": ratio_cell(whole_ratio),
        "best": cell(times(best.ratio.value), f"{best.gpu.variant} / {best.host.variant}", "", best.ratio.value) if ratios
        else missing("the same two variants, or nothing to compare"),
        "host_limit": limit_cell(execute.host) if execute.host else missing("no passing run"),
        "gpu_limit": limit_cell(gpu) if gpu else missing("no passing run"),
        "energy": cell(" / ".join(e or DASH for e in energies)) if any(energies) else missing("no energy was measured"),
        "bad": any(r.status in ("failed", "error") for r in application.runs),
    }


def figure(title, found):
    svg, note = found
    return {"title": title, "svg": Markup(svg), "note": note}
