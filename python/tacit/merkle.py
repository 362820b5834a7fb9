"""Merkle trees over Rescue Prime. A root commits to bytes, and short proofs show that bytes belong to it.

    tree = tacit.merkle.tree(weights)               # bytes, an array, a file, or several
    proof = tree.prove([3, 17])                     # chunks of 1 MiB, counted from 0
    proof.verify(tree.root, [chunk_3, chunk_17])    # by anyone who trusts the root; raises unless it holds

Roots, proofs and their files are those of `tacit merkle`. The tree of an array is over its bytes in row-major order.
Neither shape nor type is part of the root."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import InputError
from .halves import Path
from .kept import Kept
from .progress import Progress, shown

#: The default hash of roots.
HASH = "rescue-prime-c.1"
CHUNK = 1 << 20

Bytes = Union[bytes, bytearray, memoryview, "npt.NDArray[Any]"]
#: Bytes, or a path, or a sequence of paths. Text names a file.
Data = Union[Bytes, Path, Sequence[Path]]


class Proof:
    """A proof that a tree has certain leaves, or that a tree extends an older one. Verification trusts no part of
    it."""

    def __init__(self, core: _core.MerkleProof) -> None:
        self._core = core

    @classmethod
    def load(cls, path: Path) -> Proof:
        """Reads a file of this package or of the command, in either form."""
        return cls(_core.MerkleProof.load(path))

    @classmethod
    def from_bytes(cls, content: bytes) -> Proof:
        return cls(_core.MerkleProof.parse(content))

    def save(self, path: Path) -> None:
        """Writes JSON if the name ends in .json, and bytes otherwise."""
        self._core.save(path)

    def to_bytes(self) -> bytes:
        return self._core.to_bytes()

    def __reduce__(self) -> tuple[Any, ...]:
        return Proof.from_bytes, (self.to_bytes(),)

    def to_json(self) -> str:
        return self._core.json

    @property
    def leaves(self) -> int:
        """The number of leaves of the tree; for an extension, of the newer tree."""
        return self._core.leaves

    @property
    def indices(self) -> tuple[int, ...]:
        """The indices of the proved leaves, ascending. An extension has none."""
        return tuple(self._core.indices)

    def verify(self, root: str, chunks: Iterable[Bytes] = (), *, hash: str = HASH) -> None:
        """Returns if the proof holds against `root`, a root of that hash. Otherwise raises tacit.KeyMismatch, which
        says why.

        chunks: the bytes of the leaves of `indices`, in their order. Without them only the leaves' digests are proven,
        which are part of the proof."""
        self._core.verify(root, [bytes(_contiguous(chunk)) for chunk in chunks], hash)

    def verify_extension(self, old_root: str, root: str, *, hash: str = HASH) -> None:
        """Returns if the tree of `root` has the leaves of the tree of `old_root`, followed by others."""
        self._core.verify_extension(old_root, root, hash)

    def __repr__(self) -> str:
        if self._core.is_extension:
            return f"<tacit.merkle.Proof of a tree that grew to {self.leaves} leaves>"
        return f"<tacit.merkle.Proof of leaves {', '.join(map(str, self.indices))} of {self.leaves}>"


class Tree(Kept):
    """A tree in memory, with 64 bytes per leaf. Made by `tree`."""

    _instead = "share the object, or make the tree anew from its data"

    def __init__(self, core: _core.MerkleTree) -> None:
        self._core = core

    @property
    def root(self) -> str:
        """The root: 64 hexadecimal digits."""
        return self._core.root

    def __len__(self) -> int:
        """The number of leaves."""
        return self._core.leaves

    def prove(self, indices: int | Iterable[int]) -> Proof:
        """Proves leaves, counted from 0, with one proof."""
        wanted = [indices] if isinstance(indices, int) else [int(i) for i in indices]
        if any(i < 0 for i in wanted):
            raise InputError(f"leaf {min(wanted)}: leaves are counted from 0")
        return Proof(self._core.prove(wanted))

    def extended(self, data: Bytes, *, progress: Progress = None) -> Tree:
        """Returns a tree with the leaves of this one, followed by the chunks of `data`, for logs that only grow."""
        with shown(progress) as report:
            return Tree(self._core.extended(_contiguous(data), report))

    def prove_extension(self, old_leaves: int) -> Proof:
        """Proves that this tree extends the tree of its first `old_leaves` leaves."""
        return Proof(self._core.prove_extension(old_leaves))

    def __repr__(self) -> str:
        return f"<tacit.merkle.Tree of {len(self)} leaves, root {self.root}>"


def tree(
    data: Data, *, hash: str = HASH, leaf: str = "sha256", chunk: int = CHUNK, progress: Progress = None
) -> Tree:
    """Makes the tree over bytes, an array, a file or several files.

    hash: "rescue-prime-c.1" or "rescue-prime-a.1".
    leaf: "sha256" or "bytes", the digest of a chunk. "bytes" is Rescue Prime throughout, and slow. "digests" takes
    every 32 bytes as a leaf.
    chunk: the bytes per leaf.

    Files are not held in memory. If there are several, each begins with a leaf that holds its name and length."""
    files = _files(data)
    with shown(progress) as report:
        if files is not None:
            return Tree(_core.MerkleTree.of_files(files, hash=hash, leaf=leaf, chunk=chunk, report=report))
        return Tree(_core.MerkleTree.of_bytes(_contiguous(data), hash=hash, leaf=leaf, chunk=chunk, report=report))


def root(
    data: Data, *, hash: str = HASH, leaf: str = "sha256", chunk: int = CHUNK, progress: Progress = None
) -> str:
    """Returns the root of `tree(data)`. The memory does not grow with the size of files."""
    files = _files(data)
    if files is None:
        return tree(data, hash=hash, leaf=leaf, chunk=chunk, progress=progress).root
    with shown(progress) as report:
        return _core.merkle_root(files, hash=hash, leaf=leaf, chunk=chunk, report=report)


def _files(data: Data) -> list[Path] | None:
    """Returns the paths; None for bytes."""
    if isinstance(data, (str, os.PathLike)):
        return [data]
    if isinstance(data, (list, tuple)):
        return list(data)
    return None


def _contiguous(data: Any) -> Any:
    """Returns an object that lends its bytes."""
    if isinstance(data, np.ndarray):
        if data.dtype.hasobject:
            raise InputError("an array of Python objects has no bytes to commit to")
        return np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    return memoryview(data)
