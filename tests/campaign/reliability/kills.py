"""Sends SIGKILL at random moments to runs that solve and save, which are resumed until they end and are then compared with a run that was not
killed; and to one rank of several, whose job must end within seconds with a status other than 0."""
import json
import os
import re
import shutil

from kinds import Kind, read, write
from process import Finding
from ranks import Launch
from solve_killed import KINDS, kill_until_done, run_whole
from solve_support import Program

ENDS_WITHIN_S = 10
RANKED = ["run uts --set tree=T2XXL --variant mpi --json out.json --output out",
          "run gups --set words=2^22 --set updates_per_word=2^14 --variant mpi --json out.json --output out",
          "run wavefront --size test --variant mpi --repeat 200 --json out.json --output out"]


class Kills(Kind):
    name = "kills"
    title = "SIGKILL while solving and saving, then resumed"
    share = 20

    def begin(self):
        self.program = Program(self.context.program)
        self.lasts = {}
        for kind, (text, *_) in KINDS.items():
            case = write(f"{self.context.folder}/{kind}-killed.toml", text)
            self.lasts[kind] = run_whole(self.program, case, f"{self.context.folder}/{kind}-whole", kind)

    def count(self):
        return 500 if self.context.long else 6

    def one(self, n, folder, chance):
        kind = sorted(KINDS)[n % len(KINDS)]
        top = self.context.folder
        most = chance.choice((1, 3, 5, 8) if self.context.long else (1, 2))
        kills, _ = kill_until_done(self.program, f"{top}/{kind}-killed.toml", f"{folder}/run", f"{top}/{kind}-whole",
                                   self.lasts[kind], kind, chance, most)
        return kills, []


class KilledRanks(Kind):
    name = "ranks"
    title = "SIGKILL of one of 2 to 4 ranks"
    share = 5

    def begin(self):
        if not self.context.launcher:
            self.skipped.append("there is no MPI launcher (--launcher)")

    def count(self):
        return (100 if self.context.long else 2) if self.context.launcher else 0

    def one(self, n, folder, chance):
        words = RANKED[n % len(RANKED)].split()
        done = Launch(self.context.launcher, chance.choice((2, 3, 4)), [self.context.program, *words], folder,
                      kill_after=chance.uniform(0.3, 4))
        found = []
        if not done.killed and done.status != 0:
            found.append(Finding("wrong", f"failed before a rank was killed: {done}"))
        if done.seconds > ENDS_WITHIN_S:
            found.append(Finding("hung", f"the others continued for {done.seconds:.0f} s: {' '.join(words)}"))
        over = re.search("signal 9|SIGKILL|KILLED", done.stderr) is None  # had come to its end before
        if done.status == 0 and not over:
            found.append(Finding("wrong", f"status 0 of a job with a killed rank: {done}"))
        for line in read(f"{folder}/out/records.jsonl").splitlines() if os.path.exists(f"{folder}/out/records.jsonl") else ():
            json.loads(line)
        if os.path.exists(f"{folder}/out.json"):
            json.loads(read(f"{folder}/out.json"))
        shutil.rmtree(f"{folder}/out", ignore_errors=True)
        return 1, found
