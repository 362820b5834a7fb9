#!/usr/bin/env python3
"""What the Python package adds, on networks of the size that people bring.

    PYTHONPATH=BUILD/python tools/measure_python.py DATA overhead BUILD/bin/evaluate_on_request [--pairs 20]
    PYTHONPATH=BUILD/python tools/measure_python.py DATA threads [--seconds 5] [--turns 5]
    PYTHONPATH=BUILD/python tools/measure_python.py DATA interrupt [--interruptions 20]

DATA is a folder with models/mnist, models/fashion_mnist, models/cifar10 and the public images beside them.
overhead: LeNet-5, evaluated by Python and by the C++ interface in turns.
threads: two models in two threads of Python, a processor each, against each alone.
interrupt: SIGINT at moments spread over the whole of a ResNet-20 run, keys and weights included; how soon it ends, what
memory it leaves, and whether the next run is right.
Ends with status 1 where a bar is missed. Prints JSON.
"""
import argparse
import gc
import json
import math
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy

import tacit

MOST_OVERHEAD = 0.02  # of an evaluation
LEAST_GAIN = 1.7  # of two threads over one after the other
MOST_WAIT = 1.0  # seconds from the signal to the exception
MOST_LEFT = 0.02  # of what a run holds


def mnist(data):
    images = numpy.load(data / "mnist/images_public.npy")
    return numpy.pad((images / 255 - 0.1307) / 0.3081, ((0, 0), (0, 0), (2, 2), (2, 2)))


def lenet5(data, **options):
    images = mnist(data)
    model = tacit.compile(data / "models/mnist/lenet5_mnist_heir.onnx", calibration=images[200:], **options)
    return model, images


def cryptonets(data):
    images = numpy.load(data / "mnist/images_public.npy") / 256
    return tacit.compile(data / "models/mnist/cryptonets_mnist.onnx", calibration=images[200:]), images


def fashion(data):
    images = (numpy.load(data / "fashion_mnist/images_public.npy") / 255 - 0.286) / 0.353
    return tacit.compile(data / "models/fashion_mnist/fashion_square_cnn.onnx", calibration=images[200:]), images


def resnet20(data):
    images = numpy.load(data / "cifar10/images_public.npy") / 255
    mean, deviation = ([[[[number]] for number in row]] for row in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
    images = (images - numpy.array(mean)) / numpy.array(deviation)
    return tacit.compile(data / "models/cifar10/resnet20_cifar10_pre.onnx", calibration=images[1:100]), images


def timed(body):
    begun = time.monotonic()
    body()
    return time.monotonic() - begun


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# What bench/programs/evaluate_on_request.cpp does, by the package.
PYTHON_SIDE = """
import sys, time, tacit
model, keys, question, _, threads = sys.argv[1:]
tacit.set_threads(int(threads))
server = tacit.ServerModel.load(model)
question, keys = server.load_inputs(question), server.load_keys(keys)
for line in sys.stdin:
    begun = time.monotonic()
    server.evaluate(question, keys)
    print(time.monotonic() - begun, flush=True)
"""


class Evaluations:
    """A process that evaluates the same inputs once for every line that it is sent."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def overhead(options, folder):
    tacit.set_threads(options.threads)
    model, images = lenet5(options.data, memory=int(options.memory * 1e9) or None)
    planned = model.plan()
    keys = tacit.keygen(model)
    question = keys.encrypt(images[:1])
    model.save(folder)
    keys.evaluation.save(folder / "evaluation")
    question.save(folder / "question")
    files = [str(folder / name) for name in ("server.tacit", "evaluation", "question")] + ["--threads", str(options.threads)]
    expected = keys.decrypt(model.evaluate(question, keys.evaluation)).argmax()
    del model, keys, question  # both sides hold keys of their own, read from the same files
    program, python = Evaluations([options.program, *files]), Evaluations([sys.executable, "-c", PYTHON_SIDE, *files])
    for side in (program, python):
        side.seconds()  # weights are encoded, memory is fetched
    pairs = []
    for turn in range(options.pairs):
        both = {side: side.seconds() for side in ((program, python) if turn % 2 else (python, program))}
        pairs.append((both[program], both[python]))
    for side in (program, python):
        side.end()
    ratios = [of_python / of_program for of_program, of_python in pairs]
    logarithms = [math.log(ratio) for ratio in ratios]
    mean, width = statistics.mean(logarithms), 1.96 * statistics.stdev(logarithms) / math.sqrt(len(pairs))
    added = statistics.median(ratios) - 1
    return {"pairs": len(pairs), "threads": options.threads, "plan": f"2^{planned.log_n}, {planned.levels} levels",
            "key_bytes": planned.key_bytes, "seconds_of_program": round(statistics.median(pair[0] for pair in pairs), 4),
            "seconds_of_python": round(statistics.median(pair[1] for pair in pairs), 4), "added": round(added, 4),
            "added_by_geometric_mean": [round(math.exp(mean + sign * width) - 1, 4) for sign in (-1, 0, 1)],
            "fastest_of_each": round(min(pair[1] for pair in pairs) / min(pair[0] for pair in pairs) - 1, 4),
            "answer": int(expected), "passed": added <= MOST_OVERHEAD}


class Job:
    """A model that evaluates as many inputs as take about so many seconds."""

    def __init__(self, made, seconds):
        self.model, images = made
        self.keys = tacit.keygen(self.model)
        self.run(self.keys.encrypt(images[:1]))  # weights are encoded
        first = self.keys.encrypt(images[:4])
        each = timed(lambda: self.run(first)) / 4
        self.count = max(1, round(seconds / each))
        self.question = self.keys.encrypt(numpy.resize(images, (self.count, *images.shape[1:])))

    def run(self, question=None):
        self.model.evaluate(question or self.question, self.keys.evaluation)


def threads(options, folder):
    tacit.set_threads(1)
    jobs = [Job(make(options.data), options.seconds) for make in (cryptonets, fashion)]
    turns = []
    for _ in range(options.turns):
        alone = [timed(job.run) for job in jobs]
        together = [threading.Thread(target=job.run) for job in jobs]

        def both(together=together):
            for thread in together:
                thread.start()
            for thread in together:
                thread.join()

        wall = timed(both)
        turns.append({"alone": [round(seconds, 2) for seconds in alone], "together": round(wall, 2),
                      "gain": round(sum(alone) / wall, 3), "of_the_longer": round(wall / max(alone), 3)})
    gain = statistics.median(turn["gain"] for turn in turns)
    return {"inputs": [job.count for job in jobs], "turns": turns, "gain": gain, "passed": gain >= LEAST_GAIN}


class Watch:
    """Sends SIGINT so many seconds after it was made, and knows when, and at which stage the work was."""

    def __init__(self, seconds):
        self.stage, self.sent = "", None
        self.timer = threading.Timer(seconds, self.interrupt)
        self.timer.start()

    def interrupt(self):
        self.at, self.sent = self.stage, time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    def __call__(self, stage, done, total):
        self.stage = f"{stage} {done} of {total}"


def interrupted(seconds, body):
    """Seconds from the signal until `body` ended, or None where it ended before; and the stage."""
    watch = Watch(seconds)
    try:
        body(watch)
    except KeyboardInterrupt:
        return time.monotonic() - watch.sent, watch.at
    watch.timer.cancel()
    return None, watch.stage


def interrupt(options, folder):
    tacit.set_threads(options.threads)
    model, images = resnet20(options.data)
    image, before = images[100:101], resident()
    found = []

    def note(what, seconds, body):
        waited, stage = interrupted(seconds, body)
        gc.collect()
        if waited is not None:
            found.append({"what": what, "after": round(seconds, 1), "waited": round(waited, 3), "stage": stage,
                          "resident_mib": resident() >> 20, "threads": len(os.listdir("/proc/self/task"))})
            print(json.dumps(found[-1]), file=sys.stderr, flush=True)

    # Nothing is there yet: keys, encoding of weights, the first operations.
    for seconds in (0.3, 1.2, 2.5):
        note("keys and run", seconds, lambda watch: tacit.Model(model.client, model.server).run(image, progress=watch))
    after_first = resident()
    keys = tacit.keygen(model)
    for seconds in (0.3, 1, 2, 5):
        note("first evaluation", seconds, lambda watch: model.run(image, keys, progress=watch))
    whole = timed(lambda: model.run(image, keys))
    expected, held = model.run(image, keys), resident()
    noise = random.Random(options.seed)
    for turn in range(options.interruptions):
        note("evaluation", (turn + noise.random()) / options.interruptions * whole, lambda watch: model.run(image, keys, progress=watch))
    left = resident()
    difference = float(abs(model.run(image, keys) - expected).max())
    again = resident()
    keys = model = None
    gc.collect()
    waits = [entry["waited"] for entry in found]
    growth = (max(left, again) - held) / held
    return {"threads": options.threads, "seconds_of_a_run": round(whole, 1), "interruptions": len(waits), "longest_wait": max(waits),
            "median_wait": statistics.median(waits), "resident_mib": {
                "compiled": before >> 20, "after_interrupted_keys": after_first >> 20, "after_a_run": held >> 20,
                "after_interruptions": left >> 20, "after_a_run_more": again >> 20, "all_deleted": resident() >> 20},
            "growth": round(growth, 4), "largest_difference_of_a_logit": difference, "slowest": sorted(found, key=lambda e: -e["waited"])[:5],
            "passed": max(waits) < MOST_WAIT and growth <= MOST_LEFT and difference < 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("what", choices=("overhead", "threads", "interrupt"))
    parser.add_argument("program", nargs="?", help="overhead: the build's evaluate_on_request")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--interruptions", type=int, default=20)
    parser.add_argument("--memory", type=float, default=0, help="overhead: GB that the model is compiled for; both processes hold it")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.what == "overhead" and not options.program:
        parser.error("overhead: name the build's evaluate_on_request")
    with tempfile.TemporaryDirectory() as folder:
        report = {"what": options.what, "processors": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
        report.update(globals()[options.what](options, pathlib.Path(folder)))
    print(json.dumps(report))
    return 0 if report["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
