"""Changes one bit of any file of a checkpoint: `checkpoint verify` must find it, and a resumed run must report it, go back to the checkpoint
before, and end with the bits of a run without damage."""
import os
import shutil

from kinds import CASES, Kind, different, read, write
from process import Finding, find_faults

RESUMED = 10  # one flip of so many is resumed from, too


class Flips(Kind):
    name = "flips"
    title = "flipped bits of checkpoints"
    share = 16

    def begin(self):
        self.whole = f"{self.context.folder}/flipped"
        os.makedirs(self.whole)
        for solver, (text, end, _) in CASES.items():
            write(f"{self.whole}/{solver}.toml", text.format(end=end))
            done = self.context.solve(self.whole, f"{solver}.toml", "--output", solver, limit_s=120)
            assert done.status == 0, done

    def count(self):
        return 10000 if self.context.long else 60

    def one(self, n, folder, chance):
        solver = sorted(CASES)[n % len(CASES)]
        shutil.copytree(f"{self.whole}/{solver}", f"{folder}/run")
        newest = sorted(os.listdir(f"{folder}/run/checkpoints"))[-1]
        name = chance.choice(sorted(os.listdir(f"{folder}/run/checkpoints/{newest}")))
        path = f"{folder}/run/checkpoints/{newest}/{name}"
        bytes_ = bytearray(read(path))
        bit = chance.randrange(8 * len(bytes_))
        bytes_[bit // 8] ^= 1 << bit % 8
        write(path, bytes(bytes_))
        verified = self.context.run("checkpoint verify run", folder)
        found = find_faults(verified, {0, 3}, name if verified.status == 3 else "")
        if verified.status == 0:
            found.append(Finding("lost", f"not noticed: {verified}"))
        if chance.randrange(RESUMED) == 0:
            resumed = self.context.solve(folder, "--resume", "--output", "run")
            found += find_faults(resumed, {0})
            names = different(f"{folder}/run", f"{self.whole}/{solver}")
            if names or resumed.message.count("going back to the checkpoint before") != 1:
                found.append(Finding("lost", f"{names} after resuming: {resumed}"))
        return 1, [Finding(f.kind, f"{solver}, bit {bit} of {name}: {f.text}") for f in found]
