"""Records made up for tests, valid by the schema, and the shipped ones."""
import copy
import json
import os
import pathlib
import statistics
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from speedwell import records  # noqa: E402

CEILINGS = {"host.triad": 100.0, "host.core.triad": 15.0, "host.fma.f64": 500.0, "gpu.triad": 4000.0, "gpu.fma.f64": 30000.0}
DEVICES = {"core": "one core of Test CPU", "cores": "16 cores of Test CPU", "gpu": "one Test GPU"}
BACKENDS = {"core": "serial", "cores": "openmp", "gpu": "cuda"}


def phase(passes, interval=True):
    """A phase with one sample per pass."""
    middle = statistics.median(passes)
    ends = [min(passes), max(passes)] if interval and len(passes) >= 6 else None
    return {"median": middle, "interval": ends, "p5": min(passes), "p95": max(passes), "n": len(passes), "passes": len(passes),
            "samples": list(passes), "sample_pass": list(range(len(passes))), "sample_throttled": [],
            "sample_clock_MHz": [None] * len(passes)}


def run(application="heat", variant="openmp", kind="cores", time=1.0, passes=None, problem=None, status="passed", limit=None, role="plain",
        algorithm="", end_to_end=None, reason=None, size="standard", uuid=None, device=None, digest="aa", energy=None, title="Heat",
        adds="", **changes):
    """One run. `time`: of every pass of execute, unless `passes` has them. `limit`: (least time, bound)."""
    problem = {"n": 100, "precision": "f64"} if problem is None else problem
    passes = passes or [time] * 6
    passed = status == "passed"
    median = statistics.median(passes)
    key = f"{application} " + " ".join(f"{k}={v}" for k, v in problem.items()) + " seed=1"
    data = {
        "application": application, "title": title, "size": size, "problem": problem, "seed": 1, "key": key,
        "variant": {"name": variant, "backend": BACKENDS[kind], "role": role, "adds": adds, "lineage": "", "algorithm": algorithm},
        "status": status, "reason": None if passed else reason or "it was wrong", "exit_status": 0 if passed or status == "skipped" else 1,
        "device": {"kind": kind, "name": device or DEVICES[kind], "threads": 16 if kind == "cores" else None, "uuid": uuid},
        "ranks": None, "verdict": {"passed": passed, "error": 0.0, "tolerance": 1e-12, "oracle": "the reference"} if status != "skipped" else None,
        "result_digest": None, "checked_executes": 6,
        "phases": {"prepare_s": None, "allocate_s": None, "upload_s": None, "first_execute_s": None, "execute_s": phase(passes),
                   "download_s": None, "device_s": None, "end_to_end_s": phase([end_to_end or 2 * t for t in passes])} if passed else None,
        "work": {"operations": 1e9, "arithmetic": "f64", "bytes_read": 2e9, "bytes_written": 1e9, "updates": 1e6, "update": "cell",
                 "working_set_bytes": 3e9, "over_link": False},
        "rates": {"bandwidth_GBps": 3 / median if passed else None, "operations_Gops": 1 / median if passed else None, "updates_per_s": None,
                  "rate_name": None, "rate": None},
        "limit": {"time_s": limit[0], "bound": limit[1], "ceiling": "gpu.triad" if kind == "gpu" else "host.triad", "ceiling_value": 100.0,
                  "ceiling_unit": "GB/s", "fraction": limit[0] / median} if limit and passed else None,
        "limit_reason": None if limit else "no ceiling applies", "best_limit": None, "best_limit_reason": None, "prediction": None,
        "prediction_reason": None, "energy": {"execute_J": energy, "source": "counter" if energy else None, "window_s": None},
        "energy_reason": None if energy else "not asked for (--energy)", "device_bytes": None, "cache_resident": False, "throttled": None,
        "clock_MHz": None, "temperature_C": None, "choices": {}, "source_digest": digest, "overhead_s": None,
    }
    data.update(changes)
    return data


def document(runs, machine="m1", started="2026-01-01T00:00:00Z", gpu=True, processor="Test CPU", dirty=False, error=None, uuid="GPU-1",
             host=None, command="speedwell suite"):
    content = {
        "schema": records.SCHEMA, "error": error,
        "machine": {
            "id": machine, "cpu": {"name": processor, "sockets": 1, "cores": 16, "threads": 16, "numa_nodes": 1, "memory_bytes": 1 << 37,
                                   "caches": [{"level": 1, "bytes": 49152, "shared_by": 1, "instances": 16}], "instruction_sets": ["avx2"]},
            "gpus": [{"index": 0, "name": "Test GPU", "uuid": uuid, "compute_capability": 90, "multiprocessors": 132, "memory_bytes": 1 << 37,
                      "l2_bytes": 1 << 25, "ecc": True, "power_limit_W": 700.0, "clock_max_MHz": 1980, "link_generation": 5,
                      "link_width": 16}] if gpu else [],
            "gpu_reason": None if gpu else "no NVIDIA driver here", "os": "Debian", "kernel": "Linux", "driver": "1" if gpu else None,
            "ceilings": [{"name": name, "value": value, "unit": "GB/s" if "triad" in name else "GFLOP/s", "low": value, "high": value,
                          "stable": True, "samples": [value]} for name, value in CEILINGS.items() if gpu or not name.startswith("gpu")]},
        "build": {"version": "0.1.0", "commit": "abcdef123456", "dirty": dirty, "compiler": "GNU 12.2.0", "flags": "-O2",
                  "build_type": "Release", "cuda": "13.0", "cuda_architectures": "90-real", "mpi": None, "openmp": "4.5"},
        "session": {"started": started, "command_line": command, "order_seed": 1, "environment": {}}, "runs": runs}
    if host:
        content["machine"]["host"] = host
    return content


def loaded(content, source="records.json"):
    """A Document as the reader makes it, without the way over a file."""
    content = copy.deepcopy(content)
    made = records.Document(source, 1, source, content)
    made.runs = [records.Run(data, made) for data in content["runs"]]
    return made


@pytest.fixture
def write(tmp_path):
    """Writes documents to a file and returns its path: .json holds one, .jsonl one per line."""
    def to_file(*documents, name="records.jsonl"):
        path = tmp_path / name
        os.makedirs(path.parent, exist_ok=True)
        path.write_text("\n".join(json.dumps(d) for d in documents) + "\n")
        return str(path)
    return to_file


@pytest.fixture(scope="session")
def shipped():
    """The records of one H200 that the project publishes."""
    return records.read([ROOT / "results" / "nvidia-h200"])


def gpu_and_host():
    """A problem on one core, all cores and a GPU, memory-bound at nine tenths of the limit on both sides."""
    return [run(variant="serial", kind="core", time=8.0), run(variant="openmp", kind="cores", time=1.0, limit=(0.9, "memory")),
            run(variant="cuda", kind="gpu", role="best", time=0.025, limit=(0.0225, "memory"), end_to_end=0.5)]
