"""Calls of the library libtacit_client.so, which lies next to this file."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pathlib
from collections.abc import Callable, Iterator
from ctypes import POINTER, byref, c_uint8, c_void_p
from typing import Any, Union

import numpy as np

from . import _declarations as declared
from .errors import Cancelled, Error, InputError, InternalError, KeyMismatch
from .progress import Progress, shown

#: Bytes, or the path of a file that holds them.
Content = Union[bytes, bytearray, memoryview, str, "os.PathLike[str]"]
Piece = Callable[[memoryview], Any]
Place = Callable[[int, memoryview], Any]
Begin = Callable[[int, bytes], Any]


def _loaded() -> ctypes.CDLL:
    library = ctypes.CDLL(str(pathlib.Path(__file__).with_name("libtacit_client.so")))
    for name, (result, arguments) in declared.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


LIBRARY = _loaded()
VERSION: str = LIBRARY.tacit_client_version().decode()

_EXCEPTIONS: dict[int, type[BaseException]] = {
    declared.REFUSED: InputError,
    declared.KEY_MISMATCH: KeyMismatch,
    declared.CANCELLED: Cancelled,
    declared.STOPPED: Error,
    declared.NO_MEMORY: MemoryError,
}


def content(given: Content, what: str) -> Union[bytes, bytearray, memoryview]:
    """Returns bytes, or those of a file."""
    if isinstance(given, (bytes, bytearray, memoryview)):
        return given
    try:
        return pathlib.Path(given).read_bytes()
    except OSError as error:
        raise InputError(f"{os.fspath(given)}: the file with {what} cannot be read: {error.strerror}") from None


def view(data: Union[bytes, bytearray, memoryview]) -> declared.TacitBytes:
    """Bytes as the library takes them. The object must stay alive during the call."""
    if len(data) == 0:
        return declared.TacitBytes(None, 0)
    held = np.frombuffer(data, dtype=np.uint8)
    found = declared.TacitBytes(held.ctypes.data_as(POINTER(c_uint8)), held.nbytes)
    found.held = held
    return found


def opaque(place: c_void_p) -> Any:
    return byref(place)


def _memory(data: Any, size: int) -> memoryview:
    """The library's bytes, without a copy."""
    return memoryview((c_uint8 * size).from_address(ctypes.addressof(data.contents)) if size else b"").cast("B")


class Call:
    """One call of the library, with functions of the caller. What they raise comes out of `run`."""

    def __init__(self) -> None:
        self._raised: BaseException | None = None

    def _guarded(self, body: Callable[[], Any]) -> int:
        try:
            body()
        except BaseException as error:  # an interruption too: the library must end before it goes on
            self._raised = error
            return 1
        return 0

    def sink(self, piece: Piece, begin: Begin | None = None) -> declared.TacitSink:
        """Receives bytes. `begin` gets their number and root first. The memory of a piece is valid during its call."""

        def received(_: Any, data: Any, size: int) -> int:
            return self._guarded(lambda: piece(_memory(data, size)))

        def began(_: Any, size: int, root: Any) -> int:
            return self._guarded(lambda: begin and begin(size, bytes(root[:32])))

        kinds = dict(declared.TacitSink._fields_)
        return declared.TacitSink(None, kinds["begin"](began), kinds["piece"](received))

    def places(self, place: Place, end: Begin) -> declared.TacitPlaces:
        """Receives bytes at offsets, and their number and root last."""

        def received(_: Any, offset: int, data: Any, size: int) -> int:
            return self._guarded(lambda: place(offset, _memory(data, size)))

        def ended(_: Any, size: int, root: Any) -> int:
            return self._guarded(lambda: end(size, bytes(root[:32])))

        kinds = dict(declared.TacitPlaces._fields_)
        return declared.TacitPlaces(None, kinds["place"](received), kinds["end"](ended))

    @contextlib.contextmanager
    def progress(self, progress: Progress) -> Iterator[declared.TacitProgress]:
        """Reports to the caller. Without a report Python is entered all the same, so that it sees interruptions."""
        with shown(progress) as report:

            def reported(_: Any, stage: bytes, done: int, total: int) -> int:
                return self._guarded(lambda: report and report(stage.decode(), done, total))

            yield declared.TacitProgress(None, dict(declared.TacitProgress._fields_)["report"](reported))

    def run(self, name: str, *arguments: Any) -> None:
        status = getattr(LIBRARY, name)(*arguments)
        if self._raised is not None:
            raise self._raised
        if status != declared.OK:
            raise _EXCEPTIONS.get(status, InternalError)(LIBRARY.tacit_client_sentence().decode(errors="replace"))


class Handle:
    """An object of the library, freed with this one."""

    def __init__(self, place: c_void_p, free: str) -> None:
        self.place = place
        self._free = getattr(LIBRARY, free)

    def __del__(self) -> None:
        if self.place:
            self._free(self.place)
            self.place = c_void_p()
