import json
import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT, document, gpu_and_host, run

PYTHON = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
RULES = 'schema = 1\n[[rule]]\nname = "fast"\napplication = "heat"\ndevice = "cores"\nquantity = "execute_s"\nat_most = %s\n'


def speedwell(*arguments, cwd, **options):
    return subprocess.run([sys.executable, "-m", "speedwell", *map(str, arguments)], cwd=cwd, env=PYTHON, capture_output=True, text=True,
                          timeout=60, **options)


@pytest.fixture
def records(tmp_path, write):
    return write(document(gpu_and_host()), name="a.json")


def in_process(*arguments):
    from speedwell.__main__ import main
    return main([str(a) for a in arguments])


def test_a_report_is_written_once_and_replaced_with_force(tmp_path, records, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert in_process("report", records) == 0
    before = (tmp_path / "report.html").read_bytes()
    assert capsys.readouterr().out == "report: report.html\n"
    assert in_process("report", records, "--title", "x") == 2
    assert "report.html exists" in capsys.readouterr().err
    assert (tmp_path / "report.html").read_bytes() == before
    assert in_process("report", records, "--title", "x", "--force") == 0
    assert (tmp_path / "report.html").read_bytes() != before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", "report.html"]


def test_bad_input_leaves_no_file_and_one_line(tmp_path, records, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.json").write_text(json.dumps(document([run()]))[:-9])
    for command in (["report"], ["compare"], ["compare-machines"], ["diff"], ["accept", "--rules", records]):
        assert in_process(command[0], "bad.json", *(["bad.json"] if command[0] in ("compare", "compare-machines", "diff") else []), *command[1:]) == 3
        error = capsys.readouterr().err.splitlines()
        assert len(error) <= 2 and error[0].startswith("speedwell: error: ")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", "bad.json"]


@pytest.mark.parametrize("arguments, expected", [
    ([], "COMMAND"), (["rport"], "unknown command 'rport'"), (["report"], "RECORDS"), (["report", "a.json", "--otu", "x"], "--otu"),
    (["compare", "a.json", "a.json", "--format", "xml"], "--format"), (["diff", "a.json", "a.json", "--phase", "upload"], "--phase"),
    (["diff", "a.json", "a.json", "--minimum-effect", "many"], "--minimum-effect"), (["diff", "a.json", "a.json", "--fail-on", "late"], "late"),
    (["accept", "a.json"], "--rules"), (["accept", "a.json", "--rules", "r.toml", "--nodes", "rack"], "--nodes"),
    (["compare", "a.json"], "two machines"), (["report", "a.json", "--out", "a.json", "--force"], "is one of the files that are read"),
])
def test_mistakes_of_usage_are_status_two(tmp_path, records, monkeypatch, capsys, arguments, expected):
    monkeypatch.chdir(tmp_path)
    assert in_process(*arguments) == 2
    captured = capsys.readouterr()
    assert expected in captured.err.splitlines()[0] and captured.out == ""


@pytest.mark.parametrize("arguments, line, command", [
    (["report"], "RECORDS is required", "report"),
    (["report", "a.json", "--otu", "x"], "unknown option '--otu'; the nearest is '--out'", "report"),
    (["report", "a.json", "--format=csv"], "unknown option '--format'", "report"),
    (["diff", "a.json", "a.json", "b.json"], "'b.json' is one word too many for diff", "diff"),
    (["diff", "a.json", "a.json", "--minimum-effect", "x"], "--minimum-effect: 'x' is not a percentage", "diff"),
    (["accept", "a.json", "--rules"], "--rules: its value is missing", "accept"),
    (["report", ""], "RECORDS: its value is empty", "report"),
    (["diff", "a.json", ""], "NEW: its value is empty", "diff"),
])
def test_mistakes_of_usage_are_said_as_by_the_program_and_name_the_help_of_the_command(records, capsys, arguments, line, command):
    assert in_process(*arguments) == 2
    assert capsys.readouterr().err.splitlines() == [f"speedwell: error: {line}", f"hint: python3 -m speedwell {command} --help"]


def test_outputs_are_checked_before_records_are_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert in_process("report", "not-there.json", "--out", "no/such/folder.html") == 5
    assert "there is no folder" in capsys.readouterr().err
    assert in_process("report", "not-there.json", "--out", tmp_path) == 5


def test_a_disk_that_is_full_is_status_five_and_leaves_nothing(tmp_path, records):
    found = speedwell("report", records, "--out", "/dev/full", "--force", cwd=tmp_path)
    assert found.returncode == 5 and "No space left" in found.stderr
    limited = subprocess.run(["bash", "-c", f"ulimit -f 8; exec {sys.executable} -m speedwell report a.json"], cwd=tmp_path, env=PYTHON,
                             capture_output=True, text=True, timeout=60, preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
    assert limited.returncode == 5, limited.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json"]


def test_diff_of_nothing_is_status_six_and_of_a_slowdown_too(tmp_path, write, capsys):
    base = write(document([run()]), name="a/records.jsonl")
    slow = write(document([run(time=2.0)], started="2026-01-02T00:00:00Z"), name="b/records.jsonl")
    other = write(document([run(device="64 cores")], machine="m2"), name="c/records.jsonl")
    assert in_process("diff", os.path.dirname(base), os.path.dirname(slow)) == 0
    assert in_process("diff", base, slow, "--fail-on", "slower:5") == 6
    assert in_process("diff", base, slow, "--fail-on", "slower:200") == 0
    capsys.readouterr()
    assert in_process("diff", base, other) == 6
    assert "nothing was compared" in capsys.readouterr().err
    assert in_process("diff", base, other, "--across-machines", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "speedwell-diff/2"


def test_accept_exits_with_one_for_a_rule_that_fails(tmp_path, records, capsys):
    for bound, status in (("2.0", 0), ("0.5", 1)):
        (tmp_path / "r.toml").write_text(RULES % bound)
        assert in_process("accept", records, "--rules", tmp_path / "r.toml", "--junit", tmp_path / "j.xml", "--out", tmp_path / "p.html",
                          "--force") == status
        assert capsys.readouterr().out.splitlines()[-1].startswith("PASS" if status == 0 else "FAIL")
        assert (tmp_path / "j.xml").exists() and (tmp_path / "p.html").exists()
    (tmp_path / "r.toml").write_text(RULES.replace("heat", "waves") % "2.0")
    assert in_process("accept", records, "--rules", tmp_path / "r.toml") == 6


def test_a_closed_pipe_is_silent(tmp_path, write):
    many = write(document([run(variant=f"v{n}") for n in range(2000)]), name="a.json")
    found = subprocess.run(["bash", "-c", f"{sys.executable} -m speedwell diff {many} {many} --all | head -1; exit ${{PIPESTATUS[0]}}"],
                           cwd=tmp_path, env=PYTHON, capture_output=True, text=True, timeout=60)
    assert found.returncode == 0 and found.stderr == "" and found.stdout.startswith("2000 rows compared")


@pytest.mark.parametrize("words, status, message", [("diff {0} {0}", 5, "standard output: Bad file descriptor"),
                                                    ("diff nosuch {0}", 3, "nosuch: No such file or directory"),
                                                    ("diff nosuch {0} --format json", 3, "nosuch: No such file or directory")])
def test_a_standard_output_that_is_closed_is_one_line(tmp_path, write, words, status, message):
    here = write(document([run()]), name="a.json")
    found = subprocess.run(["sh", "-c", f"{sys.executable} -m speedwell {words.format(here)} >&-"], cwd=tmp_path, env=PYTHON, capture_output=True,
                           text=True, timeout=60)
    assert (found.returncode, found.stderr) == (status, f"speedwell: error: {message}\n")


def test_a_home_folder_that_cannot_be_written_is_nothing_to_speak_of(tmp_path, records):
    (tmp_path / "file").write_text("")  # matplotlib cannot make its folder below a file
    environment = {**PYTHON, "HOME": str(tmp_path / "file"), "TMPDIR": str(tmp_path)}
    for name in ("MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        environment.pop(name, None)
    found = subprocess.run([sys.executable, "-m", "speedwell", "report", records], cwd=tmp_path, env=environment, capture_output=True,
                           text=True, timeout=60)
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_text_is_utf8_whatever_the_locale_is(tmp_path, write, encoding):
    long = write(document([run(problem={"file": "x" * 200})]), name="a.json")  # shortened with an ellipsis
    found = subprocess.run([sys.executable, "-m", "speedwell", "diff", long, long, "--all"], cwd=tmp_path, capture_output=True, timeout=60,
                           env={**PYTHON, "PYTHONIOENCODING": encoding})
    assert found.returncode == 0, found.stderr
    assert "xxx…" in found.stdout.decode("utf-8")


def test_half_of_a_surrogate_pair_in_a_record_is_an_escape_in_json(tmp_path, write):
    odd = write(document([run(key="heat \ud800 seed=1")]), name="a.json")
    found = speedwell("diff", odd, odd, "--format", "json", cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["comparisons"][0]["key"] == "heat \ud800 seed=1"


def test_outputs_follow_links_and_keep_the_permissions_of_files(tmp_path, records):
    (tmp_path / "shared").mkdir()
    page = tmp_path / "shared" / "page.html"
    page.write_text("old")
    page.chmod(0o640)
    (tmp_path / "link.html").symlink_to("shared/page.html")
    assert in_process("report", records, "--out", tmp_path / "link.html", "--force") == 0
    assert (tmp_path / "link.html").is_symlink() and page.read_text().startswith("<!DOCTYPE html>")
    assert page.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in page.parent.iterdir()) == ["page.html"]


def test_a_page_on_standard_output_is_the_page_alone(tmp_path, records):
    found = speedwell("report", records, "--out", "-", cwd=tmp_path)
    assert found.returncode == 0 and found.stdout.startswith("<!DOCTYPE html>") and found.stdout.rstrip().endswith("</html>")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json"]


def test_a_package_that_is_missing_is_status_four_with_the_remedy(monkeypatch, capsys, records):
    import importlib.util
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "scipy" else found(name, *rest))
    assert in_process("diff", records, records) == 4
    captured = capsys.readouterr()
    assert "python3-scipy" in captured.err and "hint: apt-get install python3-scipy" in captured.err


def test_help_says_what_the_commands_do(capsys):
    for command in ("report", "compare", "diff", "accept"):
        with pytest.raises(SystemExit) as ended:
            in_process(command, "--help")
        assert ended.value.code == 0
        assert "example: python3 -m speedwell " + command in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_end_with_their_status_and_leave_nothing(tmp_path, number, status):
    os.mkfifo(tmp_path / "pipe.json")
    child = subprocess.Popen([sys.executable, "-m", "speedwell", "report", "pipe.json"], cwd=tmp_path, env=PYTHON, stderr=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    writer = os.open(tmp_path / "pipe.json", os.O_WRONLY)  # returns when the child has opened it
    time.sleep(0.1)
    child.send_signal(number)
    _, error = child.communicate(timeout=30)
    os.close(writer)
    assert child.returncode == status and b"Traceback" not in error
    assert sorted(p.name for p in tmp_path.iterdir()) == ["pipe.json"]
