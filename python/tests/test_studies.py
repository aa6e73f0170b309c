import importlib.util
import json

import pytest
from conftest import ROOT, document, gpu_and_host, run

SPEC = importlib.util.spec_from_file_location("studies", ROOT / "tools" / "studies.py")
studies = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(studies)
import study_records  # noqa: E402  (tools/studies.py makes it importable)

HEAD = 'study = "fourier-1822"\ntitle = "Heat, 1822"\nsource = "Fourier."\ntables = ["1.1"]\n'
MEASURED = '{ record = "results/records.jsonl", variant = "cuda" }'


def row(number="table 1.1", **keys):
    """A row of TOML; what is None is left out."""
    keys = {"title": '"time of a step"', "application": '"heat"', "command": '"speedwell compare heat --variant cuda"', **keys}
    return f'\n[[row]]\nnumber = "{number}"\n' + "".join(f"{k} = {v}\n" for k, v in keys.items() if v is not None)


@pytest.fixture
def made(tmp_path):
    """Makes the page of a small tree: rows of TOML, documents of records; returns its text and what is wrong."""
    def make(rows, documents=None, digests=None, head=HEAD):
        (tmp_path / "speedwell" / "apps" / "heat").mkdir(parents=True, exist_ok=True)
        (tmp_path / "speedwell" / "apps" / "heat" / "README.md").write_text("# heat\n")
        (tmp_path / "speedwell" / "apps" / "heat" / "adapter.cpp").write_text('{"serial", "cuda", "standard"}\n')
        (tmp_path / "results").mkdir(exist_ok=True)
        content = documents or [document(gpu_and_host())]
        (tmp_path / "results" / "records.jsonl").write_text("".join(json.dumps(d) + "\n" for d in content))
        folder = tmp_path / "docs" / "studies"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "fourier.toml").write_text(head + rows)
        return studies.page(tmp_path, folder, digests)
    return make


def measured(*selectors):
    return row(measured=f"[{', '.join(selectors)}]")


def test_a_figure_comes_from_the_record_and_has_its_link_and_its_origin(made):
    text, wrong = made(measured(MEASURED))
    assert wrong == []
    assert "cuda, execute: 25.0 ms | – | [records.jsonl](../results/records.jsonl) |" in text
    assert "| [records.jsonl](../results/records.jsonl) | Test CPU | Test GPU, GPU-1 | abcdef123456 | 2026-01-01 |" in text
    assert "| [Heat, 1822](#heat-1822) | 1 | 1 | 0 | 0 | 0 |" in text


@pytest.mark.parametrize("keys, figure", [
    ('show = "end_to_end"', "cuda, end to end: 500 ms"), ('over = "openmp"', "cuda over openmp, execute: 40.0×"),
    ('show = "bandwidth"', "cuda: 120 GB/s"), ('show = "limit"', "cuda, of the limit: 90 %"),
    ('show = "share.execute"', "cuda, execute of end to end: 5.0 %"), ('where = { n = 100 }', "cuda, execute, n=100: 25.0 ms"),
    ('label = "a box"', "cuda, execute, a box: 25.0 ms")])
def test_quantities(made, keys, figure):
    text, wrong = made(measured(f'{{ record = "results/records.jsonl", variant = "cuda", {keys} }}'))
    assert wrong == []
    assert f" {figure} |" in text


def test_several_variants_are_one_line_and_several_parameters_one_line_each(made):
    runs = [run(variant=v, kind="gpu", time=n * t, problem={"n": n}) for v, t in (("cuda", 0.001), ("cuda-naive", 0.002)) for n in (1, 2)]
    text, wrong = made(measured('{ record = "results/records.jsonl", variant = ["cuda", "cuda-naive"], where = { n = 1 } }',
                                '{ record = "results/records.jsonl", variant = ["cuda", "cuda-naive"], where = { n = [1, 2] } }'), [document(runs)])
    assert wrong == []
    assert ("execute, n=1: cuda 1.00 ms, cuda-naive 2.00 ms<br>cuda, execute, n 1, 2: 1.00 ms, 2.00 ms<br>"
            "cuda-naive, execute, n 1, 2: 2.00 ms, 4.00 ms") in text


def test_a_row_without_record_and_reason_is_refused(made):
    assert made(row())[1] == ["fourier-1822: table 1.1: has neither a record nor a reason"]
    assert made(row(reason='" "'))[1] == ["fourier-1822: table 1.1: has neither a record nor a reason"]
    assert made(row(reason='"Not yet measured."', command=None))[1] == []


def test_a_selector_that_matches_nothing_is_refused(made):
    assert made(measured('{ record = "results/records.jsonl", variant = "cuda-fast" }'))[1] == ["table 1.1: heat cuda-fast matches no run"]
    assert made(measured('{ record = "results/records.jsonl", variant = "cuda", where = { n = 7 } }'))[1] == ["table 1.1: heat cuda, n=7 matches no run"]
    assert made(measured('{ record = "results/other.json", variant = "cuda" }'))[1][0].startswith("table 1.1: ")
    assert "there is no upload" in made(measured('{ record = "results/records.jsonl", variant = "cuda", show = "upload" }'))[1][0]
    assert "has no key wher" in made(measured('{ record = "results/records.jsonl", variant = "cuda", wher = { n = 1 } }'))[1][0]


def test_a_selector_that_matches_several_runs_is_refused(made):
    runs = [run(variant="cuda", kind="gpu", problem={"n": n}) for n in (1, 2)]
    assert "matches 2 runs" in made(measured(MEASURED), [document(runs)])[1][0]


def test_runs_of_builds_with_local_changes_do_not_count_and_the_latest_of_the_others_does(made):
    documents = [document([run(variant="cuda", kind="gpu", time=t)], started=f"2026-01-0{day}T00:00:00Z", dirty=dirty)
                 for day, t, dirty in ((2, 0.002, False), (1, 0.001, False), (3, 0.003, True))]
    assert "cuda, execute: 2.00 ms" in made(measured(MEASURED), documents)[0]
    assert "matches no run" in made(measured(MEASURED), documents[2:])[1][0]


def test_variants_of_different_machines_are_not_compared(made, write):
    write(document([run()], machine="m2"), name="results/other.json")
    both = '["results/records.jsonl", "results/other.json"]'
    documents = [document([run(variant="cuda", kind="gpu")])]
    assert "different machines" in made(measured(f'{{ record = {both}, variant = "cuda", over = "openmp" }}'), documents)[1][0]


def test_marks_of_few_passes_and_of_older_sources(made):
    documents = [document([run(variant="cuda", kind="gpu", passes=[0.001] * 3)])]
    assert "cuda, execute: 1.00 ms (n=3) |" in made(measured(MEASURED), documents, {"heat": "aa"})[0]
    assert "cuda, execute: 1.00 ms (n=3) † |" in made(measured(MEASURED), documents, {"heat": "bb"})[0]


def test_every_table_and_figure_of_a_study_has_one_row(made):
    one, reason = row(reason='"Not yet measured."'), '"Not yet measured."'
    assert made("\n")[1] == ["fourier-1822: table 1.1 has 0 rows"]
    assert made(one + one)[1] == ["fourier-1822: table 1.1 has 2 rows"]
    assert made(one + row("figure 1.1", reason=reason))[1] == [
        "fourier-1822: figure 1.1 has 1 rows, and the study has no such table or figure in its list"]


MANY = HEAD.replace('["1.1"]', '["1.1-1.4"]').replace("tables", "figures")


def test_figures_that_follow_each_other_with_the_same_content_share_a_row(made):
    rows = [row(f"figure 1.{i}", title=f'"time on machine {i}"', measured=f"[{MEASURED}]", published=f'"{i} s"') for i in (1, 2, 3)]
    other = row("figure 1.4", title='"time of a step"', command='"speedwell compare heat"', measured=f"[{MEASURED}]")
    text, wrong = made("".join([*rows, other]), head=MANY)
    assert wrong == [] and "| [Heat, 1822](#heat-1822) | 4 | 4 | 0 | 0 | 0 |" in text, "each counts"
    assert ("| figures 1.1 to 1.3 | 1.1: time on machine 1<br>1.2: time on machine 2<br>1.3: time on machine 3 ([heat](../speedwell/apps/heat/README.md)) | "
            "`speedwell compare heat --variant cuda` | cuda, execute: 25.0 ms | 1.1: 1 s<br>1.2: 2 s<br>1.3: 3 s | ") in text
    assert "| figure 1.4 | time of a step (" in text
    text, wrong = made("".join([rows[0], rows[2], other, row("figure 1.2", reason='"Not yet measured."', command=None)]), head=MANY)
    assert wrong == [] and "figures" not in text.split("| Records |")[1].split("\n\n")[0], "those between them differ"
    assert made("".join([*rows[:2], other]), head=MANY)[1] == ["fourier-1822: figure 1.3 has 0 rows"]


def test_what_has_nothing_to_measure_is_one_sentence_of_its_chapter(made):
    def of(i, reason):
        return row(f"figure 1.{i}", title=f'"shape {i}"', reason=f'"{reason}"', command=None, application=None, applicable="false")
    text, wrong = made(of(1, "Diagram of hardware.") + of(2, "Diagram of hardware.") + of(3, "Picture of a machine.")
                       + row("figure 1.4", measured=f"[{MEASURED}]"), head=MANY)
    assert wrong == [] and "| [Heat, 1822](#heat-1822) | 4 | 1 | 0 | 0 | 3 |" in text
    assert "\nNothing to measure: figures 1.1 and 1.2, shape 1 and shape 2 (diagram of hardware); figure 1.3, shape 3 (picture of a machine).\n" in text
    assert "| figure 1.1 |" not in text and "| figure 1.4 |" in text
    text, _ = made("".join(of(i, "Diagram of hardware.") for i in (1, 2, 3, 4)), head=MANY)
    assert "What it shows" not in text and "figures 1.1 to 1.4, shape 1, shape 2, shape 3 and shape 4 (" in text


@pytest.mark.parametrize("part, expected", [("II", ["II"]), ("1-3", ["1", "2", "3"]), ("4.9-4.11", ["4.9", "4.10", "4.11"]), ("A.1-A.2", ["A.1", "A.2"])])
def test_ranges_of_numbers(part, expected):
    assert study_records.numbers(part) == expected


@pytest.mark.parametrize("command, reason", [
    ("speedwell compare cold", "names an unknown application"), ("speedwell compare heat --variant cuda-fast", "heat has no variant cuda-fast"),
    ("speedwell compare heat --size giant", "heat has no size giant"), ("speedwell warm heat", "is no command of speedwell"),
    ("tools/none.sh", "there is no tools/none.sh"), ("speedwell solve none.toml", "there is no none.toml")])
def test_commands_that_are_not_understood(made, command, reason):
    wrong = made(row(measured=f"[{MEASURED}]", command=f'"{command}"'))[1]
    assert len(wrong) == 1 and reason in wrong[0]


def test_commands_that_are_understood(made):
    for command in ("speedwell compare heat --size standard --variant 'serial,cuda*'", "mpirun -n 4 speedwell run heat", "speedwell machine"):
        assert made(row(measured=f"[{MEASURED}]", command=f'"{command}"'))[1] == []


def test_other_rows_that_are_refused(made):
    reason = '"Diagram of a method."'
    for keys, why in (({"title": '"a b c d e f g h i j k l m"', "reason": reason}, "the title has not"), ({"reason": reason, "whim": "1"}, "has no key whim"),
                      ({"files": '["none.svg"]'}, "there is no none.svg"), ({"reason": reason, "application": '"cold"'}, "there is no page of cold"),
                      ({"measured": f"[{MEASURED}]", "command": None}, "has a record, and no command"),
                      ({"measured": f"[{MEASURED}]", "applicable": "false"}, "is not applicable, and has a record")):
        wrong = made(row(**keys))[1]
        assert len(wrong) == 1 and why in wrong[0], wrong
