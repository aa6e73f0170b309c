"""Documents with random values in random places: each is refused with one line, or everything can be made of it."""
import copy
import json
import random

import pytest
from conftest import document, gpu_and_host, loaded, run

from speedwell import accept, analysis, compare, diff, records, report
from speedwell.errors import SpeedwellError

JUNK = [None, 0, -1, 1e300, -1e300, 1e-300, "", "\x1b<b>", [], {}, True, [0, 0], [1e300, 0], "f64", 10**30, 0.5, 2**63, ["a"], {"a": 1}]


def places(node, path=()):
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield path + (key,)
        yield from places(child, path + (key,))


def mutated(content, paths, source):
    content = copy.deepcopy(content)
    path = source.choice(paths)
    node = content
    for key in path[:-1]:
        node = node[key]
    if source.random() < 0.2:
        del node[path[-1]]
    else:
        node[path[-1]] = copy.deepcopy(source.choice(JUNK))
    return content


@pytest.mark.parametrize("seed", range(4))
def test_a_mutated_document_is_refused_or_usable(seed, tmp_path):
    content = document(gpu_and_host() + [run(variant="b", status="skipped", reason="x"), run(variant="c", kind="gpu", status="failed")])
    other = loaded(document(gpu_and_host(), started="2027-01-01T00:00:00Z"))
    (tmp_path / "rules.toml").write_text('schema = 1\n[[rule]]\nname = "a"\napplication = "*"\nquantity = "execute_s"\nat_most = 1e9\n')
    rules = accept.read_rules(str(tmp_path / "rules.toml"))[2]
    source, paths = random.Random(seed), list(places(content))
    usable = refused = 0
    for number in range(150):
        file = tmp_path / "records.json"
        file.write_text(json.dumps(mutated(content, paths, source)))
        try:
            found = records.read([file])
        except SpeedwellError as error:
            assert "\n" not in error.message
            refused += 1
            continue
        usable += 1
        records.frame(found)
        machines = analysis.by_machine(found) + analysis.by_machine([other])
        compare.text(compare.compare_machines(machines), machines)
        for made in (lambda: diff.text(diff.compare(found, [other], across=True), True), lambda: accept.junit(accept.accept(found, rules))):
            try:
                made()
            except SpeedwellError:
                pass  # nothing matched
        if number % 30 == 0:  # it takes longest
            report.render(found)
    assert usable > 5 and refused > 50
