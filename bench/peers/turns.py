"""Runs two processes that do the same work in turns, on one core."""
import json
import os
import pathlib
import select
import statistics
import subprocess
import time

PREPARES = 900  # seconds for keys and models
ANSWERS = 300  # seconds for one piece of work
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS",
                                     "GOMAXPROCS", "TBB_NUM_THREADS")}


class WorkFailed(Exception):
    pass


class Side:
    """A process that speaks the protocol of measured_work.py."""

    def __init__(self, command, core, log, settings=None):
        self.command = command
        self.log = log
        with open(log, "ab") as errors:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                env={**os.environ, **ONE_THREAD, **(settings or {})},
                preexec_fn=lambda: os.sched_setaffinity(0, {core}))  # noqa: PLW1509 (no thread was started)
        self.seen = b""
        self.peak = 0
        self.seconds, self.processor = [], []

    def line(self, end):
        """Returns the next line before the moment `end`."""
        while b"\n" not in self.seen:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            more = os.read(self.process.stdout.fileno(), 1 << 16) if ready else None
            if not more:
                why = "took too long" if more is None else f"ended with {self.process.wait()}"
                said = pathlib.Path(self.log).read_text(errors="replace").strip().splitlines() or ["nothing said"]
                raise WorkFailed(f"{pathlib.Path(self.command[0]).name} {self.command[-1]} {why}: {said[-1]}")
            self.seen += more
        line, _, self.seen = self.seen.partition(b"\n")
        return line

    def answer(self, key, seconds):
        """Returns the next JSON object that has the key, and skips the prints of a library before it."""
        end = time.monotonic() + seconds
        while True:
            try:
                found = json.loads(self.line(end))
            except ValueError:
                continue
            if isinstance(found, dict) and key in found:
                return found

    def prepared(self):
        return self.answer("parameters", PREPARES)["parameters"]

    def once(self, counts):
        """Does one round. It enters the figures if `counts` is true."""
        clock = (~self.process.pid << 3) | 2  # the kernel's id of the processor time of a process, ended threads included
        before = time.clock_gettime(clock)
        self.process.stdin.write(b"go\n")
        self.process.stdin.flush()
        found = self.answer("seconds", ANSWERS)
        used = time.clock_gettime(clock) - before
        if counts:
            self.seconds.append(found["seconds"] / found["count"])
            self.processor.append(used / found["count"])

    def finish(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            self.peak = next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))
        self.process.stdin.close()
        quality = self.answer("quality", ANSWERS)["quality"]
        self.process.wait()
        return quality

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            pipe.close()


def compare(ours, theirs, rounds, core, folder, settings):
    """Makes a row of the table: both sides prepare, do one round that does not count, then take turns."""
    begin = os.getloadavg()[0]
    sides = {}
    try:
        parameters, qualities = {}, {}
        for name, command in (("theirs", theirs), ("ours", ours)):  # the peer's script may write the model that ours reads
            sides[name] = Side(command, core, folder / f"{name}.log", settings if name == "ours" else None)
            parameters[name] = sides[name].prepared()
        for turn in range(rounds + 1):
            for name in ("ours", "theirs"):
                sides[name].once(turn > 0)
        for name, side in sides.items():
            qualities[name] = side.finish()
    finally:
        for side in sides.values():
            side.stop()
    ratios = sorted(them / us for us, them in zip(sides["ours"].processor, sides["theirs"].processor))
    return {
        **{name: {"seconds": statistics.median(side.processor), "wall": statistics.median(side.seconds),
                  "parameters": parameters[name], "quality": qualities[name], "memory": side.peak}
           for name, side in sides.items()},
        "ratio": statistics.median(ratios), "least": ratios[0], "most": ratios[-1], "rounds": rounds,
        "load": [begin, os.getloadavg()[0]],
    }
