import importlib.util
import json

import pytest
from conftest import ROOT, document, gpu_and_host, run

SPEC = importlib.util.spec_from_file_location("targets", ROOT / "tools" / "targets.py")
targets = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(targets)

HEAD = 'order = 1\ntitle = "Heat and its flow"\n'
COPY = [run(variant="cuda", kind="gpu", time=time, problem={"operation": name}) for name, time in (("copy", 0.001), ("grad", 0.002), ("add", 0.0011))]


def row(**keys):
    """A row of TOML: execute of `cuda`, 25 ms, of at most 30 ms; what is None is left out."""
    keys = {"application": '"heat"', "target": '"time of a step"', "measured": selector(), "at_most": "30", "unit": '"ms"', **keys}
    return "\n[[row]]\n" + "".join(f"{k} = {v}\n" for k, v in keys.items() if v is not None)


def selector(**keys):
    keys = {"record": '"results/records.jsonl"', "variant": '"cuda"', **keys}
    return "[{ " + ", ".join(f"{k} = {v}" for k, v in keys.items()) + " }]"


@pytest.fixture
def made(tmp_path):
    """Makes the page of a small tree: rows of TOML, documents of records; returns its text and what is wrong."""
    def make(rows, documents=None, digests=None):
        for folder in ("speedwell/apps/heat", "results", "docs/targets"):
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / "speedwell" / "apps" / "heat" / "README.md").write_text("# heat\n")
        (tmp_path / "results" / "records.jsonl").write_text("".join(json.dumps(d) + "\n" for d in documents or [document(gpu_and_host())]))
        (tmp_path / "docs" / "targets" / "heat.toml").write_text(HEAD + rows)
        return targets.page(tmp_path, tmp_path / "docs" / "targets", digests)
    return make


def test_a_target_that_is_reached_has_its_figure_its_record_and_its_origin(made):
    text, wrong = made(row())
    assert wrong == []
    assert ("| [heat](../speedwell/apps/heat/README.md) | time of a step: at most 30 ms | cuda: 25.0 ms | reached | – | "
            "[records.jsonl](../results/records.jsonl) |") in text
    assert "| [Heat and its flow](#heat-and-its-flow) | 1 | 1 | 0 | 0 |\n| all | 1 | 1 | 0 | 0 |\n| of these, stretch targets | 0 | 0 | 0 | 0 |" in text
    assert "| [records.jsonl](../results/records.jsonl) | Test CPU | Test GPU, GPU-1 | abcdef123456 | 2026-01-01 |" in text


def test_a_target_that_is_missed_says_what_bounds_it(made):
    text, wrong = made(row(at_most="20", bound='"The copies."'))
    assert wrong == [] and "| cuda: 25.0 ms | **missed** | The copies. |" in text
    assert made(row(at_most="20"))[1] == ["time of a step: is missed, and nothing says what bounds it"]


def test_a_target_without_a_record_says_so(made):
    text, wrong = made(row(measured=None, bound='"Not measured: the mesh is too large."'))
    assert wrong == [] and "| – | not measured | Not measured: the mesh is too large. | – |" in text
    assert "has neither a record nor a bound" in made(row(measured=None, bound='"The mesh is too large."'))[1][0]
    assert "a bound that says that it is not measured" in made(row(bound='"Not measured: the mesh is too large."'))[1][0]


def test_stretch_targets_are_counted_apart(made):
    text, wrong = made(row() + row(stretch="true", at_most="20", bound='"The copies."'))
    assert wrong == [] and "| stretch: time of a step: at most 20 ms |" in text
    assert "| all | 2 | 1 | 1 | 0 |\n| of these, stretch targets | 1 | 0 | 1 | 0 |" in text


@pytest.mark.parametrize("keys, threshold, figure", [
    ({"over": '"openmp"'}, {"at_least": "30", "unit": '"times"'}, "time of a step: at least 30× | cuda over openmp: 40.0× | reached"),
    ({"show": '"bandwidth"'}, {"at_least": "0.1", "unit": '"TB/s"'}, "at least 0.1 TB/s | cuda: 0.120 TB/s | reached"),
    ({"show": '"limit"'}, {"at_least": "80", "unit": '"%"'}, "at least 80 % | cuda: 90.0 % | reached"),
    ({"show": '"of.gpu.triad"'}, {"at_least": "2", "unit": '"%"'}, "at least 2 % | cuda: 3.00 % | reached"),
    ({"per": '"n"'}, {"at_most": "300", "unit": '"µs"'}, "at most 300 µs | cuda: 250 µs | reached"),
    ({"label": '"a box"'}, {"at_most": "30", "unit": '"ms"'}, "at most 30 ms | cuda, a box: 25.0 ms | reached")])
def test_quantities(made, keys, threshold, figure):
    text, wrong = made(row(**{"at_most": None, **threshold}, measured=selector(**keys)))
    assert wrong == []
    assert figure in text


def test_a_limit_that_the_record_withholds_is_named_and_reaches_nothing(made):
    runs = [run(variant="cuda", kind="gpu", time=0.025, problem={"n": 1}, limit=(0.0225, "memory")), run(variant="cuda", kind="gpu", problem={"n": 2})]
    keys = {"at_most": None, "unit": '"%"', "measured": selector(show='"limit"', where="{ n = [1, 2] }")}
    text, wrong = made(row(at_least="80", **keys), [document(runs)])
    assert wrong == [] and "| cuda: n=1 90.0 %, n=2 no share (no ceiling applies) | not measured |" in text
    text, wrong = made(row(at_least="95", bound='"The copies."', **keys), [document(runs)])
    assert wrong == [] and "no share (no ceiling applies) | **missed** |" in text, "another figure misses the threshold"


def test_the_time_of_an_update_is_the_inverse_of_the_rate(made):
    one = run(variant="cuda", kind="gpu", rates={"bandwidth_GBps": 1.0, "operations_Gops": 1.0, "updates_per_s": 4e9, "rate_name": "Mcells/s", "rate": 4000.0})
    text, wrong = made(row(at_most="0.3", unit='"ns"', measured=selector(show='"update"')), [document([one])])
    assert wrong == [] and "| cuda: 0.250 ns | reached |" in text


def test_bandwidths_of_two_problems_of_a_record_are_compared(made):
    measured = selector(show='"bandwidth"', over_where='{ operation = "copy" }', where='{ operation = ["grad", "add"] }')
    text, wrong = made(row(at_most=None, at_least="90", unit='"%"', measured=measured, bound='"The caches."'), [document(COPY)])
    assert wrong == [] and "| cuda over operation=copy: grad 50.0 %, add 90.9 % | **missed** |" in text, "one of two reaches it"
    assert "reached" in made(row(at_most=None, at_least="50", unit='"%"', measured=measured), [document(COPY)])[0].split("| Record |")[1]


def test_of_many_figures_the_lowest_and_the_highest_are_shown(made):
    runs = [run(variant="cuda", kind="gpu", time=n * 0.001, problem={"n": n}) for n in range(1, 9)]
    text, wrong = made(row(at_most="6", measured=selector(where="{ n = [1, 2, 3, 4, 5, 6, 7, 8] }"), bound='"The copies."'), [document(runs)])
    assert wrong == [] and "| cuda: 1.00 ms (n=1) to 8.00 ms (n=8); 6 of 8 reach it | **missed** |" in text


def test_a_figure_next_to_its_threshold_has_more_digits(made):
    text, _ = made(row(at_most="24.99", bound='"The copies."'))
    assert "| cuda: 25.00 ms | **missed** |" in text
    assert "| cuda: 25.0 ms | reached |" in made(row(at_most="25"))[0], "a figure that is its threshold reaches it"


def test_a_selector_that_matches_nothing_or_several_runs_is_refused(made):
    assert made(row(measured=selector(variant='"cuda-fast"')))[1] == ["time of a step: heat cuda-fast matches no run"]
    runs = [run(variant="cuda", kind="gpu", problem={"n": n}) for n in (1, 2)]
    assert "matches 2 runs" in made(row(), [document(runs)])[1][0]
    assert "a selector has no key wher" in made(row(measured=selector(wher="{ n = 1 }")))[1][0]
    assert "the records have s, not GB/s" in made(row(unit='"GB/s"'))[1][0]
    assert "there is no of.gpu.copy" in made(row(unit='"%"', measured=selector(show='"of.gpu.copy"')))[1][0], "the record has no such ceiling"


def test_a_ceiling_that_was_not_stable_has_no_share(made):
    documents = [document(gpu_and_host())]
    for ceiling in documents[0]["machine"]["ceilings"]:
        ceiling["stable"] = False
    text, wrong = made(row(unit='"%"', measured=selector(show='"of.gpu.triad"')), documents)
    assert wrong == [] and "| cuda: no share (the ceiling gpu.triad was not stable) | not measured |" in text


def test_other_rows_that_are_refused(made):
    for keys, why in (({"target": '"' + "a " * 16 + '"'}, "the target has not 1 to 15 words"), ({"at_least": "1"}, "has not one threshold"),
                      ({"at_most": None}, "has not one threshold"), ({"unit": None}, "has not one threshold"), ({"whim": "1"}, "a target has no key whim"),
                      ({"application": '"cold"'}, "there is no page of cold"), ({"bound": '"the copies"'}, "the bound is no whole sentence")):
        wrong = made(row(**keys))[1]
        assert len(wrong) == 1 and why in wrong[0], wrong


def test_marks_of_few_passes_and_of_older_sources(made):
    documents = [document([run(variant="cuda", kind="gpu", passes=[0.001] * 3)])]
    assert "| cuda: 1.00 ms (n=3) | reached |" in made(row(), documents, {"heat": "aa"})[0]
    assert "| cuda: 1.00 ms (n=3) † | reached |" in made(row(), documents, {"heat": "bb"})[0]


def test_the_page_of_this_repository_has_no_fault():
    text, wrong = targets.page(ROOT, ROOT / "docs" / "targets")
    assert wrong == [] and "not measured" in text
