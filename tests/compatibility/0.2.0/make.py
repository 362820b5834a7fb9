#!/usr/bin/env python3
"""Writes files of every kind with the command of one version, for read_test.py of later versions.

    make.py TACIT

The files beside this script were written by a command of version 0.2.0, built from commit d773ae2dcd88 with changes that were not
committed yet. Every run writes other keys and ciphertexts, so it is repeated only to add a kind of file. Do not run it with a later
version: that version has a folder of its own.

The parameter sets are tiny and insecure, and the keys are public. The prices of operations were doubled or halved at random, those of
the command line and those that are built into the command. So the choices in these files are not the choices of another version.
Needs the Python packages numpy and onnx.
"""
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
SEED = 1
PRICES = {"ntt_ns": 0.072, "mac_ns": 0.07, "key_ns": 0.26, "product_ns": 0.24, "far_ns": 0.34, "embed_ns": 1.2, "touch_ns": 1.5,
          "threads": 1, "cache_mib": 26}
BUILT_IN = ("ntt_ns", "mac_ns", "key_ns", "product_ns", "far_ns")  # adjacent in the command's constants
LEVELED = {"name": "tiny leveled", "log_n": 5, "q_bits": [50] + 8 * [40], "p_bits": [47, 47], "log_scale": 40, "insecure": True}
BOOTSTRAPPING = {  # S8 on a small ring
    "name": "tiny S8", "log_n": 6, "q_bits": [50] + 11 * [40] + 6 * [50] + 2 * [29] + [50] + 4 * [47], "p_bits": 12 * [47],
    "log_scale": 40, "insecure": True, "digits": [13, 12],
    "bootstrap": {"slots_to_coefficients": 3, "sine": [1, 2, 1, 1, 1, 1, 1, 1], "coefficients_to_slots": 4, "ephemeral_weight": 32}}
INTEGERS = {
    "scheme": "tfhe", "name": "tiny tables", "bits": 5, "lwe_dimension": 16, "glwe_dimension": 1, "log_polynomial": 8,
    "log_extension": 1, "lwe_noise_bits": 2, "glwe_noise_bits": 2, "log_tables": 0, "norm2": 8, "log2_failure": -40,
    "bootstrap": {"base_log": 24, "levels": 1}, "key_switch": {"base_log": 6, "levels": 3}, "insecure": True}
# The seed of RFC 8032, section 7.1, test 1, and its public key.
SIGNING_KEY = """-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
"""
SIGNER = """-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
"""
ROWS, STORED = 4, 2  # rows of x.npy, and how many of them the stored ciphertexts hold
CKKS_SETS = ("N13-d4", "N13-d5", "N14-d7", "N14-d9", "N15-d14", "N15-d15", "N16-d32", "N15-S5", "S8", "S11", "S14", "S15")


def run(tacit, *arguments, folder):
    done = subprocess.run([tacit, *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"tacit {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def with_other_prices(tacit, prices, folder):
    """A copy of the command whose built-in prices are these."""
    text = pathlib.Path(tacit).read_bytes()
    layout = f"<{len(BUILT_IN)}d"
    old, new = (struct.pack(layout, *(table[name] for name in BUILT_IN)) for table in (PRICES, prices))
    if text.count(old) != 1:
        sys.exit("the built-in prices were not found in the command: change src/params/cost_table.h, build, and leave this step out")
    copy = folder / "tacit"
    copy.write_bytes(text.replace(old, new))
    copy.chmod(0o755)
    return copy


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def softmax(x):
    e = numpy.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


class Model:
    """An ONNX file with weights from a seed, and the same function in numpy."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.nodes, self.weights, self.domains = [], {}, {"": 13}

    def add(self, operator, inputs, output, **attributes):
        self.nodes.append(helper.make_node(operator, inputs, [output], name=f"make {output}", **attributes))

    def constant(self, name, *shape):
        self.weights[name] = self.random.uniform(-0.8, 0.8, shape).astype(numpy.float32).round(3)
        return name

    def save(self, path, outputs):
        def tensor(name, width):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", width])

        graph = helper.make_graph(self.nodes, path.parent.name, [tensor("x", 4)], [tensor(*one) for one in outputs],
                                  [numpy_helper.from_array(value, name) for name, value in self.weights.items()])
        opsets = [helper.make_opsetid(domain, version) for domain, version in self.domains.items()]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="tacit")
        onnx.checker.check_model(model)
        onnx.save(model, path)


def leveled(path, x):
    """A scaler and a softmax for the client, and an input that is an output."""
    m = Model(1)
    m.weights["mean"] = numpy.array([0.1, -0.2, 0, 0.3], numpy.float32)
    m.add("Sub", ["x", "mean"], "centred")
    m.add("Gemm", ["centred", m.constant("w1", 4, 4), m.constant("b1", 4)], "a")
    m.add("Sigmoid", ["a"], "s")
    m.add("Gemm", ["s", m.constant("w2", 4, 3), m.constant("b2", 3)], "scores")
    m.add("Softmax", ["scores"], "probabilities", axis=1)
    m.save(path, [("probabilities", 3), ("x", 4)])
    w = m.weights
    return {"probabilities": softmax(sigmoid((x - w["mean"]) @ w["w1"] + w["b1"]) @ w["w2"] + w["b2"]), "x": x}


def bootstrapped(path, x):
    """Deep enough to bootstrap."""
    m = Model(2)
    m.add("Gemm", ["x", m.constant("w0", 4, 4), m.constant("b0", 4)], "a0")
    a = x @ m.weights["w0"] + m.weights["b0"]
    for i in range(5):
        m.add("Sigmoid", [f"a{i}"], f"s{i}")
        m.add("Gemm", [f"s{i}", m.constant(f"w{i + 1}", 4, 2 if i == 4 else 4)], f"a{i + 1}")
        a = sigmoid(a) @ m.weights[f"w{i + 1}"]
    m.save(path, [("a5", 2)])
    return {"a5": a}


def tables(path, x):
    """Sums and lookups."""
    m = Model(3)
    m.add("Gemm", ["x", m.constant("w1", 4, 4), m.constant("b1", 4)], "a")
    m.add("Relu", ["a"], "y")
    m.save(path, [("y", 4)])
    return {"y": numpy.maximum(0, x @ m.weights["w1"] + m.weights["b1"])}


def trees(path, x):
    """Two trees, so that clients get borders of features."""
    m = Model(4)
    m.domains["ai.onnx.ml"] = 3
    m.add("TreeEnsembleRegressor", ["x"], "y", domain="ai.onnx.ml", n_targets=1,
          nodes_treeids=[0, 0, 0, 0, 0, 1, 1, 1], nodes_nodeids=[0, 1, 2, 3, 4, 0, 1, 2], nodes_featureids=[0, 2, 0, 0, 0, 1, 0, 0],
          nodes_values=[0.25, -0.5, 0.0, 0.0, 0.0, 0.125, 0.0, 0.0], nodes_truenodeids=[1, 2, 0, 0, 0, 1, 0, 0],
          nodes_falsenodeids=[4, 3, 0, 0, 0, 2, 0, 0],
          nodes_modes=["BRANCH_LEQ", "BRANCH_LT", "LEAF", "LEAF", "LEAF", "BRANCH_GT", "LEAF", "LEAF"],
          target_treeids=[0, 0, 0, 1, 1], target_nodeids=[2, 3, 4, 1, 2], target_ids=[0, 0, 0, 0, 0],
          target_weights=[1.0, 2.0, -3.5, 0.5, 0.25])
    m.save(path, [("y", 1)])
    first = numpy.where(x[:, 0] <= 0.25, numpy.where(x[:, 2] < -0.5, 1.0, 2.0), -3.5)
    return {"y": (first + numpy.where(x[:, 1] > 0.125, 0.5, 0.25))[:, None]}


# The model, the parameter set, more options, and the largest error of an answer.
CASES = {
    "leveled": (leveled, LEVELED, [], 0.01),
    "bootstrapped": (bootstrapped, BOOTSTRAPPING, [], 0.01),
    "tables": (tables, INTEGERS, ["--scheme", "tfhe", "--bits", "5", "--failure", "2^-40", "--rounding", "exact"], 0.1),
    "trees": (trees, INTEGERS, ["--scheme", "tfhe", "--bits", "5", "--failure", "2^-40"], 1e-6),
}


def catch_checkpoint(tacit, folder):
    """Keeps the checkpoint of a run that would end too soon to be interrupted."""
    kept = folder / "checkpoint/run-0.checkpoint"
    kept.parent.mkdir()
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        made = pathlib.Path(scratch) / "run-0.checkpoint"
        for _ in range(200):
            evaluation = subprocess.Popen(
                [tacit, "evaluate", "server.tacit", "--keys", "evaluation", "--input", "question", "-o", f"{scratch}/y", "--checkpoint",
                 scratch, "--insecure"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while evaluation.poll() is None and not kept.exists():
                try:
                    os.link(made, kept)
                except FileNotFoundError:
                    time.sleep(0)
            evaluation.wait()
            if kept.exists():
                return
    sys.exit("no checkpoint could be caught")


def make_case(tacit, name, folder, x):
    function, literal, options, error = CASES[name]
    folder.mkdir()
    right = {output: values[:ROWS].tolist() for output, values in function(folder / "model.onnx", x.astype(numpy.float64)).items()}
    (folder / "parameters.json").write_text(json.dumps(literal) + "\n")
    if name == "leveled":
        (folder / "shard.json").write_text('{"make a": "x:2,y:2"}\n')
    options = ["--parameters", "parameters.json", *options]
    def do(*arguments):
        return run(tacit, *arguments, folder=folder)

    on_integers = "tfhe" in options
    priced = options if on_integers else [*options, "--costs", "../costs.json"]
    samples = ["--calibrate", "../train.npy"] if on_integers else ["--ranges", "ranges.json"]
    public = [] if on_integers else ["--public", "public"]
    if not on_integers:
        do("calibrate", "model.onnx", "--input", "../train.npy", "-o", "ranges.json", *priced)
    do("compile", "model.onnx", *samples, "-o", ".", *priced)
    do("keygen", "client.tacit", "--secret", "secret", "--evaluation", "evaluation", "--insecure", *public)
    for key, question in [("secret", "question")] + [("public", "public_question")] * bool(public):
        do("encrypt", "client.tacit", "--key", key, "--input", "../x.npy", "--count", STORED, "-o", question, "--insecure")
    do("evaluate", "server.tacit", "--keys", "evaluation", "--input", "question", "-o", "results", "--sign", "../signing.pem", "--insecure")
    do("decrypt", "client.tacit", "--key", "secret", "--input", "results", "--question", "question", "-o", "answers.json",
       "--output-format", "json", "--insecure")
    answers = json.loads((folder / "answers.json").read_text())
    for output, values in right.items():
        found = numpy.array([row[output] for row in answers])
        worst = numpy.abs(found - numpy.array(values)[:STORED].reshape(found.shape)).max()
        print(f"{name}: {output} is off by {worst:.2g}")
        if worst > error:
            sys.exit(f"{name}: too far off")
    made = {"options": [*samples, *options], "insecure": True, "error": error, "right": right, "stored": STORED}
    if name == "bootstrapped":
        made["bootstraps"] = json.loads(do("plan", "model.onnx", *samples, *priced, "--json"))["bootstraps"]
        catch_checkpoint(tacit, folder)
        do("decrypt", "client.tacit", "--key", "secret", "--input", "results", "--question", "question", "-o", "shared.json",
           "--output-format", "json", "--share", 1, "--insecure")
        (folder / "shared.json").unlink()
    return made


def require_other_choices(tacit, folder, scratch):
    """Ends the script if the stored program is the one that the default prices lead to."""
    run(tacit, "compile", "model.onnx", "--calibrate", "../train.npy", "--parameters", "parameters.json", "--server", scratch / "server",
        "--client", scratch / "client", folder=folder)
    if (scratch / "server").read_bytes() == (folder / "server.tacit").read_bytes():
        sys.exit("the prices do not matter: take another seed")


def make_merkle(tacit, folder):
    folder.mkdir()
    for name, count in (("log.1", 40), ("log.2", 24)):
        (folder / name).write_bytes(bytes(range(count)) * 8)
    (folder / "both").write_bytes((folder / "log.1").read_bytes() + (folder / "log.2").read_bytes())
    chunk = ["--chunk", 64]

    def root(file):
        return json.loads(run(tacit, "merkle", "root", file, *chunk, "--json", folder=folder))["root"]

    for ending in ("", ".json"):
        run(tacit, "merkle", "root", "log.1", *chunk, "--cap", 2, "-o", f"cap{ending}", folder=folder)
        run(tacit, "merkle", "prove", "log.1", *chunk, "--index", "1,3", "-o", f"proof{ending}", folder=folder)
        run(tacit, "merkle", "prove", "log.1", *chunk, "--index", 3, "--cap", 2, "-o", f"proof_to_cap{ending}", folder=folder)
        run(tacit, "merkle", "append", "log.1", "log.2", *chunk, "-o", f"growth{ending}", folder=folder)
    made = {"root": root("both"), "old_root": root("log.1")}
    (folder / "both").unlink()
    for i in (1, 3):
        (folder / f"chunk.{i}").write_bytes((folder / "log.1").read_bytes()[64 * i:64 * i + 64])
    return made


def make_sets(tacit, folder):
    """A server's half and the literal of every named set. Returns the literals."""
    folder.mkdir()
    linear = Model(5)
    linear.add("Gemm", ["x", linear.constant("w", 4, 2)], "y")
    linear.save(folder / "model.onnx", [("y", 2)])
    literals = {}
    for name in CKKS_SETS:
        with tempfile.TemporaryDirectory() as scratch:
            options = ["../bootstrapped/model.onnx" if "S" in name else "../leveled/model.onnx", "--parameters", name, "--calibrate",
                       "../train.npy"]
            if name in ("N13-d4", "N13-d5"):
                options += ["--max-degree", 3, "--max-polynomial-error", 1]
            run(tacit, "compile", *options, "-o", scratch, folder=folder)
            shutil.copy(f"{scratch}/server.tacit", folder / f"{name}.tacit")
        options = ["model.onnx", "--parameters", name, "--calibrate", "../train.npy", "--json"]
        literals[name] = json.loads(run(tacit, "plan", *options, folder=folder))["parameters"]
    for bits in range(2, 9):
        for failure in (128, 64, 40):
            name = f"T{bits}" + (f"-{failure}" if failure < 128 else "")
            options = ["../tables/model.onnx", "--parameters", name, "--calibrate", "../train.npy", "--scheme", "tfhe", "--bits", bits,
                       "--failure", f"2^-{failure}", "--json"]
            literals[name] = json.loads(run(tacit, "plan", *options, folder=folder))["parameters"]
    return literals


def make_service(tacit, folder):
    """The state of a service that has keys of a client and a job that is done."""
    folder.mkdir()
    (folder / "token").write_text(run(tacit, "serve", "--tokens", "tokens", "--add-client", "anna", folder=folder))
    (folder / "token").chmod(0o600)
    server = subprocess.Popen([tacit, "serve", "../leveled", "--listen", "127.0.0.1:0", "--insecure-http", "--insecure", "--state", "state",
                               "--tokens", "tokens"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())[0]
        token = (folder / "token").read_text().strip()

        def ask(method, path, body=None):
            request = urllib.request.Request(address + path, body, {"Authorization": "Bearer " + token}, method=method)
            with urllib.request.urlopen(request) as reply:
                return json.load(reply)

        model = ask("GET", "/v1/models")["models"][0]["id"]
        ask("PUT", f"/v1/models/{model}/keys", (HERE / "leveled/evaluation").read_bytes())
        job = ask("POST", f"/v1/models/{model}/evaluations", (HERE / "leveled/question").read_bytes())["job"]
        while ask("GET", f"/v1/jobs/{job}?wait=30")["state"] != "done":
            pass
    finally:
        server.terminate()
        server.wait()
    return {"model": model, "job": job}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for entry in HERE.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry)
    chance = random.Random(SEED)
    listed, built_in = ({name: price * chance.choice((0.5, 2)) for name, price in PRICES.items()} for _ in range(2))
    (HERE / "costs.json").write_text(json.dumps({"machine": "doubled or halved at random", **listed}) + "\n")
    (HERE / "signing.pem").write_text(SIGNING_KEY)
    (HERE / "signing.pem").chmod(0o600)
    (HERE / "signer.pem").write_text(SIGNER)
    rows = numpy.random.default_rng(SEED)
    numpy.save(HERE / "train.npy", rows.uniform(-1, 1, (64, 4)).astype(numpy.float32))
    x = rows.uniform(-0.9, 0.9, (ROWS, 4)).astype(numpy.float32)
    numpy.save(HERE / "x.npy", x)
    numpy.save(HERE / "new.npy", x[STORED:])
    with tempfile.TemporaryDirectory() as scratch:
        tacit = with_other_prices(sys.argv[1], built_in, pathlib.Path(scratch))
        words = run(tacit, "--version", folder=HERE).replace(",", "").split()
        made = {"version": words[1], "commit": words[words.index("(commit") + 1], "cases": {}}
        for name in CASES:
            made["cases"][name] = make_case(tacit, name, HERE / name, x)
        require_other_choices(sys.argv[1], HERE / "bootstrapped", pathlib.Path(scratch))
        made["merkle"] = make_merkle(tacit, HERE / "merkle")
        made["sets"] = make_sets(tacit, HERE / "sets")
        made["service"] = make_service(tacit, HERE / "service")
    (HERE / "signing.pem").unlink()
    (HERE / "made.json").write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
