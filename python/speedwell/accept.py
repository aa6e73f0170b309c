"""Accepts or rejects machines: rules with bounds from a TOML file, PASS or FAIL for each rule on each node (docs/python.md).

A rule selects runs and bounds one quantity of them. Every run that it selects has to keep the bound; the value shown is that of the
run farthest on the wrong side. A rule that selects no run on any node has tested nothing: that is an error, not a pass."""
import functools
import json
import math
import os
import statistics
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field

from . import analysis, records
from .errors import NothingMatchedError, UsageError
from .rules import NODE_BY, Rule, read_rules, with_unit  # noqa: F401: part of what this module offers
from .text import percent, plain_table, plural, printable

OUTLIER_SCORE = 3.5  # of |x - median| / (1.4826 MAD): Iglewicz and Hoaglin, How to Detect and Handle Outliers (1993)
OUTLIER_EFFECT = 0.02  # and so far from the median at least: a spread of nothing makes everything an outlier
NODES_FOR_OUTLIERS = 5
RUNS_SHOWN = 5  # of one rule on the page: those that miss the bound


@dataclass
class Outcome:
    """The outcome of one rule on one node."""

    rule: Rule
    node: str
    passed: bool
    value: float = None
    unit: str = ""
    detail: str = ""  # the run, and why it failed
    runs: int = 0
    tried: dict = field(default_factory=dict)  # identity of every run with a value: Tried

    @property
    def shown(self):
        return with_unit(self.value, self.unit)

    @property
    def failure(self):
        """Why it failed, in a line: the value and the bound, or where there is no value what happened."""
        return self.detail if self.value is None else f"{self.shown}, expected {self.rule.bound}"


@dataclass
class Tried:
    """One run on one node under a rule with a bound."""

    name: str
    value: float
    unit: str
    margin: float  # how far inside the bounds, as a fraction; below 0 is outside

    @property
    def shown(self):
        return with_unit(self.value, self.unit)


@dataclass
class Acceptance:
    title: str
    rules: list
    nodes: list
    outcomes: list
    outliers: list = field(default_factory=list)  # (rule, node, text)
    sources: dict = field(default_factory=dict)  # node to a line about it

    @property
    def failed(self):
        return [o for o in self.outcomes if not o.passed]

    @property
    def passed(self):
        return not self.failed

    @functools.cached_property
    def _by_rule_and_node(self):
        return {(id(o.rule), o.node): o for o in self.outcomes}

    def outcome(self, rule, node):
        return self._by_rule_and_node[id(rule), node]

    def rows(self, rule):
        """Returns [(name of a run, its Tried on every node or None)], the same run on all nodes: the runs that miss the bound on some node, worst
        first, at most RUNS_SHOWN; where none does, the run that is nearest to it on some node."""
        margins = {}
        tried = [self.outcome(rule, node).tried for node in self.nodes]
        for found in tried:
            for identity, one in found.items():
                margins[identity] = min(one.margin, margins.get(identity, math.inf))
        ordered = sorted(margins, key=margins.get)
        missed = [identity for identity in ordered if margins[identity] < 0]
        return [(next(found[identity].name for found in tried if identity in found), [found.get(identity) for found in tried])
                for identity in missed[:RUNS_SHOWN] or ordered[:1]]


# --- judging ---------------------------------------------------------------------------------------------------------


def node_of(document, by=None):
    """Returns the name of the node that a document was measured on: its host where the record has it, else the GPU's UUID, else the file or folder
    that it was read from."""
    if by == "host" and not document.host:
        raise UsageError("the records hold no host names to tell nodes apart", "nodes = \"card\" or \"source\"")
    choices = {"host": document.host, "card": document.card, "source": os.path.normpath(document.source)}
    found = choices[by] if by else next((choices[key] for key in NODE_BY if choices[key]), None)
    return printable(found or os.path.normpath(document.source), 80)


def accept(documents, rules, title="Acceptance", baseline=None, nodes=None):
    """Returns the outcome of every rule on every node. Raises NothingMatchedError if a rule selects nothing anywhere."""
    by_node, sources = {}, {}
    for document in documents:
        if document.machine:
            node = node_of(document, nodes)
            by_node.setdefault(node, []).append(document)
    if not by_node:
        raise NothingMatchedError("the records hold no machine with runs")
    runs = {node: _latest(found) for node, found in by_node.items()}
    for node, found in by_node.items():
        latest = max(found, key=lambda d: d.started)
        machine = latest.machine
        gpu = f"{machine['gpus'][0]['name']}, " if machine["gpus"] else ""
        sources[node] = f"{gpu}{machine['cpu']['name']}, {latest.started}, commit {latest.build['commit'] or 'unknown'}"
    expected = _baseline(baseline)
    for rule in rules:
        if (rule.baseline_low is not None or rule.baseline_high is not None) and expected is None:
            raise UsageError(f"rule '{printable(rule.name, 60)}' needs --baseline RECORDS")
    outcomes, outliers = [], []
    for rule in rules:
        chosen = {node: [run for run in found if rule.matches(run)] for node, found in runs.items()}
        if not any(run.status != "skipped" for found in chosen.values() for run in found):
            skipped = next((run.reason for found in chosen.values() for run in found), "")
            raise NothingMatchedError(f"rule '{printable(rule.name, 60)}' matches no run" +
                                      (f" that was not skipped ({printable(skipped, 120)})" if skipped else ""),
                                      "its selectors and problem say which runs it is about")
        judged = {node: _outcome(rule, node, found, expected) for node, found in chosen.items()}
        outcomes += judged.values()
        found = _outliers(rule, chosen)
        outliers += found
        if rule.outliers == "fail":
            for _, node, text in found:
                outcome = judged[node]
                outcome.passed, outcome.detail = False, "; ".join(filter(None, (outcome.detail, f"outlier: {text}")))
    return Acceptance(title, rules, list(by_node), outcomes, outliers, sources)


def _latest(documents):
    """Returns, for every run on one node, its record of the latest session."""
    found = {}
    for document in documents:
        for run in document.runs:
            old = found.get(analysis.identity(run))
            if old is None or document.started >= old.document.started:
                found[analysis.identity(run)] = run
    return list(found.values())


def _value(run, quantity):
    """Returns a quantity of a run, or None. A limit that the run beat counts as none, as in every report."""
    if not run.timed:
        return None
    if quantity in ("fraction_of_limit", "limit_s") and analysis.limit_of(run)[0] is None:
        return None
    value = records.row_of(run).get(quantity)
    return None if value is None or isinstance(value, float) and not math.isfinite(value) else value


def _same(run):
    return (run.key, run.variant, run.device_kind)


def _baseline(documents):
    if documents is None:
        return None
    found = {}
    for document in documents:
        for run in document.runs:
            if run.timed:
                found.setdefault(_same(run), []).append(run)
    if not found:
        raise NothingMatchedError("the baseline holds no run that passed")
    return found


def _unit(rule, run):
    unit = next(c.unit for c in records.COLUMNS if c.name == rule.quantity)
    return (run.data["rates"].get("rate_name") or "") if unit == "rate_name" else "" if unit in ("1", "count") else unit


def _outcome(rule, node, runs, baseline):
    ran = [run for run in runs if run.status != "skipped"]
    if not ran:
        reason = f": {printable(runs[0].reason, 120)}" if runs else ""
        return Outcome(rule, node, False, detail=f"no run of it on this node{reason}")
    broken = [run for run in ran if run.status != "passed"]
    if broken:
        return Outcome(rule, node, False, detail=f"{_name(broken[0])}: {broken[0].status}"
                       f"{': ' + printable(broken[0].reason, 160) if broken[0].reason else ''}", runs=len(ran))
    if not rule.quantity:
        return Outcome(rule, node, True, detail=f"{plural(len(ran), 'run')} passed", runs=len(ran))
    worst, tried = None, {}
    for run in ran:
        value = _value(run, rule.quantity)
        if value is None:
            return Outcome(rule, node, False, detail=f"{_name(run)}: has no {rule.quantity}", runs=len(ran), tried=tried)
        low, high, problem = rule.low, rule.high, ""
        if rule.baseline_low is not None or rule.baseline_high is not None:
            values = [v for other in baseline.get(_same(run), []) if (v := _value(other, rule.quantity)) is not None]
            if not values:
                return Outcome(rule, node, False, value, _unit(rule, run), f"{_name(run)}: the baseline has no such run", len(ran),
                               tried)
            middle = statistics.median(values)
            problem = f", {percent(value / middle)} of the baseline's {with_unit(middle, _unit(rule, run))}" if middle else ""
            low = max((x for x in (low, rule.baseline_low and rule.baseline_low * middle) if x is not None), default=None)
            high = min((x for x in (high, rule.baseline_high and rule.baseline_high * middle) if x is not None), default=None)
        # How far inside the bounds, as a fraction; below 0 is outside.
        margins = [(value - low) / abs(low or 1)] if low is not None else []
        margins += [(high - value) / abs(high or 1)] if high is not None else []
        tried[_same(run)] = Tried(_name(run), value, _unit(rule, run), min(margins))
        if worst is None or min(margins) < worst[0]:
            worst = (min(margins), run, value, problem)
    margin, run, value, problem = worst
    state = "" if margin >= 0 else f" misses the bound by {percent(-margin)}"
    return Outcome(rule, node, margin >= 0, value, _unit(rule, run), f"{_name(run)}{state}{problem}", len(ran), tried)


def _name(run):
    return printable(f"{run.key} {run.variant}", 160)


def _outliers(rule, chosen):
    """Returns the nodes that lie far from all others on the same run, whether or not they keep the bound."""
    if rule.outliers == "ignore" or len(chosen) < NODES_FOR_OUTLIERS or not rule.quantity:
        return []
    values = {}
    for node, runs in chosen.items():
        for run in runs:
            value = _value(run, rule.quantity)
            if value is not None:
                values.setdefault(_same(run), []).append((node, run, value))
    found = []
    for group in values.values():
        if len(group) < NODES_FOR_OUTLIERS:
            continue
        middle = statistics.median(v for _, _, v in group)
        spread = 1.4826 * statistics.median(abs(v - middle) for _, _, v in group)
        for node, run, value in group:
            distance = abs(value - middle)
            if middle and distance > OUTLIER_EFFECT * abs(middle) and distance > OUTLIER_SCORE * spread:
                unit = _unit(rule, run)
                found.append((rule, node, f"{_name(run)}: {with_unit(value, unit)}, where the median of {len(group)} nodes is "
                              f"{with_unit(middle, unit)}"))
    return found


# --- outputs ---------------------------------------------------------------------------------------------------------


def verdict(result):
    """Returns the closing sentence."""
    total = len(result.outcomes)
    if result.passed:
        text = f"PASS: {plural(len(result.rules), 'rule')} on {plural(len(result.nodes), 'node')}"
    else:
        nodes = len({o.node for o in result.failed})
        text = f"FAIL: {len(result.failed)} of {plural(total, 'check')}, on {nodes} of {plural(len(result.nodes), 'node')}"
    return text + (f"; {plural(len(result.outliers), 'outlier')}" if result.outliers else "")


def text(result):
    rows = [["PASS" if o.passed else "FAIL", o.node, o.rule.name, o.shown, o.rule.bound, o.detail] for o in
            sorted(result.outcomes, key=lambda o: o.passed)]
    out = plain_table(["", "node", "rule", "value", "bound", "run"], rows)
    for rule, node, remark in result.outliers:
        out += f"outlier: {printable(node)}: {printable(rule.name)}: {printable(remark)}\n"
    return out + verdict(result) + "\n"


def as_json(result):
    return json.dumps({
        "schema": "speedwell-accept/1", "title": result.title, "passed": result.passed,
        "nodes": [{"node": node, "about": result.sources[node]} for node in result.nodes],
        "outcomes": [{"rule": o.rule.name, "node": o.node, "passed": o.passed, "quantity": o.rule.quantity, "value": o.value,
                      "unit": o.unit, "bound": o.rule.bound, "detail": o.detail, "runs": o.runs} for o in result.outcomes],
        "outliers": [{"rule": rule.name, "node": node, "detail": remark} for rule, node, remark in result.outliers],
    }, indent=1, ensure_ascii=False) + "\n"


def junit(result):
    """Returns JUnit XML: a suite per node, a case per rule."""
    root = xml.Element("testsuites", name=printable(result.title), tests=str(len(result.outcomes)), failures=str(len(result.failed)))
    for node in result.nodes:
        outcomes = [result.outcome(rule, node) for rule in result.rules]
        suite = xml.SubElement(root, "testsuite", name=printable(node), tests=str(len(outcomes)),
                               failures=str(sum(not o.passed for o in outcomes)), errors="0", skipped="0")
        for outcome in outcomes:
            case = xml.SubElement(suite, "testcase", classname=printable(node), name=printable(outcome.rule.name))
            if not outcome.passed:
                xml.SubElement(case, "failure", type="bound", message=printable(outcome.failure)).text = printable(outcome.detail)
            else:
                xml.SubElement(case, "system-out").text = printable(
                    f"{outcome.shown}: {outcome.detail}" if outcome.value is not None else outcome.detail)
    xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, encoding="unicode") + "\n"


def html(result):
    from .page_template import asset, environment

    return environment().get_template("accept.html.j2").render(style=asset("style.css"), result=result, verdict=verdict(result))
