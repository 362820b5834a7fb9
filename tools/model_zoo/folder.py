"""One exported model on disk: the file, a few inputs, rows to calibrate on, and what ONNX Runtime computes.

    model.onnx     as the exporter wrote it
    rows.npy       a few inputs, the batch first; with several inputs rows_0.npy, rows_1.npy, ... in the model's order
    train.npy      rows of the same form to calibrate on (train_0.npy, ...)
    output_k.npy   output k for the rows; labels that are texts as text, the dictionaries of a ZipMap as columns in the
                   sorted order of their keys, a sequence of tensors as output_k_0.npy, output_k_1.npy, ...
    model.onnx.*   weights outside of the model, if the exporter puts them there
    about.json     exporter, versions, opsets, what was exported, its outputs; "not_run" says why there are none
"""
import dataclasses
import json
import re
import shutil

import numpy as np
import onnx
import onnxruntime


@dataclasses.dataclass
class Export:
    """What a family of models hands over to be written: the bytes of the model and its rows by input, in order."""
    model: bytes
    rows: dict
    train: dict
    about: dict
    side_files: dict = dataclasses.field(default_factory=dict)  # name -> bytes: weights beside model.onnx


def write(export, folder):
    """Writes one model's folder. Returns None, or why there are no outputs: ONNX Runtime cannot run every model."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    for name, content in {"model.onnx": export.model, **export.side_files}.items():
        (folder / name).write_bytes(content)
    about = export.about | describe(export.model)
    about["inputs"] = write_inputs(export, folder)
    try:
        about["outputs"] = write_outputs(folder, export.rows)
    except Exception as error:  # a family of exceptions that have no common base
        about["not_run"] = one_line(error)
    (folder / "about.json").write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return about.get("not_run")


def write_inputs(export, folder):
    """Writes rows and train of every input, and returns in which files they are."""
    about = []
    for k, name in enumerate(export.rows):  # in the order of the model's inputs
        end = ".npy" if len(export.rows) == 1 else f"_{k}.npy"
        save(folder / f"rows{end}", export.rows[name])
        save(folder / f"train{end}", export.train[name])
        about.append({"name": name, "rows": f"rows{end}", "train": f"train{end}"})
    return about


def one_line(error):
    """What an exception says, without colours, names of folders and most of its length."""
    text = re.sub(r"\x1b\[[0-9;]*m|(?<!\S)/\S*/", "", " ".join(str(error).split()))
    return f"{type(error).__name__}: {text[:300]}"


def write_outputs(folder, rows):
    """Runs the model that lies in the folder; writes its outputs and returns what they are."""
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), quiet_options(),
                                           providers=["CPUExecutionProvider"])
    about = []
    for k, (value, output) in enumerate(zip(run_in_batches(session, rows), session.get_outputs())):
        kind, arrays = as_arrays(value)
        about.append({"name": output.name, "type": output.type, "shape": output.shape, "kind": kind})
        for j, array in enumerate(arrays):
            save(folder / (f"output_{k}.npy" if len(arrays) == 1 else f"output_{k}_{j}.npy"), array)
    return about


def quiet_options():
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    return options


def run_in_batches(session, rows):
    """All outputs for all rows, in batches of the extent that the model fixes, if it fixes one."""
    count = len(next(iter(rows.values())))
    fixed = [value.shape[0] for value in session.get_inputs() if value.shape and isinstance(value.shape[0], int)]
    size = fixed[0] if fixed else count
    parts = [session.run(None, {name: values[begin:begin + size] for name, values in rows.items()})
             for begin in range(0, count - count % size, size)]
    return parts[0] if len(parts) == 1 else [joined(list(pieces)) for pieces in zip(*parts)]


def joined(pieces):
    if isinstance(pieces[0], np.ndarray):
        return np.concatenate(pieces) if pieces[0].ndim else np.stack(pieces)
    return [row for piece in pieces for row in piece]


def as_arrays(value):
    """What kind of output it is, and its values: one array, or one for each tensor of a sequence."""
    if isinstance(value, np.ndarray):
        return f"tensor({value.dtype})", [value]
    if value and isinstance(value[0], dict):
        keys = sorted(value[0])
        return f"sequence of maps, keys {keys}", [np.array([[row[key] for key in keys] for row in value])]
    return f"sequence of {len(value)} tensors", value


def save(path, array):
    if array.dtype == object:  # the texts of a string tensor
        array = array.astype(str)
    if array.dtype.name in ("bfloat16", "float8_e4m3fn"):  # unknown to a plain reader of .npy
        array = array.astype(np.float32)
    np.save(path, array)


def printed(model):
    """A model of a framework as its own text on one line, without the addresses of objects."""
    return re.sub(r" at 0x[0-9a-f]+", "", " ".join(str(model).split()))[:2000]


def describe(model):
    """The part of about.json that is read off the model itself."""
    proto = onnx.load_model_from_string(model)
    return {"producer": f"{proto.producer_name} {proto.producer_version}".strip(),
            "ir_version": proto.ir_version,
            "opsets": [[entry.domain, entry.version] for entry in proto.opset_import],
            "onnxruntime": onnxruntime.__version__}


def in_order_of_inputs(model, arrays):
    """The arrays of those names that the model asks for, in its order."""
    graph = onnx.load_model_from_string(model).graph
    constants = {tensor.name for tensor in graph.initializer}
    return {value.name: arrays[value.name] for value in graph.input if value.name not in constants}
