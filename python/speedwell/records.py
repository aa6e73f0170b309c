"""Reads records (docs/records.md): files and folders to documents, and documents to one pandas DataFrame.

    frame = speedwell.records.read_frame(["results/nvidia-h200"])
    frame[frame.device_kind == "gpu"].groupby("application").fraction_of_limit.median()

Every document is validated against the schema, so whoever uses one may rely on the keys that the schema requires.
"""
import functools
import glob
import gzip
import io
import json
import math
import os
import statistics
import zlib
from collections import namedtuple
from dataclasses import dataclass, field

import jsonschema
import pandas

from .errors import InputError
from .text import plural, printable

SCHEMA = "speedwell-records/1"
MAX_FILE_BYTES = 256 << 20  # of one file, after decompression; in memory it takes some ten times as much
SHORTEST_S, LONGEST_S = 1e-12, 1e10  # of a measured time other than 0: beyond them arithmetic with it would overflow
PHASES = ("prepare_s", "allocate_s", "plan_s", "upload_s", "first_execute_s", "execute_s", "download_s", "device_s", "end_to_end_s")
BUSY_FRACTION = 0.1  # as the program marks rows: one thread in ten is missing, or each is there for nine tenths of the time
DEVICE_KINDS = ("core", "cores", "gpu")

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
    Column("backend", "", "serial, openmp, mpi, cuda or nccl"),
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
    Column("device_bytes", "B", "memory that the run took on the device"),
    Column("cache_resident", "", "whether the data is less than four times the last cache"),
    Column("throttled", "", "whether a sample was taken while the device was throttled; missing: nobody can tell"),
    Column("others_fraction", "1", "fraction of the processors' time that other processes and the hypervisor had; missing on a GPU"),
    Column("source_digest", "", "digest of the sources that were measured"),
    Column("command_line", "", "the session's command"),
]


@dataclass(eq=False)
class Document:
    """One document of records and where it came from. `error` is set if the command that wrote it failed."""

    file: str
    number: int  # of the document in its file, from 1
    source: str  # the file or folder that the user named
    content: dict
    runs: list = field(default_factory=list)

    @property
    def machine(self):
        return self.content.get("machine")

    @property
    def build(self):
        return self.content.get("build") or {}

    @property
    def session(self):
        return self.content.get("session") or {}

    @property
    def started(self):
        return self.session.get("started", "")

    @property
    def error(self):
        return self.content.get("error")

    @property
    def host(self):
        """The host's name, which records of later versions have."""
        return (self.machine or {}).get("host") or self.session.get("host")

    @property
    def card(self):
        """UUID of the GPU that the runs used, or that stood beside them; empty without a GPU."""
        used = next((run.data["device"]["uuid"] for run in self.runs if run.data["device"].get("uuid")), "")
        gpus = (self.machine or {}).get("gpus") or []
        return used or (gpus[0]["uuid"] if gpus else "")


@dataclass(frozen=True)
class Phase:
    """The time of one phase, in seconds. `interval`: of the median, 95 %; None below 6 passes."""

    median: float
    interval: tuple
    p5: float
    p95: float
    samples: int
    passes: int
    by_pass: tuple  # the median of each pass; empty where the record does not tell passes apart


class Run:
    """One run. `data` is the object as the file holds it."""

    def __init__(self, data, document):
        self.data = data
        self.document = document
        self.application = data["application"]
        self.key = data["key"]
        self.variant = data["variant"]["name"]
        self.role = data["variant"]["role"]
        self.algorithm = data["variant"].get("algorithm") or ""
        self.backend = data["variant"]["backend"]
        self.status = data["status"]
        self.reason = data["reason"] or ""
        self.device_kind = data["device"]["kind"]
        self.device = data["device"]["name"]
        self.phases = _phases(data["phases"])

    @property
    def timed(self):
        """Passed and with a time above zero: the only runs that may enter a ratio."""
        return self.status == "passed" and self.execute is not None and self.execute.median > 0

    @property
    def execute(self):
        return self.phases.get("execute_s")

    @property
    def end_to_end(self):
        return self.phases.get("end_to_end_s")

    @property
    def limit(self):
        """The limit, if it is one that says something: with a fraction."""
        limit = self.data["limit"]
        return limit if limit and (limit.get("fraction") or 0) > 0 else None

    @property
    def others(self):
        """Fraction of the processors that other processes and the hypervisor had while this was measured; None where the record
        does not say, and for runs on a GPU."""
        load = self.data.get("host_load")
        return None if not load or self.device_kind == "gpu" else load["others"] + load["steal"]

    @property
    def busy(self):
        """Whether others had so much of the processors that the times are too long."""
        return self.timed and (self.others or 0) >= BUSY_FRACTION

    @property
    def needs_gpu(self):
        return self.backend in ("cuda", "nccl") or self.device_kind == "gpu"


def _phases(node):
    """The phases that the run has. Older records do not count passes, but each pass has one sample of end to end."""
    found = {name: node[name] for name in PHASES if node and node.get(name)}
    passes = found["end_to_end_s"]["n"] if "end_to_end_s" in found else 0
    phases = {}
    for name, phase in found.items():
        count = phase.get("passes") or passes or phase["n"]
        interval = tuple(phase["interval"]) if phase["interval"] else None
        phases[name] = Phase(phase["median"], interval, phase["p5"], phase["p95"], phase["n"], count, _by_pass(phase, count))
    return phases


def _whole_numbers(values):
    """A list of whole numbers as it is; anything else, which a key of later versions might hold, is an empty list."""
    return values if isinstance(values, list) and all(type(value) is int for value in values) else []


def _by_pass(phase, passes):
    """The median of each pass. Samples taken while the device was throttled count only if all of them were."""
    samples = phase["samples"]
    indices = _whole_numbers(phase.get("sample_pass"))
    if len(indices) != len(samples):
        return tuple(samples) if len(samples) == passes else ()
    throttled = set(_whole_numbers(phase.get("sample_throttled")))
    if len(throttled) >= len(samples):
        throttled = set()
    groups = {}
    for n, (number, sample) in enumerate(zip(indices, samples)):
        if n not in throttled:
            groups.setdefault(number, []).append(sample)
    return tuple(statistics.median(group) for _, group in sorted(groups.items()))


def value_text(value):
    """A parameter as the command line would take it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)
    return str(value)


def label(data, without=()):
    """'kernel=triad n=1000': the problem of a run, without some of its parameters and those that are empty."""
    items = ((key, value_text(value)) for key, value in sorted(data["problem"].items()))
    return " ".join(f"{key}={text}" for key, text in items if key not in without and text)


# --- reading ---------------------------------------------------------------------------------------------------------


def files_of(source):
    """The files of records that a path stands for: itself, or in a folder records.jsonl, else every *.json."""
    if not os.path.isdir(source):
        return [source]
    for name in ("records.jsonl", "records.jsonl.gz"):
        if os.path.exists(os.path.join(source, name)):
            return [os.path.join(source, name)]
    files = sorted(f for pattern in ("*.json", "*.jsonl", "*.jsonl.gz", "*.json.gz")
                   for f in glob.glob(os.path.join(glob.escape(source), pattern)))
    if not files:
        raise InputError(f"{printable(source)}: the folder holds no records.jsonl and no .json file")
    return files


def read(sources):
    """Reads files and folders, in order; returns a list of Document. Raises InputError with one line for the first that
    is wrong."""
    documents = []
    for source in [sources] if isinstance(sources, (str, os.PathLike)) else sources:
        source = os.fspath(source)
        for file in files_of(source):
            documents += _read_file(file, source)
    return documents


def read_frame(sources):
    """Reads files and folders into one DataFrame with the columns of COLUMNS, one row per run."""
    return frame(read(sources))


def _read_file(file, source):
    name = printable(file)
    text = _text_of(file)
    if file.endswith(".csv"):
        raise InputError(f"{name}: is CSV, which has no samples and no ceilings", "give the records: .json or .jsonl")
    lines = file.endswith((".jsonl", ".jsonl.gz"))
    documents = []
    if lines:
        rows = text.split("\n")
        for line, row in enumerate(rows, 1):
            if row.strip():
                end = "" if line < len(rows) else " (its last line has no end: it may be cut off)"
                documents.append(_document(row, file, source, len(documents) + 1, line, end))
    elif text.strip():
        documents.append(_document(text, file, source, 1, 1, ""))
    if not documents:
        raise InputError(f"{name}: is empty: there is no JSON document")
    return documents


def _text_of(file):
    name = printable(file)
    try:
        with open(file, "rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
        if data[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
                data = stream.read(MAX_FILE_BYTES + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{name}: is damaged or cut off: {printable(error)}") from error
    except OSError as error:
        raise InputError(f"{name}: {error.strerror}") from error
    if len(data) > MAX_FILE_BYTES:
        raise InputError(f"{name}: holds more than {MAX_FILE_BYTES >> 20} MiB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}:{line}: is not UTF-8 text") from error


def _no_constant(word):
    raise ValueError(f"holds {word}, which is no JSON number")


def _finite(text):
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("holds a number that no double can hold")
    return value


def _whole(text):
    if len(text) > 300:
        raise ValueError("holds a number that no double can hold")
    return int(text)


def _document(text, file, source, number, line, remark):
    place = f"{printable(file)}:{line}"
    try:
        content = json.loads(text, parse_constant=_no_constant, parse_float=_finite, parse_int=_whole)
    except json.JSONDecodeError as error:
        where = f"{printable(file)}:{line + error.lineno - 1}:{error.colno}"
        raise InputError(f"{where}: is not well-formed JSON here{remark}") from error
    except RecursionError as error:
        raise InputError(f"{place}: is nested too deeply") from error
    except ValueError as error:
        raise InputError(f"{place}: {error}") from error
    found = content.get("schema") if isinstance(content, dict) else None
    if found is None:
        raise InputError(f"{place}: is not a document of Speedwell records: it has no 'schema'")
    if found != SCHEMA:
        raise InputError(f"{place}: schema is '{printable(found, 60)}'; this version reads {SCHEMA}",
                         "measure again, or read it with the version that wrote it")
    error = _first_violation(content)
    if error is not None:
        path = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
        record = next((part + 1 for part in list(error.absolute_path)[1:2] if isinstance(part, int)), None)
        which = f"record {number}" + (f", run {record}" if record and error.absolute_path[0] == "runs" else "")
        raise InputError(f"{place}: {which}: {printable(path or 'the document', 120)}: {_explained(error)}")
    document = Document(file, number, source, content)
    document.runs = [Run(data, document) for data in content["runs"]]
    for n, run in enumerate(document.runs, 1):
        _check_claims(run, f"{place}: record {number}, run {n}")
    if document.runs and document.machine is None:
        raise InputError(f"{place}: record {number}: machine is missing beside runs")
    return document


def _check_claims(run, place):
    """What the schema cannot say: that a time, its interval and its samples belong together."""
    for name, phase in run.phases.items():
        if phase.interval and not 0 <= phase.interval[0] <= phase.interval[1]:
            raise InputError(f"{place}: phases.{name}.interval: does not go from a smaller to a larger time")
        for value in (phase.median, phase.p5, phase.p95, *(phase.interval or ()), *run.data["phases"][name]["samples"]):
            if not (value == 0 or SHORTEST_S <= value <= LONGEST_S):
                raise InputError(f"{place}: phases.{name}: {value:g} s is no time that was measured")
    if run.status == "passed" and not run.data["verdict"]:
        raise InputError(f"{place}: verdict: is missing in a run that passed")


def _explained(error):
    """One line for a violation, in words of the schema and without the whole value."""
    value = printable(json.dumps(error.instance, ensure_ascii=False), 40)
    if error.validator == "required":
        missing = [key for key in error.validator_value if key not in error.instance]
        return f"{', '.join(missing)} is missing" if len(missing) == 1 else f"{', '.join(missing)} are missing"
    if error.validator == "type":
        allowed = error.validator_value
        return f"{value} is not of type {' or '.join([allowed] if isinstance(allowed, str) else allowed)}"
    if error.validator == "enum":
        return f"{value} is none of {', '.join(map(str, error.validator_value))}"
    if error.validator == "const":
        return f"{value} is not {json.dumps(error.validator_value)}"
    if error.validator == "anyOf":
        return "has neither what a result needs nor the reason why it is missing"
    return f"{value} breaks the rule '{error.validator}' of the schema"


def _numbers_quickly(validator, items, instance, schema):
    """`items` for long arrays of numbers: the same answer as the general rule, without a call per element."""
    if isinstance(instance, list) and items == {"type": "number"} and all(type(x) in (int, float) for x in instance):
        return
    if isinstance(instance, list) and items == {"type": "integer", "minimum": 0} and all(
            type(x) is int and x >= 0 for x in instance):
        return
    yield from jsonschema.Draft202012Validator.VALIDATORS["items"](validator, items, instance, schema)


@functools.cache
def _validator():
    with open(os.path.join(os.path.dirname(__file__), "speedwell-records-1.json"), encoding="utf-8") as stream:
        schema = json.load(stream)
    kind = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"items": _numbers_quickly})
    return kind(schema)


def _first_violation(content):
    try:
        return next(_validator().iter_errors(content), None)
    except RecursionError:
        return jsonschema.ValidationError("is nested too deeply", instance=None, validator="depth")


# --- the table -------------------------------------------------------------------------------------------------------


def frame(documents):
    """One row per run, with the columns of COLUMNS. Values that a record does not have are missing (None or NaN)."""
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
        device_bytes=data.get("device_bytes"), cache_resident=data["cache_resident"], throttled=data["throttled"],
        others_fraction=run.others, source_digest=data["source_digest"], command_line=document.session.get("command_line"))
    return row


def traffic(work):
    """Bytes read and written by one execute, or None."""
    if not work or work.get("bytes_read") is None or work.get("bytes_written") is None:
        return None
    return work["bytes_read"] + work["bytes_written"]


def describe(documents):
    """ "2095 runs in 82 documents"."""
    return f"{plural(sum(len(d.runs) for d in documents), 'run')} in {plural(len(documents), 'document')}"
