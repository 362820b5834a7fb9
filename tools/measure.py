#!/usr/bin/env python3
"""Runs a suite of measurements and writes its file in bench/results/.

    tools/measure.py SUITE [--build build/release] [--data FOLDER] [--machine NAME] [--only TEXT] [--short] [--harness FOLDER] [-o FILE]
    tools/measure.py --list

Example, and then the page:

    tools/measure.py ckks
    tools/measurements.py --write

The file is named by machine, commit and suite. A suite that needs data takes it from --data or $TACIT_DATA; what it
leaves out is printed and stands in the notes of the file. Nothing else should run. --short takes the shortest runs, to
try a suite, and needs -o. --only keeps the rows, models or cases whose name contains a text, where a suite has such.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from measure_search import search
from result_files import DETAILS, RESULTS, ROOT, SCHEMA, UNKNOWN, Wrong, check, key, name_of, text_of
from suite import WORKLOADS

# Operations of CKKS that the page shows; the others stay in the file.
SHOWN = re.compile(r"(add|rotate|multiply, relinearise, rescale), (N\d\d-d\d+|S11)|NTT \w+, N 2\^1[46], 50-bit prime|"
                   r"(rotate 16 hoisted|polynomial of degree 59 .*), S11|linear map of (128|144) .*, S8")
COUNTS = {1: "one thread", 2: "two threads"}
MEDIAN = "median"
TFHE_FULL = "key switch + bootstrap"
MNIST = ("--scale", "255", "--mean", "0.1307", "--std", "0.3081")
CIFAR = ("--scale", "255", "--mean", "0.485,0.456,0.406", "--std", "0.229,0.224,0.225")
TREES = "examples/trees"


class Network:
    """A model, its inputs, and how they are prepared. Files are below $TACIT_DATA, or below the checkout if `own`. `samples` calibrate it:
    a file, or the inputs from the 200th on."""

    def __init__(self, what, model, images, options, count, table="networks", own=False, samples=None):
        self.what, self.model, self.images, self.options = what, model, images, options
        self.count, self.table, self.own, self.samples = count, table, own, samples


def image_network(what, model, options, count, table="networks", more=()):
    data = model.split("/")[0]
    return Network(what, f"models/{model}.onnx", (f"{data}/images_public.npy", f"{data}/labels_public.npy"),
                   (*options, *more), count, table)


def sequence_network(what, name, count):
    folder = f"networks/{name}"
    return Network(what, f"{folder}/model.onnx", (f"{folder}/rows.npy", f"{folder}/labels.npy"), (), count, samples=f"{folder}/train.npy")


INTEGERS = ("--scheme", "tfhe", "--bits")
NETWORKS = (
    image_network("LoLa small, MNIST", "mnist/lola_small_mnist", ("--scale", "256"), 100),
    image_network("CryptoNets, MNIST", "mnist/cryptonets_mnist", ("--scale", "256"), 100),
    image_network("perceptron, MNIST", "mnist/mlp_mnist_heir", MNIST, 100),
    image_network("LeNet-5, MNIST", "mnist/lenet5_mnist_heir", (*MNIST, "--pad", "2"), 20),
    image_network("mnist8 with MaxPool, MNIST", "mnist/mnist8_opt_wonnx", (), 3),
    image_network("square CNN, Fashion-MNIST", "fashion_mnist/fashion_square_cnn",
                  ("--scale", "255", "--mean", "0.286", "--std", "0.353"), 100),
    image_network("ResNet-20, CIFAR-10", "cifar10/resnet20_cifar10_pre", CIFAR, 10),
    image_network("ResNet-32, CIFAR-10", "cifar10/resnet32_cifar10_pre", CIFAR, 2),
    image_network("ResNet-56, CIFAR-10", "cifar10/resnet56_cifar10_pre", CIFAR, 2),
    image_network("SqueezeNet, CIFAR-10", "cifar10/squeezenet_cifar10", CIFAR, 10),
    sequence_network("llama of two layers, rows of digits", "llama_digits_opset23_dynamo", 3),
    sequence_network("BERT of two layers, languages", "bert_language_dynamo", 2),
    sequence_network("vision transformer of two layers, MNIST", "vit_mnist_dynamo", 3),
    sequence_network("LSTM of 64 units, rows of MNIST", "lstm_mnist_rows_dynamo", 2),
    image_network("perceptron, MNIST", "mnist/mlp_mnist_heir", MNIST, 2, "integers", (*INTEGERS, "5")),
    Network("boosted trees of examples/trees", f"{TREES}/boosted.onnx", (f"{TREES}/test.npy", f"{TREES}/labels.npy"),
            (*INTEGERS, "4"), 10, "integers", own=True, samples=f"{TREES}/train.npy"),
    Network("forest of examples/trees", f"{TREES}/forest.onnx", (f"{TREES}/test.npy", f"{TREES}/labels.npy"),
            (*INTEGERS, "4"), 10, "integers", own=True, samples=f"{TREES}/train.npy"),
    Network("perceptron of examples/trees", f"{TREES}/perceptron.onnx", (f"{TREES}/test.npy", f"{TREES}/labels.npy"),
            (*INTEGERS, "4"), 10, "integers", own=True, samples=f"{TREES}/train.npy"),
)


def row(table, what, measure, value, unit, quality):
    value = float(f"{value:.6g}") if isinstance(value, float) else value
    return {"table": table, "what": what, "measure": measure, "value": value, "unit": unit, "quality": quality}


class Runner:
    """Runs commands of a build, and keeps them for the file as a reader would type them."""

    def __init__(self, options):
        self.build, self.only, self.short = options.build.resolve(), options.only, options.short
        self.threads = options.threads
        self.harness = options.harness
        self.data = options.data.resolve() if options.data else None
        self.commands, self.notes = [], []

    def program(self, name):
        path = self.build / "bin" / name
        if not path.is_file():
            raise Wrong(f"{self.build} has no bin/{name}: build it, or name a build with --build")
        return path

    def typed(self, words):
        """A command without the places of this machine."""
        text = " ".join(f"'{word}'" if re.search(r"[\s*]", str(word)) else str(word) for word in words)
        for place, name in ((sys.executable, "python3"), (f"{self.build}/bin/", ""), (self.build, "build"),
                            (self.data, "$TACIT_DATA"), (f"{ROOT}/", "")):
            text = text.replace(str(place), name) if place else text
        return re.sub(re.escape(tempfile.gettempdir()) + r"/tmp\w+", "FOLDER", text)

    def text(self, *words, statuses=(0,), environment=()):
        self.commands.append(self.typed(words))
        print(self.commands[-1], file=sys.stderr, flush=True)
        done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT,
                              env={**os.environ, **dict(environment)})
        if done.returncode not in statuses:
            raise Wrong(f"'{self.commands[-1]}' ended with status {done.returncode}")
        return done.stdout

    def json(self, *words, **settings):
        return json.loads(self.text(*words, **settings))

    def skip(self, what):
        self.notes.append(f"not run: {what}")
        print(f"skipped: {what}", file=sys.stderr)

    def wants(self, name):
        return not self.only or self.only in name

    def filter(self):
        return ("--filter", self.only) if self.only else ()


def ckks_rows(report):
    rows = []
    for result in report["results"]:
        what = f"{result['operation']}, {result['parameters'].split(':')[0]}"
        table = "operations" if SHOWN.fullmatch(what) else DETAILS
        if result["operation"].startswith("bootstrap"):
            table = "bootstraps"
        measure = COUNTS.get(result["threads"], f"{result['threads']} threads")
        rows.append(row(table, what, measure, result["seconds"], "s", MEDIAN))
    return rows


def ckks(runner):
    """On one thread, and then on all."""
    rows = []
    for threads in dict.fromkeys((1, runner.threads or os.cpu_count() or 1)):
        words = ("bench", "ckks", "--seconds", 0.01 if runner.short else 1, "--threads", threads, "--json")
        rows += ckks_rows(runner.json(runner.program("tacit"), *words, *runner.filter()))
    return list({key(entry): entry for entry in rows}.values())  # transforms run on one thread both times


def tfhe_rows(report):
    rows = []
    for result in report["results"]:
        if not result["operation"].startswith(TFHE_FULL):
            batch = f", batch {result['batch']}" if result["batch"] else ""
            rows.append(row(DETAILS, f"{result['operation']}, {result['parameters']}{batch}", "time", result["seconds_each"], "s", MEDIAN))
            continue
        name, bits = result["parameters"].split(":")[0], result["parameters"].split(":")[1].split()[0]
        what = f"a lookup of {bits} bits, {name}"
        measure = "alone" if result["batch"] == 1 else f"of {result['batch']}, each"
        rows.append(row("lookups", what, measure, result["seconds_each"], "s", MEDIAN))
        if result["batch"] == 1:
            rows.append(row("lookups", what, "bootstrapping key", result["bootstrap_key_bytes"], "B", MEDIAN))
            rows.append(row("lookups", what, "key switching key", result["key_switch_key_bytes"], "B", MEDIAN))
    return rows


def tfhe(runner):
    words = ("bench", "tfhe", "--seconds", 0.02 if runner.short else 1, "--threads", runner.threads or 1, "--json")
    return tfhe_rows(runner.json(runner.program("tacit"), *words, *runner.filter()))


PUBLISHED_TREE = 1 << 20


def merkle_rows(report):
    rows = [row("merkle", result["operation"], "time", result["seconds"], "s", MEDIAN)
            for result in report["operations"]]
    for tree in report["trees"]:
        group = f", groups of {tree['group']}" if tree["approach"] == 2 else ""
        device = "processor" if tree["device"] == "cpu" else f"{tree['device']}: {tree['name']}"
        entry = row("trees", f"{device}, approach {tree['approach']}{group}", f"2^{tree['leaves'].bit_length() - 1}",
                    tree["kernel_seconds"], "s", f"median of {report['repeats']}, without transfers")
        published = next((other for other in report["published"] if tree["leaves"] == PUBLISHED_TREE and
                          all(other[field] == tree[field] for field in ("leaves", "approach", "group"))), None)
        if published:
            entry["peer"] = {"name": "published", "version": published["device"], "value": published["kernel_seconds"],
                             "quality": "a quarter of the leaves read"}
        rows.append(entry)
    return rows


def merkle(runner):
    size = ("--first", 10, "--last", 10, "--seconds", 0.01) if runner.short else ("--repeats", 3)
    return merkle_rows(runner.json(runner.program("tacit"), "bench", "merkle", *size, "--smallest-group", 32,
                                   "--largest-group", 32, "--threads", runner.threads, "--json"))


def conv_rows(report):
    names = {"stem": "7 x 7, 3 to 64 channels, stride 2, at 224 x 224", "stage1": "3 x 3, 64 channels, at 56 x 56",
             "stage2": "3 x 3, 128 channels, at 28 x 28", "stage3": "3 x 3, 256 channels, at 14 x 14",
             "stage4": "3 x 3, 512 channels, at 7 x 7", "pointwise": "1 x 1, 2048 to 512 channels, at 7 x 7"}
    rows = []
    for result in report["results"]:
        what = names.get(result["case"], result["case"])
        quality = f"largest error {result['largest_error']:.2g}, largest result {result['largest_result']:.2g}"
        for measure, value, unit in (("time", result["evaluate_seconds"], "s"), ("memory", result["peak_bytes"], "B"),
                                     ("plan", result["planning_seconds"], "s"), ("encode", result["encode_seconds"], "s"),
                                     ("rotations", result["plan"]["rotations"], "count")):
            rows.append(row("convolutions", what, measure, value, unit, quality))
        if result.get("published_seconds"):
            source = ("published", "decision 0038") if result["case"] == "stem" else ("MetaKernel", "OOPSLA 2025")
            rows[-5]["peer"] = {"name": source[0], "version": source[1], "value": result["published_seconds"]}
    return rows


def conv(runner):
    case = ("--case", runner.only) if runner.only else ("--case", "stem") if runner.short else ()
    repeats = ("--repeats", 1 if runner.short else 5)
    return conv_rows(runner.json(runner.program("tacit"), "bench", "conv", *repeats, *case, "--threads", runner.threads,
                                 "--json"))


def network_rows(network, report):
    images, agreeing = report["images"], round(report["agreement"] * report["images"])
    quality = f"largest error of an output {report['max_abs_error']:.2g}"
    if report["misses"]:
        quality += f"; {report['misses']} without an answer"
    seconds = report["seconds"]
    found = [("time", seconds["evaluate"], "s"), ("slowest", seconds["evaluate_worst"], "s"),
             ("memory", report["peak_memory_bytes"], "B"), ("agreement", agreeing, f"of {images}"),
             ("compile", seconds["compile"], "s"), ("make keys", seconds["keygen"], "s")]
    if seconds.get("encode"):
        found.append(("encode weights", seconds["encode"], "s"))
    if report["scheme"] == "tfhe":
        found.append(("lookups", report["lookups"], "count"))
    return [row(network.table, network.what, measure, value, unit, quality) for measure, value, unit in found]


def networks(runner):
    rows = []
    for network in NETWORKS:
        if not runner.wants(network.what):
            continue
        folder = ROOT if network.own else runner.data
        model, inputs, labels = (folder / path if folder else None for path in (network.model, *network.images))
        if not folder or not all(path.is_file() for path in (model, inputs, labels)):
            runner.skip(f"{network.what}: there is no $TACIT_DATA/{network.model} with its inputs")
            continue
        samples = ("--calibrate", folder / network.samples) if network.samples else \
            ("--calibrate", inputs, "--calibrate-first", 200)
        rows += network_rows(network, runner.json(
            runner.program("tacit"), "run", model, "--input", inputs, "--labels", labels, "--count",
            1 if runner.short else network.count, *network.options, *samples, "--threads", runner.threads, "--json"))
    return rows


# The tokens of encoders in the shape of BERT-tiny, and the memory that they may take.
ENCODERS = ((16, "9GiB"), (32, "9GiB"), (64, "11GiB"), (128, "13GiB"))


def encoders(runner):
    rows = []
    for tokens, memory in ENCODERS[:1] if runner.short else ENCODERS:
        what = f"BERT-tiny with drawn weights, {tokens} tokens, within {memory}"
        if not runner.wants(what):
            continue
        with tempfile.TemporaryDirectory() as folder:
            runner.text(sys.executable, ROOT / "bench/encoder/encoder.py", "--tokens", tokens, "--output", folder)
            made = pathlib.Path(folder)
            rows += network_rows(Network(what, "", (), (), 0), runner.json(
                runner.program("tacit"), "run", made / "model.onnx", "--input", made / "test.npy", "--count", 1 if runner.short else 2,
                "--calibrate", made / "train.npy", "--memory", memory, "--threads", runner.threads, "--json"))
    return rows


def service_rows(reports):
    rows = []

    def add(what, value, unit, quality):
        rows.append(row("service", what, "value", value, unit, quality))

    share, kills, soak = (reports.get(name) for name in ("throughput", "kills", "soak"))
    if share:
        turns = sorted(turn["share"] for turn in share["turns"])
        wrong = sum(turn["wrong"] for turn in share["turns"])
        add(f"throughput with {share['clients']} clients, of tacit evaluate in one process",
            turns[len(turns) // 2] * 100, "%",
            f"median of {len(turns)}; {wrong} wrong results of {share['evaluations'] * len(turns)}")
    if kills:
        add("accepted jobs with right results after kills of the server", kills["right"], f"of {kills['accepted']}",
            f"{kills['kills']} kills; keys {kills['keys']}; {kills['twice']} jobs were refused after two kills")
    if soak:
        quality = f"{soak['evaluations']} evaluations in {soak['minutes']:g} minutes, {soak['wrong']} wrong"
        add("memory of the server under load, most", max(soak["memory_mib"]) << 20, "B", quality)
        add(f"growth of memory in the last third of {soak['minutes']:g} minutes", soak["growth_of_last_third"] * 100,
            "%", quality)
    return rows


def service(runner):
    tool, tacit, reports = ROOT / "tools/soak_service.py", runner.program("tacit"), {}
    for what, short in (("throughput", ("--evaluations", 32, "--turns", 1)), ("kills", ("--kills", 1)),
                        ("soak", ("--minutes", 0.2))):
        if runner.wants(what):
            reports[what] = runner.json(sys.executable, tool, tacit, what, *(short if runner.short else ()),
                                        statuses=(0, 1))
    return service_rows(reports)


def python_rows(reports):
    rows = []

    def add(what, value, unit, quality):
        rows.append(row("python", what, "value", value, unit, quality))

    added, both, interrupt = (reports.get(name) for name in ("overhead", "threads", "interrupt"))
    if added:
        least, _, most = (share * 100 for share in added["added_by_geometric_mean"])
        add("time that Python adds to an evaluation of LeNet-5", added["added"] * 100, "%",
            f"median of {added['pairs']} pairs; 95 % interval of the mean {least:.1f} to {most:.1f} %")
    if both:
        add("two models in two threads, against one after the other", both["gain"], "times",
            f"median of {len(both['turns'])}")
    if interrupt:
        quality = f"{interrupt['interruptions']} interruptions of ResNet-20"
        add("from an interrupt to the exception, at most", interrupt["longest_wait"], "s", quality)
        add("growth of memory by interruptions", interrupt["growth"] * 100, "%", quality)
    return rows


def python(runner):
    package = runner.build / "python"
    if not package.is_dir():
        raise Wrong(f"{runner.build} has no package of Python: configure with -DTACIT_PYTHON=ON")
    if not runner.data or not (runner.data / "models/mnist/lenet5_mnist_heir.onnx").is_file():
        raise Wrong("the suite 'python' needs models/mnist of the data folder: name it with --data or $TACIT_DATA")
    reports = {}
    for what, long, short in (("overhead", ("--pairs", 50), ("--pairs", 2)),
                              ("threads", (), ("--seconds", 1, "--turns", 1)),
                              ("interrupt", (), ("--interruptions", 2))):
        if runner.wants(what):
            program = (runner.program("evaluate_on_request"),) if what == "overhead" else ()
            reports[what] = runner.json(sys.executable, ROOT / "tools/measure_python.py", runner.data, what, *program,
                                        *(short if runner.short else long), statuses=(0, 1),
                                        environment={"PYTHONPATH": package}.items())
    return python_rows(reports)


ENCRYPTED_ROWS = 5


def cases_rows(printed, how):
    said = dict(re.findall(r"^(\S+): (.*)$", printed, re.M))
    if not said:
        raise Wrong("no case ran")
    right = sum(answer == "as it should be" for answer in said.values())
    wrong = [f"{name}: {answer}" for name, answer in said.items() if answer != "as it should be"]
    return [row("correctness", f"situations of public reports, {how}: right, or refused with a way out", "value",
                right, f"of {len(said)}", "; ".join(wrong) or "within 2 % of the range, or within the stated error")]


def cases(runner):
    """Simulated, and the first rows on ciphertexts."""
    if not runner.data or not (runner.data / "cases").is_dir():
        raise Wrong("the suite 'cases' needs the folder cases of the data folder: name it with --data or $TACIT_DATA")
    names = [path.name for path in sorted((runner.data / "cases").iterdir())
             if path.is_dir() and runner.wants(path.name)]
    names = names[:2] if runner.short else names if runner.only else ()
    ask = lambda *more: runner.text(sys.executable, ROOT / "tests/cases/cases_test.py", runner.program("tacit"), *more,  # noqa: E731
                                    *names, statuses=(0, 1), environment={"TACIT_DATA": runner.data}.items())
    return (cases_rows(ask(), "simulated") +
            cases_rows(ask("--encrypted", ENCRYPTED_ROWS), f"{ENCRYPTED_ROWS} rows on ciphertexts"))


def peers_rows(report):
    rows = []
    for compared in report["rows"]:
        ours, theirs = compared["ours"], compared["theirs"]
        name, version = re.match(r"(.*?) (\d+\.\d+(?:\.\d+)*)", report["peers"][compared["peer"]]["version"]).groups()
        for measure, field, unit in (("time", "seconds", "s"), ("memory", "memory", "B")):
            rows.append({**row("peers", compared["title"], measure, ours[field], unit, ours["quality"]),
                         "peer": {"name": name, "version": version, "value": theirs[field],
                                  "quality": theirs["quality"]}})
    return rows


def peers(runner):
    only = ("--only", runner.only) if runner.only else ()
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        runner.text(sys.executable, ROOT / "bench/peers/compare.py", "--build", runner.build, "--rounds",
                    1 if runner.short else 3, *only, "--json", report)
        runner.commands[-1] = runner.commands[-1].replace(str(report), "report.json")
        if not report.is_file():
            raise Wrong("no work of another library could run; bench/peers/compare.py says why")
        found = json.loads(report.read_text(encoding="utf-8"))
    for what, why in found["not_compared"].items():
        runner.skip(f"{what}: {why}")
    return peers_rows(found)


# The organisers' figures of their reference submission, by workload and size, and of the one submission for ResNet-20. Sources:
# fhe-benchmarking.github.io (2026-02-20), and measurements/ of ml-inference at d350113.
PUBLISHED = {
    ("mnist-mlp", "single"): {"compute": 7.63, "all stages": 15.57, "keys": 1e9, "question": 5e6},
    ("mnist-mlp", "small"): {"compute": 648, "keys": 1e9, "question": 500e6},
    ("mnist-mlp", "medium"): {"compute": 6516, "keys": 1e9, "question": 4.9e9},
    ("cifar10-resnet20", "single"): {"compute": 994, "keys": 31.8e9, "question": 14e6},
}
SUBMISSIONS = {"mnist-mlp": "reference submission", "cifar10-resnet20": "submission with FHEON"}
SUITE_NAMES = {"mnist-mlp": "perceptron 784-128-64-10, MNIST", "cifar10-resnet20": "ResNet-20, CIFAR-10"}


def images_text(count):
    return "one image" if count == 1 else f"{count:,} images"


def suite_rows(report):
    """Rows of one workload and size, as tools/suite.py reports it."""
    seconds = {entry["stage"]: entry["seconds"] for entry in report["stages"]}
    quality = [f"{100 * report['quality']['accuracy']:.4g} % right"]
    if "plaintext_accuracy" in report["quality"]:
        quality.append(f"{100 * report['quality']['plaintext_accuracy']:.4g} % in the clear")
    if report["distinct_images"] < report["images"]:
        quality.append(f"{report['distinct_images']} distinct images")
    published = PUBLISHED.get((report["workload"], report["size"]), {})
    rows = []
    for measure, value, unit in (
            ("compute", seconds["server_encrypted_compute"], "s"), ("all stages", report["seconds"]["all"], "s"),
            ("make keys", seconds["client_key_generation"], "s"), ("encrypt", seconds["client_encode_encrypt_input"], "s"),
            ("decrypt", seconds["client_decrypt_decode"], "s"), ("keys", report["bytes"]["keys"], "B"),
            ("question", report["bytes"]["inputs"], "B"), ("answer", report["bytes"]["answers"], "B"),
            ("memory", max(entry["peak_bytes"] for entry in report["stages"]), "B")):
        what = f"{SUITE_NAMES[report['workload']]}, {images_text(report['images'])}"
        rows.append(row("suite", what, measure, value, unit, "; ".join(quality)))
        if measure in published:
            rows[-1]["peer"] = {"name": SUBMISSIONS[report["workload"]], "version": UNKNOWN, "value": published[measure]}
    return rows


HARNESS_STAGES = {"compute": "Server: Encrypted ML Inference computation", "make keys": "Client: Key Generation",
                  "encrypt": "Client: Input encryption", "decrypt": "Client: Result decryption"}


def harness_rows(folder):
    """Rows of a run of the harness itself, medians over its runs. They stay in the file."""
    rows = []
    for size in sorted(path for path in (folder / "measurements").iterdir() if path.is_dir()):
        runs = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(size.glob("results-*.json"))]
        if not runs:
            continue
        quality = [f"median of {len(runs)}"]
        if "mnist_model_quality" in runs[-1]:
            found = runs[-1]["mnist_model_quality"]["Encrypted model quality"]
            quality.append(f"{found['correct_predictions']} of {found['total_samples']} right")
        for measure, stage in HARNESS_STAGES.items():
            seconds = statistics.median(float(run["per_stage"][stage].rstrip("s")) for run in runs)
            rows.append(row(DETAILS, f"mnist-mlp {size.name}, by the harness", measure, seconds, "s", "; ".join(quality)))
    if not rows:
        raise Wrong(f"{folder}/measurements has no results: run the harness first")
    return rows


def suite(runner):
    """The twin of the harness, on an installed copy of the build, and what the harness measured before."""
    rows = harness_rows(runner.harness) if runner.harness else []
    with tempfile.TemporaryDirectory() as prefix:
        for component in ("library", "development", "command"):
            subprocess.run(["cmake", "--install", runner.build, "--prefix", prefix, "--component", component], check=True,
                           stdout=subprocess.DEVNULL)
        for name, workload in WORKLOADS.items():
            for size, (count, _) in workload.sizes.items():
                if not runner.wants(f"{name} {size}") or (runner.short and size != "single"):
                    continue
                if (name, size) == ("cifar10-resnet20", "small") and not runner.only:
                    runner.skip(f"{name} {size}: half an hour; --only '{name} {size}' runs it")
                    continue
                report = runner.json(sys.executable, ROOT / "tools/suite.py", "run", name, "--size", size, "--runs",
                                     1 if runner.short or count > 100 else 5 if name == "mnist-mlp" else 3, "--prefix", prefix, "--json",
                                     environment={"TACIT_DATA": str(runner.data or "")}.items())
                runner.commands[-1] = runner.commands[-1].replace(prefix, "PREFIX")
                rows += suite_rows(report)
    return rows


# By name: what it measures, how long it takes on two cores, the function that runs it and makes rows.
SUITES = {
    "ckks": ("operations and bootstraps of CKKS; 10 minutes", ckks),
    "tfhe": ("lookups of TFHE; 2 minutes", tfhe),
    "merkle": ("hashes, trees and proofs, on every device; 3 minutes", merkle),
    "conv": ("convolutions larger than a ciphertext; 1 minute", conv),
    "networks": ("models of the data folder and of examples/, encrypted; 30 minutes", networks),
    "encoders": ("encoders of sentences with drawn weights, encrypted; 10 minutes", encoders),
    "service": ("tools/soak_service.py: throughput, kills, memory; 12 minutes", service),
    "python": ("tools/measure_python.py: overhead, threads, interrupts; 30 minutes", python),
    "cases": ("situations of public reports, right or wrong; 10 minutes", cases),
    "peers": ("bench/peers/compare.py: the same work by other libraries; an hour", peers),
    "search": ("stores of vectors and records: build, ask, answer; 3 minutes", lambda runner: search(runner, row)),
    "suite": ("tools/suite.py: the stages of the public benchmarking suite; 5 minutes", suite),
}


def first_of(path, name, separator=":"):
    """The value of the first line of a file of /proc that has this name."""
    try:
        lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return UNKNOWN
    return next((line.split(separator, 1)[1].strip() for line in lines if line.startswith(name)), UNKNOWN)


def machine_of(name, clock):
    processor = first_of("/proc/cpuinfo", "model name")
    memory = first_of("/proc/meminfo", "MemTotal").split()[0]
    return {"name": name or processor, "processor": processor, "cores": os.cpu_count() or 0,
            "memory": f"{int(memory) / (1 << 20):.0f} GiB" if memory.isdigit() else UNKNOWN, "clock": clock}


def version_and_commit(text):
    found = re.match(r"tacit (\d+\.\d+\.\d+) \(commit ([0-9a-f]{7,40}\+?)", text)
    return found.groups() if found else (UNKNOWN, UNKNOWN)


def threads_of(suite, options):
    every = options.threads or os.cpu_count() or 1
    return {"ckks": f"1 and {every}", "tfhe": options.threads or 1, "peers": 1}.get(suite, every)


def measured(suite, options):
    runner = Runner(options)
    tacit = runner.program("tacit")
    asked = lambda *words: subprocess.run([tacit, *words], capture_output=True, text=True, check=True).stdout  # noqa: E731
    version, commit = version_and_commit(asked("--version"))
    clock = json.loads(asked("bench", "merkle", "--device", "cpu", "--first", "3", "--last", "3", "--seconds", "0",
                             "--json"))
    begin = os.getloadavg()[0]
    rows = SUITES[suite][1](runner)
    if not rows:
        raise Wrong("nothing was measured: " + ("; ".join(runner.notes) or f"no name contains '{options.only}'"))
    result = {"schema": SCHEMA, "suite": suite, "commit": commit, "version": version,
              "date": datetime.date.today().isoformat(),
              "machine": machine_of(options.machine, f"{clock['clock_ghz']:.2f} GHz"),
              "load": f"{begin:.1f} to {os.getloadavg()[0]:.1f}",
              "threads": threads_of(suite, options),
              "commands": [f"tools/measure.py {suite}", *dict.fromkeys(runner.commands)], "rows": rows,
              "notes": runner.notes}
    check(result, suite)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", nargs="?", metavar="SUITE", help="one of --list")
    parser.add_argument("--list", action="store_true", help="print the suites, and what they take")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="folder of the build")
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("TACIT_DATA") or None,
                        help="folder of models and data; $TACIT_DATA when absent")
    parser.add_argument("--machine", default="", help="short name of this machine on the page; its processor when absent")
    parser.add_argument("--threads", type=int, default=0, help="threads; when absent one for tfhe, one and all for ckks, else all")
    parser.add_argument("--only", default="", help="only what has this text in its name")
    parser.add_argument("--short", action="store_true", help="the shortest runs, to try a suite; needs -o")
    parser.add_argument("--harness", type=pathlib.Path, help="suite: a copy of the harness that has run; its figures join the file")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="file to write; in bench/results when absent")
    options = parser.parse_args()
    if options.list:
        for name, (what, _) in SUITES.items():
            print(f"{name:9} {what}")
        return
    if options.suite not in SUITES:
        parser.error(f"there is no suite '{options.suite or ''}'; the suites are {', '.join(SUITES)}")
    if options.short and not options.output:
        parser.error("--short measures nothing that the page should show: name another file with -o")
    try:
        result = measured(options.suite, options)
    except Wrong as wrong:
        sys.exit(f"measure.py: {wrong}")
    path = options.output or RESULTS / name_of(result)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(result), encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
