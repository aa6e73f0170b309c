import importlib.util
import json
import types

import pytest
from conftest import ROOT, document, phase, run

SPEC = importlib.util.spec_from_file_location("scaling", ROOT / "tools" / "scaling.py")
scaling = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(scaling)

SCALE = """Heat: strong scaling of multi, heat n=100 precision=f64 seed=1
  GPUs  execute   speed-up  efficiency  exposed    verdict
     1     8 ms       1.00       100 %      0 %         ok
    64  0.25 ms      32.00        50 %      9 %  predicted
  the model says 4.4 ms for 2 GPUs, and 4.0 ms was measured (+10 %)
  the model says 2.2 ms for 4 GPUs, and 2.5 ms was measured (-12 %)
"""


def ranked(count, time, growth=1, variant="multi", exchange=None, **changes):
    made = run(variant=variant, kind="gpu", time=time, problem={"n": 100 * growth, "precision": "f64"}, **changes)
    made["variant"]["backend"] = "multi"
    made["ranks"] = {"count": count, "hosts": 1, "placement": []}
    made["work"]["updates"] *= growth
    if exchange is not None:
        made["phases"]["exchange_s"] = phase([exchange] * 6)
    return made


def one_gpu(time, **changes):
    return run(variant="cuda", kind="gpu", time=time, **changes)


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Makes a folder of records, one document a run, and returns its name below the root."""
    monkeypatch.setattr(scaling, "ROOT", tmp_path)

    def make(runs, printed=SCALE, dirty=False, name="heat"):
        folder = tmp_path / "results" / "two" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "records.jsonl").write_text("".join(json.dumps(document([r], dirty=dirty)) + "\n" for r in runs))
        (folder / "scale.txt").write_text(printed)
        return f"results/two/{name}"
    return make


STRONG = [ranked(1, 0.008, exchange=0.0), one_gpu(0.007), ranked(2, 0.004, exchange=0.0004), ranked(4, 0.0025, exchange=0.0005)]


def test_a_row_has_times_speed_ups_the_one_gpu_and_the_model(tree):
    text, found = scaling.content(tree(STRONG), {})
    assert len(found) == 1 and not found[0].is_weak
    head, _, row = text.splitlines()[:3]
    assert head.startswith("| application, problem | 1 GPU | 4 GPUs | speed-up of 2, 4 | efficiency, 4 | exposed, 4 | over `cuda` | model |")
    assert row == "| `heat`, n=100, precision=f64 | 8.00 ms | 2.50 ms | 2.00, 3.20 | 70 % | 20 % | 1.75, 2.80 | +10 %, -12 % |"


def test_predicted_times_of_other_numbers_stand_in_a_table_of_their_own(tree):
    text, _ = scaling.content(tree(STRONG), {})
    assert "| predicted, as if all GPUs were linked as these are | 64 GPUs |" in text and "| 0.25 ms |" in text and "no prediction" not in text


@pytest.mark.parametrize("printed, why", [
    (SCALE.replace("-12", "-16"), "the model is 16 % too short on 4 GPUs"), (SCALE.replace("-12", "+41"), "the model is 41 % too long on 4 GPUs"),
    ("".join(line for line in SCALE.splitlines(keepends=True) if "4 GPUs" not in line), "the model says nothing of the 4 GPUs that were measured")])
def test_a_model_that_is_far_off_on_the_largest_number_predicts_nothing(tree, printed, why):
    text, _ = scaling.content(tree(STRONG, printed), {})
    assert "linked as these are" not in text and "0.25 ms" not in text
    assert f"`heat`, n=100, precision=f64: no prediction: {why}." in text


def test_a_problem_that_grows_is_weak_and_its_speed_up_is_that_of_the_rate(tree):
    runs = [ranked(1, 0.008), one_gpu(0.008), ranked(2, 0.010, growth=2)]
    text, found = scaling.content(tree(runs), {})
    assert found[0].is_weak and "on each GPU" in text and "| 1.60 | 80 % |" in text


def test_a_variant_that_begins_again_with_fewer_makes_another_row(tree):
    _, found = scaling.content(tree([*STRONG, ranked(1, 1.0), ranked(2, 0.5)]), {})
    assert [series.counts for series in found] == [[1, 2, 4], [1, 2]]
    assert found[1].compared == {}


def test_what_the_model_said_belongs_to_the_series_in_the_same_order(tree):
    printed = SCALE.replace("+10", "+20").replace("strong scaling of multi, ", "weak scaling of multi, of one GPU ") + \
        SCALE.replace("Heat: strong scaling of multi, heat", "Waves: strong scaling of multi, waves") + SCALE
    runs = [ranked(1, 0.008), ranked(2, 0.010, growth=2), *STRONG]
    text, found = scaling.content(tree(runs, printed), {})
    assert [series.is_weak for series in found] == [True, False]
    weak, strong = text.splitlines()[2:4]
    assert weak.endswith("| +20 %, – |") and strong.endswith("| +10 %, -12 % |")


def test_a_folder_may_have_one_for_each_command(tree):
    tree(STRONG, name="strong/b")
    tree([*STRONG[:2], ranked(2, 0.005)], printed="", name="strong/a")
    text, found = scaling.content("results/two/strong", {})
    assert [series.counts for series in found] == [[1, 2], [1, 2, 4]]
    rows = [line for line in text.splitlines() if line.startswith("| `heat`")]
    assert "+10 %" not in rows[0] and "+10 %" in rows[1]


def test_a_number_that_a_series_lacks_has_no_efficiency(tree):
    text, _ = scaling.content(tree([*STRONG, ranked(1, 0.008), ranked(2, 0.005)], ""), {})
    assert text.splitlines()[3] == "| `heat`, n=100, precision=f64 | 8.00 ms | – | 1.60, – | – | – | – |"


def test_a_single_number_is_no_series_and_a_build_with_local_changes_does_not_count(tree):
    with pytest.raises(ValueError, match="no records"):
        scaling.content(tree([ranked(1, 1.0)]), {})
    with pytest.raises(ValueError, match="no records"):
        scaling.content(tree(STRONG, dirty=True), {})


def test_older_sources_and_few_passes_are_marked(tree):
    few = [ranked(1, 1.0, passes=[1.0] * 3), ranked(2, 0.5, passes=[0.5] * 3)]
    text, _ = scaling.content(tree(few), {"heat on ranks": "another"})
    assert "(n=3) †" in text and "older sources" in text
    assert scaling.without_marks(text) == scaling.content(tree(few), {})[0]


def test_markers_are_replaced_and_mistakes_named(tree):
    folder = tree(STRONG)
    text, shown = scaling.updated(f"a\n<!-- scaling: {folder} -->\nold\n<!-- /scaling -->\nb\n", {}, "page.md")
    assert "old" not in text and text.startswith("a\n") and text.endswith("<!-- /scaling -->\nb\n") and list(shown) == [folder]
    assert scaling.updated(text, {}, "page.md")[0] == text
    with pytest.raises(ValueError, match="not closed"):
        scaling.updated(f"<!-- scaling: {folder} -->\n", {}, "page.md")
    with pytest.raises(ValueError, match="closes nothing"):
        scaling.updated("<!-- /scaling -->\n", {}, "page.md")


def test_a_picture_has_an_efficiency_for_each_number(tree):
    _, found = scaling.content(tree([*STRONG, ranked(1, 0.008), ranked(2, 0.010, growth=2)]), {})
    strong, weak = scaling.panels(found)
    assert strong["lines"][0]["points"] == [[1, 87.5], [2, 87.5], [4, 70.0]] and weak["lines"][0]["points"] == [[1, 100.0], [2, 80.0]]
    assert str(scaling.picture_file("results/two/heat")) == "docs/images/scaling/two-heat.svg"


def test_labels_tell_series_apart(monkeypatch):
    monkeypatch.setattr(scaling, "short", lambda data: data)

    def series(problem):
        return types.SimpleNamespace(first=types.SimpleNamespace(application="vector_calculus", data=problem))
    assert scaling.labels([series("momentum, 128^3, f64"), series("momentum, 256^3, f64")]) == ["vector_calculus, 128^3", "vector_calculus, 256^3"]
    assert scaling.labels([series("momentum, 128^3, f64")]) == ["vector_calculus, momentum"]
