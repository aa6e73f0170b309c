"""The report's section on a machine: facts, ceilings, rooflines, builds and sessions."""
import functools

from .report_cells import figure
from .text import DASH, digits, interval, joined, number_of_bytes, plural


def rooflines(machine, plots):
    found = [(f"Roofline of {name}", plots.roofline(machine, kind))
             for kind, name in (("core", "one core"), ("cores", "all cores"), ("gpu", "the GPU"))]
    return [figure(title, drawn) for title, drawn in found if drawn]


def cpu_facts(machine):
    content = machine.latest.machine
    cpu = content["cpu"]
    facts = [("Processor", cpu["name"]), ("Sockets, cores, threads", f"{cpu['sockets']}, {cpu['cores']}, {cpu['threads']}"),
             ("NUMA nodes", cpu["numa_nodes"]), ("Memory", number_of_bytes(cpu["memory_bytes"]))]
    for cache in cpu["caches"]:
        # The system counts hardware threads, and virtual machines may present each as if it had caches of its own.
        virtual = ", as the system presents it" if cache["shared_by"] == 1 and cache["instances"] > cpu["cores"] else ""
        facts.append((f"Cache, level {cache['level']}", f"{cache['instances']} × {number_of_bytes(cache['bytes'])}, each of "
                      f"{plural(cache['shared_by'], 'hardware thread')}{virtual}"))
    return facts + [("Instruction sets", " ".join(cpu["instruction_sets"])), ("System", f"{content['os']}, kernel {content['kernel']}"),
                    ("Machine id", content["id"])]


def gpu_facts(machine, gpu):
    facts = [(f"GPU {gpu['index']}", gpu["name"]),
             ("Compute capability", f"{gpu['compute_capability'] // 10}.{gpu['compute_capability'] % 10}"),
             ("Multiprocessors", gpu["multiprocessors"]), ("Memory", number_of_bytes(gpu["memory_bytes"])),
             ("L2 cache", number_of_bytes(gpu["l2_bytes"]))]
    if gpu["ecc"] is not None:
        facts.append(("ECC", "on" if gpu["ecc"] else "off"))
    if gpu["power_limit_W"] is not None:
        facts.append(("Power limit", f"{gpu['power_limit_W']:g} W"))
    if gpu["clock_max_MHz"] is not None:
        facts.append(("Highest clock", f"{gpu['clock_max_MHz']} MHz"))
    if gpu["link_generation"] and gpu["link_width"]:
        facts.append(("Host link", f"PCI Express generation {gpu['link_generation']}, {gpu['link_width']} lanes"))
    return facts + [("UUID", gpu["uuid"]), ("Driver", machine.latest.machine["driver"] or "unknown")]


def build_facts(machine):
    build = machine.latest.build
    facts = [("Speedwell", build["version"]), ("Commit", joined(commits(machine)) or "unknown"), ("Compiler", build["compiler"]),
             ("Flags", build["flags"]), ("Build type", build["build_type"])]
    if build["cuda"]:
        facts.append(("CUDA", f"{build['cuda']} for {build['cuda_architectures']}"))
    return facts + [(name, build[key]) for name, key in (("MPI", "mpi"), ("OpenMP", "openmp")) if build[key]]


def sessions(machine):
    found = []
    for document in sorted(machine.documents, key=lambda d: d.started):
        variables = " ".join(f"{k}={v}" for k, v in document.session["environment"].items())
        entry = (document.started, document.build["commit"] or "", f"{variables} {document.session['command_line']}".strip())
        if entry not in found:
            found.append(entry)
    return found


_CEILING_WORDS = (
    ("host.core.", "one core: "), ("host.", "all cores: "), ("gpu.", "GPU: "), ("l1.", "level 1 cache, "), ("l2.", "level 2 cache, "),
    ("l3.", "level 3 cache, "), ("link.up.pinned", "host to GPU, pinned memory"), ("link.up.pageable", "host to GPU, pageable memory"),
    ("link.down.pinned", "GPU to host, pinned memory"), ("link.down.pageable", "GPU to host, pageable memory"),
    ("link.duplex.pinned", "both directions at once, sum"),
    ("link.copy_both", "between two GPUs: copy engines, both ways at once, each"), ("link.copy", "between two GPUs: copy engine"),
    ("link.load_both", "between two GPUs: kernel loads, both ways at once, each"), ("link.load", "between two GPUs: kernel loads"),
    ("link.store_both", "between two GPUs: kernel stores, both ways at once, each"), ("link.store", "between two GPUs: kernel stores"),
    ("link.flag", "between two GPUs: round trip of a flag"), ("link.all_reduce", "between two GPUs: all-reduce of one double"),
    ("mpi.latency", "between two ranks: message of 8 bytes, one way"),
    ("mpi.bandwidth_both", "between two ranks: messages, both ways at once, each"), ("mpi.bandwidth", "between two ranks: messages"),
    ("read", "read bandwidth"), ("write", "write bandwidth"),
    ("copy", "copy bandwidth (reads + writes)"), ("triad", "triad bandwidth (reads + writes)"),
    ("threads_per_core", "hardware threads that share a core"), ("fma.f64", "multiply-add, double precision"), ("fma.f32", "multiply-add, single precision"), ("integer", "32-bit integer operations"),
    ("dpx", "DPX operations"), ("launch_sync", "launch and wait for an empty kernel"), ("launch", "launch an empty kernel"),
    ("graph_node", "one node of a graph"), ("grid_sync", "synchronise the grid"))


@functools.cache
def ceiling_words(name):
    """Returns a ceiling such as "host.core.triad" in words; "" if a part of the name is unknown."""
    text, rest = "", name
    while rest:
        part = next(((p, words) for p, words in _CEILING_WORDS if rest.startswith(p)), None)
        if not part:
            return ""
        text, rest = text + part[1], rest[len(part[0]):]
    return text


def ceiling(ceiling):
    unit = {"us": "µs"}.get(ceiling["unit"], ceiling["unit"])
    value = f"{digits(ceiling['value'])} {unit}" if ceiling["value"] is not None else DASH
    ends = interval((ceiling["low"], ceiling["high"])) if ceiling["low"] is not None and ceiling["high"] else ""
    stable = ceiling.get("stable", True)
    return {"name": ceiling["name"], "words": ceiling_words(ceiling["name"]), "value": value, "ends": ends,
            "stable": "" if stable else "not stable"}


def commits(machine):
    """Returns at most three commits, newest first."""
    found = dict.fromkeys((d.build["commit"] or "", d.build["dirty"])
                          for d in sorted(machine.documents, key=lambda d: d.started, reverse=True) if d.build["commit"])
    texts = [commit[:12] + (" with local changes" if dirty else "") for commit, dirty in found]
    return texts if len(texts) <= 3 else [*texts[:2], f"{len(texts) - 2} older ones"]
