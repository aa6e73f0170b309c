"""The content of a document of records as objects: documents, runs and their phases (docs/records.md)."""
import statistics
from dataclasses import dataclass, field

PHASES = ("prepare_s", "allocate_s", "plan_s", "upload_s", "first_execute_s", "execute_s", "download_s", "device_s", "exchange_s", "end_to_end_s")
BUSY_FRACTION = 0.1  # as the program marks rows: one thread in ten is missing, or each is there for nine tenths of the time
DEVICE_KINDS = ("core", "cores", "gpu")


BACKENDS_ON_RANKS = ("mpi", "multi")


def sources_of(application, backend):
    """Returns the name of the digest of a variant's sources, as `speedwell info` lists them: variants on ranks are built from more."""
    return application + (" on ranks" if backend in BACKENDS_ON_RANKS else "")


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
        self.phases = phases_of(data["phases"])

    @property
    def sources(self):
        """The name of the digest of its sources among those of all applications."""
        return sources_of(self.application, self.backend)

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
        return self.backend in ("cuda", "multi") or self.device_kind == "gpu"


def phases_of(node):
    """Returns the phases of a run as its record has them, by name. Older records do not count passes, but each pass has one sample of end to end."""
    found = {name: node[name] for name in PHASES if node and node.get(name)}
    passes = found["end_to_end_s"]["n"] if "end_to_end_s" in found else 0
    phases = {}
    for name, phase in found.items():
        count = phase.get("passes") or passes or phase["n"]
        interval = tuple(phase["interval"]) if phase["interval"] else None
        phases[name] = Phase(phase["median"], interval, phase["p5"], phase["p95"], phase["n"], count, _by_pass(phase, count))
    return phases


def _whole_numbers(values):
    """Returns a list of whole numbers unchanged, and an empty list for anything else, which a key of later versions might hold."""
    return values if isinstance(values, list) and all(type(value) is int for value in values) else []


def _by_pass(phase, passes):
    """Returns the median of each pass. Samples taken while the device was throttled count only if all of them were."""
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
    """Returns a parameter as the command line would take it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)
    return str(value)


def label(data, without=()):
    """Returns the problem of a run as 'kernel=triad n=1000', without some of its parameters and those that are empty."""
    items = ((key, value_text(value)) for key, value in sorted(data["problem"].items()))
    return " ".join(f"{key}={text}" for key, text in items if key not in without and text)
