"""Tests several processes with one folder or one file: one of two solvers is refused and the other's run is whole; no record is lost or mixed; a
file that several replace is one of theirs; `checkpoint verify` beside a run that saves finds no damage."""
import concurrent.futures
import json
import os

from kinds import CASES, Kind, different, good_inputs, read, write
from process import Finding, find_faults

RUN = "run stream --size test --variant serial --repeat 1 --max-time 10ms --set kernel=copy -q --output out --force"
WAYS = ["solvers", "records", "files", "verify", "resumed"]


class Writers(Kind):
    name = "writers"
    title = "processes at one folder"
    share = 4

    def begin(self):
        self.top = f"{self.context.folder}/writers"
        os.makedirs(self.top)
        for solver in CASES:
            write(f"{self.top}/{solver}.toml", self.case(solver))
            done = self.context.solve(self.top, f"{solver}.toml", "--output", solver, limit_s=120)
            assert done.status == 0, done
        done = self.context.run(RUN, self.top, limit_s=120)
        assert done.status == 0, done
        self.records_of_run = read(f"{self.top}/out/records.jsonl").count(b"\n")

    def case(self, solver):
        return CASES[solver][0].format(end="4" if solver == "flow" else "40")

    def count(self):
        return 150 if self.context.long else 5

    def one(self, n, folder, chance):
        way = WAYS[n % len(WAYS)]
        return getattr(self, way)(sorted(CASES)[n // len(WAYS) % len(CASES)], folder, chance)

    def together(self, calls):
        with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
            return [future.result() for future in [pool.submit(call) for call in calls]]

    def solvers(self, solver, folder, chance, *resume):
        write(f"{folder}/case.toml", self.case(solver))
        calls = [lambda: self.context.solve(folder, *(resume or ("case.toml", "--force")), "--output", "out",
                                            limit_s=60)] * chance.choice((2, 3))
        ends = self.together(calls)
        found = [f for done in ends for f in find_faults(done, {0, 5}, "is writing into this folder")]
        if all(done.status != 0 for done in ends):
            found.append(Finding("lost", f"none ran: {ends[0]}"))
        # One that began when another had ended is a run of its own, of another number.
        names = different(f"{folder}/out", f"{self.top}/{solver}")
        if names:
            found.append(Finding("lost", f"{names} of {solver} by {[done.status for done in ends]}"))
        return len(ends), found

    def resumed(self, solver, folder, chance):
        write(f"{folder}/case.toml", self.case(solver))
        stopped = self.context.solve(folder, "case.toml", "--output", "out", "--time-limit", "50ms")
        assert stopped.status in (0, 7), stopped
        return self.solvers(solver, folder, chance, "--resume")

    def records(self, _, folder, chance):
        count = chance.choice((2, 4, 6))
        ends = self.together([lambda: self.context.run(RUN, folder, limit_s=60)] * count)
        found = [f for done in ends for f in find_faults(done, {0})]
        try:
            lines = [json.loads(line) for line in read(f"{folder}/out/records.jsonl").splitlines()]
        except ValueError as problem:
            return count, found + [Finding("lost", f"records.jsonl: {problem}")]
        wanted = self.records_of_run * len([done for done in ends if done.status == 0])
        if len(lines) != wanted:
            found.append(Finding("lost", f"{len(lines)} records, not {wanted}"))
        return count, found

    def files(self, _, folder, chance):
        good_inputs(self.context, folder)
        ends = self.together([lambda: self.context.run("align q.fa d.fa --threads 1 --out out.tsv -q", folder),
                              lambda: self.context.run("align d.fa q.fa --threads 1 --out out.tsv -q", folder),
                              lambda: self.context.run("report good.json --out out.html --force", folder),
                              lambda: self.context.run("report good.json --out out.html --force", folder)])
        found = [f for done in ends for f in find_faults(done, {0})]
        if read(f"{folder}/out.tsv").count(b"\n") != 4 or not read(f"{folder}/out.html").endswith(b"</html>\n"):
            found.append(Finding("lost", "out.tsv or out.html is not whole"))
        return len(ends), found

    def verify(self, solver, folder, chance):
        write(f"{folder}/case.toml", self.case(solver))
        tried, found = 1, []
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            run = pool.submit(lambda: self.context.solve(folder, "case.toml", "--output", "out", limit_s=60))
            while not run.done():
                if not os.path.isdir(f"{folder}/out/checkpoints"):
                    continue
                for words in ("checkpoint verify out", "checkpoint list out --format json"):
                    done = self.context.run(words, folder)
                    tried += 1
                    if done.status != 3 or "there is no checkpoint" not in done.message:
                        found += find_faults(done, {0})
        return tried, found + find_faults(run.result(), {0})
