import importlib.util
import json
import sys
import xml.dom.minidom

import pytest
from conftest import ROOT, document, run

SPEC = importlib.util.spec_from_file_location("study_figures", ROOT / "tools" / "study_figures.py")
study_figures = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(study_figures)
from study_drawing import apart, plain, render  # noqa: E402  (tools/study_figures.py makes it importable)
import study_records  # noqa: E402

RUNS = [run(variant="cuda", kind="gpu", time=n * 0.001, problem={"n": n}) for n in (4, 1, 2)] + \
       [run(variant="openmp", kind="cores", time=n * 0.01, problem={"n": n}) for n in (1, 2, 4)]
ROW = """study = "fourier-1822"
title = "Heat, 1822"
source = "Fourier."
figures = ["1.1-1.2"]

[[row]]
number = "figure 1.1"
title = "time of a step"
application = "heat"

[row.picture]
machine = "a bar of iron"
"""
PANEL = """
[[row.picture.panel]]
x = { parameter = "n", label = "points" }
y = { label = "time, ms", unit = "ms" }
"""
SERIES = '{ record = "results/records.jsonl", variant = "cuda", label = "GPU" }'


@pytest.fixture
def drawn(tmp_path):
    """Makes the figures of a small tree; returns them by file, and what is wrong."""
    def make(series=SERIES, published="", panel=PANEL, runs=RUNS, more=""):
        (tmp_path / "results").mkdir(exist_ok=True)
        (tmp_path / "results" / "records.jsonl").write_text(json.dumps(document(runs)) + "\n")
        folder = tmp_path / "docs" / "studies"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "fourier.toml").write_text(f"{ROW}{panel}series = [{series}]\npublished = [{published}]\n{more}")
        wrong = []
        return study_figures.figures(tmp_path, folder, wrong), wrong
    return make


def only(found):
    (file, (data, runs, row)), = found.items()
    return file, data, runs


def test_a_series_has_a_point_for_each_run_in_order_in_the_unit_of_the_axis(drawn):
    found, wrong = drawn()
    file, data, runs = only(found)
    assert wrong == [] and str(file) == "docs/images/studies/fourier-1822-1.1.svg"
    assert data["panels"][0]["lines"] == [{"label": "GPU", "points": [(1, 1.0), (2, 2.0), (4, 4.0)], "published": False, "level": False, "colour": 0}]
    assert len(runs) == 3
    assert data["caption"][0].startswith("Here: Test GPU, card GPU-1; 2026-01-01")


@pytest.mark.parametrize("keys, points", [
    ('over = "openmp", show = "execute"', [(1, 10.0), (2, 10.0), (4, 10.0)]), ('over = "openmp", per = "n"', [(1, 10.0), (2, 5.0), (4, 2.5)]),
    ('over = "openmp", where = { n = [1, 4] }', [(1, 10.0), (4, 10.0)]), ('over = "openmp", level = true, where = { n = 2 }', [(None, 10.0)])])
def test_ratios_parts_of_a_sweep_and_levels(drawn, keys, points):
    panel = PANEL.replace('"ms"', '"times"')
    found, wrong = drawn(SERIES.replace(" }", f", {keys} }}"), panel=panel)
    assert wrong == []
    assert only(found)[1]["panels"][0]["lines"][0]["points"] == points


def test_bars_have_the_names_of_their_variants_in_the_order_of_the_series(drawn):
    panel = '[[row.picture.panel]]\nkind = "bars"\nx = { parameter = "variant", label = "", names = { cuda = "one GPU" } }\n' \
            'y = { label = "time, ms", unit = "ms" }\n'
    found, wrong = drawn('{ record = "results/records.jsonl", variant = ["openmp", "cuda"], where = { n = 2 }, label = "here" }', panel=panel)
    assert wrong == []
    assert only(found)[1]["panels"][0]["lines"][0]["points"] == [("openmp", 20.0), ("one GPU", 2.0)]


@pytest.mark.parametrize("series, reason", [
    (SERIES.replace('"cuda"', '"cuda-fast"'), "'GPU' matches no run"), (SERIES.replace(" }", ", where = { n = 7 } }"), "'GPU' matches no run"),
    (SERIES.replace('"cuda"', '["cuda", "openmp"]'), "'GPU' matches several runs at 1"), (SERIES.replace(" }", ", level = true }"), "several runs"),
    (SERIES.replace(" }", ', show = "bandwidth" }'), "the records have GB/s, not ms"), (SERIES.replace(" }", ', over = "serial" }'), "matches no run"),
    (SERIES.replace(" }", ", colour = 1 }"), "has no key colour"), (SERIES.replace('"GPU"', '"' + "a" * 30 + '"'), "is longer than 29 characters"),
    (SERIES.replace("records.jsonl", "other.jsonl"), "other.jsonl: No such file or directory")])
def test_a_picture_that_cannot_be_drawn_is_refused(drawn, series, reason):
    found, wrong = drawn(series)
    assert found == {} and len(wrong) == 1
    assert wrong[0].startswith("fourier-1822: figure 1.1") and reason in wrong[0]


def test_a_picture_without_a_panel_and_a_published_series_without_a_source_are_refused(drawn):
    assert "there is no picture of figure 9" in drawn(more='[[row]]\nnumber = "figure 1.2"\ntitle = "t"\npicture = "figure 9"\n')[1][0]
    assert "a source each" in drawn(published='{ label = "iron", points = [[1, 3]] }')[1][0]
    assert "does not stand before it" in drawn(published='{ label = "iron", like = "bar", source = "table 1", points = [[1, 3]] }')[1][0]


def test_published_points_are_taken_as_they_are_and_named_in_the_caption(drawn):
    found, wrong = drawn(published='{ label = "iron", like = "GPU", source = "table 1", points = [[1, 3], [2, 5.5]] },'
                                   '{ label = "copper", source = "page 2", level = 7 }')
    data = only(found)[1]
    assert wrong == []
    assert [line["points"] for line in data["panels"][0]["lines"][1:]] == [[[1, 3], [2, 5.5]], [[None, 7]]]
    assert [line["colour"] for line in data["panels"][0]["lines"]] == [0, 0, 1]
    assert data["caption"][1] == "Published, dashed: a bar of iron (table 1 and page 2)."


def test_rows_may_share_a_picture(drawn):
    found, wrong = drawn(more='[[row]]\nnumber = "figure 1.2"\ntitle = "t"\npicture = "figure 1.1"\n')
    assert wrong == [] and len(found) == 1


def test_few_passes_are_named(drawn):
    few = [run(variant="cuda", kind="gpu", problem={"n": n}, passes=[0.001] * n) for n in (1, 2)]
    assert only(drawn(runs=few)[0])[1]["caption"][0].endswith("; 1 to 2 passes.")


def test_equal_data_give_equal_bytes_which_are_xml_and_hold_the_numbers(drawn):
    data = only(drawn(published='{ label = "iron & <steel>", source = "table 1", points = [[1, 3]] }')[0])[1]
    svg = render(data)
    assert svg == render(data)
    xml.dom.minidom.parseString(svg)
    embedded, version = study_figures.embedded_in(svg)
    assert embedded == json.loads(json.dumps(data)) and version == sys.modules["matplotlib"].__version__
    assert 'width="480pt"' in svg and "font: " in svg and "dc:date" not in svg


def test_a_file_is_compared_by_its_numbers_where_another_matplotlib_drew_it(drawn):
    data = only(drawn()[0])[1]
    svg = render(data)
    version = study_figures.embedded_in(svg)[1]
    other = svg.replace(f'"matplotlib":"{version}"', '"matplotlib":"0.1"').replace("stroke-linecap", "")
    assert not study_figures.differs(svg, data, render, version)
    assert not study_figures.differs(other, data, render, version)
    assert study_figures.differs(svg.replace("</svg>", "<g/></svg>"), data, render, version)
    assert study_figures.differs(other.replace("[2,2.0]", "[2,2.5]"), data, render, version)
    assert study_figures.differs("", data, render, version)


@pytest.mark.parametrize("value, unit, wanted, expected", [
    (0.5, "s", "ms", 500), (0.25, "fraction", "%", 25), (2, "times", "%", 200), (3, "GCUPS", "MCUPS", 3000), (5, "GB/s", "GB/s", 5)])
def test_units(value, unit, wanted, expected):
    assert study_records.converted(value, unit, wanted) == pytest.approx(expected)


@pytest.mark.parametrize("unit, wanted", [("s", "GB/s"), ("GCUPS", "GB/s"), ("", "ms"), ("times", "ms")])
def test_units_that_differ_are_refused(unit, wanted):
    with pytest.raises(ValueError, match="not " + wanted):
        study_records.converted(1, unit, wanted)


def test_ticks():
    assert [plain(v) for v in (0.5, 1, 1000, 1e4, 1e-5, 20000)] == ["0.5", "1", "1000", "10⁴", "10⁻⁵", "20000"]
    assert apart([32, 64, 96, 128, 160, 192, 256, 288]) == [288, 192, 160, 128, 96, 64, 32]
    assert apart([8, 15, 16, 17, 31, 32, 33, 64, 65, 1000]) == [1000, 64, 32, 16, 8]
