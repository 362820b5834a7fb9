#!/usr/bin/env python3
"""Submissions to the benchmarking suite of HomomorphicEncryption.org, workload ml-inference. See bench/suite/README.md.

    tools/suite.py list
    tools/suite.py make WORKLOAD DIR [--prefix PREFIX] [--data FOLDER] [--model FILE] [--compile OPTIONS] [--place FOLDER] [--replace]
    tools/suite.py run WORKLOAD [--size SIZE] [--prefix PREFIX] [--data FOLDER] [--model FILE] [--compile OPTIONS] [--json]
    tools/suite.py ranges WORKLOAD [--prefix PREFIX] [--data FOLDER]

`make` writes the folder of a submission into DIR, a copy of the harness. `run` is our twin of the harness. It makes and builds the
submission, and runs every stage as a process. It states wall time, sizes on disk and quality. `ranges` measures the network that a workload's
own folder holds, after it was trained anew.
"""
import argparse
import ast
import dataclasses
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUITE = ROOT / "bench/suite"
SIZES = ("single", "small", "medium", "large")
SKIPPED = 77


class Wrong(Exception):
    """A mistake of the caller, or a stage that failed. Its text is one sentence."""


class Missing(Wrong):
    """Data that this machine does not have."""


@dataclasses.dataclass(frozen=True)
class Workload:
    """A model and its data. Channels have a mean and a standard deviation, as the harness has."""

    what: str
    model: str     # below the data folder; empty where the workload's own folder has network.onnx and ranges of every width
    data: str      # below the data folder: images_public.npy and labels_public.npy
    golden: str    # below the data folder: answers of `model` in the clear, in the order of the images
    shape: tuple   # of an image: channels first
    channels: tuple  # (mean, standard deviation) of every channel
    sizes: dict    # by name: (images, images that one run takes side by side)
    place: str     # folder of the submission in the harness
    more: dict = dataclasses.field(default_factory=dict)  # by width: further options of `tacit compile` for the network above

    @property
    def values(self):
        return self.shape[0] * self.shape[1] * self.shape[2]

    @property
    def widths(self):
        return list(dict.fromkeys(width for _, width in self.sizes.values()))

    def options(self):
        """Options of `tacit compile`. Every pixel is a byte, so the range of inputs is public."""
        ends = [(value - mean) / std for mean, std in self.channels for value in (0, 1)]
        return ["--scale", "255", "--mean", ",".join(str(mean) for mean, _ in self.channels),
                "--std", ",".join(str(std) for _, std in self.channels),
                "--input-range", f"{min(ends) - 1e-4:.4f},{max(ends) + 1e-4:.4f}"]


# A workload is a row here and a folder in bench/suite/workloads/, whose files join those of bench/suite/programs/.
WORKLOADS = {
    "mnist-mlp": Workload(
        "a perceptron on MNIST", "", "mnist", "",
        (1, 28, 28), ((0.1307, 0.3081),), {"single": (1, 1), "small": (100, 128), "medium": (1000, 128), "large": (10000, 128)},
        "submission", {1: ("--max-degree", "7"), 128: ("--max-degree", "15")}),
    "cifar10-resnet20": Workload(
        "ResNet-20 on CIFAR-10", "models/cifar10/resnet20_cifar10_pre.onnx", "cifar10",
        "golden/resnet20_cifar10_pre_public.npy", (3, 32, 32), ((0.485, 0.229), (0.456, 0.224), (0.406, 0.225)),
        {"single": (1, 1), "small": (100, 8)}, "submissions/cifar10/resnet20"),
}
CALIBRATE_FROM = 200  # images from this one on calibrate the model, and those before it are the inputs


@dataclasses.dataclass(frozen=True)
class Stage:
    name: str
    sized: bool = True   # whether the harness gives it the size
    once: bool = False   # whether several runs share it


STAGES = (Stage("client_key_generation", once=True), Stage("server_preprocess_model", sized=False, once=True),
          Stage("client_preprocess_input"), Stage("client_encode_encrypt_input"), Stage("server_encrypted_compute"),
          Stage("client_decrypt_decode"), Stage("client_postprocess"))
# The folders below io/SIZE whose sizes are reported, by their names in the report.
WEIGHED = {"keys": "public_keys", "secret key": "secret_key", "inputs": "ciphertexts_upload", "answers": "ciphertexts_download"}


def workload_of(name):
    if name not in WORKLOADS:
        raise Wrong(f"there is no workload '{name}'; the workloads are {', '.join(WORKLOADS)}")
    return WORKLOADS[name]


def size_of(workload, name):
    if name not in workload.sizes:
        raise Wrong(f"this workload has no size '{name}'; its sizes are {', '.join(workload.sizes)}")
    return workload.sizes[name]


def data_file(folder, name):
    if not folder:
        raise Missing(f"{name} is needed: name the folder of models and data with --data or $TACIT_DATA")
    if not (folder / name).is_file():
        raise Missing(f"{folder / name} is missing: name the folder of models and data with --data or $TACIT_DATA")
    return folder / name


@dataclasses.dataclass(frozen=True)
class Array:
    """The rows of a .npy file, as bytes."""

    kind: str
    shape: tuple
    content: bytes

    def rows(self, first, last=None):
        size = len(self.content) // self.shape[0]
        last = self.shape[0] if last is None else last
        return Array(self.kind, (last - first, *self.shape[1:]), self.content[first * size:last * size])

    def numbers(self):
        """The rows as flat sequences of numbers."""
        code = {"|u1": "B", "<f4": "f", "<f8": "d", "<i8": "q"}[self.kind]
        flat = memoryview(self.content).cast(code)
        size = len(flat) // self.shape[0]
        return [flat[at * size:(at + 1) * size] for at in range(self.shape[0])]


def read_npy(path):
    content = path.read_bytes()
    if content[:6] != b"\x93NUMPY":
        raise Wrong(f"{path} is no .npy file")
    begin = 10 if content[6] == 1 else 12
    end = begin + int.from_bytes(content[8:begin], "little")
    header = ast.literal_eval(content[begin:end].decode("latin1"))
    if header["fortran_order"] or header["descr"] not in ("|u1", "<f4", "<f8", "<i8"):
        raise Wrong(f"{path} holds '{header['descr']}' in another order than rows: save it as bytes or numbers in rows")
    return Array(header["descr"], header["shape"], content[end:])


def npy_of(array):
    """The content of a .npy file."""
    header = repr({"descr": array.kind, "fortran_order": False, "shape": array.shape}).encode("latin1")
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + array.content


def images_of(workload, folder):
    images = read_npy(data_file(folder, f"{workload.data}/images_public.npy"))
    if images.kind != "|u1" or images.shape[1:] != workload.shape or images.shape[0] <= CALIBRATE_FROM:
        raise Wrong(f"{workload.data}/images_public.npy has no images of {workload.shape}, more than {CALIBRATE_FROM}")
    return images


def workload_text(workload, sizes):
    """The file that the programs read."""
    lines = [f"values {workload.values}", *(f"channel {mean} {std}" for mean, std in workload.channels),
             *(f"width {size} {workload.sizes[size][1]}" for size in sizes)]
    return "\n".join(lines) + "\n"


def workload_cmake(workload, sizes, prefix, more):
    """The file that the build reads. `more` gives further options of `tacit compile` for a width."""
    widths = list(dict.fromkeys(workload.sizes[size][1] for size in sizes))
    text = f"set(WORKLOAD_WIDTHS {' '.join(map(str, widths))})\n"
    for width in widths:
        text += f"set(WORKLOAD_OPTIONS_{width} {' '.join([*workload.options(), *more(width)])})\n"
    return text + (f'if(NOT TACIT_PREFIX)\n  set(TACIT_PREFIX "{prefix}")\nendif()\n' if prefix else "")


def has_network(workload):
    """Returns true if the workload's own folder holds its network, the ranges of every width, and the classes in the clear."""
    return not workload.model


def own_file(name, file):
    return SUITE / "workloads" / name / file


def measured_files(name, workload, options):
    """The files of `model/` that a submission compiles: the network, and ranges or samples that calibrate it."""
    if has_network(workload) and not options.model and not options.compile:
        return {"network.onnx": own_file(name, "network.onnx").read_bytes(),
                **{f"ranges-{width}.json": own_file(name, f"ranges-{width}.json").read_bytes() for width in workload.widths}}
    model = options.model or (own_file(name, "network.onnx") if has_network(workload) else data_file(options.data, workload.model))
    if not model.is_file():
        raise Wrong(f"{model} is missing: --model names an ONNX file")
    return {"network.onnx": model.read_bytes(), "calibration.npy": npy_of(images_of(workload, options.data).rows(CALIBRATE_FROM))}


def write_ranges(name, options):
    """Measures the network of a workload's own folder, and writes the ranges of every width there."""
    workload = workload_of(name)
    if not has_network(workload):
        raise Wrong(f"the folder of '{name}' has no network: samples calibrate it when it is compiled")
    images = data_file(options.data, f"{workload.data}/images_public.npy")
    for width in workload.widths:
        done = subprocess.run([options.prefix / "bin/tacit" if options.prefix else "tacit", "calibrate", own_file(name, "network.onnx"),
                               "--input", images, "--first", str(CALIBRATE_FROM), "--batch", str(width), *workload.options(),
                               *workload.more.get(width, ()), "-o", own_file(name, f"ranges-{width}.json")], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Wrong(f"tacit calibrate ended with status {done.returncode} ({done.stderr.strip()})")


def write_changed(path, content):
    """Writes a file unless it holds this content, so that a build does nothing twice."""
    if not path.is_file() or path.read_bytes() != content:
        path.write_bytes(content)


def make(name, folder, sizes, options, replace=False, keep=()):
    """Writes a submission below `folder`, and returns its own folder there. `keep` names entries that outlive a replacement."""
    workload = workload_of(name)
    files = measured_files(name, workload, options)
    submission = folder / (options.place or workload.place)
    if submission.exists():
        if not replace:
            raise Wrong(f"{submission} exists: --replace removes it and writes the submission there")
        for entry in submission.iterdir():
            if entry.name not in keep:
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    (submission / "model").mkdir(parents=True, exist_ok=True)
    shutil.copy2(SUITE / "submission/CMakeLists.txt", submission)
    shutil.copytree(SUITE / "programs", submission / "src")
    for extra in (SUITE / "workloads" / name).iterdir():
        if extra.suffix in (".cpp", ".h", ".md"):
            shutil.copy2(extra, submission if extra.suffix == ".md" else submission / "src")
    shutil.copytree(SUITE / "scripts", folder / "scripts", dirs_exist_ok=True)
    for old in (submission / "model").iterdir():
        if old.name not in files:
            old.unlink()
    more = lambda width: options.compile or (() if options.model else workload.more.get(width, ()))  # noqa: E731
    for place, content in (*((f"model/{file}", content) for file, content in files.items()),
                           ("workload.txt", workload_text(workload, sizes).encode()),
                           ("workload.cmake", workload_cmake(workload, sizes, options.prefix, more).encode())):
        write_changed(submission / place, content)
    return submission


def write_inputs(workload, folder, size, count, seed, data):
    """Writes what the harness generates: pixels from 0 to 1 and labels. Returns the rows of the images."""
    images = images_of(workload, data).rows(0, CALIBRATE_FROM)
    labels = read_npy(data_file(data, f"{workload.data}/labels_public.npy")).numbers()
    draw, rows = random.Random(seed), []
    while len(rows) < count:
        rows += draw.sample(range(CALIBRATE_FROM), min(count - len(rows), CALIBRATE_FROM))
    target = folder / "datasets" / size / "intermediate"
    target.mkdir(parents=True, exist_ok=True)
    text = {value: f"{value / 255:.6f}" for value in range(256)}
    lines = [" ".join(text[value] for value in image) for image in images.numbers()]
    (target / "test_pixels.txt").write_text("".join(lines[row] + "\n" for row in rows), encoding="utf-8")
    (target / "test_labels.txt").write_text("".join(f"{labels[row][0]}\n" for row in rows), encoding="utf-8")
    return rows


def run_process(words, folder, log):
    """Runs a process. Returns its wall time and its processor time in seconds, and its peak of memory in bytes."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as output:
        begin = time.perf_counter()
        process = subprocess.Popen([str(word) for word in words], cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        raise Wrong(f"{pathlib.Path(words[0]).name} ended with status {process.returncode} ({lines[-1] if lines else 'no message'}); "
                    f"its log is {log}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def bytes_of(path):
    """The size of a folder as `du -sb` counts it."""
    return path.lstat().st_size + (sum(bytes_of(entry) for entry in path.iterdir()) if path.is_dir() else 0)


def largest(numbers):
    return max(range(len(numbers)), key=numbers.__getitem__)


def read_answers(path, count):
    if not path.is_file():
        raise Wrong(f"{path} is missing: client_postprocess has to write it")
    answers = path.read_text(encoding="utf-8").split()
    if len(answers) != count or not all(answer.isdigit() for answer in answers):
        raise Wrong(f"{path} has {len(answers)} lines, expected one class for each of {count} inputs")
    return [int(answer) for answer in answers]


def plain_classes(name, workload, rows, data):
    """The classes that the model in the clear gives for these images of the data folder."""
    if has_network(workload):
        classes = [int(word) for word in own_file(name, "answers.txt").read_text(encoding="utf-8").split()]
        return [classes[row] for row in rows]
    golden = read_npy(data_file(data, workload.golden)).numbers()
    return [largest(golden[row]) for row in rows]


def quality_of(answers, labels, plain):
    """Shares of right answers, and of answers that agree with the model in the clear, if these are known."""
    share = lambda left, right: sum(a == b for a, b in zip(left, right)) / len(left)  # noqa: E731
    found = {"accuracy": share(answers, labels)}
    if plain is not None:
        found.update(plaintext_accuracy=share(plain, labels), agreement=share(answers, plain))
    return found


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def twin(name, size, folder, options):
    """Makes and builds a submission in a folder, runs its stages, and returns the report."""
    workload = workload_of(name)
    count, width = size_of(workload, size)
    count = options.count or count
    load = os.getloadavg()[0]
    images_of(workload, options.data)
    submission = make(name, folder, [size], options, replace=True, keep=("build", "model", "workload.txt", "workload.cmake"))
    logs, programs, io = folder / "logs", submission / "build", folder / "io" / size
    shutil.rmtree(io, ignore_errors=True)
    shutil.rmtree(logs, ignore_errors=True)
    build, *_ = run_process([folder / "scripts/build_task.sh", submission.relative_to(folder)], folder, logs / "build.log")
    io.mkdir(parents=True)
    rows = write_inputs(workload, folder, size, count, options.seed, options.data)
    times, busy, peaks = {}, {}, {}
    for run in range(options.runs):
        for stage in STAGES:
            if stage.once and run:
                continue
            words = [programs / stage.name, *([SIZES.index(size)] if stage.sized else [])]
            seconds, processor_seconds, peak = run_process(words, folder, logs / f"{stage.name}.log")
            times.setdefault(stage.name, []).append(seconds)
            busy.setdefault(stage.name, []).append(processor_seconds)
            peaks[stage.name] = max(peak, peaks.get(stage.name, 0))
    medians = {stage: statistics.median(found) for stage, found in times.items()}
    of = lambda party: sum(seconds for stage, seconds in medians.items() if stage.startswith(party))  # noqa: E731
    labels = (folder / "datasets" / size / "intermediate/test_labels.txt").read_text(encoding="utf-8").split()
    plain = None if options.model else plain_classes(name, workload, rows, options.data)
    return {
        "workload": name, "size": size, "images": count, "distinct_images": len(set(rows)), "width": width,
        "machine": processor(), "cores": len(os.sched_getaffinity(0)), "load": [load, os.getloadavg()[0]], "runs": options.runs,
        "stages": [{"stage": stage, "seconds": seconds, "processor_seconds": statistics.median(busy[stage]), "peak_bytes": peaks[stage]}
                   for stage, seconds in medians.items()],
        "seconds": {"client": of("client"), "server": of("server"), "all": sum(medians.values()), "build": build},
        "server_reported": json.loads((io / "server_reported_steps.json").read_text(encoding="utf-8")),
        "bytes": {**{what: bytes_of(io / below) for what, below in WEIGHED.items()},
                  "model": bytes_of(programs / "models" / str(width))},
        "quality": quality_of(read_answers(io / "encrypted_model_predictions.txt", count), [int(label) for label in labels], plain),
    }


def bytes_text(count):
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


def table(report):
    lines = [f"{report['workload']}, {report['size']}: {report['images']} images, {report['distinct_images']} of them distinct, "
             f"{report['width']} in a run; {report['machine']}, {report['cores']} cores, load {report['load'][0]:.1f} to {report['load'][1]:.1f}", ""]
    lines += [f"{entry['stage']:30} {entry['seconds']:10.3f} s   {entry['processor_seconds']:8.3f} s of processors   {bytes_text(entry['peak_bytes']):>8} of memory" for entry in report["stages"]]
    lines += [f"{'all stages':30} {report['seconds']['all']:10.3f} s", ""]
    lines += [f"{'server: ' + step:30} {seconds:10.3f} s" for step, seconds in report["server_reported"].items()]
    lines += ["", *(f"{what:30} {bytes_text(count):>12}" for what, count in report["bytes"].items()), ""]
    lines += [f"{what.replace('_', ' '):30} {100 * share:10.2f} %" for what, share in report["quality"].items()]
    return "\n".join(lines)


def run(options):
    workload = workload_of(options.workload)
    size_of(workload, options.size)
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        return twin(options.workload, options.size, options.folder.resolve(), options)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="suite-"))
    try:
        report = twin(options.workload, options.size, folder, options)
    except Missing:
        shutil.rmtree(folder)
        raise
    shutil.rmtree(folder)  # a stage that fails leaves the folder, with its log
    return report


def positive(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    kinds.add_parser("list", help="the workloads and their sizes")
    for kind, text in (("make", "writes a submission"), ("run", "makes, builds and measures a submission"),
                       ("ranges", "measures the network that the workload's own folder holds")):
        chosen = kinds.add_parser(kind, help=text)
        chosen.add_argument("workload")
        chosen.add_argument("--prefix", type=pathlib.Path, help="where Tacit is installed; CMake looks for it when absent")
        chosen.add_argument("--data", type=pathlib.Path, default=os.environ.get("TACIT_DATA") or None,
                            help="folder of models and data; $TACIT_DATA when absent")
        if kind == "ranges":
            continue
        chosen.add_argument("--model", type=pathlib.Path, help="another ONNX file, with the same inputs and classes")
        chosen.add_argument("--compile", type=str.split, default=[], metavar="OPTIONS",
                            help="further options of tacit compile, as one argument: --compile='--max-degree 7'")
        chosen.add_argument("--place", help="folder of the submission in the harness; the workload's when absent")
        if kind == "make":
            chosen.add_argument("folder", type=pathlib.Path, metavar="DIR", help="a copy of the harness, or an empty folder")
            chosen.add_argument("--replace", action="store_true", help="remove a submission that is there")
        else:
            chosen.add_argument("--size", default="single", help="single, small, medium or large")
            chosen.add_argument("--count", type=positive, help="images; the size's when absent")
            chosen.add_argument("--runs", type=positive, default=1, help="runs of the stages after the keys; times are medians")
            chosen.add_argument("--seed", type=int, default=0, help="draws the images")
            chosen.add_argument("--folder", type=pathlib.Path, help="work here and keep everything; a temporary folder when absent")
            chosen.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parsed(arguments)
    try:
        if options.kind == "list":
            for name, workload in WORKLOADS.items():
                print(f"{name:18} {workload.what}: {', '.join(workload.sizes)}")
            return 0
        for place in ("prefix", "data", "model"):
            if getattr(options, place, None):
                setattr(options, place, getattr(options, place).resolve())
        if options.kind == "ranges":
            write_ranges(options.workload, options)
            return 0
        if options.kind == "make":
            print(make(options.workload, options.folder, list(workload_of(options.workload).sizes), options, options.replace))
            return 0
        report = run(options)
        print(json.dumps(report, indent=2) if options.json else table(report))
        return 0
    except Missing as missing:
        print(f"suite.py: {missing}", file=sys.stderr)
        return SKIPPED
    except (Wrong, OSError) as wrong:
        print(f"suite.py: {wrong}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
