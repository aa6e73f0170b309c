"""The rules of an acceptance: a TOML file of bounds (docs/python.md)."""
import fnmatch
import math
import tomllib
from dataclasses import dataclass

from . import records
from .errors import InputError, UsageError
from .text import DASH, digits, joined, nearest_hint, printable, seconds

QUANTITIES = tuple(c.name for c in records.COLUMNS if c.unit and c.name not in ("document", "execute_pass_s"))
SELECTORS = ("application", "variant", "device", "size", "precision", "backend", "role")
BOUNDS = ("at_least", "at_most", "expected", "tolerance", "baseline_at_least", "baseline_at_most")
NODE_BY = ("host", "card", "source")


def with_unit(value, unit):
    """Formats a value with its unit: "16.0 ms", "4350 GB/s", "0.988"."""
    if value is None:
        return DASH
    return seconds(value) if unit == "s" else f"{digits(value)} {unit}".rstrip()


@dataclass
class Rule:
    name: str
    select: dict  # selector to a list of globs
    problem: dict
    quantity: str
    low: float = None
    high: float = None
    baseline_low: float = None  # times the baseline's value
    baseline_high: float = None
    outliers: str = "report"

    @property
    def bound(self):
        """The bound in words, for every output."""
        if not self.quantity:
            return "passes its verification"
        unit = next(c.unit for c in records.COLUMNS if c.name == self.quantity)
        unit = "" if unit in ("1", "count", "rate_name") else unit
        parts = [f"at least {with_unit(self.low, unit)}"] if self.low is not None else []
        if self.high is not None:
            parts.append(f"at most {with_unit(self.high, unit)}")
        if self.baseline_low is not None:
            parts.append(f"at least {digits(self.baseline_low)} of the baseline")
        if self.baseline_high is not None:
            parts.append(f"at most {digits(self.baseline_high)} of the baseline")
        return f"{self.quantity} {joined(parts)}"

    def matches(self, run):
        data = run.data
        values = {"application": run.application, "variant": run.variant, "device": run.device_kind, "size": data["size"],
                  "precision": str(data["problem"].get("precision", "")), "backend": run.backend, "role": run.role}
        return (all(any(fnmatch.fnmatchcase(values[key], glob) for glob in globs) for key, globs in self.select.items())
                and all(key in data["problem"] and records.value_text(data["problem"][key]) == records.value_text(value)
                        for key, value in self.problem.items()))


def read_rules(path):
    """Returns (title, key that distinguishes nodes or None, rules). Raises InputError for a file that is not TOML, UsageError for a key or
    value."""
    name = printable(path)
    try:
        with open(path, "rb") as stream:
            content = tomllib.load(stream)
    except OSError as error:
        raise InputError(f"{name}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: is not TOML: {printable(error)}") from error
    for key in content:
        if key not in ("schema", "title", "nodes", "rule"):
            raise UsageError(f"{name}: unknown key '{printable(key, 60)}'", nearest_hint(key, ("schema", "title", "nodes", "rule")))
    if content.get("schema") != 1:
        raise UsageError(f"{name}: schema is {printable(content.get('schema', 'missing'), 40)}; this version reads schema = 1")
    nodes = content.get("nodes")
    if nodes is not None and nodes not in NODE_BY:
        raise UsageError(f"{name}: nodes is '{printable(nodes, 40)}'", f"allowed: {', '.join(NODE_BY)}")
    tables = content.get("rule", [])
    if not isinstance(tables, list) or not tables:
        raise UsageError(f"{name}: there is no [[rule]]")
    rules = [_rule(table, f"{name}: rule {n}") for n, table in enumerate(tables, 1)]
    names = [rule.name for rule in rules]
    for rule in names:
        if names.count(rule) > 1:
            raise UsageError(f"{name}: two rules are called '{printable(rule, 80)}'")
    return str(content.get("title", "Acceptance")), nodes, rules


def _rule(table, place):
    if not isinstance(table, dict):
        raise UsageError(f"{place}: is no table")
    allowed = ("name", "problem", "quantity", "outliers", *SELECTORS, *BOUNDS)
    for key in table:
        if key not in allowed:
            raise UsageError(f"{place}: unknown key '{printable(key, 60)}'", nearest_hint(key, allowed))
    if not isinstance(table.get("name"), str) or not table["name"].strip():
        raise UsageError(f"{place}: name is missing: a text")
    place = f"{place} ('{printable(table['name'], 60)}')"

    def number(key):
        value = table.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value)):
            raise UsageError(f"{place}: {key}: '{printable(value, 40)}' is not a number")
        return value

    select = {}
    for key in SELECTORS:
        if key in table:
            globs = table[key] if isinstance(table[key], list) else [table[key]]
            if not globs or not all(isinstance(glob, str) and glob for glob in globs):
                raise UsageError(f"{place}: {key}: is neither a text nor a list of texts")
            if key == "device" and not all(any(fnmatch.fnmatchcase(kind, glob) for kind in records.DEVICE_KINDS) for glob in globs):
                raise UsageError(f"{place}: device: '{printable(joined(globs), 60)}' is none of core, cores, gpu")
            select[key] = globs
    problem = table.get("problem", {})
    if not isinstance(problem, dict):
        raise UsageError(f"{place}: problem: is no table of parameters, such as {{ kernel = \"triad\" }}")
    low, high = number("at_least"), number("at_most")
    if "expected" in table:
        if low is not None or high is not None:
            raise UsageError(f"{place}: expected stands beside at_least or at_most: give one of them")
        expected, around = number("expected"), table.get("tolerance", 0.05)
        around = [-around, around] if isinstance(around, (int, float)) and not isinstance(around, bool) else around
        if not (isinstance(around, list) and len(around) == 2 and all(isinstance(x, (int, float)) for x in around)
                and -1 < around[0] <= 0 <= around[1]):
            raise UsageError(f"{place}: tolerance: is neither a fraction, such as 0.05, nor two, such as [-0.05, 0.2]")
        low, high = sorted((expected * (1 + around[0]), expected * (1 + around[1])))
    elif "tolerance" in table:
        raise UsageError(f"{place}: tolerance has no expected beside it")
    outliers = table.get("outliers", "report")
    if outliers not in ("report", "fail", "ignore"):
        raise UsageError(f"{place}: outliers: '{printable(outliers, 40)}'", "allowed: report, fail, ignore")
    quantity = table.get("quantity")
    bounds = (low, high, number("baseline_at_least"), number("baseline_at_most"))
    if quantity is None and any(bound is not None for bound in bounds):
        raise UsageError(f"{place}: quantity is missing beside a bound", "for example quantity = \"execute_s\"")
    if quantity is not None:
        if quantity not in QUANTITIES:
            raise UsageError(f"{place}: unknown quantity '{printable(quantity, 60)}'", nearest_hint(str(quantity), QUANTITIES))
        if all(bound is None for bound in bounds):
            raise UsageError(f"{place}: {quantity} has no bound", f"allowed: {', '.join(BOUNDS)}")
    return Rule(table["name"], select, problem, quantity, *bounds, outliers)
