"""Evaluation from files to files, as `tacit evaluate` does it, and the receipt of an evaluation."""

from __future__ import annotations

from . import _core
from .halves import Path
from .progress import Progress, shown


def evaluate_files(
    model: Path,
    keys: Path,
    input: Path,
    output: Path,
    *,
    receipt: Path = "",
    signing_key: Path = "",
    checkpoint: Path = "",
    memory: int | None = None,
    allow_insecure: bool = False,
    progress: Progress = None,
) -> _core.Receipt:
    """Evaluates every input of a file. The receipt is written next to the output. It is signed if `signing_key` names a
    private key of Ed25519 in PEM. `checkpoint` names a folder where the evaluation is kept after its layers. Given again
    after an interruption, it goes on from there."""
    with shown(progress) as report:
        return _core.evaluate_files(
            model,
            keys,
            input,
            output,
            receipt=receipt,
            signing_key=signing_key,
            checkpoint=checkpoint,
            memory=memory or 0,
            allow_insecure=allow_insecure,
            report=report,
        )
