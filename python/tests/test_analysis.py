import json
import pathlib

import pytest
from conftest import document, gpu_and_host, loaded, run

from speedwell import analysis, explain, renamed


def runs_of(*data, **keys):
    return loaded(document(list(data), **keys)).runs


def machine_of(*documents):
    return analysis.by_machine([loaded(d) for d in documents])[0]


def test_an_interval_of_a_ratio_pairs_the_worst_and_best_ends():
    base, now = runs_of(run(passes=[9, 10, 10, 10, 10, 12]), run(variant="cuda", kind="gpu", passes=[1.8, 2, 2, 2, 2, 2.5]))
    ratio = analysis.speedup(base.execute, now.execute)
    assert ratio.value == 5 and ratio.interval == pytest.approx((9 / 2.5, 12 / 1.8))


def test_a_ratio_of_few_passes_has_no_interval():
    base, now = runs_of(run(passes=[10, 10, 10]), run(variant="cuda", kind="gpu", passes=[2] * 6))
    assert analysis.speedup(base.execute, now.execute).interval is None
    assert analysis.speedup(None, now.execute) is None


def test_speedups_compare_variants_of_one_algorithm():
    runs = runs_of(run(variant="openmp", time=2.0), run(variant="openmp-blocked", time=1.0, algorithm="blocked in time"),
                   run(variant="library", time=0.5, role="peer"), run(variant="cuda", kind="gpu", time=0.1))
    assert analysis.same_algorithm(runs).host.variant == "openmp"
    assert analysis.same_algorithm(runs).ratio.value == pytest.approx(20)
    best = analysis.best_against_best(runs)
    assert best.host.variant == "library" and best.ratio.value == pytest.approx(5)


def test_failed_and_skipped_runs_enter_no_ratio():
    runs = runs_of(run(time=1.0), run(variant="cuda", kind="gpu", time=1e-9, status="failed"),
                   run(variant="cuda-naive", kind="gpu", status="skipped", reason="no GPU"))
    assert analysis.same_algorithm(runs).ratio is None
    assert analysis.fastest(runs, "gpu") is None


def test_of_several_records_of_a_run_the_latest_session_counts():
    old = document([run(time=1.0)], started="2026-01-02T00:00:00Z")
    new = document([run(time=2.0)], started="2026-01-03T00:00:00Z")
    machine = machine_of(new, old)
    assert machine.runs[0].execute.median == 2.0 and len(machine.superseded) == 1
    assert machine.latest.started == "2026-01-03T00:00:00Z"


def test_machines_are_told_apart_by_hardware_and_cards_on_request():
    documents = [loaded(document([run()], uuid="GPU-1")), loaded(document([run(variant="b")], uuid="GPU-2")),
                 loaded(document([run()], machine="m2"))]
    assert len(analysis.by_machine(documents)) == 2
    assert len(analysis.by_machine(documents, apart=True)) == 3


def test_problems_that_differ_in_one_number_are_a_family_in_order():
    runs = [run(problem={"kernel": k, "n": n}) for k in ("a", "b") for n in (1000, 10, 100)]
    families = machine_of(document(runs)).applications[0].families
    assert [(f.sweep, [p.abscissa for p in f.problems]) for f in families] == [("n", [10, 100, 1000])] * 2


def test_problems_whose_numbers_grow_together_are_one_family():
    runs = [run(problem={"rows": n, "columns": 2 * n}) for n in (1, 4, 2)]
    family, = machine_of(document(runs)).applications[0].families
    assert family.sweep == "columns, rows" and [p.abscissa for p in family.problems] == [2, 4, 8]


def test_problems_on_a_grid_of_two_numbers_are_families_over_the_longer_axis():
    runs = [run(problem={"n": n, "steps": s}) for n in (1, 2, 3) for s in (10, 20)]
    assert [(f.sweep, len(f.problems)) for f in machine_of(document(runs)).applications[0].families] == [("n", 3), ("n", 3)]


def test_variants_stand_in_the_order_of_all_documents():
    first = document([run(variant="a"), run(variant="c")])
    second = document([run(variant="a"), run(variant="b"), run(variant="c")], started="2026-02-01T00:00:00Z")
    machine = machine_of(first, second)
    assert [r.variant for r in machine.applications[0].families[0].problems[0].runs] == ["a", "b", "c"]


def test_a_ladder_has_the_gain_of_each_step_over_the_one_before():
    runs = runs_of(run(variant="openmp"), *[run(variant=v, kind="gpu", role=r, time=t) for v, r, t in
                                            (("naive", "step", 4.0), ("tile", "step", 2.0), ("cuda", "best", 1.0))])
    assert [(s.run.variant, s.gain and s.gain.value) for s in analysis.ladder(runs)] == [("naive", None), ("tile", 2), ("cuda", 2)]
    assert analysis.ladder(runs[:2]) == []


def test_a_limit_that_the_time_beats_by_more_than_two_percent_is_withheld():
    near, beaten = runs_of(run(time=1.0, limit=(1.015, "memory")), run(variant="b", time=1.0, limit=(1.2, "memory")))
    assert analysis.limit_of(near)[0]["fraction"] == pytest.approx(1.015)
    limit, reason = analysis.limit_of(beaten)
    assert limit is None and "withheld" in reason


def test_runs_of_older_sources_than_the_newest_are_stale():
    old = document([run(digest="old"), run(variant="serial", kind="core", digest="new")])
    new = document([run(variant="cuda", kind="gpu", digest="new")], started="2026-02-01T00:00:00Z")
    machine = machine_of(old, new)
    assert {r.variant for r in machine.runs if id(r) in analysis.stale_runs(machine)} == {"openmp"}


def test_the_figures_of_shipped_records_follow_from_their_medians(shipped):
    machine, = analysis.by_machine(shipped)
    checked = 0
    for application in machine.applications:
        for family in application.families:
            found = analysis.same_algorithm(family.largest.runs)
            if not found.ratio:
                continue
            host, gpu = (json.loads(pathlib.Path(r.document.file).read_text()) for r in (found.host, found.gpu))
            for data in host["runs"] + gpu["runs"]:
                renamed.rename(data)

            def median(content, run_):
                return next(r["phases"]["execute_s"]["median"] for r in content["runs"] if (r["key"], r["variant"]["name"], r["device"]["name"])
                            == (run_.key, run_.variant, run_.device) and r["phases"])
            assert found.ratio.value == median(host, found.host) / median(gpu, found.gpu)
            checked += 1
    assert checked > 50


def test_allocation_on_a_host_is_no_base_of_allocation_on_a_gpu():
    problem = {"bytes": 64, "operation": "allocate", "repeats": 1}
    host = run(application="transfer", problem=problem, key="transfer bytes=64 operation=allocate repeats=1 seed=1")
    gpu = run(application="transfer", variant="cuda-device", kind="gpu", problem=problem, key=host["key"])
    for data in (host, gpu):
        renamed.rename(data)
    assert host["problem"]["operation"] == "first-touch" and host["key"] == "transfer bytes=64 operation=first-touch repeats=1 seed=1"
    assert gpu["problem"]["operation"] == "allocate" and " operation=allocate " in gpu["key"]


def test_why_says_that_equal_fractions_leave_the_ratio_of_the_ceilings():
    text = explain.why_problem(runs_of(*gpu_and_host()))
    assert text == "Bound by memory bandwidth on both sides, at 90 % of the limit, so the ratio is that of the memory bandwidths, 40.0×."


@pytest.mark.parametrize("host, gpu, expected", [
    ((0.9, "memory"), (0.010, "memory"), "because the GPU stays farther below its limit than all cores"),
    ((0.4, "memory"), (0.0225, "memory"), "because all cores stay farther below their limit than the GPU"),
    ((0.9, "memory"), (0.0225, "arithmetic"), "nearest limit is memory bandwidth on all cores and arithmetic on the GPU"),
    ((0.1, "memory"), (0.002, "memory"), "Far from the measured limits on both sides"),
    (None, (0.02, "memory"), "on all cores there is none to compare with (no ceiling applies)"),
    (None, None, "No measured ceiling bounds this work"),
    ((1.2, "memory"), (0.02, "memory"), "withheld"),
])
def test_why_names_what_sets_the_two_sides_apart(host, gpu, expected):
    runs = runs_of(run(time=1.0, limit=host), run(variant="cuda", kind="gpu", time=0.025, limit=gpu))
    assert expected in explain.why_problem(runs)


def test_what_the_ceilings_predict_is_the_ratio_of_the_limits():
    base, now = runs_of(run(time=1.0, limit=(0.5, "memory")), run(variant="cuda", kind="gpu", time=0.1, limit=(0.02, "memory")))
    assert explain.predicted_ratio(base, now) == pytest.approx(25)


def test_without_a_gpu_one_core_is_compared_with_all():
    runs = runs_of(run(variant="serial", kind="core", time=4.0, limit=(3.6, "memory")), run(time=1.0, limit=(0.9, "memory")), gpu=False)
    assert "the ratio is that of the memory bandwidths, 4.00×" in explain.why_problem(runs)
