"""What all Markdown tables of records share (tables.py): which runs count, the cells of a row, the marks of figures, and the lines below a table."""
import re
from dataclasses import dataclass

from . import analysis, records
from .text import DASH, digits, printable, times

MAX_OF_FAMILY = 4  # problems that differ in one number: more of them are a curve, which the report draws
STALE = " †"
STALE_LEGEND = "†: measured with older sources"
STALE_LIMITS = "their limits may count operations and bytes differently, so that shares of a limit are not comparable across tables"
_SPECIAL = re.compile(r"[\\`*_\[\]|~#]")


def plain(text, limit=160):
    """Returns text for a cell or a line: no character keeps a meaning in Markdown or HTML."""
    clean = printable(text, limit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(lambda found: "\\" + found.group(), clean)


# --- which runs ------------------------------------------------------------------------------------------------------


def selected(documents, application, sizes):
    """Returns, for builds without local changes alone, the runs of an application (None: of any) with one of `sizes` (none: with any)."""
    found = []
    for document in documents:
        if not document.build.get("dirty") and document.machine:
            runs = [r for r in document.runs if application in (None, r.application) and (not sizes or r.data["size"] in sizes)]
            found += [_with_runs(document, runs)] if runs else []
    return found


def latest(documents):
    """Returns the same documents with the latest of each run alone, whichever card it was measured on."""
    newest = {}
    for document in documents:
        for run in document.runs:
            identity = _identity(document, run)
            newest[identity] = max(newest.get(identity, ""), document.started)
    left = [(d, [r for r in d.runs if d.started >= newest[_identity(d, r)]]) for d in documents]
    return [_with_runs(document, runs) for document, runs in left if runs]


def _identity(document, run):
    return (document.machine["id"], run.key, run.variant, run.device)


def _with_runs(document, runs):
    return records.Document(document.file, document.number, document.source, document.content, runs)


def cards_by_hardware(documents):
    """Yields for each kind of machine what was measured on all of its cards as one machine, and the machines of the cards."""
    cards = {}
    for card in analysis.by_machine(documents, apart=True):
        cards.setdefault(card.latest.machine["id"], []).append(card)
    for machine in analysis.by_machine(documents):
        yield machine, cards[machine.latest.machine["id"]]


def rank(run, marks):
    """Returns by what the figures of one problem on several cards are chosen, the largest first: present sources, then the later session."""
    return (not marks.is_stale(run), run.document.started)


def shown_problems(families):
    """Returns the problems of some families that have rows: of a curve the largest."""
    return [problem for family in families for problem in (family.problems if len(family.problems) <= MAX_OF_FAMILY else [family.largest])]


# --- cells -----------------------------------------------------------------------------------------------------------


@dataclass
class Marks:
    """Collects the marks that qualify figures: too few passes, or older sources."""

    digests: dict

    def is_stale(self, run):
        now = self.digests.get(run.sources)
        return bool(run.timed and now and run.data["source_digest"] != now)

    def few(self, *runs):
        passes = min(run.execute.passes if run.execute else 0 for run in runs)
        return f" (n={passes})" if passes < analysis.PUBLISHED_PASSES else ""

    def of(self, *runs):
        """Returns the marks of a figure that is made of some runs."""
        return self.few(*runs) + (STALE if any(map(self.is_stale, runs)) else "")


def device(name, machine):
    """Returns a device without the name of the processor, which stands below the table."""
    return plain(name.removesuffix(f" of {machine.processor}"))


def rate(run):
    name, unit = analysis.merit_of([run])
    value = analysis.merit(run, name)
    return DASH if value is None or name == "time" else f"{digits(value.value)} {plain(unit)}"


def ratio(found):
    return times(found.value) if found else DASH


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def head(columns, right):
    return row(columns) + row(["---:" if i in right else "---" for i in range(len(columns))])


def table(columns, right, rows, always):
    """Returns a table without the columns in which no row has a value, apart from those of the indices `always`."""
    keep = [i for i in range(len(columns)) if i in always or any(cells[i] not in (DASH, "") for cells in rows)]
    return (head([columns[i] for i in keep], [n for n, i in enumerate(keep) if i in right])
            + "".join(row([cells[i] for i in keep]) for cells in rows))


# --- below a table -----------------------------------------------------------------------------------------------------


def shared(labels):
    return f"Everywhere {plain(labels.chosen_everywhere, 2000)}. " if labels.chosen_everywhere else ""


def not_run(runs):
    """Returns a sentence on the variants that ran for no problem, with the reasons."""
    ran = {r.variant for r in runs if r.status != "skipped"}  # others that were skipped are for another problem
    variants = {}
    for r in runs:
        if r.status == "skipped" and r.variant not in ran:
            of_reason = variants.setdefault(r.reason, [])
            if r.variant not in of_reason:
                of_reason.append(r.variant)
    text = "; ".join(f"{', '.join(map(plain, names))} ({plain(reason)})" for reason, names in variants.items())
    return f"Not run: {text}. " if text else ""


def _facts(machine, runs):
    """Returns what is said of a card: hardware, versions and the commits of some runs that it has."""
    build, card = machine.latest.build, machine.latest.card
    names = " and ".join(dict.fromkeys([plain(machine.processor)] + [plain(g["name"]) for g in machine.gpus]))
    facts = [names] + [before + plain(value) for before, value in (
        ("driver ", machine.latest.machine.get("driver")), ("", build.get("compiler")), ("CUDA ", build.get("cuda")), ("card ", card[:12])) if value]
    ids = {id(r) for r in runs}
    commits = [plain(d.build["commit"][:12]) for d in machine.documents if d.build.get("commit") and any(id(r) in ids for r in d.runs)]
    return facts + (["commit " + ", ".join(dict.fromkeys(commits))] if commits else [])


def origin(cards, base, marks, lettered=False, has_limits=False):
    """Returns the lines below a table whose figures are from some cards, each a machine and its runs: of the first all facts, of the others, which the
    letters b, c and so on mark, what differs. `base`: a sentence on what speedups are over. `lettered`: the first is called a. `has_limits`: the table
    has shares of limits."""
    first = _facts(*cards[0])
    lines = [base + ("a: m" if lettered else "M") + "easured on " + ", ".join(first) + "."]
    for number, card in enumerate(cards[1:], 1):
        differing = [fact for fact in _facts(*card) if fact not in first or fact.startswith(("card ", "commit "))]
        lines.append(f"{letter(number)}: {', '.join(differing)}.")
    runs = [run for _, mine in cards for run in mine]
    if any(r.timed and marks.few(r) for r in runs):
        lines.append(f"n: passes, where there are fewer than {analysis.PUBLISHED_PASSES}.")
    if any(marks.is_stale(r) for r in runs):
        lines.append(STALE_LEGEND + (f"; {STALE_LIMITS}." if has_limits else "."))
    return " ".join(lines) + "\n"


def letter(number):
    """Returns the letter of a card from 0 on: a to z, then numbers."""
    return "abcdefghijklmnopqrstuvwxyz"[number] if number < 26 else str(number + 1)


def speedups_over(run):
    return f"Speedups are over {plain(run.variant)} on {plain(run.device)}. " if run else ""
