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
import zlib

import jsonschema

from .errors import InputError
from .frame import COLUMNS, Column, frame, row_of, traffic  # noqa: F401: part of what this module offers
from .model import BUSY_FRACTION, DEVICE_KINDS, PHASES, Document, Phase, Run, label, value_text  # noqa: F401
from .renamed import rename
from .text import plural, printable

SCHEMA = "speedwell-records/1"
MAX_FILE_BYTES = 256 << 20  # of one file, after decompression; in memory it takes some ten times as much
SHORTEST_S, LONGEST_S = 1e-12, 1e10  # of a measured time other than 0: beyond them arithmetic with it would overflow


def files_of(source):
    """Returns the files of records that a path stands for: itself, or in a folder records.jsonl, else every *.json, else
    the records.jsonl of every folder in it, as speedwell-output has one for each session."""
    if not os.path.isdir(source):
        return [source]
    session = _session_file(source)
    if session:
        return [session]
    files = sorted(f for pattern in ("*.json", "*.jsonl", "*.jsonl.gz", "*.json.gz")
                   for f in glob.glob(os.path.join(glob.escape(source), pattern)))
    if not files:
        folders = sorted(f for f in glob.glob(os.path.join(glob.escape(source), "*")) if os.path.isdir(f))
        files = [f for f in map(_session_file, folders) if f]
    if not files:
        raise InputError(f"{printable(source)}: the folder holds no records.jsonl and no .json file, nor do its folders")
    return files


def _session_file(folder):
    """Returns the records of the session that wrote a folder, or None."""
    files = (os.path.join(folder, name) for name in ("records.jsonl", "records.jsonl.gz"))
    return next((f for f in files if os.path.exists(f)), None)


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
    for data in content["runs"]:
        rename(data)
    document = Document(file, number, source, content)
    document.runs = [Run(data, document) for data in content["runs"]]
    for n, run in enumerate(document.runs, 1):
        _check_claims(run, f"{place}: record {number}, run {n}")
    if document.runs and document.machine is None:
        raise InputError(f"{place}: record {number}: machine is missing beside runs")
    return document


def _check_claims(run, place):
    """Checks what the schema cannot express: that a time, its interval and its samples belong together."""
    for name, phase in run.phases.items():
        if phase.interval and not 0 <= phase.interval[0] <= phase.interval[1]:
            raise InputError(f"{place}: phases.{name}.interval: does not go from a smaller to a larger time")
        for value in (phase.median, phase.p5, phase.p95, *(phase.interval or ()), *run.data["phases"][name]["samples"]):
            if not (value == 0 or SHORTEST_S <= value <= LONGEST_S):
                raise InputError(f"{place}: phases.{name}: {value:g} s is no time that was measured")
    if run.status == "passed" and not run.data["verdict"]:
        raise InputError(f"{place}: verdict: is missing in a run that passed")


def _explained(error):
    """Returns one line for a violation, in words of the schema and without the whole value."""
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
    """Validates `items` for long arrays of numbers with the same result as the general rule, without a call per element."""
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


def describe(documents):
    """Returns text such as "2095 runs in 82 documents"."""
    return f"{plural(sum(len(d.runs) for d in documents), 'run')} in {plural(len(documents), 'document')}"
