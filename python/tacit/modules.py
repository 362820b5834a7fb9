"""Networks of PyTorch. Needs torch, and onnxscript for the newer exporter of torch."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from .arrays import Inputs
from .model import Model, compile


def compile_module(module: Any, example: Inputs, **options: Any) -> Model:
    """Compiles a `torch.nn.Module`.

    example: arrays that the module takes, with a leading batch dimension (a tuple of them for several inputs). They
    must be public, because their values may be written to the exported model.

    The other keywords are those of `tacit.compile`. The module is exported in its evaluation mode, and keeps its
    mode."""
    try:
        import torch
    except ImportError as error:
        raise ImportError("compile_module exports with torch, which is not installed: pip install 'tacit[torch]'") from error
    arrays = example if isinstance(example, tuple) else (example,)
    tensors = tuple(torch.from_numpy(np.array(array, dtype=np.float32)[:1]) for array in arrays)
    training = module.training
    module.eval()
    try:
        written = _exported(torch, module, tensors)
    finally:
        module.train(training)
    options.setdefault("name", f"{type(module).__name__}.onnx")
    return compile(written, **options)


def _exported(torch: Any, module: Any, tensors: tuple[Any, ...]) -> bytes:
    """Exports the module as one file, without external data. Newer releases of torch have two exporters. This one
    remains supported."""
    with torch.no_grad():
        try:
            written: bytes = torch.onnx.export(module, tensors, dynamo=True).model_proto.SerializeToString()
        except (TypeError, AttributeError):  # releases before the keyword, or before what it returns
            buffer = io.BytesIO()
            torch.onnx.export(module, tensors, buffer)
            written = buffer.getvalue()
        return written
