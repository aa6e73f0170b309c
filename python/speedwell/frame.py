"""Runs as one pandas DataFrame; docs/python.md has its columns."""
from collections import namedtuple

import pandas

from .model import PHASES, label

Column = namedtuple("Column", "name unit description")
COLUMNS = [
    Column("file", "", "the file that the run was read from"),
    Column("document", "count", "the number of the document (line) in that file, from 1"),
    Column("machine_id", "", "digest of the hardware: equal ids, same kind of machine"),
    Column("host", "", "name of the host; missing in records that do not have it"),
    Column("processor", "", "name of the processor"),
    Column("gpu", "", "name of the first GPU; missing without one"),
    Column("card", "", "UUID of the GPU that the run, or the runs beside it, used"),
    Column("driver", "", "version of the GPU's driver"),
    Column("version", "", "version of Speedwell"),
    Column("commit", "", "commit that the program was built from"),
    Column("dirty", "", "whether there were local changes"),
    Column("started", "", "when the session began, UTC, ISO 8601"),
    Column("application", "", "name of the application"),
    Column("title", "", "its title"),
    Column("size", "", "name of the problem's size"),
    Column("key", "", "what makes two problems the same"),
    Column("problem", "", "the parameters, 'name=value' in alphabetical order"),
    Column("precision", "", "f64 or f32; missing where the application has no such parameter"),
    Column("seed", "", "seed of the random numbers"),
    Column("variant", "", "name of the variant"),
    Column("backend", "", "serial, openmp, mpi, cuda or multi"),
    Column("role", "", "plain, step, best or peer (a library)"),
    Column("algorithm", "", "what sets the variant's algorithm apart; empty: the application's usual one"),
    Column("status", "", "passed, failed, skipped or error"),
    Column("reason", "", "of a run that was skipped or in error"),
    Column("device_kind", "", "core, cores or gpu"),
    Column("device", "", "the device in full"),
    Column("threads", "count", "threads of the processor"),
    Column("ranks", "count", "MPI ranks; missing without MPI"),
    Column("error", "", "distance from the oracle"),
    Column("tolerance", "", "greatest distance that passes"),
    Column("oracle", "", "what the result was held against"),
    *[Column(phase, "s", "median of this phase") for phase in PHASES],
    Column("execute_low_s", "s", "lower end of the 95 % interval of execute_s; missing below 6 passes"),
    Column("execute_high_s", "s", "upper end"),
    Column("end_to_end_low_s", "s", "lower end of the 95 % interval of end_to_end_s"),
    Column("end_to_end_high_s", "s", "upper end"),
    Column("passes", "count", "passes that execute was measured in"),
    Column("samples", "count", "samples of execute"),
    Column("execute_pass_s", "s", "list: the median of execute in each pass; empty where a record does not tell passes apart"),
    Column("operations", "count", "operations of one execute"),
    Column("arithmetic", "", "their kind: none, f64, f32, int32 or dpx"),
    Column("bytes", "B", "least traffic of one execute, read and written"),
    Column("updates", "count", "updates in the application's own unit"),
    Column("update", "", "that unit"),
    Column("working_set_bytes", "B", "data that one execute touches"),
    Column("bandwidth_GBps", "GB/s", "bytes over execute_s"),
    Column("operations_Gops", "Gop/s", "operations over execute_s"),
    Column("updates_per_s", "1/s", "updates over execute_s"),
    Column("rate", "rate_name", "the application's own figure of merit"),
    Column("rate_name", "", "its unit"),
    Column("limit_s", "s", "least time by the measured ceilings"),
    Column("bound", "", "memory, cache, link or arithmetic"),
    Column("ceiling", "", "name of the ceiling that sets the limit"),
    Column("fraction_of_limit", "1", "limit_s over execute_s"),
    Column("limit_reason", "", "why there is no limit"),
    Column("best_fraction_of_limit", "1", "the same for the limit of the best known algorithm"),
    Column("prediction_ratio", "1", "time of the application's own model over execute_s"),
    Column("energy_J", "J", "energy of one execute"),
    Column("idle_W", "W", "what the device drew at rest, before the energy was measured"),
    Column("device_bytes", "B", "memory that the run took on the device"),
    Column("cache_resident", "", "whether the data is less than four times the last cache"),
    Column("throttled", "", "whether a sample was taken while the device was throttled; missing: unknown"),
    Column("others_fraction", "1", "fraction of the processors' time that other processes and the hypervisor had; missing on a GPU"),
    Column("source_digest", "", "digest of the sources that were measured"),
    Column("command_line", "", "the session's command"),
]


def frame(documents):
    """Returns one row per run, with the columns of COLUMNS. Values that a record does not have are missing (None or NaN)."""
    return pandas.DataFrame([row_of(run) for document in documents for run in document.runs],
                            columns=[column.name for column in COLUMNS])


def row_of(run):
    data, document = run.data, run.document
    machine, build = document.machine, document.build
    verdict, limit, work, rates = (data[key] or {} for key in ("verdict", "limit", "work", "rates"))
    gpus = machine["gpus"]
    row = {name: phase.median for name, phase in run.phases.items()}
    if run.execute:
        row.update(passes=run.execute.passes, samples=run.execute.samples)
    for phase in ("execute", "end_to_end"):
        ends = run.phases[phase + "_s"].interval if phase + "_s" in run.phases else None
        row[phase + "_low_s"], row[phase + "_high_s"] = ends or (None, None)
    row.update(
        file=document.file, document=document.number, machine_id=machine["id"], host=document.host,
        processor=machine["cpu"]["name"], gpu=gpus[0]["name"] if gpus else None,
        card=data["device"].get("uuid") or document.card or None, driver=machine["driver"],
        version=build["version"], commit=build["commit"], dirty=build["dirty"], started=document.started,
        application=run.application, title=data["title"], size=data["size"], key=run.key, problem=label(data),
        precision=data["problem"].get("precision"), seed=data["seed"], variant=run.variant, backend=run.backend,
        role=run.role, algorithm=run.algorithm, status=run.status, reason=data["reason"], device_kind=run.device_kind,
        device=run.device, threads=data["device"]["threads"], ranks=(data.get("ranks") or {}).get("count"),
        error=verdict.get("error"), tolerance=verdict.get("tolerance"), oracle=verdict.get("oracle"),
        execute_pass_s=list(run.execute.by_pass) if run.execute else [],
        operations=work.get("operations"), arithmetic=work.get("arithmetic"), bytes=traffic(work),
        updates=work.get("updates"), update=work.get("update"), working_set_bytes=work.get("working_set_bytes"),
        bandwidth_GBps=rates.get("bandwidth_GBps"), operations_Gops=rates.get("operations_Gops"),
        updates_per_s=rates.get("updates_per_s"), rate=rates.get("rate"), rate_name=rates.get("rate_name"),
        limit_s=limit.get("time_s"), bound=limit.get("bound"), ceiling=limit.get("ceiling"),
        fraction_of_limit=limit.get("fraction"), limit_reason=data["limit_reason"],
        best_fraction_of_limit=(data.get("best_limit") or {}).get("fraction"),
        prediction_ratio=(data.get("prediction") or {}).get("ratio"), energy_J=data["energy"]["execute_J"],
        idle_W=data["energy"].get("idle_W"),
        device_bytes=data.get("device_bytes"), cache_resident=data["cache_resident"], throttled=data["throttled"],
        others_fraction=run.others, source_digest=data["source_digest"], command_line=document.session.get("command_line"))
    return row


def traffic(work):
    """Returns the bytes read and written by one execute, or None."""
    if not work or work.get("bytes_read") is None or work.get("bytes_written") is None:
        return None
    return work["bytes_read"] + work["bytes_written"]
