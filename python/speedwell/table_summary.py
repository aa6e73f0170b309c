"""The table of records with a row for each problem: host, GPU, speed-ups, limit, library."""
from . import analysis
from .problem_text import distinct_texts
from .table_cells import DASH, cards_by_hardware, letter, origin, plain, rank, rate, ratio, selected, shown_problems, table
from .text import percent

_COLUMNS = ["Application", "Problem", "Host", "GPU", "GPU, of limit", "Speedup, execute", "Speedup, end to end", "Best against best",
            "Against a library", "Card"]


def summary_table(documents, sizes, marks):
    tables = []
    for machine, cards in cards_by_hardware(selected(documents, None, sizes)):
        rows = _rows(machine, _chosen(cards, marks), marks)
        if rows:
            tables.append(_table(rows, marks))
    return "\n".join(tables)


def _chosen(cards, marks):
    """Returns for each problem, by its key, the card whose figures stand in its row, and its runs there. Cards that timed the variant that is the best by
    measurement come before those that did not; among them, present sources before older ones, and later sessions before earlier ones."""
    found = {}
    for card in cards:
        for problem in (p for application in card.applications for family in application.families for p in family.problems):
            gpu = analysis.same_algorithm(problem.runs).gpu
            if gpu:
                has_best = any(r.timed and r.device_kind == "gpu" and r.role == "best" for r in problem.runs)
                order = (has_best, *rank(gpu, marks))
                if problem.first.key not in found or order > found[problem.first.key][0]:
                    found[problem.first.key] = (order, card, problem)
    return {key: (card, problem) for key, (_, card, problem) in found.items()}


def _rows(machine, chosen, marks):
    """Returns (cells, card, runs, comparison) of each row."""
    rows = []
    for name in sorted({problem.first.application for _, problem in chosen.values()}):
        runs = [r for _, problem in chosen.values() for r in problem.runs if r.application == name]
        problems = shown_problems(analysis.families(runs, machine))
        for problem, text in zip(problems, distinct_texts([p.first.data for p in problems])):
            execute = analysis.same_algorithm(problem.runs)
            cells = [plain(name), plain(text), *_figures(problem.runs, execute, marks)]
            if any(cell != DASH for cell in cells[2:]):
                rows.append((cells, chosen[problem.first.key][0], problem.runs, execute))
    return rows


def _figures(runs, execute, marks):
    host, gpu = execute.host, execute.gpu
    peer = analysis.fastest(runs, "gpu", peer=True)
    over_peer = analysis.speedup(peer.execute, gpu.execute) if peer else None
    limit, _ = analysis.limit_of(gpu)
    return [_rate(host, marks), _rate(gpu, marks), percent(limit["fraction"]) if limit else "withheld" if gpu.limit else DASH, ratio(execute.ratio),
            ratio(analysis.same_algorithm(runs, "end_to_end_s").ratio),
            _best(runs, execute), f"{ratio(over_peer)} {plain(peer.variant)}" if over_peer else DASH]


def _best(runs, execute):
    """Returns the ratio of the fastest runs on either device and their names; nothing where they are those of the speedup, which it would repeat."""
    best = analysis.best_against_best(runs)
    if not best.ratio or (best.host is execute.host and best.gpu is execute.gpu):
        return DASH
    return f"{ratio(best.ratio)} {plain(best.gpu.variant)} / {plain(best.host.variant)}"


def _rate(run, marks):
    text = rate(run) if run else DASH
    return text if text == DASH else text + marks.of(run)


def _table(rows, marks):
    cards = list({id(card): card for _, card, _, _ in rows}.values())
    letters = {id(card): letter(number) if len(cards) > 1 else DASH for number, card in enumerate(cards)}
    lines = [[*cells, letters[id(card)]] for cells, card, _, _ in rows]
    used = [(card, [r for _, other, runs, _ in rows if other is card for r in runs]) for card in cards]
    of = [(execute, letters[id(card)]) for _, card, _, execute in rows]
    base = _base([(execute.host, mark) for execute, mark in of if execute.ratio]) + _variants([execute.gpu for execute, _ in of])
    return table(_COLUMNS, range(2, 7), lines, [0, 1]) + "\n" + origin(used, base, marks, len(cards) > 1, has_limits=True)


def _names(runs):
    """Returns the variant of most runs, and behind it by application the others: "openmp (stencil: openmp-planes)"."""
    names = [run.variant for run in runs]
    usual = max(dict.fromkeys(names), key=names.count)
    others = {}
    for run in runs:
        if run.variant != usual:
            others.setdefault(run.application, {})[run.variant] = None
    exceptions = "; ".join(f"{plain(name)}: {', '.join(map(plain, variants))}" for name, variants in others.items())
    return plain(usual) + (f" ({exceptions})" if exceptions else "")


def _base(hosts):
    """Returns a sentence on what speedups are over, with the letters of the cards beside the devices where there are several. `hosts`: runs and letters."""
    if not hosts:
        return ""
    devices = {}
    for run, mark in hosts:
        devices.setdefault(run.device, {})[mark] = None
    on = " or ".join(plain(device) + (f" ({', '.join(marks)})" if len(devices) > 1 and DASH not in marks else "") for device, marks in devices.items())
    return f"Speedups are over {_names([run for run, _ in hosts])} on {on}. "


def _variants(gpus):
    """Returns a sentence on the variants that the figures of the GPU are of, where they are not all `cuda`."""
    text = _names(gpus)
    return f"The variant on the GPU is {text}. " if text != "cuda" else ""
