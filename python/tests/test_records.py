import gzip
import json
import pathlib
import re

import pytest
from conftest import ROOT, document, loaded, phase, run

from speedwell import records
from speedwell.errors import InputError


def test_every_shipped_record_is_read_and_valid(shipped):
    files = list((ROOT / "results" / "nvidia-h200").glob("*.json"))
    assert len(shipped) == len(files) > 50
    expected = sum(len(json.loads(f.read_text())["runs"]) for f in files)
    assert sum(len(d.runs) for d in shipped) == expected


def test_the_frame_has_the_documented_columns_and_the_values_of_the_record(shipped):
    frame = records.frame(shipped)
    assert list(frame.columns) == [c.name for c in records.COLUMNS]
    one = frame[(frame.application == "stream") & (frame.variant == "cuda") & (frame.file.str.endswith("stream-triad.json"))].iloc[0]
    content = json.loads(pathlib.Path(one.file).read_text())
    data = next(r for r in content["runs"] if r["key"] == one.key and r["variant"]["name"] == "cuda")
    assert one.execute_s == data["phases"]["execute_s"]["median"]
    assert one.bytes == data["work"]["bytes_read"] + data["work"]["bytes_written"]
    assert one.fraction_of_limit == data["limit"]["fraction"]


def test_the_manual_documents_every_column():
    manual = (ROOT / "docs" / "python.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", manual, flags=re.M))
    assert list(rows) == [c.name for c in records.COLUMNS]
    assert {k: v.strip() for k, v in rows.items()} == {c.name: c.unit for c in records.COLUMNS}


def test_medians_of_passes_leave_out_throttled_samples_unless_all_are():
    timed = phase([1.0, 2.0, 3.0])
    timed.update(samples=[1.0, 9.0, 2.0, 4.0], sample_pass=[0, 0, 1, 1], sample_throttled=[1], n=4, passes=2)
    data = run()
    data["phases"]["execute_s"] = timed
    assert loaded(document([data])).runs[0].execute.by_pass == (1.0, 3.0)
    timed["sample_throttled"] = [0, 1, 2, 3]
    assert loaded(document([data])).runs[0].execute.by_pass == (5.0, 3.0)


@pytest.mark.parametrize("value", [True, "x", [None] * 6, [{}] * 6, [0.5] * 6, [0], {}])
def test_passes_that_are_no_numbers_count_as_not_told_apart(value):
    data = run(passes=[1.0] * 5 + [2.0])
    data["phases"]["end_to_end_s"]["sample_pass"] = value  # the schema knows this key in execute_s alone
    assert len(loaded(document([data])).runs[0].end_to_end.by_pass) == 6


def test_records_that_do_not_count_passes_have_as_many_as_end_to_end_has_samples():
    data = run(passes=[1.0] * 22)
    for name in ("execute_s", "end_to_end_s"):
        for key in ("passes", "sample_pass", "sample_throttled", "sample_clock_MHz"):
            data["phases"][name].pop(key)
    data["phases"]["end_to_end_s"].update(samples=[2.0] * 3, n=3)
    assert loaded(document([data])).runs[0].execute.passes == 3
    assert loaded(document([data])).runs[0].execute.by_pass == ()


def test_lines_gzip_and_folders_give_the_same(write, tmp_path):
    path = write(document([run()]), document([run(variant="serial", kind="core")]), name="a/records.jsonl")
    assert len(records.read([path])) == 2
    (tmp_path / "b").mkdir()
    with gzip.open(tmp_path / "b" / "records.jsonl.gz", "wb") as stream:
        stream.write(pathlib.Path(path).read_bytes())
    assert len(records.read([tmp_path / "b"])) == 2
    write(document([run()]), name="a/another.json")
    assert len(records.read([tmp_path / "a"])) == 2, "records.jsonl is what suite wrote: it goes before other files"
    write(document([run()]), name="c/x.json")
    write(document([run()]), name="c/y.json")
    assert [d.number for d in records.read([tmp_path / "c"])] == [1, 1]
    write(document([run()]), name="d/suite-1/records.jsonl")
    write(document([run()]), name="d/suite-2/records.jsonl")
    write(document([run()]), name="d/other/notes.json")
    assert len(records.read([tmp_path / "d"])) == 2, "the folders of sessions"
    write(document([run()]), name="d/x.json")
    assert len(records.read([tmp_path / "d"])) == 1, "files of the folder itself go before"


def broken(change):
    content = document([run()])
    change(content)
    return json.dumps(content)


BAD = {
    "empty.json": ("", "is empty"),
    "blank.jsonl": ("\n\n", "is empty"),
    "cut.json": (json.dumps(document([run()]))[:-40], "is not well-formed JSON"),
    "cut.jsonl": (json.dumps(document([run()])) + "\n" + json.dumps(document([run()]))[:200], "cut off"),
    "foreign.json": ('{"name": "something else"}', "is not a document of Speedwell records"),
    "list.json": ("[1, 2]", "is not a document of Speedwell records"),
    "old.json": (broken(lambda c: c.update(schema="speedwell-records/0")), "this version reads speedwell-records/1"),
    "nan.json": (broken(lambda c: c["runs"][0]["work"].update(operations=float("nan"))), "NaN"),
    "huge.json": (json.dumps(document([run()])).replace("2000000000.0", "1e999"), "no double can hold"),
    "digits.json": (json.dumps(document([run()])).replace("2000000000.0", "9" * 5000), "no double can hold"),
    "type.json": (broken(lambda c: c["runs"][0].update(seed="one")), "run 1: runs[1].seed"),
    "missing.json": (broken(lambda c: c["runs"][0].pop("device")), "device is missing"),
    "verdict.json": (broken(lambda c: c["runs"][0].update(verdict=None)), "verdict"),
    "interval.json": (broken(lambda c: c["runs"][0]["phases"]["execute_s"].update(interval=[2.0, 1.0])), "interval"),
    "negative.json": (broken(lambda c: c["runs"][0]["phases"]["execute_s"].update(median=-1.0)), "median"),
    "endless.json": (broken(lambda c: c["runs"][0]["phases"]["execute_s"]["samples"].append(1e300)), "1e+300 s is no time"),
    "deep.json": ("[" * 100000, "nested too deeply"),
    "table.csv": ("a,b\n1,2\n", "is CSV"),
    "names.json": ('{"schema": "\\u001b[31mred\\n"}', "schema is '\ufffd[31mred '"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_line_that_names_it(name, tmp_path):
    text, expected = BAD[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as error:
        records.read([tmp_path / name])
    message = error.value.message
    assert name in message and expected in message and "\n" not in message and len(message) < 600
    assert error.value.status == 3


def test_bytes_that_are_no_text_and_damaged_gzip_are_refused(tmp_path):
    (tmp_path / "latin.json").write_bytes(b'{"schema": "\xff"}')
    compressed = gzip.compress(json.dumps(document([run()])).encode())
    (tmp_path / "cut.jsonl.gz").write_bytes(compressed[:-20])
    (tmp_path / "flipped.jsonl.gz").write_bytes(compressed[:30] + bytes([compressed[30] ^ 255]) + compressed[31:])
    for name, word in (("latin.json", "UTF-8"), ("cut.jsonl.gz", "damaged"), ("flipped.jsonl.gz", "damaged")):
        with pytest.raises(InputError, match=word):
            records.read([tmp_path / name])


def test_a_compressed_file_that_grows_beyond_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "MAX_FILE_BYTES", 1 << 20)
    (tmp_path / "bomb.jsonl.gz").write_bytes(gzip.compress(b" " * (2 << 20)))
    with pytest.raises(InputError, match="more than 1 MiB"):
        records.read([tmp_path / "bomb.jsonl.gz"])


def test_folders_without_records_and_files_that_are_not_there_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere.json"):
        with pytest.raises(InputError) as error:
            records.read([path])
        assert str(path) in error.value.message


def test_the_quick_check_of_arrays_refuses_what_the_general_one_refuses(write):
    content = document([run()])
    for bad in ("x", None, True):
        content["runs"][0]["phases"]["execute_s"]["samples"][3] = bad
        with pytest.raises(InputError, match="samples"):
            records.read([write(content)])


def test_documents_of_a_command_that_failed_have_no_runs(write):
    error = {"status": 3, "id": "x", "message": "bad", "hint": None, "file": None, "line": None, "column": None}
    found = records.read([write({"schema": records.SCHEMA, "error": error, "runs": []})])
    assert found[0].error["status"] == 3 and found[0].machine is None
    assert records.frame(found).empty


def test_kernels_of_the_former_stencil_are_read_as_the_applications_that_they_are_now(write):
    old = {"n": 64, "nx": 17, "ny": 9, "nz": 12, "boundary": "default", "precision": "f64", "values": "dyadic", "steps": 9, "tolerance": 1e-10,
           "preconditioner": "none", "omega": 0.8, "matrix": "7-point"}
    sizes = {"e": "standard", "spmv": "sparse", "cg": "cg-curve"}
    former = [run(application="stencil", problem={"kernel": kernel, **old}, size=size) for kernel, size in sizes.items()]
    former[1]["rates"].update(rate_name="MCUPS", rate=1.0)
    stencil, spmv, cg = records.read(write(document(former)))[0].runs
    assert stencil.key == "stencil kernel=e n=64 nx=17 ny=9 nz=12 boundary=periodic precision=f64 values=dyadic steps=9 seed=1"
    assert spmv.key == "spmv n=64 nx=17 ny=9 nz=12 boundary=periodic precision=f64 values=dyadic matrix=7-point seed=1"
    assert cg.key == ("cg n=64 nx=17 ny=9 nz=12 precision=f64 values=dyadic iterations=9 tolerance=1e-10 preconditioner=none omega=0.8 "
                      "matrix=7-point seed=1")
    assert [r.application for r in (stencil, spmv, cg)] == ["stencil", "spmv", "cg"]
    assert [r.data["size"] for r in (stencil, spmv, cg)] == ["standard", "formats", "curve"]
    assert cg.data["problem"]["iterations"] == 9 and "steps" not in cg.data["problem"] and "kernel" not in cg.data["problem"]
    assert spmv.data["rates"]["rate_name"] == "Mrows/s" and spmv.data["work"]["update"] == "row"
    spaced = run(application="stencil", problem={"kernel": "spmv", **old, "matrix": "my files/a b.mtx"})
    assert records.read(write(document([spaced]), name="spaced.jsonl"))[0].runs[0].key.endswith("values=dyadic matrix=my files/a b.mtx seed=1")
    again = records.read(write(document([r.data for r in (stencil, spmv, cg)]), name="again.jsonl"))[0].runs
    assert [r.key for r in again] == [r.key for r in (stencil, spmv, cg)]


def test_any_name_of_a_parameter_may_stand_beside_those_of_the_former_stencil(write):
    former = run(application="stencil", problem={"kernel": "cg", "preconditioner": "none", "n": 64, "(": 1, "[a": 2})
    assert records.read(write(document([former])))[0].runs[0].key == "cg n=64 tolerance=0 preconditioner=none seed=1"


def test_shipped_records_of_the_former_stencil_are_of_three_applications(shipped):
    runs = [r for d in shipped for r in d.runs if r.application in ("stencil", "spmv", "cg")]
    assert {r.application for r in runs} == {"stencil", "spmv", "cg"}
    assert not any("preconditioner" in r.key for r in runs if r.application != "cg")
    # A problem of the size 128 and one to a tolerance have the same parameters, although older records do not name them all.
    assert len({tuple(r.data["problem"]) for r in runs if r.application == "cg"}) == 1
