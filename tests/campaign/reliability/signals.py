"""Sends SIGINT, SIGTERM and SIGUSR1 at random moments: the status must be the documented one, and a resumed run must have the bits of one that was
not stopped. A second signal within a second counts as the same one; a later one ends the program at once."""
import os
import signal
import time

from kinds import CASES, Kind, different, good_inputs, read, write
from process import Finding, find_faults

COMMANDS = {
    "align": "align q.fa d.fa --threads 1 --out out.tsv", "report": "report good.json --out out.html",
    "diff": "diff good.json good.json", "machine": "machine --quick",
    "run": "run stream --size test --variant serial --max-time 300ms -q --json out.json --output out",
    "suite": "suite stream --size test --variant serial --max-time 100ms -q --output out",
    "verify": "checkpoint verify .", "list": "list",
}
# A command that runs for seconds before it handles a signal.
LONG = "run npb --set kernel=ep --set class=A --variant serial --warmup 0 --repeat 1 -q"
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGUSR1: 7}
AT_ONCE_S = 1
STARTING_S = 0.5  # until the handlers are there, on a machine that does other things


class Signals(Kind):
    name = "signals"
    title = "signals at random moments"
    share = 9

    def begin(self):
        self.top = f"{self.context.folder}/signals"
        os.makedirs(self.top)
        self.lasts = {}
        for solver, (text, _, _) in CASES.items():
            write(f"{self.top}/{solver}.toml", self.case(solver))
            begin = time.monotonic()
            done = self.context.solve(self.top, f"{solver}.toml", "--output", solver, limit_s=120)
            assert done.status == 0, done
            self.lasts[solver] = time.monotonic() - begin

    def case(self, solver):
        """Returns a case with some twenty checkpoints."""
        return CASES[solver][0].format(end="4" if solver == "flow" else "40")

    def count(self):
        return 600 if self.context.long else 12

    def one(self, n, folder, chance):
        if n % 20 == 19 or n == 0:
            return 1, self.second(folder, chance)
        if n % 2:
            return 1, self.solving(sorted(CASES)[n // 2 % len(CASES)], folder, chance)
        return 1, self.command(sorted(COMMANDS)[n // 2 % len(COMMANDS)], folder, chance)

    def solving(self, solver, folder, chance):
        write(f"{folder}/case.toml", self.case(solver))
        number = chance.choice(sorted(STATUS))
        twice = chance.randrange(3) == 0
        signals = [(chance.uniform(0, self.lasts[solver]), number)] + ([(chance.uniform(0, 0.01), number)] if twice else [])
        done = self.context.solve(folder, "case.toml", "--output", "out", signals=signals)
        found = self.ended(done, number)
        if found or done.status == -number:
            return found
        if done.status != 0:
            if not os.path.isdir(f"{folder}/out/checkpoints"):
                # Before it had begun there was nothing to save.
                begun = os.path.isdir(f"{folder}/out/fields")
                return [Finding("lost", f"nothing is saved: {done}")] if begun else []
            done = self.context.solve(folder, "--resume", "--output", "out")
            found += find_faults(done, {0})
        names = different(f"{folder}/out", f"{self.top}/{solver}")
        return found + ([Finding("lost", f"other files after {number!r}: {names}: {done}")] if names else [])

    def ended(self, done, number):
        """Returns the findings on how a run ended. Until the handler is installed the signal itself ends the program, which has written nothing."""
        if done.status == -number and done.seconds < STARTING_S and not done.message:
            return []
        return find_faults(done, {0, STATUS[number]})

    def command(self, name, folder, chance):
        good_inputs(self.context, folder)
        number = chance.choice((signal.SIGINT, signal.SIGTERM))
        done = self.context.run(COMMANDS[name], folder, signals=[(chance.uniform(0, 0.3), number)])
        if name == "verify":
            return [] if done.status == -number else find_faults(done, {3, STATUS[number]})
        found = self.ended(done, number)
        for file, end in (("out.tsv", b"\n"), ("out.html", b"</html>\n"), ("out.json", b"}\n")):
            if os.path.exists(f"{folder}/{file}") and not read(f"{folder}/{file}").endswith(end):
                found.append(Finding("lost", f"{file} is half there: {done}"))
        return found

    def second(self, folder, chance):
        """Tests that a command which does not handle the first signal for seconds ends at a second one more than a second later."""
        number = chance.choice((signal.SIGINT, signal.SIGTERM))
        begin = time.monotonic()
        done = self.context.run(LONG, folder, limit_s=120, signals=[(1.5, number), (0.2, number), (1.2, number)])
        seconds = time.monotonic() - begin
        found = find_faults(done, {STATUS[number]})
        if seconds > 1.5 + 0.2 + 1.2 + AT_ONCE_S + STARTING_S:
            found.append(Finding("wrong", f"the second signal did not end it at once: {done}"))
        return found
