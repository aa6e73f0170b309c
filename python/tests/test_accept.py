import json
import xml.etree.ElementTree as xml

import pytest
from conftest import document, loaded, run

from speedwell import accept
from speedwell.errors import InputError, NothingMatchedError, UsageError

RULE = '[[rule]]\nname = "r"\napplication = "heat"\n'


def rules(tmp_path, text):
    path = tmp_path / "rules.toml"
    path.write_text("schema = 1\n" + text)
    return accept.read_rules(str(path))[2]


def node(name, time=1.0, **changes):
    return loaded(document([run(time=time, limit=(0.8, "memory"), energy=50.0, **changes)], host=name), source=name)


def outcome(tmp_path, text, documents=None, baseline=None):
    return accept.accept(documents or [node("n1")], rules(tmp_path, text), baseline=baseline)


@pytest.mark.parametrize("bound, passes, fails", [
    ('quantity = "execute_s"\nat_most = 1.5', 1.0, 2.0),
    ('quantity = "bandwidth_GBps"\nat_least = 2.0', 1.0, 2.0),
    ('quantity = "execute_s"\nexpected = 1.0\ntolerance = 0.1', 1.05, 1.2),
    ('quantity = "execute_s"\nexpected = 1.0\ntolerance = [-0.5, 0.1]', 0.6, 0.4),
    ('quantity = "fraction_of_limit"\nat_least = 0.7', 1.0, 1.5),
    ('quantity = "energy_J"\nat_least = 1\nat_most = 60\ndevice = "cores"', 1.0, None),
    ('quantity = "execute_s"\nbaseline_at_most = 1.05', 1.04, 1.06),
    ('quantity = "bandwidth_GBps"\nbaseline_at_least = 0.95', 1.04, 1.06),
])
def test_every_kind_of_bound_passes_and_fails(tmp_path, bound, passes, fails):
    baseline = [node("old")]
    good = outcome(tmp_path, RULE + bound, [node("n1", passes)], baseline)
    assert good.passed, good.outcomes[0].detail
    if fails is not None:
        bad = outcome(tmp_path, RULE + bound, [node("n1", fails)], baseline)
        assert not bad.passed and "misses the bound" in bad.outcomes[0].detail


def test_every_run_that_a_rule_selects_keeps_the_bound(tmp_path):
    documents = [loaded(document([run(problem={"n": n}, time=t) for n, t in ((1, 1.0), (2, 3.0), (3, 2.0))], host="n1"))]
    result = outcome(tmp_path, RULE + 'quantity = "execute_s"\nat_most = 2.5', documents)
    assert not result.passed and result.outcomes[0].value == 3.0 and "n=2" in result.outcomes[0].detail
    assert outcome(tmp_path, RULE + 'problem = { n = 1 }\nquantity = "execute_s"\nat_most = 2.5', documents).passed


def test_a_rule_without_a_bound_asks_for_verdicts(tmp_path):
    assert outcome(tmp_path, RULE).passed
    result = outcome(tmp_path, RULE, [node("n1"), loaded(document([run(status="failed")], host="n2"))])
    assert [o.node for o in result.failed] == ["n2"]


@pytest.mark.parametrize("selector", ['application = "waves"', 'application = "heat"\nvariant = "cuda*"', 'application = "heat"\nsize = "large"',
                                      'application = "heat"\nproblem = { n = 101 }', 'application = "heat"\nproblem = { k = 1 }'])
def test_a_rule_that_matches_nothing_is_status_six(tmp_path, selector):
    with pytest.raises(NothingMatchedError) as error:
        outcome(tmp_path, f'[[rule]]\nname = "r"\n{selector}\nquantity = "execute_s"\nat_most = 5')
    assert error.value.status == 6 and "'r' matches no run" in error.value.message


def test_a_rule_that_matches_skipped_runs_alone_has_tested_nothing(tmp_path):
    skipped = [loaded(document([run(status="skipped", reason="no GPU")], host="n1"))]
    with pytest.raises(NothingMatchedError, match="no GPU"):
        outcome(tmp_path, RULE, skipped)


def test_a_node_without_the_run_fails(tmp_path):
    other = loaded(document([run(application="waves")], host="n2"))
    result = outcome(tmp_path, RULE, [node("n1"), other])
    assert [(o.node, o.passed) for o in result.outcomes] == [("n1", True), ("n2", False)]


def test_a_quantity_that_a_run_does_not_have_fails(tmp_path):
    result = outcome(tmp_path, RULE + 'quantity = "fraction_of_limit"\nat_least = 0.1', [loaded(document([run()], host="n1"))])
    assert not result.passed and "has no fraction_of_limit" in result.outcomes[0].detail


def test_rules_about_a_baseline_need_one_with_the_run(tmp_path):
    text = RULE + 'quantity = "execute_s"\nbaseline_at_most = 1.05'
    with pytest.raises(UsageError, match="--baseline"):
        outcome(tmp_path, text)
    result = outcome(tmp_path, text, baseline=[loaded(document([run(variant="other")]))])
    assert "the baseline has no such run" in result.outcomes[0].detail and not result.passed


def test_a_node_far_from_the_others_is_an_outlier(tmp_path):
    nodes = [node(f"n{k}", 1.0 + 0.001 * k) for k in range(7)] + [node("slow", 1.1)]
    text = RULE + 'quantity = "execute_s"\nat_most = 5\n'
    result = outcome(tmp_path, text, nodes)
    assert result.passed and [n for _, n, _ in result.outliers] == ["slow"]
    assert [o.node for o in outcome(tmp_path, text + 'outliers = "fail"', nodes).failed] == ["slow"]
    assert outcome(tmp_path, text + 'outliers = "ignore"', nodes).outliers == []


def test_nodes_are_hosts_else_cards_else_sources():
    assert accept.node_of(node("n1")) == "n1"
    plain = loaded(document([run()]), source="rack/a")
    assert accept.node_of(plain) == "GPU-1" and accept.node_of(plain, "source") == "rack/a"
    assert accept.node_of(loaded(document([run()], gpu=False), source="rack/a")) == "rack/a"
    with pytest.raises(UsageError):
        accept.node_of(plain, "host")


def test_junit_has_a_suite_per_node_and_a_case_per_rule(tmp_path):
    text = RULE + 'quantity = "execute_s"\nat_most = 1.5'
    result = outcome(tmp_path, text, [node("n1"), node("n2\x1b<&>", 2.0)])
    root = xml.fromstring(accept.junit(result))
    assert root.get("tests") == "2" and root.get("failures") == "1"
    assert [len(suite.findall("testcase/failure")) for suite in root] == [0, 1]
    page = accept.html(result)
    assert "✗ FAIL" in page and "n2\ufffd&lt;&amp;&gt;" in page and "\x1b" not in page
    assert json.loads(accept.as_json(result))["passed"] is False
    assert accept.text(result).endswith("FAIL: 1 of 2 checks, on 1 of 2 nodes\n")


BAD = {
    "not toml": ("x = = 1", InputError, "is not TOML"),
    "no rule": ("", UsageError, "there is no [[rule]]"),
    "unknown top key": ("titel = 'x'\n" + RULE, UsageError, "unknown key 'titel'"),
    "unknown key": (RULE + "at_leest = 1", UsageError, "unknown key 'at_leest'"),
    "no name": ('[[rule]]\napplication = "heat"', UsageError, "name is missing"),
    "same name": (RULE + RULE, UsageError, "two rules are called 'r'"),
    "unknown quantity": (RULE + 'quantity = "excute_s"\nat_most = 1', UsageError, "unknown quantity 'excute_s'"),
    "word as quantity": (RULE + 'quantity = "commit"\nat_most = 1', UsageError, "unknown quantity"),
    "bound alone": (RULE + "at_most = 1", UsageError, "quantity is missing"),
    "no bound": (RULE + 'quantity = "execute_s"', UsageError, "has no bound"),
    "text as bound": (RULE + 'quantity = "execute_s"\nat_most = "1"', UsageError, "is not a number"),
    "nan": (RULE + 'quantity = "execute_s"\nat_most = nan', UsageError, "is not a number"),
    "device": (RULE + 'device = "gpus"', UsageError, "none of core, cores, gpu"),
    "tolerance": (RULE + 'quantity = "execute_s"\nexpected = 1\ntolerance = "5 %"', UsageError, "tolerance"),
    "tolerance alone": (RULE + 'quantity = "execute_s"\nat_most = 1\ntolerance = 0.1', UsageError, "has no expected"),
    "both": (RULE + 'quantity = "execute_s"\nexpected = 1\nat_most = 1', UsageError, "give one of them"),
    "outliers": (RULE + 'outliers = "maybe"', UsageError, "outliers"),
    "nodes": ('nodes = "rack"\n' + RULE, UsageError, "nodes is 'rack'"),
    "not tables": ("rule = 3", UsageError, "there is no [[rule]]"),
    "list of numbers": ("rule = [3]", UsageError, "is no table"),
}


@pytest.mark.parametrize("name", BAD)
def test_mistakes_in_rules_are_one_line(tmp_path, name):
    text, kind, expected = BAD[name]
    with pytest.raises(kind) as error:
        rules(tmp_path, text)
    assert expected in error.value.message and "\n" not in error.value.message


def test_rules_of_another_schema_are_refused(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text("schema = 2\n" + RULE)
    with pytest.raises(UsageError, match="schema = 1"):
        accept.read_rules(str(path))


def test_a_row_of_the_page_shows_one_run_on_every_node(tmp_path):
    def of(name, *by_size):
        return loaded(document([run(problem={"n": n}, time=t) for n, t in enumerate(by_size, 1)], host=name), source=name)

    result = outcome(tmp_path, RULE + 'quantity = "execute_s"\nat_most = 5', [of("good", 1.0, 4.0), of("bad", 6.0, 3.0)])
    (name, tried), = result.rows(result.rules[0])
    assert "n=1" in name and [t.value for t in tried] == [1.0, 6.0] and [t.margin < 0 for t in tried] == [False, True]
    page = accept.html(result)
    assert "✗ 6 s" in page.replace("6.00 s", "6 s") and "n=2" not in page.split("What failed?")[0].split("<tbody>")[1].split("title")[0]
    result = outcome(tmp_path, RULE + 'quantity = "execute_s"\nat_most = 10', [of("good", 1.0, 4.0), of("slower", 6.0, 3.0)])
    assert [[t.value for t in tried] for _, tried in result.rows(result.rules[0])] == [[1.0, 6.0]], "the run nearest to the bound"


def test_a_verdict_that_failed_is_told_without_a_value(tmp_path):
    result = outcome(tmp_path, RULE, [node("n1"), loaded(document([run(status="failed", reason="it was wrong")], host="n2"))])
    for text in (accept.html(result), accept.junit(result)):
        assert "it was wrong" in text and "-, expected" not in text and "–, expected" not in text and "-: " not in text
