import json
import re

import pytest
from conftest import ROOT, document, gpu_and_host, loaded, run

from speedwell import errors, tables
from speedwell.__main__ import main


def cells(line):
    """Cells of a row, split at bars that no backslash precedes."""
    return re.split(r"(?<!\\)\|", line)


def rows(table):
    """The rows of the first table, all of which have as many cells as its head."""
    lines = table.split("\n\n")[0].splitlines()
    assert len(lines) > 2
    assert len({len(cells(line)) for line in lines}) == 1
    return [[c.strip() for c in cells(line)[1:-1]] for line in lines[2:]]


def docs(*runs, **options):
    return [loaded(document(list(runs), **options))]


def swept(*sizes, size="standard"):
    return [r for n in sizes for r in (
        run(variant="serial", kind="core", time=2.0 * n, problem={"n": n, "precision": "f64"}, size=size),
        run(variant="cuda", kind="gpu", time=0.1 * n, problem={"n": n, "precision": "f64"}, size=size))]


def test_a_row_for_each_variant_with_interval_rate_limit_and_both_speedups():
    table = tables.table(docs(*gpu_and_host()), "heat")
    found = rows(table)
    assert [r[1] for r in found] == ["serial", "openmp", "cuda"]
    assert [r[2] for r in found] == ["one core", "16 cores", "one Test GPU"], "the processor is named below the table"
    assert [r[0] for r in found] == ["standard", "", ""], "a problem stands in its first row"
    assert found[2] == ["", "cuda", "one Test GPU", "25.00 ms", "25.00 ms – 25.00 ms", "120 GB/s", "90 % (memory)", "40.0×",
                        "4.00×", "ok"]
    assert "Everywhere n=100, precision=f64. Speedups are over openmp on 16 cores of Test CPU. " in table
    assert "driver 1, GNU 12.2.0, CUDA 13.0, card GPU-1, commit abcdef123456." in table


def test_a_limit_that_the_measured_time_beats_is_withheld():
    runs = gpu_and_host()
    for r in runs:
        if r["limit"]:
            r["limit"]["fraction"] = 1.03
    assert [r[6] for r in rows(tables.table(docs(*runs), "heat"))] == ["withheld" if r["limit"] else "–" for r in runs]
    assert "withheld" in rows(tables.table(docs(*runs), "summary"))[0]
    for r in runs:
        if r["limit"]:
            r["limit"]["fraction"] = 1.01
    assert "withheld" not in tables.table(docs(*runs), "heat") + tables.table(docs(*runs), "summary")


def test_of_more_than_four_problems_that_differ_in_a_number_the_largest_stands():
    assert [r[0] for r in rows(tables.table(docs(*swept(1, 2, 3, 4)), "heat"))] == [label for n in (1, 2, 3, 4) for label in (f"n={n}", "")]
    assert [r[0] for r in rows(tables.table(docs(*swept(1, 2, 3, 4, 5)), "heat"))] == ["n=5", ""]


def test_sizes_choose_problems():
    both = docs(*swept(1, size="small"), *swept(8, size="large"))
    assert [r[0] for r in rows(tables.table(both, "heat small"))] == ["small", ""]
    assert [r[0] for r in rows(tables.table(both, "heat small,large"))] == ["n=1", "", "n=8", ""]
    assert tables.table(both, "heat standard") == ""
    assert tables.table(both, "cold") == ""


def test_records_of_changed_sources_do_not_count():
    assert tables.table(docs(*gpu_and_host(), dirty=True), "heat") == ""
    assert tables.table(docs(*gpu_and_host(), dirty=True), "summary") == ""


def test_the_latest_of_a_run_counts_and_cards_have_tables_of_their_own():
    early = docs(*gpu_and_host(), started="2026-01-01T00:00:00Z", uuid="GPU-early")
    late = docs(run(variant="cuda", kind="gpu", time=0.5, uuid="GPU-late"), started="2026-01-02T00:00:00Z", uuid="GPU-late")
    table = tables.table(early + late, "heat")
    first, second = table.split("| Problem |")[1:]
    assert "cuda" not in first and "GPU-early" in first and "commit abcdef123456." in first
    assert "500.0 ms" in second and "GPU-late" in second


def test_few_passes_and_older_sources_are_marked():
    few = [run(variant="openmp", passes=[1.0, 1.1]), run(variant="cuda", kind="gpu", time=0.1, digest="old")]
    table = tables.table(docs(*few), "heat", {"heat": "aa"})
    assert [r[4] for r in rows(table)][0] == "n=2" and rows(table)[1][3] == "100.0 ms †"
    assert "n: passes, where there are fewer than 5." in table and "†: measured with older sources; their limits may count operations" in table
    assert "†: measured with older sources.\n" in tables.table(docs(*few), "ladder heat standard execute", {"heat": "aa"}), "it has no limits"
    unmarked = tables.table(docs(*few), "heat")
    assert "†" not in unmarked, "the present sources are not given"
    summary = rows(tables.table(docs(*few), "summary", {"heat": "aa"}))[0]
    assert summary[2].endswith("(n=2)") and summary[3].endswith("†")


def test_runs_that_did_not_pass_have_their_outcome_and_no_figures():
    table = tables.table(docs(run(variant="openmp", status="failed"), run(variant="cuda", kind="gpu", status="skipped", reason="no | GPU"),
                              run(variant="peer", status="error", reason="out of <memory>")), "heat")
    found = rows(table)
    assert table.splitlines()[0] == "| Problem | Variant | Device | Execute, median | Verdict |", "columns without a value are left out"
    assert [r[3:] for r in found] == [["–", "**FAILED**"], ["–", "**error**: out of &lt;memory&gt;"]]
    assert r"Not run: cuda (no \| GPU). " in table


def test_a_variant_that_is_for_another_problem_does_not_stand_here():
    one, two = {"n": 1}, {"n": 2}
    table = tables.table(docs(run(variant="serial", kind="core", problem=one), run(variant="serial", kind="core", problem=two),
                              run(variant="big", problem=one, status="skipped", reason="n=1 is small"), run(variant="big", problem=two)), "heat")
    assert [(r[0], r[1]) for r in rows(table)] == [("n=1", "serial"), ("n=2", "serial"), ("", "big")]
    assert "Not run" not in table


def test_variants_that_did_not_run_stand_in_one_sentence():
    table = tables.table(docs(*[run(variant=name, status="skipped", reason=reason, problem={"n": n}) for n in (1, 2)
                                for name, reason in (("mpi", "needs ranks"), ("multi", "needs GPUs"), ("multi-2", "needs GPUs"))],
                              run(variant="serial", kind="core", problem={"n": 1}), run(variant="serial", kind="core", problem={"n": 2})), "heat")
    assert len(rows(table)) == 2 and "Not run: mpi (needs ranks); multi, multi-2 (needs GPUs). " in table


def test_the_summary_compares_the_same_algorithm_the_best_and_a_library():
    runs = [run(variant="openmp", time=1.0), run(variant="blocked", time=0.5, algorithm="blocked"),
            run(variant="cuda", kind="gpu", time=0.1, end_to_end=0.2), run(variant="culib", kind="gpu", time=0.05, role="peer")]
    assert rows(tables.table(docs(*runs), "summary"))[0][4:] == ["10.0×", "10.0×", "10.0× culib / blocked", "0.500× culib"]


def test_best_against_best_is_left_out_where_its_two_variants_are_those_of_the_speedup():
    other = [run(variant="openmp-planes", time=0.5, application="waves"), run(variant="cuda-tiles", kind="gpu", time=0.1, application="waves")]
    usual = [dict(r, application="tides", key="tides") for r in gpu_and_host()]
    table = tables.table(docs(*gpu_and_host(), *usual, *other), "summary")
    assert "Best against best" not in table
    assert "Speedups are over openmp (waves: openmp-planes) on 16 cores of Test CPU. " in table
    assert "The variant on the GPU is cuda (waves: cuda-tiles). " in table
    tuned = [*gpu_and_host(), run(variant="openmp-tuned", time=0.9, algorithm="blocked")]
    table = tables.table(docs(*tuned), "summary")
    assert rows(table)[0][-1] == "36.0× cuda / openmp-tuned" and "The variant on the GPU" not in table


def test_the_summary_names_a_problem_in_short_and_libraries_where_one_ran():
    table = tables.table(docs(*gpu_and_host()), "summary")
    assert rows(table)[0][:2] == ["heat", "n=100, precision=f64"] and "Against a library" not in table
    alike = [run(variant=name, kind=kind, problem={"n": 8, "nz": 0, "steps": 2, "scheme": scheme}, application="binary_fluid")
             for scheme in ("relaxed", "projected") for name, kind in (("openmp", "cores"), ("cuda", "gpu"))]
    assert [r[1] for r in rows(tables.table(docs(*alike), "summary"))] == ["8^3, 2 steps, scheme=relaxed", "8^3, 2 steps, scheme=projected"]


def test_the_summary_takes_each_problem_from_the_card_that_timed_the_best_variant():
    early = [run(), run(variant="cuda", kind="gpu", role="best", time=0.1), run(variant="cuda-naive", kind="gpu", role="step", time=0.5)]
    late = [run(time=2.0), run(variant="cuda-naive", kind="gpu", role="step", time=0.4)]
    table = tables.table(two_cards(early, late), "summary")
    assert len(rows(table)) == 1 and rows(table)[0][4] == "10.0×" and "GPU-late" not in table and "Card" not in table
    again = [*late, run(variant="cuda", kind="gpu", role="best", time=0.2)]
    assert rows(tables.table(two_cards(early, again), "summary"))[0][4] == "10.0×", "2 s over 0.2 s"
    assert "GPU-late" in tables.table(two_cards(early, again), "summary"), "the later session"
    older = [dict(r, source_digest="old") for r in again]
    table = tables.table(two_cards(early, older), "summary", {"heat": "aa"})
    assert "GPU-early" in table and "†" not in table, "present sources before older ones"


def test_the_summary_has_one_table_for_all_cards_and_their_letters_in_a_column():
    table = tables.table(two_cards(swept(1), [*swept(2), run(application="waves", variant="cuda", kind="gpu", time=1.0),
                                              run(application="waves", device="8 cores of Test CPU")]), "summary")
    assert [(r[0], r[1], r[-1]) for r in rows(table)] == [("heat", "n=1, precision=f64", "a"), ("heat", "n=2, precision=f64", "b"),
                                                          ("waves", "n=100, precision=f64", "b")]
    assert ("Speedups are over serial (waves: openmp) on one core of Test CPU (a, b) or 8 cores of Test CPU (b). a: measured on Test CPU and Test GPU, "
            "driver 1, GNU 12.2.0, CUDA 13.0, card GPU-early, commit abcdef123456. b: card GPU-late, commit abcdef123456.") in table


def test_titles_of_the_summary_have_what_differs_between_problems_that_are_called_alike():
    def of(application, **problem):
        return [run(variant=name, kind=kind, application=application, problem=problem) for name, kind in (("openmp", "cores"), ("cuda", "gpu"))]
    clouds = [r for kernel in ("column", "triple") for precision in ("f64", "f32") for source in ("sun", "thermal")
              for r in of("two_stream", kernel=kernel, columns=8, layers=4, points=2, precision=precision, source=source)]
    waves = [r for loops in (0, 10) for r in of("wavefront", n=640, nx=0, ny=0, nz=0, loops=loops, precision="f64")]
    found = [r[1] for r in rows(tables.table(docs(*clouds, *waves), "summary"))]
    assert found[2:4] == ["column, 8 x 4 x 2, f32, source=sun", "column, 8 x 4 x 2, f32, source=thermal"] and len(set(found)) == len(found) == 10
    assert found[-2:] == ["640^3, f64", "640^3, f64, 10 loops"]


def test_rows_of_the_summary_without_a_figure_are_left_out():
    only = run(variant="cuda", kind="gpu", problem={"n": 1})
    only["rates"] = dict.fromkeys(only["rates"])
    assert len(rows(tables.table(docs(only, *swept(5)), "summary"))) == 1


def test_extents_have_no_part_in_what_is_said_of_a_mesh_whose_n_is_set():
    both = docs(*[run(problem={"n": 128, "nx": 64, "boundary": "zero", "precision": p}, application="spmv") for p in ("f64", "f32")])
    assert "Everywhere boundary=zero, n=128. " in tables.table(both, "spmv")
    assert "Everywhere boundary=zero, n=128, nx=64. " in tables.table(docs(*[run(problem={
        "n": 128, "nx": 64, "boundary": "zero", "precision": p}, application="wavefront") for p in ("f64", "f32")]), "wavefront")


def test_columns_hold_medians_and_ratios():
    table = tables.table(docs(*swept(1, 2)), "columns heat standard execute serial cuda/serial cuda/openmp")
    assert table.splitlines()[0] == "| Problem | serial | cuda over serial |", "columns without a value are left out"
    assert rows(table) == [["n=1", "2.00 s", "20.0×"], ["n=2", "4.00 s", "20.0×"]]


def test_a_ratio_has_the_marks_of_both_of_its_runs():
    table = tables.table(docs(run(variant="cuda", kind="gpu", time=0.1), run(passes=[1.0, 1.0])), "columns heat standard execute cuda/openmp")
    assert rows(table) == [["standard", "10.0× (n=2)"]]


def two_cards(early, late, **late_options):
    return (docs(*early, started="2026-01-01T00:00:00Z", uuid="GPU-early")
            + docs(*late, started="2026-01-02T00:00:00Z", uuid="GPU-late", **late_options))


def test_columns_of_several_cards_are_one_table_whose_cells_have_the_letter_of_their_card():
    both = two_cards([run(variant="serial", kind="core", time=8.0), run(), run(variant="cuda-naive", kind="gpu", time=0.2)],
                     [run(time=2.0), run(variant="cuda", kind="gpu", time=0.1)])
    table = tables.table(both, "columns heat standard execute serial openmp cuda cuda-naive cuda-naive/serial cuda/serial cuda/openmp")
    assert rows(table) == [["standard", "8.00 s", "2.00 s b", "100 ms b", "200 ms", "40.0×", "20.0× b"]], "no ratio has runs of two cards"
    assert "cuda over serial" not in table
    assert "card GPU-early, commit abcdef123456. b: card GPU-late, commit abcdef123456." in table
    ladder = tables.table(both, "ladder heat standard execute")
    assert [r[2] for r in rows(ladder)] == ["8.00 s", "2.00 s b", "200 ms", "100 ms b"]


def test_present_sources_come_before_older_ones_and_cards_without_a_cell_are_not_named():
    table = tables.table(two_cards([run(), run(variant="cuda", kind="gpu", time=0.1)], [run(variant="cuda", kind="gpu", time=0.3, digest="old")]),
                         "columns heat standard execute openmp cuda", {"heat": "aa"})
    assert rows(table) == [["standard", "1.00 s", "100 ms"]] and "GPU-late" not in table and "†" not in table


def test_problems_and_tables_without_a_value_are_left_out():
    some = docs(run(problem={"n": 1}), run(variant="cuda", kind="gpu", problem={"n": 2}))
    assert [r[0] for r in rows(tables.table(some, "columns heat standard execute cuda"))] == ["standard"]
    assert tables.table(some, "columns heat standard execute cuda-fast") == ""


def test_a_ladder_has_a_row_for_each_variant_that_ran_and_a_column_for_each_problem():
    table = tables.table(docs(*swept(1, 2), run(variant="cuda", kind="gpu", time=5.0, problem={"n": 3, "precision": "f64"}),
                              run(variant="mpi", status="skipped", reason="needs ranks", problem={"n": 1, "precision": "f64"})), "ladder heat standard execute")
    assert table.splitlines()[0] == "| Variant | Device | n=1 | n=2 | n=3 |"
    assert rows(table) == [["serial", "one core", "2.00 s", "4.00 s", "–"], ["cuda", "one Test GPU", "100 ms", "200 ms", "5.00 s"]]
    assert "Not run: mpi (needs ranks). " in table


def test_figures_hold_what_runs_say_of_themselves():
    table = tables.table(docs(run(choices={"iterations": "12"}), run(variant="serial", kind="core")), "figures heat standard iterations residual")
    assert [r[1:2] + r[4:] for r in rows(table)] == [["openmp", "12"]], "runs and columns that say nothing are left out"


@pytest.mark.parametrize("name", ["", "heat standard more", "summary a b", "columns heat standard", "columns heat standard upload serial", "ladder heat standard", "ladder heat standard upload", "ladder heat standard execute serial",
                                  "figures heat standard"])
def test_names_that_say_nothing_are_usage_errors(name):
    with pytest.raises(errors.UsageError):
        tables.table(docs(run()), name)


@pytest.mark.parametrize("name", ["a|b", "<b>", "*x*", "`x`", "[a](b)", "\x1b[31m", "a\nb", "x" * 5000])
def test_hostile_text_stays_in_its_cell(name):
    table = tables.table(docs(run(variant=name, device=name)), "heat")
    assert len(rows(table)) == 1 and "<" not in table and "\x1b" not in table and len(table) < 3000


# --- markers ---------------------------------------------------------------------------------------------------------

TEXT = "before\n<!-- results:%s -->\nold\n<!-- /results -->\nafter\n"


def test_what_stands_between_markers_is_replaced_and_nothing_else():
    new = tables.updated(TEXT % "heat", docs(*gpu_and_host()))
    assert new.startswith("before\n<!-- results:heat -->\n| Problem |") and new.endswith("<!-- /results -->\nafter\n") and "old" not in new
    assert tables.updated(new, docs(*gpu_and_host())) == new
    assert tables.updated(TEXT % "cold", docs(*gpu_and_host())) == TEXT % "cold", "a document may be ahead of its records"


def test_fenced_code_is_left_alone():
    text = "```\n<!-- results:heat -->\n```\n~~~\n<!-- /results -->\n~~~\n"
    assert tables.marker_names(text) == [] and tables.updated(text, docs(*gpu_and_host())) == text


@pytest.mark.parametrize("text, what", [
    ("<!-- results:a -->\n", "is not closed"), ("\n<!-- /results -->\n", "t:2: '<!-- /results -->' closes nothing"),
    ("<!-- results:a -->\n<!-- results:b -->\n<!-- /results -->\n", "t:2: '<!-- results:a -->' is not closed"),
    ("<!-- results:a -->\n<!-- /results -->\n" * 2, "t:3: '<!-- results:a -->' stands here a second time")])
def test_markers_that_do_not_fit_are_refused(text, what):
    with pytest.raises(errors.InputError, match=re.escape(what)):
        tables.marker_names(text, "t")


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_command_updates_all_documents_or_none(tmp_path, write, capsys):
    records = write(document(gpu_and_host()))
    good, bad = tmp_path / "good.md", tmp_path / "bad.md"
    good.write_text(TEXT % "heat")
    bad.write_text("<!-- results:heat -->\n")
    assert main(["tables", records, "--update", str(good), str(bad)]) == 3
    assert good.read_text() == TEXT % "heat"
    assert main(["tables", records, "--update", str(good)]) == 0
    assert "25.00 ms" in good.read_text()
    capsys.readouterr()
    assert main(["tables", records, "--name", "summary"]) == 0
    assert capsys.readouterr().out.startswith("| Application |")


def test_the_command_says_which_records_are_old(tmp_path, write, capsys):
    records = write(document(gpu_and_host()))
    digests = tmp_path / "digests.json"
    digests.write_text(json.dumps({"heat": "aa", "cold": "bb"}))
    assert main(["tables", records, "--digests", str(digests), "--check"]) == 0
    digests.write_text(json.dumps({"heat": "cc"}))
    capsys.readouterr()
    assert main(["tables", records, "--digests", str(digests), "--check"]) == 1
    assert "heat on one Test GPU: measured from sources aa, here they are cc" in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("backend, name", [("cuda", "heat"), ("openmp", "heat"), ("mpi", "heat on ranks"), ("multi", "heat on ranks")])
def test_variants_on_ranks_have_a_digest_of_their_own(backend, name):
    one = run()
    one["variant"]["backend"] = backend
    for known in ("heat", "heat on ranks"):
        assert bool(tables.outdated(docs(one), {known: "another"})) == (known == name)


@pytest.mark.parametrize("content", ["{", "[]", '{"heat": 1}', "\x00", '{"a": ' * 3000])
def test_damaged_digests_are_refused(tmp_path, write, capsys, content):
    digests = tmp_path / "digests.json"
    digests.write_text(content)
    assert main(["tables", write(document([run()])), "--digests", str(digests), "--check"]) == 3
    assert capsys.readouterr().err.startswith(f"speedwell: error: {digests}: ")


@pytest.mark.parametrize("words", [[], ["--check"]])
def test_mistakes_of_usage(write, words):
    assert main(["tables", write(document([run()])), *words]) == 2


def test_every_marker_of_the_projects_documents_can_be_read(shipped):
    found = 0
    for path in [ROOT / "README.md", ROOT / "docs" / "results.md", *sorted((ROOT / "speedwell" / "apps").rglob("README.md"))]:
        for name in tables.marker_names(path.read_text(), str(path)):
            found += bool(tables.table(shipped, name))
    assert found > 20


def test_energies_have_their_power_and_what_is_above_rest():
    measured = run(variant="cuda", kind="gpu", time=0.01, energy=6.0)
    measured["energy"].update(window_s=2.0, executes=160, idle_W=120.0)
    older = run(variant="cuda-older", kind="gpu", time=0.01, energy=0.004)
    found = rows(tables.table(docs(measured, older, run(variant="serial", kind="core")), "energy standard"))
    # 160 executes in 2 s are 12.5 ms each, resets included: 6 J are 480 W, and 120 W of these are drawn at rest.
    assert found == [["heat", "standard", "cuda", "one Test GPU", "10.00 ms", "6.00 J", "480 W", "120 W", "4.50 J", "6.00 µJ / cell"],
                     ["heat", "standard", "cuda-older", "one Test GPU", "10.00 ms", "4.00 mJ", "–", "–", "–", "4.00 nJ / cell"]]
    assert tables.table(docs(run()), "energy") == ""
