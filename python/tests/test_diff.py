import json
import math
import re

import numpy
import pytest
from conftest import document, loaded, run
from scipy import stats

from speedwell import diff, statistics
from speedwell.errors import NothingMatchedError, UsageError

ROWS = 80


def session(rng, times, between, within, number, rows_vary=0.4, slower=()):
    """A session of one GPU: each row moves by the session (`between`, which differs from row to row) and each of its six passes by
    `within`, both relative standard deviations. `slower`: rows that take 5 % more."""
    data = []
    spreads = numpy.random.default_rng(99).lognormal(0, rows_vary, len(times))  # rows are as noisy in every session
    for n, time in enumerate(times):
        moved = math.log(time) + between * spreads[n] * rng.normal() + (math.log(1.05) if n in slower else 0)
        data.append(run(problem={"n": n}, variant="cuda", kind="gpu", passes=list(numpy.exp(moved + within * spreads[n] * rng.normal(size=6)))))
    return loaded(document(data, started=f"2026-01-01T00:00:{number:02d}Z"))


def times_of(rng):
    return numpy.exp(rng.uniform(-10, 1, ROWS))


def changed(result):
    return {json.loads("{" + r.key.split("n=")[1].split()[0].join(('"n":', "}")))["n"] for r in result.rows if r.change in ("slower", "faster")}


def test_repeated_single_sessions_are_flagged_in_at_most_two_percent_of_rows():
    rng = numpy.random.default_rng(1)
    times = times_of(rng)
    flagged = 0
    for _ in range(100):
        result = diff.compare([session(rng, times, 0.01, 0.01, 0)], [session(rng, times, 0.01, 0.01, 1)])
        flagged += result.count("slower") + result.count("faster")
    assert flagged <= 0.02 * 100 * ROWS


def test_samples_taken_for_independent_would_have_flagged_far_more():
    """What the test above would find if sessions were not the samples: it can fail."""
    rng = numpy.random.default_rng(1)
    times = times_of(rng)
    a, b = session(rng, times, 0.03, 0.003, 0), session(rng, times, 0.03, 0.003, 1)
    p = [stats.mannwhitneyu(x.execute.by_pass, y.execute.by_pass).pvalue for x, y in zip(a.runs, b.runs)]
    assert sum(value < 0.01 for value in p) > 0.5 * ROWS
    result = diff.compare([a], [b])
    assert result.count("slower") + result.count("faster") <= 0.02 * ROWS


def test_sessions_that_are_disturbed_in_some_rows_are_flagged_in_at_most_two_percent():
    rng = numpy.random.default_rng(2)
    times = times_of(rng)
    flagged = 0
    for _ in range(20):
        sides = []
        for number in range(2):
            made = session(rng, times, 0.01, 0.01, number)
            for victim in rng.choice(ROWS, 6, replace=False):  # a stall of all passes of a row, by up to a factor of ten
                data = made.runs[victim].data
                data["phases"]["execute_s"]["samples"] = [x * rng.uniform(2, 10) for x in data["phases"]["execute_s"]["samples"]]
                data["phases"]["execute_s"]["median"] = float(numpy.median(data["phases"]["execute_s"]["samples"]))
            sides.append([loaded(made.content)])
        result = diff.compare(*sides)
        flagged += result.count("slower") + result.count("faster")
    assert flagged <= 0.02 * 20 * ROWS


def test_planted_slowdowns_are_found_between_several_sessions_and_nothing_else():
    rng = numpy.random.default_rng(3)
    times = times_of(rng)
    planted, found, false = 0, 0, 0
    for _ in range(12):
        slower = set(rng.choice(ROWS, 6, replace=False))
        base = [session(rng, times, 0.004, 0.008, n) for n in range(6)]
        new = [session(rng, times, 0.004, 0.008, 30 + n, slower=slower) for n in range(6)]
        flagged = changed(diff.compare(base, new))
        planted, found, false = planted + 6, found + len(flagged & slower), false + len(flagged - slower)
    assert found >= 0.95 * planted
    assert false <= 0.02 * 12 * ROWS


def test_planted_slowdowns_are_found_between_single_quiet_sessions():
    rng = numpy.random.default_rng(4)
    times = times_of(rng)
    planted, found = 0, 0
    for _ in range(25):
        slower = set(rng.choice(ROWS, 2, replace=False))
        result = diff.compare([session(rng, times, 0.003, 0.004, 0)], [session(rng, times, 0.003, 0.004, 1, slower=slower)])
        planted, found = planted + 2, found + len(changed(result) & slower)
    assert found >= 0.95 * planted


def test_a_known_spread_of_sessions_takes_the_place_of_the_estimate():
    base, new = ([loaded(document([run(passes=[t * x for x in (1, 1.001, 0.999, 1.002, 0.998, 1)])], started=f"2026-01-0{d}T00:00:00Z"))]
                 for t, d in ((1.0, 1), (1.05, 2)))
    assert diff.compare(base, new).rows[0].change == "unclear", "one row says nothing about sessions: 1.5 % is assumed"
    assert diff.compare(base, new, session_spread=0.002).rows[0].change == "slower"
    assert diff.compare(base, new, session_spread=0.002, minimum_effect=0.1).rows[0].change != "slower"


def test_changes_below_the_minimum_effect_are_none():
    def side(factor, first):
        return [loaded(document([run(passes=[factor * (1 + 1e-5 * (n + k)) for k in range(6)])], started=f"2026-01-{first + n:02d}T00:00:00Z"))
                for n in range(4)]
    assert diff.compare(side(1.0, 1), side(1.015, 11)).rows[0].change == "same"
    assert diff.compare(side(1.0, 1), side(1.03, 11)).rows[0].change == "slower"


def one(time=1.0, started="2026-01-01T00:00:00Z", device=None, machine="m1", **changes):
    return loaded(document([run(time=time, device=device, **changes)], started=started, machine=machine))


def test_nothing_matched_is_status_six_and_says_how_machines_are_matched():
    base, new = one(), one(device="64 cores of New CPU", machine="m2")
    with pytest.raises(NothingMatchedError) as error:
        diff.compare([base], [new])
    assert error.value.status == 6 and "--across-machines" in error.value.hint
    result = diff.compare([base], [new], across=True)
    assert len(result.rows) == 1 and result.machines_differ


def test_ratios_of_two_models_of_device_are_no_spread_of_sessions():
    def machine(name, factors):
        runs = [run(problem={"n": n}, device=f"16 cores of {name}", passes=[f * (1 + 1e-3 * k) for k in range(6)]) for n, f in enumerate(factors)]
        return loaded(document(runs, machine=name))
    ratios = [0.25 * 1.2 ** (n % 13) for n in range(20)]  # from 4 times as fast to twice as slow
    result = diff.compare([machine("old", [1.0] * 20)], [machine("new", ratios)], across=True)
    for row, ratio in zip(result.rows, ratios):
        assert row.change == ("slower" if ratio > 1 else "faster"), row.ratio
    assert result.spreads["cores"][1].startswith("assumed: ")
    assert "compare-machines" in diff.summary(result)[1]
    again = machine("old", ratios)
    again.machine["id"] = "m3"  # cores of a virtual machine are counted anew, and belong to its id
    same = diff.compare([machine("old", [1.0] * 20)], [again], across=True)
    assert same.spreads["cores"][1] == "from the spread of 20 rows" and same.count("faster") == 0


def test_only_the_same_problem_variant_and_kind_of_device_match():
    for other in (dict(problem={"n": 2}), dict(variant="other"), dict(kind="core"), dict(application="waves")):
        with pytest.raises(NothingMatchedError):
            diff.compare([one()], [one(**other)], across=True)


def test_all_cores_match_by_their_threads_however_many_cores_were_found_to_be_behind_them():
    old = loaded(document([run(device="16 threads on 8 cores of Test CPU")]))
    new = loaded(document([run(device="16 cores of Test CPU")], started="2026-01-02T00:00:00Z"))
    assert len(diff.compare([old], [new]).rows) == 1
    fewer = run(device="8 cores of Test CPU")
    fewer["device"]["threads"] = 8
    with pytest.raises(NothingMatchedError):
        diff.compare([old], [loaded(document([fewer]))])


def test_a_session_given_twice_counts_once():
    again = [one(), one(), one(started="2026-01-02T00:00:00Z")]
    assert diff.compare(again, [one(started="2026-01-03T00:00:00Z")]).rows[0].sessions == (2, 1)


def test_conditions_of_fail_on():
    def result(base, new, **keys):
        return diff.compare([loaded(document(base))], [loaded(document(new, started="2026-01-02T00:00:00Z"))], **keys)

    quick = dict(session_spread=0.001)
    slower = result([run()], [run(time=1.2)], **quick)
    for text, fails in (("slower", True), ("slower:15", True), ("slower:25", False), ("missing", False), ("unclear", False)):
        assert bool(diff.FailOn.parse(text).reasons(slower)) == fails, text
    missing = result([run(), run(variant="b")], [run()], **quick)
    assert diff.FailOn.parse("missing").reasons(missing) == ["1 row missing"]
    unclear = result([run()], [run(time=1.02)])
    assert diff.FailOn.parse("slower,unclear").reasons(unclear) == ["1 row unclear"]
    failed = result([run(), run(variant="b")], [run(), run(variant="b", status="failed")], **quick)
    assert "does not now" in diff.FailOn.parse("slower").reasons(failed)[0]


def test_a_side_that_moved_as_a_whole_fails_even_where_no_row_can_be_confirmed():
    rng = numpy.random.default_rng(5)
    times = times_of(rng)
    base, new = [session(rng, times, 0.005, 0.005, 0)], [session(rng, 1.1 * times, 0.005, 0.005, 1)]
    result = diff.compare(base, new)
    assert result.shifts["gpu"] == pytest.approx(1.1, rel=0.01)
    assert any("half of the rows" in reason for reason in diff.FailOn.parse("slower:5").reasons(result))
    assert not any("half of the rows" in reason for reason in diff.FailOn.parse("slower:15").reasons(result))


@pytest.mark.parametrize("text", ["faster", "slower:", "slower:-1", "slower:x", "slower:nan", "missing:3", ""])
def test_conditions_that_do_not_exist_are_refused(text):
    with pytest.raises(UsageError):
        diff.FailOn.parse(text)


def test_the_text_has_the_summary_first_and_changes_alone_unless_all_are_asked_for():
    result = diff.compare([loaded(document([run(), run(variant="b")]))],
                          [loaded(document([run(time=1.5), run(variant="b")], started="2026-01-02T00:00:00Z"))], session_spread=0.001)
    text = diff.text(result)
    assert text.startswith("2 rows compared (execute): 1 slower, 0 faster, 1 same, 0 unclear\n")
    assert " b (" not in text and "1 row did not change or is unclear" in text
    assert " b (" in diff.text(result, everything=True)
    content = json.loads(diff.as_json(result))
    assert content["counts"] == {"slower": 1, "faster": 0, "same": 1, "unclear": 0}


def test_names_cannot_move_the_cursor():
    hostile = run(variant="x\x1b[2J\x07", problem={"n\x1b": 1})
    result = diff.compare([loaded(document([hostile]))], [loaded(document([hostile], started="2026-01-02T00:00:00Z"))])
    assert "\x1b" not in diff.text(result, everything=True) and "\x07" not in diff.text(result, everything=True)


def test_times_of_a_few_ticks_of_the_clock_do_not_change():
    base, new = ([loaded(document([run(passes=[t] * 5 + [t + 1e-8])], started=s))] for t, s in ((1.2e-7, "2026-01-01T00:00:00Z"),
                                                                                        (0.8e-7, "2026-01-02T00:00:00Z")))
    assert diff.compare(base, new).rows[0].change == "unclear"


def test_benjamini_hochberg_agrees_with_its_definition():
    p = [0.01, 0.04, 0.03, 0.005, 0.8]
    expected = [min(q * len(p) / rank for rank, q in enumerate(sorted(p), 1) if q >= value) for value in p]
    assert statistics.benjamini_hochberg(p) == pytest.approx(expected)


def test_moderated_variances_find_the_prior_they_were_drawn_from():
    rng = numpy.random.default_rng(6)
    prior, prior_degrees, degrees = 0.04, 8.0, 5
    true = prior * prior_degrees / rng.chisquare(prior_degrees, 20000)
    sample = true * rng.chisquare(degrees, 20000) / degrees
    moderated, gained = statistics.moderated_variances(sample, [degrees] * 20000)
    assert gained[0] - degrees == pytest.approx(prior_degrees, rel=0.1)
    slope = (moderated[0] - moderated[1]) / (sample[0] - sample[1])
    assert slope == pytest.approx(degrees / (degrees + prior_degrees), rel=0.1)
    assert (moderated[0] - slope * sample[0]) / (1 - slope) == pytest.approx(prior, rel=0.05)


def test_moderated_variances_of_two_rows_stay_as_they_are():
    assert list(statistics.moderated_variances([1.0, 4.0], [3, 3])[0]) == [1.0, 4.0]


@pytest.mark.parametrize("degrees", [2.0, 5.0, 100.0])
def test_the_fit_of_t_finds_scale_and_tails(degrees):
    values = stats.t.rvs(degrees, scale=0.03, size=20000, random_state=7)
    scale, found = statistics.fit_t(values)
    assert scale == pytest.approx(0.03, rel=0.05) and found == degrees


def test_intervals_contain_what_differs_between_single_sessions():
    rng = numpy.random.default_rng(8)
    times = times_of(rng)
    inside = total = 0
    for _ in range(10):
        result = diff.compare([session(rng, times, 0.02, 0.001, 0)], [session(rng, times, 0.02, 0.001, 1)])
        inside += sum(row.interval[0] <= 1 <= row.interval[1] for row in result.rows)
        total += len(result.rows)
    assert inside >= 0.9 * total  # 95 % in the mean; rows are not equally noisy


def test_a_record_compared_with_itself_is_the_same_in_every_row():
    made = loaded(document([run(passes=[1.0]), run(variant="b", passes=[1.0, 2.0, 3.0])]))
    result = diff.compare([made], [made])
    assert [row.change for row in result.rows] == ["same", "same"] and result.rows[0].interval == (1.0, 1.0)


def test_two_sessions_of_one_pass_each_are_unclear_and_it_is_said_why():
    base, new = (loaded(document([run(passes=[t])], started=s)) for t, s in ((1.0, "2026-01-01T00:00:00Z"), (1.001, "2026-01-02T00:00:00Z")))
    result = diff.compare([base], [new])
    assert result.rows[0].change == "unclear"
    assert re.search(r"no row can be called the same, as a typical interval, ±\S+ %, is wider than the minimum effect of 2.0 %", diff.text(result))


def load(fraction):
    return {"window_s": 1.0, "others": fraction, "steal": 0.0, "involuntary_switches": 5}


@pytest.mark.parametrize("base_load, new_load, factor, change", [
    (0.0, 0.0, 1.5, "slower"),
    (0.0, 0.3, 1.5, "unclear"),  # the new side was busy: 0.3 of 16 threads may have cost half of one
    (0.0, 0.3, 3.0, "slower"),
    (0.3, 0.0, 1.5, "slower"),  # what was busy was not the side that is slower
    (0.3, 0.0, 0.7, "unclear"),
    (0.0, 0.05, 1.5, "slower"),  # less than a tenth is not busy
])
def test_a_difference_of_a_busy_side_counts_beyond_what_others_may_have_cost(base_load, new_load, factor, change):
    base = loaded(document([run(host_load=load(base_load))]))
    new = loaded(document([run(time=factor, host_load=load(new_load))], started="2026-01-02T00:00:00Z"))
    result = diff.compare([base], [new], session_spread=0.005)
    assert result.rows[0].change == change
    assert ("measured while other processes" in diff.text(result)) == (max(base_load, new_load) >= 0.1)
    assert ("busy: 30 %" in diff.text(result, everything=True)) == (max(base_load, new_load) >= 0.1)


def test_the_rows_of_a_suite_are_enough_to_estimate_what_sessions_differ_by():
    rng = numpy.random.default_rng(9)
    found, false = 0, 0
    for _ in range(60):
        sides = [session(rng, numpy.ones(19), 0.02, 0.001, n, rows_vary=0.0) for n in range(2)]
        result = diff.compare(*[[side] for side in sides])
        assert result.spreads["gpu"][1] == "from the spread of 19 rows"
        found += result.spreads["gpu"][0] / 60
        false += result.count("slower") + result.count("faster")
    assert found == pytest.approx(0.02, rel=0.15) and false <= 0.01 * 60 * 19
    few = [session(rng, numpy.ones(12), 0.02, 0.001, n) for n in range(2)]
    assert "assumed" in diff.compare([few[0]], [few[1]]).spreads["gpu"][1]


def test_one_row_of_a_suite_that_takes_twice_as_long_is_found():
    rng = numpy.random.default_rng(10)
    base, new = session(rng, numpy.ones(19), 0.01, 0.001, 0), session(rng, numpy.array([2.0] + [1.0] * 18), 0.01, 0.001, 1)
    assert changed(diff.compare([base], [new])) == {0}
