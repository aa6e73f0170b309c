"""The tables of records whose cells are medians of variants, or ratios of two: a row for each problem ("columns"), or for each variant ("ladder")."""
from collections import Counter

from . import analysis
from .table_cells import (DASH, cards_by_hardware, device, letter, not_run, origin, plain, rank, ratio, selected, shared, table)
from .text import seconds


class _Grid:
    """The cells of one kind of machine: those of a problem and a column come from one card, that of the present sources or else of the latest session."""

    def __init__(self, machine, cards, columns, phase, marks):
        self.machine, self.phase, self.marks = machine, phase, marks
        found = machine.applications[0]
        problems = [problem for family in found.families for problem in family.problems]
        by_card = [({problem.first.key: problem for a in card.applications for family in a.families for problem in family.problems}, card)
                   for card in cards]
        self.cells = {}
        for problem in problems:
            for column in columns or dict.fromkeys(r.variant for r in problem.runs):
                candidates = [(runs, card) for of_key, card in by_card if problem.first.key in of_key
                              and (runs := self._timed(of_key[problem.first.key], column))]
                if candidates:  # the first of a tie
                    self.cells[problem.first.key, column] = max(candidates, key=lambda c: min(rank(run, marks) for run in c[0]))
        counts = Counter(id(card) for _, card in self.cells.values())
        self.cards = sorted((card for card in cards if id(card) in counts), key=lambda card: -counts[id(card)])
        most = [key for keys, card in by_card if card in self.cards[:1] for key in keys]  # problems stand in the order of the card of most cells
        self.problems = sorted((p for p in problems if any(key == p.first.key for key, _ in self.cells)),
                               key=lambda p: most.index(p.first.key) if p.first.key in most else len(most))
        self.runs = found.runs
        self.labels = analysis.Labels([run for problem in self.problems for run in problem.runs])

    def _timed(self, problem, column):
        """Returns the run of "VARIANT", or the two of "VARIANT/BASE"; nothing where one of them lacks the phase."""
        timed = {r.variant: r for r in problem.runs if r.timed and self.phase in r.phases}
        names = column.split("/", 1)
        return [timed[name] for name in names] if all(name in timed for name in names) else []

    def text(self, problem, column):
        """Returns the median of a variant, or how many times as fast as the other it is, with its marks."""
        found = self.cells.get((problem.first.key, column))
        if not found:
            return DASH
        runs, card = found
        values = [run.phases[self.phase] for run in runs]
        value = seconds(values[0].median) if len(runs) == 1 else ratio(analysis.speedup(values[1], values[0]))
        number = next(i for i, c in enumerate(self.cards) if c is card)
        return value + (f" {letter(number)}" if number else "") + self.marks.of(*runs)

    def below(self):
        used = [(card, [run for runs, other in self.cells.values() if other is card for run in runs]) for card in self.cards]
        return origin(used, "", self.marks)


def _grids(documents, application, sizes, columns, phase, marks):
    for machine, cards in cards_by_hardware(selected(documents, application, sizes)):
        grid = _Grid(machine, cards, columns, phase, marks)
        if grid.cells:
            yield grid


def columns_table(documents, application, sizes, phase, columns, marks):
    tables = []
    for grid in _grids(documents, application, sizes, columns, phase, marks):
        names = ["Problem", *(plain(column).replace("/", " over ", 1) for column in columns)]
        rows = [[plain(grid.labels.of(problem)), *(grid.text(problem, column) for column in columns)] for problem in grid.problems]
        tables.append(table(names, range(1, len(names)), rows, [0]) + "\n" + shared(grid.labels) + grid.below())
    return "\n".join(tables)


def ladder_table(documents, application, sizes, phase, marks):
    tables = []
    for grid in _grids(documents, application, sizes, [], phase, marks):
        names = ["Variant", "Device", *(plain(grid.labels.of(problem)) for problem in grid.problems)]
        devices = {r.variant: r.device for problem in grid.problems for r in problem.runs if (problem.first.key, r.variant) in grid.cells}
        rows = [[plain(variant), device(name, grid.machine), *(grid.text(problem, variant) for problem in grid.problems)]
                for variant, name in devices.items()]
        tables.append(table(names, range(2, len(names)), rows, [0, 1]) + "\n" + shared(grid.labels) + not_run(grid.runs) + grid.below())
    return "\n".join(tables)
