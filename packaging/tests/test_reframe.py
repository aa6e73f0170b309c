"""The ReFrame check on records of the program."""
import json
import subprocess
import types

import pytest
from conftest import PACKAGING


@pytest.fixture
def records(reframe_check):
    return reframe_check.speedwell_records


def check_of(reframe_check, folder, baseline, system="node:cpu"):
    check = reframe_check.SpeedwellCheck()
    check.application, check.stagedir, check.baseline = "stream", str(folder), str(baseline)
    check.current_partition = types.SimpleNamespace(fullname=system)
    return check


def written_baseline(records, folder, tmp_path, *more):
    path = tmp_path / "baseline.json"
    assert records.main(["node:cpu", str(folder / "records.json"), "--baseline", str(path), *more]) == 0
    return path


def test_verdicts_of_a_session_are_its_sanity(reframe_check, stage, tmp_path):
    assert check_of(reframe_check, stage, tmp_path / "none").every_verdict_passed() is True


def damaged(stage, tmp_path, change):
    document = json.loads((stage / "records.json").read_text())
    change(document)
    (tmp_path / "records.json").write_text(json.dumps(document))
    return tmp_path


def fail_first(document):
    document["runs"][0].update(status="failed", reason="2 elements differ")


def reject_first(document):
    document["runs"][0]["verdict"]["passed"] = False


def skip_all(document):
    for run in document["runs"]:
        run["status"] = "skipped"


def stop_early(document):
    document["error"] = {"id": "device", "message": "the device was lost", "status": 5}


@pytest.mark.parametrize("change, words", [(fail_first, "2 elements differ"), (reject_first, "passed"), (skip_all, "no run passed"),
                                           (stop_early, "the device was lost")])
def test_what_did_not_pass_is_no_sanity(reframe_check, stage, tmp_path, change, words):
    folder = damaged(stage, tmp_path, change)
    with pytest.raises(AssertionError, match=words):
        check_of(reframe_check, folder, tmp_path / "none").every_verdict_passed()


def test_times_are_the_medians_of_all_that_passed(reframe_check, records, stage, tmp_path):
    baseline = written_baseline(records, stage, tmp_path)
    check = check_of(reframe_check, stage, baseline)
    check.read_performance()
    document = json.loads((stage / "records.json").read_text())
    passed = [run for run in document["runs"] if run["status"] == "passed"]
    assert len(check.perf_variables) == len(passed) >= 12  # 2 kernels, 2 precisions, 3 variants of the host
    run = passed[-1]
    assert check.perf_variables[records.name(run)] == (run["phases"]["execute_s"]["median"], "s")


def test_references_come_from_the_baseline_of_the_system(reframe_check, records, stage, tmp_path):
    baseline = written_baseline(records, stage, tmp_path, "--tolerance", "0.25")
    check = check_of(reframe_check, stage, baseline)
    check.read_performance()
    for name, (value, lower, upper, unit) in check.reference["node:cpu"].items():
        assert (value, unit) == check.perf_variables[name]
        assert (lower, upper) == (None, 0.25)
    other = check_of(reframe_check, stage, baseline, system="other:cpu")
    other.read_performance()
    assert other.perf_variables and other.reference == {"other:cpu": {}}


def test_a_baseline_keeps_other_systems(records, stage, tmp_path):
    path = written_baseline(records, stage, tmp_path)
    first = json.loads(path.read_text())["systems"]["node:cpu"]
    assert records.main(["second:gpu", str(stage / "records.json"), "--baseline", str(path)]) == 0
    assert json.loads(path.read_text())["systems"] == {"node:cpu": first, "second:gpu": first}


def test_no_baseline_is_made_of_a_failure(records, stage, tmp_path, capsys):
    folder = damaged(stage, tmp_path, fail_first)
    path = tmp_path / "baseline.json"
    assert records.main(["node:cpu", str(folder / "records.json"), "--baseline", str(path)]) == 3
    assert "2 elements differ" in capsys.readouterr().err and not path.exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "other"}'])
def test_what_is_no_records_is_said(records, tmp_path, text):
    path = tmp_path / "records.json"
    path.write_text(text)
    with pytest.raises(records.RecordsError, match="records.json"):
        records.documents(str(path))


def test_the_lines_of_a_session_are_read_as_its_document(records, stage):
    lines = records.documents(str(stage / "speedwell-output/records.jsonl"))
    assert records.times(lines) == records.times(records.documents(str(stage / "records.json")))


def test_runs_on_other_numbers_of_ranks_have_times_of_their_own(records, stage):
    document = json.loads((stage / "records.json").read_text())
    run = next(run for run in document["runs"] if run["status"] == "passed")
    on_ranks = [{**run, "ranks": {"count": count, "hosts": 1, "placement": []}} for count in (1, 2, 4)]
    found = records.times([{**document, "runs": [run, *on_ranks]}])
    assert [name.removeprefix(records.name(run)) for name in found] == ["", " ranks=1", " ranks=2", " ranks=4"]


def test_the_applications_are_those_of_the_program_and_have_headlines(reframe_check, program, tmp_path):
    listed = subprocess.run([program, "list", "apps"], capture_output=True, text=True, check=True).stdout
    assert sorted(line.split()[0] for line in listed.splitlines()) == sorted(reframe_check.APPLICATIONS)
    for application in reframe_check.APPLICATIONS:
        check = check_of(reframe_check, tmp_path, "none")
        check.application = application
        check.describe()
        plan = subprocess.run([program, *check.executable_opts, "--dry-run"], cwd=tmp_path, capture_output=True, text=True)
        assert plan.returncode == 0, plan.stderr


def test_the_shipped_baseline_names_what_the_records_have(records):
    baseline = json.loads((PACKAGING / "reframe/baseline.json").read_text())
    found = records.documents(str(PACKAGING.parent / "results/nvidia-h200/headline/records.jsonl"))
    times = records.times(found)
    references = records.references(baseline, "nvidia-h200:gpu", times)
    assert references.keys() == baseline["systems"]["nvidia-h200:gpu"].keys()
    assert len(references) >= 20 and all(value > 0 for value, *_ in references.values())
