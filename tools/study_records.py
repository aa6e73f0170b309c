"""What docs/studies/*.toml say of the tables and figures of the studies, the runs that selectors take from the records, and what pages of such figures have
in common. docs/studies/README.md describes the files; tools/studies.py writes a page and tools/study_figures.py the pictures from what is here, and
tools/targets.py the page of docs/targets."""
import itertools
import os
import pathlib
import re
import sys
import tomllib
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

from speedwell import analysis, records, tables  # noqa: E402
from speedwell.text import DASH  # noqa: E402

SELECTOR_KEYS = {"record", "application", "variant", "where", "show", "over", "over_ranks", "over_threads", "over_where", "label"}
PREFIXES = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
TIMES = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}


@dataclass
class Study:
    """One study: what its files say of it, and the rows of all its files in order."""

    name: str
    head: dict = field(default_factory=dict)
    rows: list = field(default_factory=list)

    def expected(self):
        """Returns the numbers of all its tables and figures, as "table 2.1"."""
        return [f"{kind} {number}" for kind in ("table", "figure") for part in self.head.get(kind + "s", []) for number in numbers(part)]


def numbers(part):
    """Returns the numbers of "4.1-4.23" or of a single one: the part behind the last point counts."""
    first, _, last = part.partition("-")
    if not last:
        return [first]
    chapter, _, begin = first.rpartition(".")
    return [f"{chapter}.{i}" if chapter else str(i) for i in range(int(begin), int(last.rpartition(".")[2]) + 1)]


def read_studies(folder):
    """Returns the studies of the TOML files of a folder, in the order of their `order`."""
    studies = {}
    for path in sorted(pathlib.Path(folder).glob("*.toml")):
        content = tomllib.loads(path.read_text())
        study = studies.setdefault(content["study"], Study(content["study"]))
        study.rows += content.pop("row", [])
        study.head.update(content)
    return sorted(studies.values(), key=lambda study: study.head.get("order", 0))


def files_named(root, names):
    """Returns the files that a selector names, with those that match a pattern, as `ssca1-threads-[0-9]*.json`, in the order of their numbers. A pattern
    that nothing matches stands for itself, so that it is missed as a file is."""
    files = []
    for name in listed(names):
        found = [str(p.relative_to(root)) for p in pathlib.Path(root).glob(name)] if "*" in name else []
        files += sorted(found, key=lambda file: [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", file)]) or [name]
    return files


class Archive:
    """The records below a folder, each file read once, and the marks that qualify their figures."""

    def __init__(self, root, digests=None):
        self.root, self.digests, self.documents = pathlib.Path(root), digests or {}, {}

    def runs(self, files):
        """Returns the timed runs of some files; of several of one problem, variant and device the latest. Builds with local changes do not count."""
        latest = {}
        for file in files_named(self.root, files):
            if file not in self.documents:
                self.documents[file] = records.read([self.root / file])
            for document in self.documents[file]:
                for run in document.runs:
                    identity = (run.key, run.variant, run.device)
                    if run.timed and document.machine and not document.build.get("dirty") \
                            and (identity not in latest or latest[identity].document.started <= document.started):
                        latest[identity] = run
        return list(latest.values())

    def marks(self, runs):
        """Returns the marks of a figure that is made of some runs."""
        passes = min(run.execute.passes for run in runs)
        now = [self.digests.get(run.sources) for run in runs]
        stale = any(digest and digest != run.data["source_digest"] for digest, run in zip(now, runs))
        return (f" (n={passes})" if passes < analysis.PUBLISHED_PASSES else "") + (tables.STALE if stale else "")


def value_of(run, name):
    """Returns a problem's parameter, or its size, ranks, threads."""
    if name in run.data["problem"]:
        return run.data["problem"][name]
    return {"size": run.data["size"], "ranks": (run.data.get("ranks") or {}).get("count"),
            "threads": 1 if run.device_kind == "core" else run.data["device"]["threads"]}.get(name)


def one(runs, application, variant, where, what):
    """Returns the only run that a selector matches. Raises ValueError where there is none, or more than one."""
    found = [r for r in runs if r.application == application and r.variant == variant and all(value_of(r, k) == v for k, v in where.items())]
    if len(found) == 1:
        return found[0]
    asked = ", ".join([f"{application} {variant}"] + [f"{k}={v}" for k, v in where.items()])
    raise ValueError(f"{what}: {asked} matches " + ("no run" if not found else f"{len(found)} runs: " + "; ".join(r.key for r in found[:3])))


def base_of(selector, run, runs, application, parameters, what):
    """Returns the run that a selector compares a run with, or nothing: another variant (`over`), number of ranks or number of threads on the same problem
    and machine, or the problem with other parameters (`over_where`). Raises ValueError where there is not one such run."""
    changed = {**{key: selector["over_" + key] for key in ("ranks", "threads") if "over_" + key in selector}, **selector.get("over_where", {})}
    if "over" not in selector and not changed:
        return None
    same = {k: v for k, v in parameters.items() if k not in ("ranks", "threads")}
    base = one(runs, application, selector.get("over", run.variant), {**same, **changed}, what)
    # Ranks see as many cores as they are bound to, so that those of one file may differ in that.
    if base.document.machine["id"] != run.document.machine["id"] and base.document.file != run.document.file:
        raise ValueError(f"{what}: {run.variant} and {base.variant} were measured on different machines")
    return base


def swept_and_fixed(where):
    """Returns the parameters of a selector that have a list of values, and those that have one."""
    swept = {k: v for k, v in where.items() if isinstance(v, list)}
    return swept, {k: v for k, v in where.items() if k not in swept}


def runs_of(selector, variant, row, archive, what):
    """Yields, for each combination of the listed parameters of a selector, their values, the run of a variant and the run that it is compared with."""
    runs, application = archive.runs(selector["record"]), selector.get("application", row.get("application"))
    swept, fixed = swept_and_fixed(selector.get("where", {}))
    for values in itertools.product(*swept.values()):
        parameters = {**fixed, **dict(zip(swept, values))}
        run = one(runs, application, variant, parameters, what)
        yield values, run, base_of(selector, run, runs, application, parameters, what)


def base_name(selector):
    """Returns the name of what a selector compares with; empty where it compares with nothing."""
    if "over" in selector:
        return selector["over"]
    parts = [f"{selector[key]} {key[5:-1]}" for key in ("over_ranks", "over_threads") if key in selector]
    return ", ".join(parts + [f"{k}={v}" for k, v in selector.get("over_where", {}).items()])


class NoShare(ValueError):
    """A share of a limit or a ceiling that the record withholds; the second argument is the reason, such as a ceiling that was not stable."""


def quantity(run, base, show):
    """Returns one figure of a run, or how many times that of `base` it is, with its unit: s, times, fraction, J, W, GB/s or the application's own. Raises
    NoShare for a share of a limit or a ceiling that the record withholds, ValueError for another quantity that the run lacks."""
    kind, _, name = show.partition(".")
    rates, found = run.data["rates"], None
    if base:
        if kind == "rate":
            ours, other = (analysis.merit(r, analysis.merit_of([r])[0]) for r in (run, base))
            found = ours.value / other.value, "times"
        elif kind == "bandwidth" and rates["bandwidth_GBps"] and base.data["rates"]["bandwidth_GBps"]:
            found = rates["bandwidth_GBps"] / base.data["rates"]["bandwidth_GBps"], "times"
        elif show + "_s" in run.phases and show + "_s" in base.phases:
            ratio = analysis.speedup(base.phases[show + "_s"], run.phases[show + "_s"])
            found = (ratio.value, "times") if ratio else None
    elif kind == "rate":
        merit, unit = analysis.merit_of([run])
        value = analysis.merit(run, merit)
        found = (value.value, unit) if value is not None and merit != "time" else None
    elif kind == "bandwidth" and rates["bandwidth_GBps"]:
        found = rates["bandwidth_GBps"], "GB/s"
    elif kind == "of" and rates["bandwidth_GBps"]:
        ceiling = next((c for c in run.document.machine["ceilings"] if c["name"] == name and c["unit"] == "GB/s"), None)
        if ceiling and not ceiling.get("stable", True):
            raise NoShare(f"{run.key} {run.variant}: the ceiling {name} was not stable", f"the ceiling {name} was not stable")
        found = (rates["bandwidth_GBps"] / ceiling["value"], "fraction") if ceiling else None
    elif kind == "update" and rates["updates_per_s"]:
        found = 1 / rates["updates_per_s"], "s"
    elif kind == "limit":
        held, reason = analysis.limit_of(run)
        if not held:
            raise NoShare(f"{run.key} {run.variant}: there is no limit: {reason}", reason)
        found = held["fraction"], "fraction"
    elif kind == "choice" and name in run.data["choices"]:
        found = float(run.data["choices"][name]), "s" if name.endswith("_s") else ""
    elif kind == "share" and name + "_s" in run.phases:
        found = run.phases[name + "_s"].median / run.phases["end_to_end_s"].median, "fraction"
    elif kind == "energy" and run.data["energy"]["execute_J"]:
        found = run.data["energy"]["execute_J"], "J"
    elif kind == "power" and run.data["energy"].get("executes"):
        energy = run.data["energy"]
        found = energy["execute_J"] * energy["executes"] / energy["window_s"], "W"
    elif kind == "rest" and run.data["energy"].get("idle_W"):
        found = run.data["energy"]["idle_W"], "W"
    elif show + "_s" in run.phases:
        found = run.phases[show + "_s"].median, "s"
    if found is None:
        raise ValueError(f"{run.key} {run.variant}: there is no {show}" + (f" over {base.variant}" if base else ""))
    return found


def converted(value, unit, wanted):
    """Returns a value in another unit of the same kind. Raises ValueError where there is none."""
    if unit == wanted:
        return value
    if unit == "s" and wanted in TIMES:
        return value / TIMES[wanted]
    if unit in ("fraction", "times") and wanted == "%":
        return 100 * value
    if unit[:1] in PREFIXES and wanted[:1] in PREFIXES and unit[1:] == wanted[1:]:
        return value * PREFIXES[unit[0]] / PREFIXES[wanted[0]]
    raise ValueError(f"the records have {unit or 'a number'}, not {wanted}")


def figure_in(unit, selector, run, base):
    """Returns what a selector takes from a run in a unit, divided by the parameter `per` if it names one."""
    value = converted(*quantity(run, base, selector.get("show", "execute")), unit)
    return value / (float(value_of(run, selector["per"])) if "per" in selector else 1)


def listed(value):
    return value if isinstance(value, list) else [value]


def refuse_unknown(keys, allowed, what):
    unknown = set(keys) - allowed
    if unknown:
        raise ValueError(f"{what} has no key {', '.join(sorted(unknown))}")


# --- pages in docs/ --------------------------------------------------------------------------------------------------


def page_of(root, application):
    """Returns the path of an application's page, or nothing."""
    return next((p.relative_to(root) for p in sorted((root / "speedwell" / "apps").rglob("README.md")) if p.parent.name == application), None)


def link(file, name=None):
    """Returns a link from a page in docs/ to a file."""
    return f"[{name or str(file).removeprefix('results/')}]({os.path.relpath(file, 'docs')})"


def section_link(title):
    """Returns a link to the section of a page that has this title."""
    return f"[{title}](#{re.sub('[^A-Za-z0-9_ -]', '', title.lower()).replace(' ', '-')})"


def origins(files, archive):
    """Returns a table of where each of some files was measured."""
    text = "\n## Where the records were measured\n\n| Record | Processor | GPU, card | Commit | Date |\n| --- | --- | --- | --- | --- |\n"
    for file in sorted(set(files)):
        cells = {}
        for document in archive.documents.get(file, []):
            if document.machine and document.runs and not document.build.get("dirty"):
                gpus = document.machine["gpus"]
                gpu = (f"{len(gpus)} x " if len(gpus) > 1 else "") + f"{gpus[0]['name']}, {document.card[:12]}" if gpus else DASH
                cells[tables.plain(document.machine["cpu"]["name"]), tables.plain(gpu), document.build["commit"][:12], document.started[:10]] = None
        text += "".join("| " + " | ".join([link(file), *row]) + " |\n" for row in cells)
    return text


def write_or_check(usage, tool, file, make, summary):
    """The command line of a tool that writes one page: [--digests FILE | --check]. `make` returns the text of the page, with marks of older sources by
    these digests, and what is wrong; with --check the page is compared apart from its marks. The status is 1 if anything is wrong."""
    arguments = sys.argv[1:]
    check = arguments == ["--check"]
    if arguments and not check and not (len(arguments) == 2 and arguments[0] == "--digests"):
        sys.exit(usage)
    text, wrong = make(tables.read_digests(arguments[1]) if arguments and not check else None)
    path = ROOT / file
    if not check:
        path.write_text(text)
    elif not path.exists() or path.read_text().replace(tables.STALE, "") != text.replace(tables.STALE, ""):
        wrong.append(f"{file} is not what {tool} writes: run tools/results.sh")
    print("\n".join(wrong) if wrong else summary)
    sys.exit(1 if wrong else 0)
