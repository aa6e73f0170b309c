import base64
import gzip
import html.parser
import json
import re

import pytest
from conftest import document, gpu_and_host, loaded, run

from speedwell import analysis, plots, problem_text, report


def render(*documents, **options):
    return report.render([loaded(d) for d in documents], **options)


class Page(html.parser.HTMLParser):
    """Collects what a test asks for, and that every element closes."""
    VOID = {"meta", "input", "br", "wbr"}
    OPTIONAL = {"td", "tr"}

    def __init__(self, text):
        super().__init__()
        self.stack, self.ids, self.tags, self.text = [], [], [], []
        self.feed(text)
        assert [t for t in self.stack if t not in self.OPTIONAL] == []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag not in self.VOID and tag not in ("path", "use", "rect"):
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(attributes["id"])

    def handle_endtag(self, tag):
        if tag in ("path", "use", "rect"):
            return
        while self.stack and self.stack[-1] in self.OPTIONAL and self.stack[-1] != tag:
            self.stack.pop()
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if not self.stack or self.stack[-1] not in ("style", "script"):
            self.text.append(data)

    @property
    def words(self):
        return re.sub(r"\s+", " ", " ".join(self.text))


def test_a_page_is_well_formed_with_its_plots_and_unique_ids():
    text = render(document(gpu_and_host()))
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert sum(tag == "svg" for tag, _ in page.tags) >= 3
    references = {a["href"][1:] for tag, a in page.tags if a.get("href", "").startswith("#")}
    assert references <= set(page.ids)
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(page.ids)


def test_the_answer_and_the_reason_stand_in_words():
    words = Page(render(document(gpu_and_host()))).words
    assert "Heat: what does a GPU do?" in words
    assert "The GPU executes it 40.0× [40.0, 40.0] as fast as 16 cores of Test CPU (25.00 ms" not in words
    assert "The GPU executes it 40.0× [40.0, 40.0] as fast as 16 cores of Test CPU (25.0 ms against 1.00 s); end to end it is 4.00×." in words
    assert "so the ratio is that of the memory bandwidths, 40.0×" in words
    for fact in ("2026-01-01", "machine m1", "Speedwell 0.1.0", "abcdef123456", "speedwell suite", "speedwell compare heat --size standard"):
        assert fact in words


def test_what_passed_is_counted_among_what_can_run_and_skips_are_folded_once():
    reason = "no NVIDIA driver here"
    skipped = [run(variant=f"cuda-{n}", kind="gpu", status="skipped", reason=reason) for n in range(8)]
    words = Page(render(document([run(variant="serial", kind="core", time=4.0), run()] + skipped, gpu=False))).words
    assert "2 of 2 runs that can run here passed" in words and "8 for a GPU, not run: " + reason in words
    assert words.count("8 variants were not run here: " + reason) == 1 and words.count(reason + " (8: cuda-0,") == 1
    assert "All cores execute" not in words and "all cores execute 4.00× as fast as one" in words


def test_columns_without_a_figure_are_left_out():
    page = render(document([run(variant="serial", kind="core", time=4.0), run()], gpu=False))
    heads = re.findall(r"<th scope=\"col\"[^>]*>([^<]+)</th>", page)
    assert "One core" in heads and "All cores" in heads
    assert not {"GPU", "Of limit, GPU", "Energy", "Best against best"} & set(heads)


def test_end_to_end_below_execute_is_marked():
    assert "below execute" in Page(render(document([run(time=2.0, end_to_end=1.9)]))).words


def test_failures_stand_at_the_top_and_enter_no_ratio():
    data = gpu_and_host()
    data[2] = run(variant="cuda", kind="gpu", time=0.025, status="failed")
    text = render(document(data))
    words = Page(text).words
    assert "These gave no verified result" in words and "✗ FAILED" in words and "40.0×" not in words
    assert text.index('id="failures"') < text.index('id="summary"')


def test_a_command_that_failed_is_shown_with_its_reason():
    error = {"status": 5, "id": "device", "message": "out of <memory>", "hint": "smaller", "file": None, "line": None, "column": None}
    words = Page(render(document(gpu_and_host()), {"schema": "speedwell-records/1", "error": error, "runs": []})).words
    assert "status 5" in words and "out of <memory>" in words


HOSTILE = '<script>alert(1)</script>"\'&\x1b[31m\x07\u202e\x00\u2028\ud800'


def test_names_cannot_leave_their_place():
    data = [run(application="heat" + HOSTILE, variant="openmp" + HOSTILE, problem={"n" + HOSTILE: 1, "word": HOSTILE}, title=HOSTILE,
                adds=HOSTILE, size=HOSTILE, device="16 cores" + HOSTILE),
            run(application="heat" + HOSTILE, variant="bad" + HOSTILE, status="error", reason=HOSTILE, problem={"n" + HOSTILE: 1, "word": HOSTILE}),
            run(application="heat" + HOSTILE, variant="cuda" + HOSTILE, kind="gpu", time=0.1, limit=(0.09, "memory"), role="best",
                problem={"n" + HOSTILE: 1, "word": HOSTILE})]
    text = render(document(data, processor=HOSTILE, command=HOSTILE), title=HOSTILE)
    page = Page(text)
    scripts = [a for tag, a in page.tags if tag == "script"]
    assert len(scripts) == 1 and "alert(1)</script>" not in text
    assert not set(text) & set("\x1b\x07\x00\u202e\u2028\ud800")
    text.encode("utf-8")


def test_commands_that_the_page_offers_are_quoted_for_a_shell():
    found = loaded(document([run(size="test; rm -rf ~", problem={"n": 1})]))
    problem = analysis.by_machine([found])[0].applications[0].families[0].largest
    assert report.command_of(problem) == "speedwell compare heat --size 'test; rm -rf ~'"


def test_a_page_asks_nobody_for_anything():
    text = render(document(gpu_and_host()))
    page = Page(text)
    for _, attributes in page.tags:
        for key in ("src", "href", "xlink:href", "action"):
            assert attributes.get(key, "#").startswith(("#", "data:application/gzip"))
        assert not any(key.startswith("on") for key in attributes)
    assert not re.search(r"url\((?!#)|@import", text)
    policy = next(a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    script = re.search(r"<script>(.*)</script>", text, flags=re.S)[1]
    import hashlib
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def test_the_embedded_records_are_those_that_were_read():
    content = document(gpu_and_host())
    data = re.search(r"base64,([A-Za-z0-9+/=]+)", render(content))[1]
    assert json.loads(gzip.decompress(base64.b64decode(data))) == content


def test_equal_records_give_equal_bytes():
    assert render(document(gpu_and_host())) == render(document(gpu_and_host()))


def test_what_is_left_out_to_stay_small_is_said_and_the_plots_stay():
    import random
    noise = random.Random(1)
    data = [run(problem={"n": n}, variant=v, kind=k, passes=[noise.random() for _ in range(100)]) for n in range(1, 31)
            for v, k in (("openmp", "cores"), ("cuda", "gpu"))]
    whole = render(document(data))
    previous = len(whole.encode())
    for note in ("the embedded records", "the tables of the smaller problems"):
        smaller = render(document(data), max_bytes=previous - 1)
        while note not in Page(smaller).words:
            previous = len(smaller.encode())
            smaller = render(document(data), max_bytes=previous - 1)
        assert len(smaller.encode()) < previous and "Left out, so that the file stays below" in smaller
        assert smaller.count("<svg") >= 2
        previous = len(smaller.encode())


def test_several_machines_stand_beside_each_other_first():
    fast = document([run(variant="openmp", time=0.5, limit=(0.45, "memory"))], machine="m2", processor="Faster CPU", gpu=False)
    text = render(document([run(limit=(0.9, "memory"))], gpu=False), fast)
    assert text.index('id="versus"') < text.index('id="m1-summary"') < text.index('id="m2-summary"')
    assert "2.00×" in Page(text).words
    Page(text)


def test_records_without_runs_are_said_to_have_none():
    assert "These records hold no runs" in Page(render()).words


def test_figures_of_a_busy_machine_are_marked_and_it_is_said():
    load = {"window_s": 1.0, "others": 0.3, "steal": 0.1, "involuntary_switches": 5}
    page = report.render([loaded(document([run(host_load=load), run(variant="cuda", kind="gpu", time=0.1, host_load=load),
                                           run(variant="serial", kind="core", time=9.0, host_load=None)]))])
    words = " ".join(re.sub("<[^>]*>", " ", page).split()).replace("\u00a0", " ")
    assert "busy 40 %" in words and "up to 40 % (1 run): these times are too long" in words
    idle = report.render([loaded(document([run(host_load=load | {"others": 0.05, "steal": 0.0})]))])
    assert "these times are too long" not in idle


def test_few_passes_older_sources_and_local_changes_are_marked():
    old = document([run(passes=[1.0, 1.1], digest="old")], dirty=True)
    new = document([run(variant="cuda", kind="gpu", time=0.1, digest="new")], started="2026-02-01T00:00:00Z")
    words = Page(render(old, new)).words
    assert "n = 2 † ‡" in words and "fewer than 5 passes (1 runs)" in words


def test_the_headline_is_a_problem_that_compares_most(shipped):
    machine, = analysis.by_machine(shipped)
    for application in machine.applications:
        compared = any(analysis.same_algorithm(f.largest.runs).ratio for f in application.families)
        assert bool(analysis.same_algorithm(analysis.headline_family(application).largest.runs).ratio) == compared


@pytest.fixture(scope="module")
def page_of_shipped(shipped):
    return report.render(shipped)


def test_the_page_of_the_shipped_records_keeps_its_plots_below_five_megabytes(page_of_shipped):
    assert len(page_of_shipped.encode()) <= report.MAX_BYTES
    page = Page(page_of_shipped)
    assert len(page.ids) == len(set(page.ids))
    for section in re.findall(r'<section class="application".*?</section>', page_of_shipped, flags=re.S):
        assert "<svg" in section


def test_threads_and_caches_are_those_of_the_record():
    content = document([run(variant="serial", kind="core", time=4.0), run(device="16 threads on 8 cores of Test CPU")], gpu=False)
    content["machine"]["cpu"].update(cores=8, threads=16)
    words = Page(render(content)).words
    assert "16 threads on 8 cores" in words.split("Variant")[1] and "each shared by 1 core" not in words
    assert "16 × 48.0 KiB, each of 1 hardware thread, as the system presents it" in words


def test_a_gain_beyond_the_number_of_threads_is_said_to_be_one_of_code():
    def page(time):
        return Page(render(document([run(variant="serial", kind="core", time=time, adds="cell by cell"), run(adds="vectors")], gpu=False))).words
    assert "as fast as one core with other code: openmp against serial" in page(100.0)
    assert "openmp (vectors) against serial (cell by cell)" in page(100.0) and "different code (vectors, another algorithm)" in page(100.0)
    assert "other code" not in page(12.0) and "different code" not in page(12.0)


def test_the_headline_says_how_many_of_its_problems_were_disturbed():
    busy = {"window_s": 1.0, "others": 0.52, "steal": 0.0, "involuntary_switches": 5}
    words = Page(render(document([run(variant="serial", kind="core", time=4.0, host_load=busy), run()], gpu=False))).words.replace("\u00a0", " ")
    assert "1 of these 1 problem was measured while other processes used the processor" in words
    assert "Other processes used 52 % of the processors while serial was measured" in words and "serial (n" not in words
    assert "serial (busy 52 %)" in words


def test_values_that_leave_the_choice_to_the_application_are_not_shown():
    problem = {"n": 0, "nx": 64, "ny": 64, "nz": 32, "gap_open": -1, "tolerance": 0.0}
    words = Page(render(document([run(problem=problem, size="headline")], gpu=False))).words
    assert "everywhere nx=64, ny=64, nz=32, tolerance=0" in words
    assert problem_text.short(run(application="blast_wave", problem=problem | {"steps": 8})) == "64 x 64 x 32, 8 steps"
    assert problem_text.short(run(application="blast_wave", problem=problem | {"steps": 8, "n": 128})) == "128^3, 8 steps"
    assert problem_text.short(run(application="wavefront", problem=problem | {"n": 128, "precision": "f64"})) == "64 x 64 x 32, f64"
    assert problem_text.short(run(application="spmv", problem=problem | {"matrix": "27-point"})) == "27-point, 64 x 64 x 32 rows"
    assert problem_text.short(run(application="spmv", problem=problem | {"matrix": "data/bcsstk01.mtx"})) == "bcsstk01.mtx"
    assert problem_text.short(run(problem={"n": 0, "k": 3, "gap_open": -1})) == "k=3"


def test_a_roofline_labels_every_rate_with_its_own_number():
    assert plots._near({"integer": 713.0, "fma.f64": 683.0, "fma.f32": 1400.0}) == [[("fma.f32", 1400.0)], [("integer", 713.0), ("fma.f64", 683.0)]]
