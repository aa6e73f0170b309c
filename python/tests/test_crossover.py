"""Crossings of made-up curves whose answer is known in closed form."""
import csv
import io
import json
import math
import random
import re

import pytest
from conftest import document, loaded, phase, run
from test_mutations import mutated, places

from speedwell import __main__ as command_line
from speedwell import analysis, crossover, crossover_text, records, report
from speedwell.analysis import Ratio
from speedwell.crossover import Time
from speedwell.errors import NothingMatchedError, SpeedwellError, UsageError
from speedwell.plots import Plots
from speedwell.statistics import median_interval

SIZES = [10.0 * 2**i for i in range(10)]


def power(n, exponent=1.0, at=100.0):
    """A ratio that passes 1 at `at`, and is a power of the size: interpolation is exact."""
    return (n / at) ** exponent


def ratios(values, spread=None):
    return [Ratio(v, (v / spread, v * spread) if spread else None) for v in values]


# --- where ratios cross 1 --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [0.1, 1.0, 3.0])
def test_a_power_law_crosses_where_it_is_one(exponent):
    found = crossover.crossing(SIZES, ratios([power(n, exponent) for n in SIZES]))
    assert (found.kind, found.changes, found.interval) == ("from", 1, None)
    assert found.value == pytest.approx(100)


def test_the_interval_goes_from_where_the_upper_ends_cross_to_where_the_lower_do():
    found = crossover.crossing(SIZES, ratios([power(n, 2) for n in SIZES], spread=1.21))
    assert found.interval == (pytest.approx(100 / 1.1), pytest.approx(100 * 1.1))  # 1.21 in the ratio, its root in the size


def test_a_crossing_at_a_measured_size_is_that_size():
    assert crossover.crossing([1.0, 2.0, 4.0], ratios([0.5, 1.0, 2.0])).value == pytest.approx(2)


def test_always_and_never_are_told_with_what_the_intervals_admit():
    always = crossover.crossing(SIZES, ratios([2.0] * 10, spread=1.1))
    assert (always.kind, always.value, always.interval) == ("always", None, (None, SIZES[0]))
    never = crossover.crossing(SIZES, ratios([0.5] * 10, spread=1.1))
    assert (never.kind, never.value, never.interval) == ("never", None, (SIZES[-1], None))
    unsure = crossover.crossing(SIZES, ratios([power(n, 1, at=9.0) for n in SIZES], spread=2))
    assert unsure.kind == "always" and unsure.interval == (None, pytest.approx(18))
    nearly = crossover.crossing(SIZES, ratios([power(n, 1, at=6000.0) for n in SIZES], spread=2))
    assert nearly.kind == "never" and nearly.interval == (pytest.approx(3000), None)


def test_equal_times_are_not_faster():
    assert crossover.crossing(SIZES, ratios([1.0] * 10, spread=1.1)).kind == "never"
    assert crossover.crossing(SIZES, ratios([1.0] * 10, spread=1.1)).interval == (None, None)


def test_of_several_crossings_the_last_counts():
    found = crossover.crossing([1.0, 2.0, 4.0, 8.0, 16.0], ratios([0.5, 2.0, 0.5, 2.0, 4.0]))
    assert (found.kind, found.changes) == ("from", 3)
    assert found.value == pytest.approx(math.sqrt(4 * 8))


def test_a_window_that_closes_is_never():
    found = crossover.crossing([1.0, 2.0, 4.0], ratios([0.5, 2.0, 0.5]))
    assert (found.kind, found.changes) == ("never", 2)


def test_one_ratio_without_interval_leaves_none():
    values = ratios([power(n) for n in SIZES], spread=1.1)
    values[4] = Ratio(values[4].value)
    assert crossover.crossing(SIZES, values).interval is None


# --- solves per upload -----------------------------------------------------------------------------------------------


def exact(value, spread=0.0):
    return Time(value, (value - spread, value + spread))


@pytest.mark.parametrize("now, expected", [
    ((10.0, 0.5), 20),   # 10 + k / 2 <= k
    ((10.1, 0.5), 21),
    ((0.0, 0.5), 1),     # nothing to pay back
    ((-1.0, 0.5), 1),
    ((10.0, 1.0), None),  # never gains
    ((10.0, 2.0), None),
])
def test_solves_pay_when_the_gain_has_paid_the_upload(now, expected):
    found = crossover.solves(exact(0.0), exact(1.0), exact(now[0]), exact(now[1]))
    assert (found.first, found.last) == (expected, None)


def test_a_cheaper_upload_and_a_slower_execute_pay_up_to_some_solves():
    found = crossover.solves(exact(10.0), exact(1.0), exact(0.0), exact(3.0))
    assert (found.first, found.last) == (1, 5)  # 3 k <= 10 + k


def test_solves_have_the_interval_of_the_worst_and_the_best_ends():
    found = crossover.solves(exact(0.0), exact(1.0), exact(10.0, 1.0), exact(0.5, 0.25))
    assert found == crossover.Solves(20, None, (12, 44))  # 9 / 0.75, 11 / 0.25
    assert crossover.solves(exact(0.0), exact(1.0), exact(10.0), exact(0.5, 0.5)).interval == (10, math.inf)
    assert crossover.solves(exact(0.0), exact(1.0), exact(10.0), Time(0.5)).interval is None


def test_the_interval_of_a_median_is_that_of_the_program():
    assert [median_interval(range(1, n + 1)) for n in (0, 5, 6, 8, 9, 12)] == [None, None, (1, 6), (1, 8), (2, 8), (3, 10)]


# --- sweeps of records -----------------------------------------------------------------------------------------------


def sweep_runs(host, gpu, passes=8, sizes=(10, 100, 1000, 10000), kinds=("cores", "gpu"), size="crossover", overheads=(1.0, 4.0), **changes):
    """Runs of `host(n)` and `gpu(n)` seconds; end to end adds an overhead to a first execute of twice the time."""
    runs = []
    for n in sizes:
        for kind, time, overhead in zip(kinds, (host(n), gpu(n)), overheads):
            made = run(problem={"n": n, "precision": "f64"}, variant={"cores": "openmp", "gpu": "cuda", "core": "serial"}[kind], kind=kind,
                       passes=[time] * passes, size=size, **changes)
            made["phases"]["prepare_s"] = phase([overhead / 4] * passes)
            made["phases"]["upload_s"] = phase([3 * overhead / 4] * passes)
            made["phases"]["first_execute_s"] = phase([2 * time] * passes)
            made["phases"]["end_to_end_s"] = phase([overhead + 2 * time] * passes)
            made["work"]["updates"] = float(n) ** 2
            made["rates"]["updates_per_s"] = n**2 / time
            runs.append(made)
    return runs


def sweeps_of(*documents):
    machine, = analysis.by_machine([loaded(d) for d in documents])
    return crossover.sweeps(machine, machine.applications[0])


def test_a_sweep_has_crossings_peaks_and_solves():
    sweep, = sweeps_of(document(sweep_runs(host=lambda n: n / 100, gpu=lambda n: n**0.5 / 10)))
    assert sweep.execute.value == pytest.approx(100)  # n / 100 = sqrt(n) / 10
    assert sweep.execute.interval == (pytest.approx(100), pytest.approx(100))
    assert (sweep.parameter, sweep.sizes, sweep.on_gpu) == ("n", [10, 100, 1000, 10000], True)
    assert sweep.updates_at(100) == pytest.approx(1e4)
    peaks = sweep.peaks  # n^2 updates over each time
    assert (peaks.base.value, peaks.now.value) == (pytest.approx(1e6), pytest.approx(1e7))
    assert peaks.ratio.value == pytest.approx(10) and peaks.ratio.interval == (pytest.approx(10), pytest.approx(10))
    assert peaks.reached.value == pytest.approx((1e6 / 10) ** (2 / 3))  # 10 n^1.5 = 1e6
    last = sweep.points[-1]
    assert last.solves.first == 1  # 3 s more, 90 s gained
    assert sweep.points[2].solves == crossover.Solves(1, None, (1, 1))  # 3 s more, 6.8 s gained
    assert sweep.points[0].solves.first is None


def test_the_overhead_is_end_to_end_without_its_first_execute():
    sweep, = sweeps_of(document(sweep_runs(host=lambda n: n / 100, gpu=lambda n: n / 1000)))
    assert crossover.overhead(sweep.points[0].now) == Time(pytest.approx(4.0), (pytest.approx(4.0), pytest.approx(4.0)))
    assert sweep.points[1].solves.first == math.ceil(3 / 0.9)
    end_to_end = [(1 + n / 50) / (4 + n / 500) for n in (100, 1000)]
    share = -math.log(end_to_end[0]) / (math.log(end_to_end[1]) - math.log(end_to_end[0]))
    assert sweep.end_to_end.value == pytest.approx(100 * 10**share)


def test_the_overhead_is_paired_by_passes():
    made = run()
    made["phases"].update(prepare_s=phase([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), upload_s=phase([6.0, 5.0, 4.0, 3.0, 2.0, 1.0]))
    assert crossover.overhead(loaded(document([made])).runs[0]) == Time(7.0, (7.0, 7.0))
    del made["phases"]["upload_s"]["sample_pass"]
    made["phases"]["upload_s"]["samples"].append(1.0)  # of an unknown pass
    assert crossover.overhead(loaded(document([made])).runs[0]) is None


def test_few_passes_leave_no_interval_and_say_so():
    sweep, = sweeps_of(document(sweep_runs(lambda n: n / 100, lambda n: n**0.5 / 10, passes=3)))
    assert sweep.execute.value == pytest.approx(100) and sweep.execute.interval is None and sweep.peaks.ratio.interval is None
    assert any("4 sizes of 4 have fewer than 6 passes (3 at least)" in note for note in sweep.notes)


def test_sizes_that_one_side_lacks_are_left_out_and_named():
    runs = sweep_runs(lambda n: n / 100, lambda n: n**0.5 / 10, sizes=(10, 20, 100, 1000, 10000))
    runs = [r for r in runs if not (r["problem"]["n"] == 20 and r["device"]["kind"] == "gpu")]
    sweep, = sweeps_of(document(runs))
    assert sweep.sizes == [10, 100, 1000, 10000] and sweep.execute.value == pytest.approx(100)
    assert any("n = 20: not on both devices" in note for note in sweep.notes)


def test_failed_runs_enter_no_curve():
    runs = sweep_runs(lambda n: n / 100, lambda n: n**0.5 / 10, sizes=(10, 100, 1000))
    runs[1] = run(problem={"n": 10, "precision": "f64"}, variant="cuda", kind="gpu", status="failed", size="crossover")
    assert sweeps_of(document(runs)) == []


def test_marks_of_the_runs_are_told():
    load = {"window_s": 1.0, "others": 0.25, "steal": 0.0}
    sweep, = sweeps_of(document(sweep_runs(lambda n: n / 100, lambda n: n**0.5 / 10, throttled=True, host_load=load)))
    assert any(note.startswith("busy: other processes used up to 25 % ") and "4 runs of 8" in note for note in sweep.notes)
    assert any(note.startswith("throttled: 8 runs of 8") for note in sweep.notes)


def test_several_crossings_are_told():
    times = {10: 0.5, 100: 2.0, 1000: 0.5, 10000: 2.0}
    sweep, = sweeps_of(document(sweep_runs(lambda n: times[n], lambda n: 1.0)))
    assert sweep.execute.value == pytest.approx(1000 * math.sqrt(10)) and any("cross 3 times" in note for note in sweep.notes)


def test_without_a_gpu_all_cores_are_held_against_one_in_the_sizes_of_the_command_alone():
    def documents(size):
        return document(sweep_runs(lambda n: n / 100, lambda n: n**0.5 / 10, kinds=("core", "cores"), size=size), gpu=False)
    sweep, = sweeps_of(documents("crossover"))
    assert not sweep.on_gpu and sweep.execute.value == pytest.approx(100)
    assert crossover_text.sentence(sweep).startswith("Executing alone, all cores are faster than one core of Test CPU from n = 100 ")
    assert sweeps_of(documents("curve")) == []


def test_the_sizes_of_the_command_are_kept_apart_from_others():
    own = sweep_runs(lambda n: n / 100, lambda n: n**0.5 / 10)
    other = sweep_runs(lambda n: 1.0, lambda n: 9.0, sizes=(7, 70, 700), size="standard")
    sweep, = sweeps_of(document(own + other))
    assert sweep.sizes == [10, 100, 1000, 10000]
    assert sweeps_of(document(other))[0].execute.kind == "never"


# --- text, JSON, CSV, the page ---------------------------------------------------------------------------------------


def test_the_sentence_says_both_and_the_peaks():
    sweep, = sweeps_of(document(sweep_runs(lambda n: n / 100, lambda n: n**0.5 / 10, overheads=(1.0, 1000.0))))
    assert crossover_text.sentence(sweep) == (
        "Executing alone, the GPU is faster than 16 cores of Test CPU from n = 100 [100, 100] on (10000 cells); end to end, with construction, "
        "allocation and transfers, not at the largest size measured, n = 10000. At the best size of each, it does 10.0× [10.0, 10.0] the rate.")


def test_a_device_that_is_never_faster_is_told_so():
    sweep, = sweeps_of(document(sweep_runs(lambda n: 1.0, lambda n: 2.0)))
    assert crossover_text.sentence(sweep) == ("Executing alone and end to end, the GPU is not faster than 16 cores of Test CPU at the largest size "
                                              "measured, n = 10000. At the best size of each, it does 0.500× [0.500, 0.500] the rate.")


def test_work_that_does_not_grow_with_the_size_gives_no_rate():
    runs = sweep_runs(lambda n: n / 100, lambda n: n**0.5 / 10)
    for made in runs:
        made["work"]["updates"] = 1.0
    sweep, = sweeps_of(document(runs))
    assert sweep.peaks is None and "from n = 100 [100, 100] on;" in crossover_text.sentence(sweep) and "rate" not in crossover_text.sentence(sweep)
    Plots().crossover(sweep)


def test_edges_that_grow_together_are_one_parameter():
    runs = sweep_runs(lambda n: n / 100, lambda n: n**0.5 / 10)
    for made in runs:
        n = made["problem"]["n"]
        made["problem"] = {"nx": n, "ny": n, "precision": "f64"}
    sweep, = sweeps_of(document(runs))
    assert sweep.parameter == "nx = ny" and "from nx = ny = 100 [100, 100] on" in crossover_text.sentence(sweep)


@pytest.mark.parametrize("value, expected", [(15.2, "16"), (100.0, "100"), (1234.0, "1240"), (99950.0, "100000"), (2.04e6, "2.04e6"), (0.5, "1")])
def test_sizes_are_rounded_up_to_three_digits(value, expected):
    assert crossover_text.size(value) == expected


def test_text_json_and_csv_hold_the_same(write, capsys, tmp_path):
    path = str(write(document(sweep_runs(lambda n: n / 100, lambda n: n**0.5 / 10))))
    assert command_line.main(["crossover", path]) == 0
    text = capsys.readouterr().out
    assert "execute alone  from n = 100 [100, 100] on" in text and "solves to pay" in text
    assert command_line.main(["crossover", path, "--format", "json", "--out", str(tmp_path / "c.svg")]) == 0
    block, = json.loads(capsys.readouterr().out)["crossovers"]
    assert block["execute"]["size"] == pytest.approx(100) and block["sentence"] in text
    assert (tmp_path / "c.svg").read_text().startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert command_line.main(["crossover", path, "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [float(r["size"]) for r in rows] == [10, 100, 1000, 10000] and rows[0]["solves"] == "" and rows[-1]["solves"] == "1"
    assert float(rows[-1]["overhead_s"]) == pytest.approx(4)


@pytest.mark.parametrize("arguments, error, expected", [
    (["--format", "xml"], 2, "'xml' is not allowed"),
    (["--application", "haet"], 2, "hold no runs of 'haet'"),
    (["--out", "/nowhere/c.svg"], 5, "there is no folder"),
])
def test_mistakes_are_one_line(write, capsys, arguments, error, expected):
    path = str(write(document(sweep_runs(lambda n: n / 100, lambda n: n**0.5 / 10))))
    assert command_line.main(["crossover", path, *arguments]) == error
    captured = capsys.readouterr()
    assert expected in captured.err.splitlines()[0] and captured.out == ""


def test_records_without_a_sweep_are_status_six(write, capsys):
    for runs in ([], [run()], sweep_runs(lambda n: 1.0, lambda n: 2.0, sizes=(10, 100))):
        assert command_line.main(["crossover", str(write(document(runs)))]) == NothingMatchedError.status
        captured = capsys.readouterr()
        assert "hold no 3 sizes of one problem" in captured.err and captured.out == ""


def test_a_file_for_several_sweeps_is_refused(write, tmp_path, capsys):
    runs = sweep_runs(lambda n: n / 100, lambda n: 1.0) + sweep_runs(lambda n: n / 100, lambda n: 1.0, application="waves")
    assert command_line.main(["crossover", str(write(document(runs))), "--out", str(tmp_path / "c.svg")]) == UsageError.status
    assert not (tmp_path / "c.svg").exists() and "hold 2" in capsys.readouterr().err


def test_names_from_files_are_harmless_in_text_and_page(write, capsys):
    evil = sweep_runs(lambda n: n / 100, lambda n: n**0.5 / 10, device="<b>\x1b[31m16 cores")
    assert command_line.main(["crossover", str(write(document(evil)))]) == 0
    assert "\x1b" not in capsys.readouterr().out
    page = report.render([loaded(document(evil))])
    assert "<b>\ufffd" not in page and "&lt;b&gt;" in page


def test_the_page_has_a_section_with_one_plot_and_the_sentence():
    made = loaded(document(sweep_runs(lambda n: n / 100, lambda n: n**0.5 / 10)))
    page = report.render([made])
    sweep, = sweeps_of(made.content)
    assert "From which n on does the GPU pay?" in page and crossover_text.sentence(sweep) in page
    assert page.count("<h4>Crossover</h4>") == 1 and "speedwell crossover heat" in re.sub("<[^>]*>", "", page)
    single = report.render([loaded(document([run(), run(variant="cuda", kind="gpu", time=0.1)]))])
    assert "does the GPU pay?" not in single


@pytest.mark.parametrize("seed", range(3))
def test_a_mutated_sweep_is_refused_or_told(seed, tmp_path):
    content = document(sweep_runs(lambda n: n / 100, lambda n: n**0.5 / 10, sizes=(10, 100, 1000)))
    source, paths = random.Random(seed), list(places(content["runs"]))
    told = 0
    for number in range(150):
        file = tmp_path / "records.json"
        file.write_text(json.dumps({**content, "runs": mutated(content["runs"], paths, source)}))
        try:
            found = crossover_text.find(records.read([file]))
        except SpeedwellError as error:
            assert "\n" not in error.message
            continue
        told += 1
        crossover_text.text(found)
        crossover_text.as_csv(found)
        json.loads(crossover_text.as_json(found), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
        if number % 10 == 0:
            Plots().crossover(found[0][1])
    assert told > 5
