#!/usr/bin/env python3
"""Long runs of `tacit serve` on a small tabular model, and what they show.

    tools/soak_service.py TACIT throughput [--evaluations 1000] [--clients 16]
    tools/soak_service.py TACIT kills [--kills 20]
    tools/soak_service.py TACIT soak [--minutes 10] [--clients 16]
    tools/soak_service.py TACIT fuzz [--minutes 10]
    tools/soak_service.py TACIT hostile [--minutes 10] [--memory 1GiB]

throughput: as many evaluations from clients at once against one file of as many inputs evaluated in process.
kills: SIGKILL under load and a start again; every accepted job must end in the right results, except those that ran at two kills.
soak: clients that evaluate, delete, come and go; the memory of the process over time.
fuzz: damaged bodies and headers; every answer must be one below 500, and memory bounded.
hostile: ten clients that mean harm (hostile_clients.py) beside ten honest ones, who keep half of their throughput. All
    clients, alone and beside, have a lower priority than the server (--nice), because they stand for other machines.
Ends with status 1 where a bar is missed. Prints JSON.
"""
import argparse
import http.client
import json
import multiprocessing
import os
import pathlib
import random
import statistics
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/service"))
import hostile_clients  # noqa: E402
from service_process import Caller, Server, command, write_linear_model  # noqa: E402

LEAST_SHARE = 0.9  # of the throughput in process
MOST_GROWTH = 0.05  # of memory over the second half of a soak
MOST_MEMORY = 1 << 30
MOST_REASONS = 50  # that are kept of what went wrong: the pipe has room for them
LEAST_BESIDE_HOSTILE = 0.5  # of the throughput that honest clients have alone


class Bench:
    def __init__(self, tacit, folder, questions):
        self.tacit, self.folder = tacit, folder
        write_linear_model(folder / "linear.onnx")
        command(tacit, "compile", folder / "linear.onnx", "--input-range", "-1,1", "-o", folder / "model")
        command(tacit, "keygen", folder / "model/client.tacit", "--secret", folder / "secret", "--evaluation", folder / "evaluation")
        import numpy
        numpy.save(folder / "rows.npy", numpy.random.default_rng(3).uniform(-1, 1, (questions, 30)))
        self.encrypt("all", 0, questions)
        self.encrypt("question", 0, 1)
        self.answer = self.evaluate("question")
        self.keys, self.question = (folder / "evaluation").read_bytes(), (folder / "question").read_bytes()
        self.model = json.loads(self.keys[128:].split(b"}", 1)[0] + b"}")["model"]

    def encrypt(self, name, first, count):
        command(self.tacit, "encrypt", self.folder / "model/client.tacit", "--key", self.folder / "secret", "--input",
                self.folder / "rows.npy", "--first", first, "--count", count, "-o", self.folder / name)

    def evaluate(self, name):
        command(self.tacit, "evaluate", self.folder / "model/server.tacit", "--keys", self.folder / "evaluation",
                "--input", self.folder / name, "-o", self.folder / (name + ".answer"))
        return (self.folder / (name + ".answer")).read_bytes()

    def serve(self, *options):
        server = Server(self.tacit, [self.folder / "model"], self.folder, "--queue", 100000, "--jobs-of-client", 100000, *options)
        self.token = server.add_client("bench")
        server.start()
        status, state = Caller(server, self.token).upload(self.model, self.keys)
        assert (status, state["state"]) == (200, "ready"), state
        return server


def evaluate_some(port, token, model, question, answer, count, wrong):
    server = Server.__new__(Server)
    server.port = port
    caller = Caller(server, token)
    for _ in range(count):
        status, job = caller.submit(model, question, wait=60)
        found = caller.result(job["job"]) if status < 300 else None
        if found != answer:
            with wrong.get_lock():
                wrong.value += 1
        caller.ask("DELETE", f"/v1/jobs/{job['job']}")


def throughput(options, folder):
    bench = Bench(options.tacit, folder, options.evaluations)
    server = bench.serve()
    shares = []
    for _ in range(options.turns):  # in turns, so that what else the machine does meets both
        begun = time.monotonic()
        bench.evaluate("all")
        in_process = time.monotonic() - begun
        wrong = multiprocessing.Value("i", 0)
        each = options.evaluations // options.clients
        callers = [multiprocessing.Process(target=evaluate_some, args=(server.port, bench.token, bench.model, bench.question, bench.answer,
                                                                        each, wrong)) for _ in range(options.clients)]
        begun = time.monotonic()
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        served = (time.monotonic() - begun) / (each * options.clients) * options.evaluations
        shares.append({"in_process_seconds": round(in_process, 2), "served_seconds": round(served, 2),
                       "share": round(in_process / served, 3), "wrong": wrong.value})
    server.stop()
    middle = statistics.median(turn["share"] for turn in shares)
    return {"evaluations": options.evaluations, "clients": options.clients, "turns": shares,
            "passed": middle >= LEAST_SHARE and not any(turn["wrong"] for turn in shares)}


def kills(options, folder):
    bench = Bench(options.tacit, folder, 1)
    server = bench.serve()
    accepted, stopped = [], threading.Event()

    def load():
        Caller(server, bench.token).submit_until(stopped, bench.model, bench.question, accepted)

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(options.kills):
        time.sleep(random.uniform(0.2, 1.0))
        server.kill()
        server.start(server.port)
    stopped.set()
    for thread in threads:
        thread.join()
    caller = Caller(server, bench.token)
    right = twice = 0
    for job in accepted:
        try:
            right += caller.result(job) == bench.answer
        except RuntimeError as told:
            if "the server ended twice while it evaluated this job" not in str(told):
                raise
            twice += 1
    ready = caller.json("GET", f"/v1/models/{bench.model}/keys")[1]["state"]
    server.stop()
    return {"kills": options.kills, "accepted": len(accepted), "right": right, "twice": twice, "keys": ready,
            "passed": right + twice == len(accepted) and twice <= options.kills // 2 and ready == "ready"}


def soak(options, folder):
    bench = Bench(options.tacit, folder, 1)
    server = bench.serve()
    until = time.monotonic() + 60 * options.minutes
    counts, wrong = [0] * options.clients, multiprocessing.Value("i", 0)

    def load(i):
        while time.monotonic() < until:  # a new connection each time
            evaluate_some(server.port, bench.token, bench.model, bench.question, bench.answer, 5, wrong)
            counts[i] += 5

    threads = [threading.Thread(target=load, args=(i,)) for i in range(options.clients)]
    for thread in threads:
        thread.start()
    memory = []
    while time.monotonic() < until:
        time.sleep(min(5, 60 * options.minutes / 12))
        memory.append(server.resident_bytes())
    for thread in threads:
        thread.join()
    files = sum(1 for path in (folder / "state/jobs").iterdir())
    server.stop()
    middle = max(memory[len(memory) // 3:2 * len(memory) // 3])
    growth = max(memory[2 * len(memory) // 3:]) / middle - 1
    return {"minutes": options.minutes, "evaluations": sum(counts), "wrong": wrong.value, "folders_left": files,
            "memory_mib": [round(bytes / (1 << 20)) for bytes in memory], "growth_of_last_third": round(growth, 4),
            "passed": growth <= MOST_GROWTH and wrong.value == 0 and files == 0}


def fuzz(options, folder):
    bench = Bench(options.tacit, folder, 1)
    server = bench.serve()
    seed = options.seed if options.seed is not None else random.randrange(1 << 30)
    noise = random.Random(seed)
    caller, until, sent, most, bad = Caller(server, bench.token), time.monotonic() + 60 * options.minutes, 0, 0, 0
    addresses = [f"/v1/models/{bench.model}/evaluations", f"/v1/models/{bench.model}/keys", "/v1/jobs", "/v1/jobs/" + "0" * 32, "/"]
    while time.monotonic() < until:
        body = bytearray(noise.choice((bench.question, bench.keys, bench.answer))[:noise.choice((200, 5000, 10 ** 6))])
        for _ in range(noise.randrange(30)):
            body[noise.randrange(min(len(body), noise.choice((128, 4096, len(body)))))] = noise.randrange(256)
        headers = {}
        if noise.random() < 0.3:
            headers["Content_Range"] = noise.choice(("bytes 0-9/10", "bytes -/", "bytes 0-99999999999999999999/1", f"bytes 0-{len(body) - 1}/{len(body) * 2}"))
        if noise.random() < 0.1:
            headers["Range"] = "bytes=" + ",".join("0-" for _ in range(noise.randrange(1000)))
        try:
            status, _ = caller.ask(noise.choice(("PUT", "POST", "GET", "DELETE")), noise.choice(addresses), bytes(body), **headers)
            bad += status >= 500 and status != 503
        except (OSError, http.client.HTTPException):
            bad += server.process.poll() is not None
        if sent % 10 == 0:
            try:
                with server.socket() as connection:
                    connection.settimeout(3)
                    connection.sendall(bytes(noise.randrange(256) for _ in range(noise.randrange(400))) + b"\r\n\r\n")
                    connection.recv(100)
            except OSError:
                pass
        sent += 1
        most = max(most, server.resident_bytes())
    alive = Caller(server, "").json("GET", "/health")[0] == 200
    server.stop()
    return {"minutes": options.minutes, "seed": seed, "requests": sent, "bad": bad, "most_memory_mib": most >> 20,
            "passed": alive and bad == 0 and most < MOST_MEMORY}


def honest(port, token, model, question, answer, until, counts, i, wrong, reasons):
    while time.monotonic() < until:
        before = wrong.value
        try:
            evaluate_some(port, token, model, question, answer, 1, wrong)
            counts[i] += 1
            why = "another answer" if wrong.value > before else ""
        except (OSError, http.client.HTTPException, ValueError, KeyError, RuntimeError) as error:
            why = f"{type(error).__name__}: {error}"[:300]
            with wrong.get_lock():
                wrong.value += 1
        if why and before < MOST_REASONS:
            reasons.put(why)


def at_priority(nice, client, *arguments):
    os.nice(nice)
    client(*arguments)


def hostile(options, folder):
    bench = Bench(options.tacit, folder, 1)
    count = len(hostile_clients.CLIENTS)
    server = Server(options.tacit, [folder / "model"], folder, "--memory", options.memory)
    tokens = [server.add_client(f"client-{i}") for i in range(2 * count)]
    server.start()
    for token in tokens:
        status, state = Caller(server, token).upload(bench.model, bench.keys)
        assert (status, state["state"]) == (200, "ready"), state
    wrong, reasons, memory = multiprocessing.Value("i", 0), multiprocessing.SimpleQueue(), []

    def run(seconds, harm):
        until, counts = time.monotonic() + seconds, multiprocessing.Array("i", count)
        callers = [multiprocessing.Process(target=at_priority, args=(options.nice, honest, server.port, tokens[i], bench.model, bench.question, bench.answer,
                                                                until, counts, i, wrong, reasons)) for i in range(count)]
        for i, client in enumerate(hostile_clients.CLIENTS if harm else ()):
            victim = hostile_clients.Victim(server.port, tokens[count + i], bench.model, bench.keys, bench.question, until)
            callers.append(multiprocessing.Process(target=at_priority, args=(options.nice, client, victim)))
        for caller in callers:
            caller.start()
        while time.monotonic() < until and server.process.poll() is None:
            time.sleep(1)
            memory.append(server.resident_bytes())
        for caller in callers:
            caller.join(60)
            caller.kill()
        return list(counts)

    alone_seconds = min(60, 15 * options.minutes)
    alone = sum(run(alone_seconds, False)) / alone_seconds
    beside = run(60 * options.minutes, True)
    alive = server.process.poll() is None and Caller(server, "").json("GET", "/health")[0] == 200
    if alive:
        server.stop()
    share = sum(beside) / (60 * options.minutes) / alone
    return {"minutes": options.minutes, "alone_per_second": round(alone, 1), "share_beside_hostile": round(share, 3),
            "evaluations": beside, "wrong": wrong.value, "why_wrong": [reasons.get() for _ in iter(reasons.empty, True)], "alive": alive, "most_memory_mib": max(memory) >> 20,
            "passed": alive and wrong.value == 0 and share >= LEAST_BESIDE_HOSTILE and max(memory) < MOST_MEMORY and min(beside) > 0}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tacit")
    parser.add_argument("what", choices=("throughput", "kills", "soak", "fuzz", "hostile"))
    parser.add_argument("--evaluations", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--memory", default="1GiB", help="what the server of hostile clients may take")
    parser.add_argument("--nice", type=int, default=10, help="added to the niceness of honest and hostile clients; 0: as the server")
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = {"what": options.what, "processors": os.cpu_count(), "load": os.getloadavg()[0]}
        report.update(globals()[options.what](options, pathlib.Path(folder)))
    print(json.dumps(report))
    return 0 if report["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
