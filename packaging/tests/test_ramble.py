"""The Ramble application on records of the program."""
import json
import re
import shlex
import shutil
import subprocess

import pytest


@pytest.fixture
def experiment(stage, tmp_path):
    shutil.copy(stage / "records.json", tmp_path)
    return tmp_path


def command_of(directives, workload, folder):
    """The words of a workload's command, with the defaults of its variables."""
    (executable,) = directives.workloads[workload]["executables"]
    values = {name: default for (of, name), default in directives.variables.items() if of == workload}
    return shlex.split(directives.executables[executable]["arguments"][0].format(experiment_run_dir=folder, **values))


def test_figures_are_found_in_the_file_that_is_made_of_the_records(ramble_recipe, experiment):
    recipe, directives = ramble_recipe
    recipe.Speedwell(experiment)._prepare_analysis(None)
    lines = (experiment / "figures.txt").read_text().splitlines()
    passed = [run for run in json.loads((experiment / "records.json").read_text())["runs"] if run["status"] == "passed"]
    assert len(lines) == len(passed) >= 12
    for line, run in zip(lines, passed, strict=True):
        assert re.search(directives.contexts["run"]["regex"], line)["problem"] == run["key"]
        time, rate = (re.search(directives.figures[name]["fom_regex"], line) for name in ("execute time", "rate in {unit}"))
        assert float(time[directives.figures["execute time"]["group_name"]]) == run["phases"]["execute_s"]["median"]
        assert float(rate["rate"]) == run["rates"]["bandwidth_GBps"] and rate["unit"] == "GB/s"


def test_an_experiment_without_a_rate_has_its_time(ramble_recipe, experiment):
    recipe, directives = ramble_recipe
    document = json.loads((experiment / "records.json").read_text())
    document["runs"][0]["rates"]["bandwidth_GBps"] = None
    line = recipe.figures_of(document)[0]
    assert re.search(directives.figures["execute time"]["fom_regex"], line)
    assert not re.search(directives.figures["rate in {unit}"]["fom_regex"], line)


def test_success_is_that_every_verdict_passed(ramble_recipe, experiment):
    recipe, directives = ramble_recipe
    application = recipe.Speedwell(experiment)
    assert directives.criteria["verdicts"]["mode"] == "application_function"
    assert application.evaluate_success()
    path = experiment / "records.json"
    sound = json.loads(path.read_text())
    for change in ({"status": "failed"}, {"verdict": {"passed": False}}):
        path.write_text(json.dumps({**sound, "runs": [{**sound["runs"][0], **change}, *sound["runs"][1:]]}))
        assert not application.evaluate_success()
    for runs in ([], [{**run, "status": "skipped"} for run in sound["runs"]]):
        path.write_text(json.dumps({**sound, "runs": runs}))
        assert not application.evaluate_success()
    path.write_text(json.dumps({**sound, "error": {"id": "device"}}))
    assert not application.evaluate_success()


@pytest.mark.parametrize("text", [None, "", "{"])
def test_an_experiment_that_left_no_records_is_no_success(ramble_recipe, tmp_path, text):
    application = ramble_recipe[0].Speedwell(tmp_path)
    if text is not None:
        (tmp_path / "records.json").write_text(text)
    assert not application.evaluate_success()


def test_analysis_without_records_makes_no_figures(ramble_recipe, tmp_path):
    ramble_recipe[0].Speedwell(tmp_path)._prepare_analysis(None)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("workload", ["suite", "ranks"])
def test_a_workload_starts_what_the_program_understands(ramble_recipe, program, tmp_path, workload):
    words = command_of(ramble_recipe[1], workload, tmp_path)
    assert words[0] == "speedwell" and str(tmp_path / "records.json") in words
    plan = subprocess.run([program, *words[1:], "--dry-run"], cwd=tmp_path, capture_output=True, text=True)
    assert plan.returncode == 0 or "MPI" in plan.stderr, plan.stderr  # a build without it has no such variants
