"""Medians of passes in place of samples: what they are computed for must not change."""
import copy
import subprocess
import sys

import pytest
from conftest import ROOT, document, phase, run

from speedwell import model, records
from speedwell.samples import keep_medians


def timed(samples_of_a_pass, passes=6):
    """A phase with several samples in each pass, one of them throttled."""
    made = phase([float(p + 1) for p in range(passes)])
    samples = [float(p + 1) + 0.01 * n for p in range(passes) for n in range(samples_of_a_pass)]
    made.update(samples=samples, n=len(samples), sample_pass=[p for p in range(passes) for _ in range(samples_of_a_pass)],
                sample_throttled=[1], sample_clock_MHz=[None] * len(samples))
    return made


def test_medians_of_passes_statistics_and_counts_stay():
    data = run()
    data["phases"]["execute_s"] = timed(30)
    content = document([data])
    before = model.phases_of(copy.deepcopy(content)["runs"][0]["phases"])
    assert keep_medians(content, above=100)
    kept = content["runs"][0]["phases"]["execute_s"]
    assert len(kept["samples"]) == 6 and kept["n"] == 180
    assert kept["sample_pass"] == list(range(6)) and kept["sample_throttled"] == []
    assert model.phases_of(content["runs"][0]["phases"]) == before
    assert not keep_medians(content, above=100)


def test_phases_with_few_samples_and_those_that_do_not_tell_passes_apart_stay():
    data = run()
    data["phases"]["execute_s"] = timed(10)
    unknown = timed(30)
    del unknown["sample_pass"]
    data["phases"]["download_s"] = unknown
    content = document([data, run(status="skipped")])
    before = copy.deepcopy(content)
    assert not keep_medians(content, above=100)
    assert content == before
    assert keep_medians(content)
    assert content["runs"][0]["phases"]["download_s"]["samples"] == [unknown["median"]]


@pytest.mark.parametrize("name", ["one.json", "several.jsonl"])
def test_the_tool_replaces_files_that_stay_valid(write, name):
    data = run()
    data["phases"]["execute_s"] = timed(30)
    path = write(*[document([data])] * (2 if name.endswith("l") else 1), name=name)
    done = subprocess.run([sys.executable, ROOT / "tools/compact_records.py", path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert {len(each.data["phases"]["execute_s"]["samples"]) for each in [r for d in records.read([path]) for r in d.runs]} == {6}


def test_the_tool_refuses_what_is_not_a_record(tmp_path):
    path = tmp_path / "other.json"
    path.write_text("[1]")
    done = subprocess.run([sys.executable, ROOT / "tools/compact_records.py", path], capture_output=True, text=True, check=False)
    assert done.returncode == 3 and done.stderr.count("\n") == 1
    assert path.read_text() == "[1]"
