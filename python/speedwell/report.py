"""Makes one self-contained HTML page from records, with its plots: per machine the answer, one row per application, a section per application that
begins with the question, and the machine. It works without script and prints on some fifteen pages."""
import base64
import copy
import gzip
import hashlib
import json
import shlex
import statistics

from markupsafe import Markup, escape

from . import analysis, crossover_text, explain, records
from .analysis import best_against_best, fastest, fastest_on_host, headline_family, limit_of, same_algorithm, speedup
from .compare import compare_machines
from .page_template import asset, environment
from .plots import Plots
from .report_cells import VARIANTS, figure, other_rows, problem_words, summary_row, variant_row, verdict_text
from .report_machine import build_facts, ceiling, commits, cpu_facts, gpu_facts, rooflines, sessions
from .samples import keep_medians
from .table_cells import STALE_LIMITS
from .text import DASH, interval, joined, percent, plural, printable, seconds, times

MAX_BYTES = 5_000_000
_STATUS_WORDS = (("passed", "ok"), ("failed", "FAILED"), ("error", "in error"), ("skipped", "skipped"))


def render(documents, title="Speedwell report", apart=False, max_bytes=MAX_BYTES):
    """Returns the page. Everything that it leaves out to stay below `max_bytes` is named in it, in this order: the samples in the embedded records,
    the embedded records, the tables of the smaller problems, their curves."""
    machines = analysis.by_machine(documents, apart)
    plotted = [_machine_view(machine, Plots(), f"m{n}-" if len(machines) > 1 else "")
               for n, machine in enumerate(machines, 1)]
    sizes = []
    for detail in (_Detail(), _Detail(samples=False), _Detail(embed=False), _Detail(embed=False, others=False),
                   _Detail(embed=False, others=False, curves=False)):
        page = _page(documents, machines, plotted, title, detail)
        sizes.append(len(page.encode("utf-8", "replace")))
        if sizes[-1] <= max_bytes:
            break
    return page


class _Detail:
    def __init__(self, samples=True, embed=True, others=True, curves=True):
        self.samples, self.embed, self.others, self.curves = samples, embed, others, curves

    @property
    def notes(self):
        left_out = []
        if self.embed and not self.samples:
            left_out.append("single samples in the embedded records (medians of passes are there)")
        if not self.embed:
            left_out.append("the embedded records")
        if not self.others:
            left_out.append("the tables of the smaller problems")
        if not self.curves:
            left_out.append("the curves of all but the headline problems")
        return left_out


# --- the page --------------------------------------------------------------------------------------------------------


def _page(documents, machines, views, title, detail):
    script = asset("report.js")
    digest = base64.b64encode(hashlib.sha256(str(script).encode()).digest()).decode()
    return environment().get_template("report.html.j2").render(
        title=title, style=asset("style.css"), script=script, script_digest=Markup(digest), machines=views, detail=detail,
        left_out=joined(detail.notes), versus=_versus(machines), failures=_failures(documents, machines), failed_commands=_failed_commands(documents),
        embedded=_embedded(documents, detail.samples) if detail.embed else None, described=records.describe(documents),
        schema=records.SCHEMA)


def _embedded(documents, samples):
    """Returns the records as base64 of gzip of JSON lines. Without samples, each phase holds the medians of its passes instead."""
    lines = []
    for document in documents:
        content = document.content
        if not samples:
            content = copy.deepcopy(content)
            for measured in (content.get("machine") or {}).get("ceilings", []):
                measured["samples"] = []
            keep_medians(content)
        lines.append(json.dumps(content, ensure_ascii=False, separators=(",", ":")))
    data = gzip.compress(("\n".join(lines) + "\n").encode("utf-8", "surrogatepass"), 9, mtime=0)
    return Markup(base64.b64encode(data).decode())


def _failures(documents, machines):
    """Returns the runs without a verified result, from all sessions."""
    shown = {id(run) for machine in machines for run in machine.runs}
    return [{"run": run, "old": id(run) not in shown, "verdict": verdict_text(run)}
            for document in documents for run in document.runs if run.status in ("failed", "error")]


def _failed_commands(documents):
    return [{"command": d.session.get("command_line", ""), **d.error} for d in documents if d.error]


def _versus(machines):
    """Returns the comparison of several machines, which comes first on the page."""
    if len(machines) < 2:
        return None
    return compare_machines(machines)


# --- one machine -----------------------------------------------------------------------------------------------------


def _machine_view(machine, plots, prefix):
    runs = machine.runs
    applications = [_application_view(a, machine, plots, f"{prefix}{n}") for n, a in enumerate(machine.applications, 1)]
    rows = [a["row"] for a in applications]
    return {
        "machine": machine, "name": machine.name, "prefix": prefix, "facts": _header_facts(machine), "tiles": _tiles(machine),
        "span": _span(machine), "applications": applications,
        "columns": [(key, name) for key, name in _SUMMARY if any(row[key]["text"] not in ("", DASH) for row in rows)],
        "has_gpu_ratio": any(a["ratio"] for a in applications), "rooflines": rooflines(machine, plots),
        "cpu": cpu_facts(machine), "gpus": [gpu_facts(machine, gpu) for gpu in machine.gpus],
        "gpu_reason": machine.latest.machine["gpu_reason"], "ceilings": [ceiling(c) for c in machine.ceilings.values()],
        "build": build_facts(machine), "sessions": sessions(machine), "marks": _marks(machine, runs),
    }


_SUMMARY = (("core", "One core"), ("cores", "All cores"), ("gpu", "GPU"), ("execute", "Speed-up, execute"),
            ("end_to_end", "Speed-up, end to end"), ("best", "Best against best"), ("host_limit", "Of limit, processor"),
            ("gpu_limit", "Of limit, GPU"), ("energy", "Energy, processor / GPU"))


def _header_facts(machine):
    latest = machine.latest
    dates = sorted({d.started[:10] for d in machine.documents if d.started})
    built_from = commits(machine)
    return {
        "date": " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "date unknown",
        "host": latest.host or f"machine {latest.machine['id']}",
        "version": latest.build["version"], "commit": joined(built_from) if built_from else "commit unknown",
        "command": latest.session["command_line"], "sessions": len(sessions(machine)),
    }


def _tiles(machine):
    """Returns tiles such as "295 of 295 runs that can run here passed" and "806 for a GPU, not run: built without CUDA"."""
    runs = machine.runs
    counts = {status: [r for r in runs if r.status == status] for status, _ in _STATUS_WORDS}
    can = len(runs) - len(counts["skipped"])
    gpu = [r for r in counts["skipped"] if r.needs_gpu and not machine.gpus]
    other = len(counts["skipped"]) - len(gpu)
    tiles = [{"value": f"{len(counts['passed'])} of {can}", "text": "runs that can run here passed", "bad": False}]
    bad = len(counts["failed"]) + len(counts["error"])
    if bad:
        tiles.append({"value": str(bad), "text": "failed", "bad": True})
    reasons = list(dict.fromkeys(r.reason for r in gpu if r.reason))
    if gpu:
        why = printable(reasons[0], 100) if len(reasons) == 1 else f"{len(reasons)} reasons" if reasons else "no reason was recorded"
        tiles.append({"value": str(len(gpu)), "text": f"for a GPU, not run: {why}", "bad": False})
    if other:
        tiles.append({"value": str(other), "text": "have no such variant or part here", "bad": False})
    return tiles


def _span(machine):
    """Returns text such as "between 1.3× and 45×", over the largest problem of each family."""
    values = {phase: [] for phase in ("execute_s", "end_to_end_s")}
    cores, beyond, busy = [], 0, 0
    for application in machine.applications:
        for family in application.families:
            for phase, found in values.items():
                ratio = same_algorithm(family.largest.runs, phase).ratio
                if ratio:
                    found.append(ratio.value)
            compared = same_algorithm(family.largest.runs)
            one, all_cores = fastest(family.largest.runs, "core"), fastest(family.largest.runs, "cores")
            if one and all_cores:
                cores.append(speedup(one.execute, all_cores.execute).value)
                beyond += explain.beyond_cores(one, all_cores)
            enters = [compared.host] if compared.ratio else [one, all_cores] if one and all_cores else []
            busy += any(run.busy for run in enters)

    def between(found):
        text = times(found[0]) if len(found) == 1 else f"between {times(min(found))} and {times(max(found))}"
        return text + (f" (half of them above {times(statistics.median(found))})" if len(found) > 3 else "")

    execute, whole = values["execute_s"], values["end_to_end_s"]
    disturbed = (f" {busy} of these {plural(len(execute or cores), 'problem')} {'was' if busy == 1 else 'were'} measured while other processes "
                 "used the processor (marked busy), so that these ratios are less certain." if busy else "")
    if execute:
        text = f"On {plural(len(execute), 'problem')} the GPU executes {between(execute)} as fast as the processor"
        return text + (f"; with construction, allocation and transfers, {between(whole)}." if whole else ".") + disturbed
    if cores:
        reason = printable(machine.latest.machine["gpu_reason"] or "", 100)
        return (f"There is no GPU in these records{f' ({reason})' if reason else ''}. On {plural(len(cores), 'problem')} all cores execute "
                f"{between(cores)} as fast as one." + (f" In {beyond} of them the gain is larger than the number of threads, since the variant of "
                "all cores is different code (vectors, another algorithm) from the serial one." if beyond else "") + disturbed)
    return ""


def _marks(machine, runs):
    """Returns the notes that hold for many figures, each of which is printed once."""
    stale = analysis.stale_runs(machine)
    few = sum(1 for r in runs if r.timed and r.execute.passes < analysis.PUBLISHED_PASSES)
    dirty = sum(1 for r in runs if r.timed and r.document.build["dirty"])
    marks = []
    if len(machine.cards) > 1:
        marks.append(f"The runs were made on {len(machine.cards)} GPUs of one kind, which differ by some percent; of a run that several made "
                     "the latest counts. --apart makes each card a machine.")
    if machine.superseded:
        marks.append(f"{plural(len(machine.superseded), 'older record')} of the same runs {'is' if len(machine.superseded) == 1 else 'are'} "
                     "not shown: the latest session counts.")
    if few:
        marks.append(f"n = …: measured in fewer than {analysis.PUBLISHED_PASSES} passes ({few} runs).")
    busy = [r.others for r in runs if r.busy]
    if busy:
        marks.append(f"busy …: other processes used so much of the processors meanwhile, up to {percent(max(busy))} ({plural(len(busy), 'run')}): "
                     "these times are too long, and speed-ups over them too large.")
    if stale:
        marks.append(f"†: measured with older sources than the newest record of the same application ({len(stale)} runs); {STALE_LIMITS}.")
    if dirty:
        marks.append(f"‡: measured with local changes to the sources ({dirty} runs).")
    return marks


# --- one application -------------------------------------------------------------------------------------------------


def question(application, has_gpu):
    title = application.title or application.name
    return f"{title}: what does {'a GPU' if has_gpu else 'the whole processor'} do?"


def answer(runs):
    """Returns one sentence on the result for the runs of a problem."""
    execute, whole = same_algorithm(runs), same_algorithm(runs, "end_to_end_s")
    if execute.ratio:
        ends = f" {interval(execute.ratio.interval)}" if execute.ratio.interval else ""
        text = (f"The GPU executes it {times(execute.ratio.value)}{ends} as fast as {execute.host.device} "
                f"({seconds(execute.gpu.execute.median)} against {seconds(execute.host.execute.median)})")
        return text + (f"; end to end it is {times(whole.ratio.value)}." if whole.ratio else ".") + _disturbed(execute.host)
    core, cores = fastest(runs, "core"), fastest(runs, "cores")
    if core and cores:
        ratio = speedup(core.execute, cores.execute)
        code = f" with other code: {cores.variant} against {core.variant}" if explain.beyond_cores(core, cores) else ""
        return (f"{cores.device} execute it {times(ratio.value)}{' ' + interval(ratio.interval) if ratio.interval else ''} as fast as one "
                f"core{code} ({seconds(cores.execute.median)} against {seconds(core.execute.median)}).{_disturbed(cores, core)}")
    for kind, name in (("gpu", "The GPU takes"), ("cores", "All cores take"), ("core", "One core takes")):
        run = fastest(runs, kind) or fastest(runs, kind, True)
        if run:
            limit = limit_of(run)[0]
            share = f", {percent(limit['fraction'])} of what its {limit['bound']} limit allows" if limit else ""
            return f"{name} {seconds(run.execute.median)}{share}; no other device was timed on it."
    return "No run of it passed here."


def _disturbed(*runs):
    """Returns a sentence on the runs of an answer that were measured on a busy machine; "" if none was."""
    busy = [f"{percent(run.others)} of the processors while {run.variant} was measured" for run in runs if run.busy]
    return f" Other processes used {joined(busy)}, so this ratio is less certain." if busy else ""


def command_of(problem):
    """Returns the command that measures a problem again: by the name of its size, and precision where it is a parameter. Its words are quoted for a
    shell, as they are those of a file and the page offers to copy them."""
    data = problem.first.data
    words = ["speedwell", "compare", data["application"]]
    if data["size"]:
        words += ["--size", data["size"]]
    if data["problem"].get("precision"):
        words += ["--precision", str(data["problem"]["precision"])]
    if data["seed"] != 1:
        words += ["--seed", str(data["seed"])]
    return shlex.join(words)


def _application_view(application, machine, plots, identifier):
    family = headline_family(application)
    problem = family.largest
    runs = problem.runs
    labels = analysis.Labels(application.runs)
    stale = analysis.stale_runs(machine)
    compared = same_algorithm(runs)
    sweep = crossover_text.view(machine, application, plots)
    drawn = sweep and sweep["keys"] >= {run.key for run in family.runs} and len({run.variant for run in family.runs}) == 2
    over = "the processor" if any(run.timed and run.device_kind == "gpu" for run in runs) else "one core"
    figures = [(f"Speed-up over {over}", plots.speedups(runs)), ("Ladder: what each step gains", plots.ladder(runs)),
               ("Where the time goes", plots.phases(runs)), (f"Against {family.sweep}", None if drawn else plots.curve(family))]
    curves = [(f"{problem_words(labels, other.largest)}: against {other.sweep}", plots.curve(other)) for other in application.families
              if other is not family and len(other.problems) > 2]
    others = [p for f in application.families for p in f.problems if p is not problem]
    rows = [variant_row(run, runs, stale) for run in runs if run.status != "skipped"]
    return {
        "id": f"application-{identifier}", "name": application.name, "title": application.title,
        "question": question(application, any(r.timed and r.device_kind == "gpu" for r in application.runs)),
        "label": problem_words(labels, problem), "everywhere": labels.chosen_everywhere, "size": problem.first.data["size"], "answer": answer(runs),
        "why": explain.why_problem(runs), "end_to_end": explain.end_to_end_sentence(runs),
        "sweep": sweep and {**sweep, "figure": figure("Crossover", sweep["plot"])}, "best": _best_sentence(runs),
        "command": command_of(problem), "counts": count_text(application.runs), "ratio": compared.ratio,
        "columns": [(key, name) for key, name in VARIANTS if any(row[key]["text"] not in ("", DASH) for row in rows)],
        "rows": rows, "skipped": folded_skips(runs), "skipped_all": folded_skips([r for p in others for r in p.runs]),
        "figures": [figure(title, found) for title, found in figures if found],
        "curves": [figure(title, found) for title, found in curves if found],
        "others": [row for p in others for row in other_rows(p, labels, stale)], "other_count": len(others),
        "problems": sum(len(f.problems) for f in application.families),
        "row": summary_row(application, problem, labels, stale),
    }


def _best_sentence(runs):
    """Returns a sentence that names a library or another algorithm if it is faster than the variants compared."""
    same, best = same_algorithm(runs), best_against_best(runs)
    if not same.ratio or not best.ratio or (best.host is same.host and best.gpu is same.gpu):
        return ""
    return (f"Best against best, whatever the algorithm and whoever wrote it: {best.gpu.variant} against {best.host.variant}, "
            f"{times(best.ratio.value)}.")


def count_text(runs):
    counts = [(sum(1 for r in runs if r.status == status), word) for status, word in _STATUS_WORDS]
    return ", ".join(f"{n} {word}" for n, word in counts if n) or "no runs"


def folded_skips(runs):
    """Returns skipped runs by their reason: [(reason, count, names of variants)]."""
    groups = {}
    for run in runs:
        if run.status == "skipped":
            groups.setdefault(run.reason, []).append(run)
    return [{"reason": reason or "no reason was recorded", "count": len(group),
             "variants": ", ".join(dict.fromkeys(r.variant for r in group))} for reason, group in groups.items()]


def escaped(text):
    """Returns text from a file as safe HTML."""
    return escape(printable(text))
