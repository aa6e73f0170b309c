"""Relations between records, independent of their format: which runs belong to one problem, which problems to one curve, which variant was the
fastest on which device, and ratios of times with their intervals. All reports share it."""
from dataclasses import dataclass

from . import records
from .problem_text import ignored, is_placeholder

LIMIT_TOLERANCE = 1.02  # both times are medians that repeat within about a percent: 2 % is noise, more is a wrong limit
PUBLISHED_PASSES = 5  # figures of fewer passes are marked wherever they are shown


@dataclass(frozen=True)
class Ratio:
    """How many times faster one time is than another. `interval` pairs the worst and the best ends of the 95 % intervals of the two times: it holds
    whenever both of them do. None if either time has no interval."""

    value: float
    interval: tuple = None


def speedup(base, now):
    """Returns phase `base` over phase `now`, or None unless both exist and are above zero."""
    if base is None or now is None or not base.median > 0 or not now.median > 0:
        return None
    ends = None
    if base.interval and now.interval and now.interval[0] > 0:
        ends = (base.interval[0] / now.interval[1], base.interval[1] / now.interval[0])
    return Ratio(base.median / now.median, ends)


@dataclass
class Problem:
    """The runs of one problem, in the order in which all records have the variants."""

    runs: list
    abscissa: float = None  # the value of the family's swept parameter

    @property
    def first(self):
        return self.runs[0]


@dataclass
class Family:
    """Problems that differ in one number alone, or in several that grow together, in ascending order."""

    problems: list
    sweep: str = ""  # the parameter that varies: "n", "columns, rows"; empty: a single problem

    @property
    def largest(self):
        return self.problems[-1]

    @property
    def runs(self):
        return [run for problem in self.problems for run in problem.runs]


@dataclass
class Application:
    name: str
    title: str
    runs: list
    families: list


@dataclass
class Machine:
    """Everything that was run on one kind of machine. Of several records of one run (key, variant, device) that of the
    latest session counts; the others are `superseded`."""

    documents: list
    latest: records.Document
    runs: list
    superseded: list
    ceilings: dict  # name to the object of the latest session that measured it
    applications: list
    cards: list  # UUIDs of the GPUs that the runs used

    @property
    def gpus(self):
        return self.latest.machine["gpus"]

    @property
    def processor(self):
        return self.latest.machine["cpu"]["name"]

    @property
    def name(self):
        cores = self.latest.machine["cpu"]["cores"]
        text = f"{self.processor}, {cores} core{'' if cores == 1 else 's'}"
        return f"{self.gpus[0]['name']}, {text}" if self.gpus else text


def identity(run):
    return (run.key, run.variant, run.device_kind, run.device)


def by_machine(documents, apart=False):
    """Returns the machines in the order of first appearance. Machines with the same hardware are one; with `apart`, each GPU (by its UUID) is a
    machine of its own, as cards of one kind differ by some percent."""
    groups = {}
    for document in documents:
        if document.machine:
            key = (document.machine["id"], document.card if apart else "")
            groups.setdefault(key, []).append(document)
    return [_machine(group) for group in groups.values()]


def _machine(documents):
    latest = max(documents, key=lambda d: d.started)
    found, superseded = {}, []
    for document in documents:
        for run in document.runs:
            old = found.setdefault(identity(run), run)
            if old is run:
                continue
            if document.started < old.document.started:
                superseded.append(run)
            else:  # a later one in the input wins a tie
                superseded.append(old)
                found[identity(run)] = run
    runs = list(found.values())
    cards = list(dict.fromkeys(r.data["device"]["uuid"] for r in runs if r.data["device"].get("uuid")))
    return Machine(documents, latest, runs, superseded, _ceilings(documents), _applications(runs, documents), cards)


def _ceilings(documents):
    found = {}
    for document in documents:
        for ceiling in document.machine["ceilings"]:
            old = found.get(ceiling["name"])
            if old is None or document.started >= old[0]:
                found[ceiling["name"]] = (document.started, ceiling)
    return {name: ceiling for name, (_, ceiling) in found.items()}


def _variant_order(documents):
    """Returns the positions of (application, variant). Each document lists variants in the order of the application's own table, but perhaps only
    some of them: here all stand as every document has them."""
    before, names = {}, []
    for document in documents:
        for runs in _grouped(document.runs, lambda r: r.key):
            previous = None
            for run in runs:
                name = (run.application, run.variant)
                if name not in before:
                    before[name] = set()
                    names.append(name)
                if previous and previous != name:
                    before[name].add(previous)
                previous = name
    positions = {}
    while len(positions) < len(names):
        left = [n for n in names if n not in positions]
        free = [n for n in left if before[n] <= positions.keys()]
        positions[(free or left)[0]] = len(positions)  # the first that is left, should documents contradict each other
    return positions


def _grouped(items, key):
    groups = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def _applications(runs, documents):
    order = _variant_order(documents)  # by name: lines of records.jsonl stand in the order in which runs ended
    return [Application(group[0].application, group[0].data["title"], group, _families(group, order))
            for group in sorted(_grouped(runs, lambda r: r.application), key=lambda g: g[0].application)]


def families(runs, machine):
    """Returns the families that some runs of a machine make by themselves."""
    return _families(runs, _variant_order(machine.documents))


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _families(runs, order):
    def words(problem):
        data = problem.first.data
        return (data["seed"], tuple((k, "" if _is_number(v) else str(v)) for k, v in sorted(data["problem"].items())))

    problems = []
    for group in _grouped(runs, lambda r: r.key):
        problems.append(Problem(sorted(group, key=lambda r: order[(r.application, r.variant)])))
    return [family for alike in _grouped(problems, words) for family in _families_of_alike(alike)]


def _families_of_alike(problems):
    """Returns the families of `problems` that agree in every word and in the names of their parameters."""
    values = {}
    for problem in problems:
        for key, value in sorted(problem.first.data["problem"].items()):
            if _is_number(value):
                values.setdefault(key, set()).add(value)
    varying = [key for key in sorted(values) if len(values[key]) > 1]

    def at(problem, key):
        return problem.first.data["problem"][key]

    if not varying:
        return [Family(problems)]
    ordered = sorted(problems, key=lambda p: at(p, varying[0]))
    if all(at(a, k) < at(b, k) for a, b in zip(ordered, ordered[1:]) for k in varying):
        return [_swept(ordered, varying)]
    sweep = max(varying, key=lambda k: len(values[k]))
    families = []
    for group in _grouped(problems, lambda p: records.label(p.first.data, {sweep})):
        families.append(_swept(sorted(group, key=lambda p: at(p, sweep)), [sweep]) if len(group) > 1 else Family(group))
    return families


def _swept(problems, keys):
    for problem in problems:
        problem.abscissa = float(problem.first.data["problem"][keys[0]])
    return Family(problems, ", ".join(keys))


class Labels:
    """Labels that distinguish the problems of one table; where nothing does, the name of the size."""

    def __init__(self, runs):
        first = runs[0].data["problem"] if runs else {}
        texts = [{k: records.value_text(v) for k, v in r.data["problem"].items()} for r in runs]
        self.shared = {k for k, v in first.items() if all(t.get(k) == records.value_text(v) for t in texts)}
        self.everywhere = ", ".join(f"{k}={records.value_text(first[k])}" for k in sorted(self.shared)
                                    if records.value_text(first[k]))
        # The same without those that say that the application chooses, such as gap_open=-1 or nx=0, or that have no effect, such as nx beside n.
        without = set.intersection(*(ignored(r.data) for r in runs)) if runs else set()
        self.chosen_everywhere = ", ".join(f"{k}={records.value_text(first[k])}" for k in sorted(self.shared)
                                           if k not in without and not is_placeholder(k, first[k]))

    def distinct(self, problem):
        return records.label(problem.first.data, self.shared | ignored(problem.first.data))

    def of(self, problem):
        return self.distinct(problem) or problem.first.data["size"]


def fastest(runs, kind, peer=False, phase="execute_s", algorithm=None):
    """Returns the run on a device of this kind that is fastest in a phase: of Speedwell's own variants, or of the libraries (`peer`); with
    `algorithm`, of the variants of that algorithm alone. Returns None if there is none."""
    found = [r for r in runs if r.timed and phase in r.phases and r.device_kind == kind and (r.role == "peer") == peer
             and (algorithm is None or r.algorithm == algorithm)]
    return min(found, key=lambda r: r.phases[phase].median, default=None)


def fastest_on_host(runs, phase="execute_s", algorithm=None):
    """Returns the processor's best run in a phase: on all cores if they were timed, else on one core."""
    return (fastest(runs, "cores", False, phase, algorithm) or fastest(runs, "core", False, phase, algorithm))


@dataclass(frozen=True)
class Comparison:
    """A run on the processor and one on the GPU, and how many times faster the GPU is. Each may be None."""

    host: records.Run
    gpu: records.Run
    ratio: Ratio


def _compared(host, gpu, phase):
    ratio = speedup(host.phases[phase], gpu.phases[phase]) if host and gpu else None
    return Comparison(host, gpu, ratio)


def same_algorithm(runs, phase="execute_s"):
    """Returns the comparison of the GPU's fastest own variant in a phase with the processor's fastest own one of the same algorithm."""
    gpu = fastest(runs, "gpu", False, phase)
    return _compared(fastest_on_host(runs, phase, gpu.algorithm if gpu else None), gpu, phase)


def best_against_best(runs, phase="execute_s"):
    """Returns the comparison of the fastest runs on each in a phase, libraries and other algorithms included."""

    def best(kinds):
        found = [fastest(runs, kind, peer, phase) for kind in kinds for peer in (False, True)]
        return min((r for r in found if r), key=lambda r: r.phases[phase].median, default=None)

    return _compared(best(("cores", "core")), best(("gpu",)), phase)


@dataclass(frozen=True)
class Step:
    run: records.Run
    gain: Ratio  # over the step before; None for the first


def ladder(runs):
    """Returns the steps of a ladder that passed, each with its gain over the one before; empty unless there are two."""
    for kind in ("gpu", "cores", "core"):
        steps = []
        for run in runs:
            if run.timed and run.device_kind == kind and run.role in ("step", "best"):
                steps.append(Step(run, speedup(steps[-1].run.execute, run.execute) if steps else None))
        if len(steps) > 1:
            return steps
    return []


_MERITS = (("rate", None), ("bandwidth_GBps", "GB/s"), ("operations_Gops", "Gop/s"))


def merit_of(runs):
    """Returns the figure of merit that all timed runs have, as (name, unit): the application's own rate, else bandwidth, else operations, else
    ("time", "s")."""
    timed = [r for r in runs if r.timed]
    for name, unit in _MERITS:
        if timed and all((r.data["rates"].get(name) or 0) > 0 for r in timed):
            named = next((r.data["rates"]["rate_name"] for r in timed if r.data["rates"].get("rate_name")), "updates/s")
            return name, unit or named
    return "time", "s"


def merit(run, name):
    """Returns the value of that figure for one run, with the interval that follows from its time, or None if it was not timed."""
    if not run.timed:
        return None
    time = run.execute
    if name == "time":
        return Ratio(time.median, time.interval)
    value = run.data["rates"].get(name)
    if value is None:
        return None
    ends = None
    if time.interval and time.interval[0] > 0:
        ends = (value * time.median / time.interval[1], value * time.median / time.interval[0])
    return Ratio(value, ends)


def limit_of(run):
    """Returns (limit, reason): the limit if it holds, or the reason why there is none. Older records hold limits that the measured time beats; they
    are withheld here as the program withholds them now."""
    if not run.timed:
        return None, run.reason or "not timed"
    limit = run.limit
    if limit is None:
        return None, run.data["limit_reason"] or "no limit"
    if limit["fraction"] > LIMIT_TOLERANCE:
        return None, (f"withheld: the measured time is {100 / limit['fraction']:.0f} % of what {limit['ceiling']} allows, so "
                      "the count or that ceiling does not describe this run")
    return limit, ""


def stale_runs(machine):
    """Returns the timed runs that were measured with other sources than the latest run of the same application here."""
    newest = {}
    for run in machine.runs:
        if run.timed and run.data["source_digest"]:
            old = newest.get(run.sources)
            if old is None or run.document.started >= old.document.started:
                newest[run.sources] = run
    return {id(run) for run in machine.runs if run.timed and run.sources in newest
            and run.data["source_digest"] != newest[run.sources].data["source_digest"]}


def headline_family(application):
    """Returns the family whose largest problem represents the application: among the families that compare most (a GPU with the processor, else all
    cores with one) and that `suite` measures first, the one with the longest execute."""
    def rank(family):
        runs = family.largest.runs
        compared = 2 if same_algorithm(runs).ratio else 1 if fastest(runs, "core") and fastest(runs, "cores") else 0
        if not any(r.timed for r in runs):
            compared = -1
        shortest = same_algorithm(runs).gpu or fastest_on_host(runs)
        return (compared, family.largest.first.data["size"] in ("standard", "small"),
                shortest.execute.median if shortest else 0.0)

    return max(application.families, key=rank)
