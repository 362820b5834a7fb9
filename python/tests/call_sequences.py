"""Random sequences of calls of the package: with wrong, unfilled, closed and foreign objects, and from several threads.

    call_sequences.py [--count N] [--seed N] [--batch N] [--trace]    default: 5000 sequences in processes of 250

No sequence may end the process. Every refusal is an exception with a text, and none is an internal error. A sequence is
drawn from the seed and its number alone. `--seed S --first K --count 1 --batch 1 --trace` runs one of them again and
prints its calls."""

from __future__ import annotations

import argparse
import collections
import copy
import faulthandler
import os
import pickle
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
import types

from call_pool import Pool, anything, arguments_of

STEPS = 12
THREADS = 3
MEMORY = 16 << 30  # bytes of addresses, far above what the objects take
PATIENCE = 240  # seconds for a batch: a call that hangs is found too

# Members that say nothing of the package, change what the next call finds, or run the interpreter's own code.
SKIPPED = {"__class__", "__init_subclass__", "__subclasshook__", "__dict__", "__weakref__", "__module__", "__doc__",
           "__init__", "__setattr__", "__delattr__"}  # fmt: skip


def special(pool: Pool, draw: random.Random) -> tuple[str, object]:
    """The calls that Python makes on any object."""
    held = pool.unfilled(draw) if draw.random() < 0.4 else draw.choice(pool.whole)
    # Objects of Python can be given other members, which the next sequence finds.
    spare = held if type(held).__module__.startswith("tacit._core") else pool.unfilled(draw)
    other = anything(pool, draw)
    kind = draw.randrange(9)
    found = draw.choice(pool.types)
    return [
        ("copy", lambda: copy.copy(held)),
        ("deepcopy", lambda: copy.deepcopy(held)),
        ("pickle", lambda: pickled(held, draw)),
        ("class", lambda: setattr(spare, "__class__", found)),
        ("init", lambda: type(spare).__init__(spare, *([other] * draw.randrange(3)))),
        ("subclass", lambda: subclassed(found, other)),
        ("setattr", lambda: setattr(spare, "anything", other)),
        ("operators", lambda: (held == other, hash(held), repr(held), str(held), held + other)),
        ("matmul", lambda: (other @ held, held * other, held - other)),
    ][kind]


def pickled(held: object, draw: random.Random) -> object:
    """Pickles say what may be known to others: shapes, folds, proofs and refusals."""
    content = pickle.dumps(held, draw.randrange(pickle.HIGHEST_PROTOCOL + 1))
    may = type(held).__name__ in ("Shape", "Fold", "Proof") or isinstance(held, BaseException)
    if not may and type(held).__module__.startswith("tacit"):
        raise AssertionError(f"a {type(held).__name__} was pickled in {len(content)} bytes")
    return pickle.loads(content)


def subclassed(found: type, other: object) -> object:
    def begins(self: object) -> None:
        for name in dir(self):
            getattr(self, name, None)

    made = type("Sub", (found,), {"__init__": begins})
    return repr(made())  # type: ignore[call-arg]


def step(pool: Pool, draw: random.Random) -> tuple[str, object]:
    """A name, and what a call of it does."""
    if draw.random() < 0.15:
        return special(pool, draw)
    if draw.random() < 0.25:
        module = draw.choice(pool.modules)
        held: object = module
        offered = {name: value for name, value in vars(module).items() if not name.startswith("_") and callable(value)}
        names = [name for name, value in offered.items() if str(getattr(value, "__module__", "")).startswith("tacit")]
    else:
        held = pool.unfilled(draw) if draw.random() < 0.15 else draw.choice(pool.whole)
        names = [name for name in dir(type(held)) if name not in SKIPPED]
        public = [name for name in names if not name.startswith("_")]
        if public and draw.random() < 0.7:
            names = public
    name = draw.choice(names)

    def call() -> object:
        called = getattr(held, name)
        if not callable(called) or isinstance(called, types.ModuleType):
            return called
        given, named = arguments_of(called, pool, draw)
        return called(*given, **named)

    return f"{getattr(held, '__name__', type(held).__qualname__)}.{name}", call


WRONG = ("InternalError", "SystemError", "AssertionError", "RuntimeError")


class Tally:
    def __init__(self) -> None:
        self.calls = 0
        self.refused: collections.Counter[str] = collections.Counter()
        self.wrong: list[str] = []


def judged(where: str, error: BaseException, tally: Tally) -> None:
    """A refusal is one line; a list of signatures, pybind11's, has several. Errors of
    WRONG are defects."""
    tally.refused[type(error).__name__] += 1
    text = str(error)
    lines = len(text.strip().splitlines())
    one = lines == 1 or (lines > 1 and isinstance(error, TypeError))
    if not one or type(error).__name__ in WRONG:
        tally.wrong.append(f"{where}: {type(error).__name__}: {text or 'no text'}")


def run_steps(pool: Pool, draw: random.Random, where: str, tally: Tally, trace: bool) -> None:
    for _ in range(STEPS):
        name, call = step(pool, draw)
        if trace:
            print(f"{where} {name}", file=sys.stderr, flush=True)
        tally.calls += 1
        try:
            call()  # type: ignore[operator]
        except (Exception, KeyboardInterrupt) as error:
            judged(f"{where} {name}", error, tally)


def run_sequence(pool: Pool, seed: int, number: int, tally: Tally, trace: bool) -> None:
    draw = random.Random(f"{seed} {number}")
    if draw.random() < 0.7:
        run_steps(pool, draw, str(number), tally, trace)
        return
    threads = [
        threading.Thread(target=run_steps, args=(pool, random.Random(f"{seed} {number} {i}"), f"{number}/{i}", tally, trace))
        for i in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def run_batch(seed: int, first: int, count: int, trace: bool) -> int:
    """In this process. Prints the number of each sequence before it runs."""
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pool = Pool(folder)
        for number in range(first, first + count):
            print(f"at {number}", flush=True)
            run_sequence(pool, seed, number, tally, trace)
        os.chdir("/")
    for line in tally.wrong:
        print(f"wrong {line!r}", flush=True)
    print("done", tally.calls, *(f"{name}={n}" for name, n in tally.refused.most_common()), flush=True)
    return 0


class Outcome:
    def __init__(self) -> None:
        self.sequences = 0
        self.calls = 0
        self.refused: collections.Counter[str] = collections.Counter()
        self.failures: list[str] = []

    def __str__(self) -> str:
        kinds = ", ".join(f"{n} {name}" for name, n in self.refused.most_common())
        return f"{self.sequences} sequences, {self.calls} calls, {sum(self.refused.values())} refused ({kinds}), {len(self.failures)} failures"


def run(seed: int, first: int, count: int, batch: int, trace: bool = False) -> Outcome:
    """In processes of `batch` sequences. After a crash the next sequence goes on."""
    outcome = Outcome()
    at, end = first, first + count
    while at < end:
        size = min(batch, end - at)
        command = [sys.executable, __file__, "--seed", str(seed), "--first", str(at), "--count", str(size), "--here"]
        errors = sys.stderr if trace else subprocess.PIPE
        try:
            ended = subprocess.run(
                command + (["--trace"] if trace else []), stdout=subprocess.PIPE, stderr=errors, timeout=PATIENCE, check=False
            )
            status, out, err = str(ended.returncode), ended.stdout or b"", ended.stderr or b""
        except subprocess.TimeoutExpired as error:
            status, out, err = "no end", error.stdout or b"", error.stderr or b""
        lines = out.decode("utf-8", "backslashreplace").splitlines()
        outcome.failures += [f"seed {seed}, sequence {line[7:-1]}" for line in lines if line.startswith("wrong ")]
        done = [line.split()[1:] for line in lines if line.startswith("done ")]
        reached = [int(line[3:]) for line in lines if line.startswith("at ")]
        for line in done:
            outcome.calls += int(line[0])
            for kind in line[1:]:
                name, _, n = kind.partition("=")
                outcome.refused[name] += int(n)
        if done and status == "0":
            at += size
            outcome.sequences += size
            continue
        stack = err.decode("utf-8", "backslashreplace")[-3000:]
        if not reached:
            raise RuntimeError(f"the objects of the sequences could not be made: the process ended with {status}\n{stack}")
        last = reached[-1]
        outcome.failures.append(f"seed {seed}, sequence {last}: the process ended with {status}\n{stack}")
        outcome.sequences += last + 1 - at
        at = last + 1
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--batch", type=int, default=250)
    parser.add_argument("--seed", type=int, default=int(time.strftime("%Y%m%d")))
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        return run_batch(options.seed, options.first, options.count, options.trace)
    outcome = run(options.seed, options.first, options.count, options.batch, options.trace)
    for failure in outcome.failures:
        print(failure)
    print(f"seed {options.seed}: {outcome}")
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
