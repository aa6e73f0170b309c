import csv
import io
import json

import pytest
from conftest import document, run

from speedwell import compare
from speedwell.errors import NothingMatchedError, UsageError


def old(**changes):
    return document([run(variant="serial", kind="core", time=8.0), run(time=2.0, limit=(1.8, "memory")),
                     run(variant="cuda", kind="gpu", time=0.2, limit=(0.1, "memory"))], **changes)


def new():
    return document([run(variant="serial", kind="core", time=4.0, device="one core of New CPU"),
                     run(time=1.0, limit=(0.6, "memory"), device="64 cores of New CPU"),
                     run(variant="cuda", kind="gpu", time=0.1, limit=(0.05, "memory"), device="one New GPU")], machine="m2", processor="New CPU")


def test_every_kind_of_device_is_compared_with_its_interval_and_the_ceilings(write):
    versus, machines = compare.run([write(old(), name="a.json"), write(new(), name="b.json")])
    found = {row.kind: row.entries[1] for row in versus.rows}
    assert set(found) == {"core", "cores", "gpu"}
    assert found["gpu"].ratio.value == pytest.approx(2) and found["gpu"].ratio.interval == pytest.approx((2, 2))
    assert found["cores"].predicted == pytest.approx(3) and found["core"].predicted is None
    assert "2.00× [2.00, 2.00] (3.00×)" in compare.text(versus, machines)


def test_with_and_without_a_gpu_the_fastest_of_each_is_compared_too(write):
    host = document([run(time=1.0, device="64 cores of New CPU")], machine="m2", gpu=False, processor="New CPU")
    versus, _ = compare.run([write(old(), name="a.json"), write(host, name="b.json")])
    best = next(row for row in versus.rows if row.kind == "best")
    assert best.entries[1].ratio.value == pytest.approx(0.2)


def test_three_machines_are_three_columns_and_one_may_lack_a_row(write):
    third = document([run(time=4.0, device="2 cores of Small CPU")], machine="m3", gpu=False, processor="Small CPU")
    versus, machines = compare.run([write(d, name=f"{n}.json") for n, d in enumerate((old(), new(), third))])
    row = next(r for r in versus.rows if r.kind == "gpu")
    assert len(machines) == 3 and row.entries[2] is None
    assert next(r for r in versus.rows if r.kind == "cores").entries[2].ratio.value == pytest.approx(0.5)
    assert "Small CPU" in compare.html(versus, machines)


def test_one_row_per_application_unless_all_are_asked_for(write):
    def document_of(machine, factor):
        return document([run(problem={"n": n}, time=n * factor, device=f"cores of {machine}") for n in (1, 10)], machine=machine, gpu=False)
    paths = [write(document_of("a", 1.0), name="a.json"), write(document_of("b", 2.0), name="b.json")]
    assert [row.problem for row in compare.run(paths)[0].rows] == ["n=10"]
    assert [row.problem for row in compare.run(paths, everything=True)[0].rows] == ["n=1", "n=10"]


def test_json_and_csv_hold_the_same_rows(write):
    versus, _ = compare.run([write(old(), name="a.json"), write(new(), name="b.json")])
    rows = json.loads(compare.as_json(versus))["rows"]
    table = list(csv.DictReader(io.StringIO(compare.as_csv(versus))))
    assert len(rows) == len(table) == 6
    assert [float(r["ratio"]) for r in table] == [r["ratio"] for r in rows]


def test_machines_with_nothing_in_common_are_status_six(write):
    other = document([run(application="waves", device="cores of B")], machine="m2")
    with pytest.raises(NothingMatchedError) as error:
        compare.run([write(old(), name="a.json"), write(other, name="b.json")])
    assert error.value.status == 6


def test_one_machine_alone_is_a_mistake_of_usage(write):
    with pytest.raises(UsageError):
        compare.run([write(old(), name="a.json")])


def test_equal_machines_are_told_apart_by_their_files_or_hosts(write):
    paths = [write(old(), name="a.json"), write(old(), name="b.json")]
    assert compare.run(paths)[0].names == ["a.json", "b.json"]
    paths = [write(old(host="n1"), name="a.json"), write(old(host="n2"), name="b.json")]
    assert compare.run(paths)[0].names == ["n1", "n2"]
