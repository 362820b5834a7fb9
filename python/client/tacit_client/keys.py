"""A client's keys. The client encrypts and decrypts with the secret key. The evaluation keys go to the server."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from ctypes import byref, c_void_p, c_uint8, memset
from typing import IO, Any, Union

import numpy as np

from . import _declarations as declared
from ._library import LIBRARY, Call, Content, Handle, content, opaque, view
from .arrays import Inputs, Outputs, outputs
from .errors import InputError, KeyMismatch
from .kept import Kept
from .model import ClientModel
from .progress import Progress
from .question import Path, Question, encrypted

#: A path, or an object with `write`, such as a file that is open for bytes.
To = Union[Path, IO[bytes]]


class Keys(Kept):
    """Keys for one model. Made by `keygen`, or loaded. Threads may share them until `close`."""

    _instead = "share the object, or write a file with save_secret_key() and load that"

    def __init__(self, model: ClientModel, secret: bytearray) -> None:
        self._model = model
        self._secret = secret
        #: The root of the evaluation keys, which a receipt names. None for keys that were loaded.
        self.root: bytes | None = None
        #: The file or the bytes of the evaluation keys. None for keys that were loaded, or that went to an object.
        self.evaluation: Union[Path, bytes, None] = None

    @classmethod
    def load(cls, model: ClientModel, secret_key: Content) -> Keys:
        """Reads the secret key that `save_secret_key` or the command wrote. InputError for a file that others may read
        or change. The content is checked when it is used."""
        if not isinstance(secret_key, (bytes, bytearray, memoryview)):
            _require_private(secret_key)
        return cls(model, bytearray(content(secret_key, "the secret key")))

    def save_secret_key(self, path: Path) -> None:
        """Writes the key in the clear. The file has mode 0600. InputError for an existing file: whoever loses a key
        loses the data that was encrypted under it."""
        try:
            place = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise InputError(f"{os.fspath(path)} exists and is not replaced; remove it, or name another file") from None
        except OSError as error:
            raise InputError(f"{os.fspath(path)}: the secret key cannot be written: {error.strerror}") from None
        with open(place, "wb") as file:
            file.write(self._key())
            file.flush()
            os.fsync(file.fileno())

    def secret_key_bytes(self) -> bytearray:
        """The key in the clear, as `save_secret_key` writes it. Overwrite the bytes when you have stored them."""
        return bytearray(self._key())

    def encrypt(self, inputs: Inputs, *, progress: Progress = None) -> Question:
        """Encrypts an array whose leading dimension counts inputs, or a tuple of arrays for a model with several
        inputs. InputError for a value outside the range that the model was compiled for."""
        return encrypted(self._model, self._key(), False, inputs, progress)

    def decrypt(
        self,
        results: Content,
        *,
        question: Question | None = None,
        receipt: Content | None = None,
        signer: str | None = None,
        progress: Progress = None,
    ) -> Outputs:
        """Decrypts results, a file or its bytes.

        question: the results must answer these inputs, one by one and in order (KeyMismatch).
        receipt: that of the evaluation. It must be of the model, the keys, the question and the results.
        signer: the Ed25519 key that must have signed the receipt, in hexadecimal digits."""
        data = content(results, "the results")
        asked = question if question is not None else Question(b"")
        if signer is not None and receipt is None:
            raise InputError("decrypt: a signer was given without a receipt; give the receipt of the evaluation")
        if receipt is not None:
            found = self._model.check_receipt(receipt, question=asked.bytes, results=data, keys_root=self.root)
            if signer is not None and found != signer.lower():
                stated = "not signed" if found is None else f"signed by {found}"
                raise KeyMismatch(f"the receipt is {stated}, and {signer} was expected; nothing is shown")
        place = c_void_p()
        call = Call()
        with call.progress(progress) as report:
            call.run(
                "tacit_client_decrypt", self._model._handle.place, view(self._key()), view(data), view(asked.bytes),
                view(asked.kept), byref(report), opaque(place),
            )  # fmt: skip
        return outputs(_arrays(Handle(place, "tacit_client_answers_free")), self._model.output_shapes)

    def close(self) -> None:
        """Overwrites the secret key in memory. The object is of no use then."""
        if self._secret:
            memset((c_uint8 * len(self._secret)).from_buffer(self._secret), 0, len(self._secret))
            self._secret = bytearray()

    def _key(self) -> bytearray:
        if not self._secret:
            raise InputError("these keys are closed; load them again")
        return self._secret

    def __enter__(self) -> Keys:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # the interpreter may be ending
            self.close()

    def __repr__(self) -> str:
        return f"<tacit_client.Keys for model {self._model.id[:12]}>"


def keygen(
    model: ClientModel, evaluation: To | None = None, *, public_key: To | None = None, progress: Progress = None
) -> Keys:
    """Draws a secret key and makes the keys that the server needs: megabytes to gigabytes (`model.key_bytes`).
    `evaluation` receives them: the path of a file, or an object with `write`. Without it, they are bytes in
    `Keys.evaluation`. `public_key` receives a key for whoever encrypts inputs; without it, none is made. Keys on slots
    are made one at a time, so that memory holds one of them, and twice for an object with `write`. Save the secret key."""
    found = Keys(model, bytearray())
    held = bytearray()
    call = Call()

    def end(_: int, root: bytes) -> None:
        found.root = root

    def place(offset: int, piece: memoryview) -> None:
        if len(held) < offset + len(piece):
            held.extend(bytes(offset + len(piece) - len(held)))
        held[offset : offset + len(piece)] = piece

    with contextlib.ExitStack() as files, call.progress(progress) as report:
        function = "tacit_client_place_keys"
        if hasattr(evaluation, "write"):
            function, to = "tacit_client_make_keys", call.sink(evaluation.write, end)  # type: ignore[union-attr]
        elif evaluation is None:
            to = call.places(place, end)
        else:
            file = files.enter_context(_file(evaluation, "the evaluation keys"))
            to = call.places(lambda offset, piece: (file.seek(offset), file.write(piece)), end)
        public = None
        if public_key is not None:
            write = public_key.write if hasattr(public_key, "write") else files.enter_context(_file(public_key, "the public key")).write
            public = byref(call.sink(write))
        secret = call.sink(found._secret.extend)
        call.run(function, model._handle.place, byref(to), public, byref(secret), byref(report))
    if evaluation is None:
        found.evaluation = bytes(held)
    elif not hasattr(evaluation, "write"):
        found.evaluation = evaluation
    return found


@contextlib.contextmanager
def _file(path: Any, what: str) -> Iterator[IO[bytes]]:
    """Yields a file that takes its place once it is whole."""
    partial = f"{os.fspath(path)}.partial"
    try:
        with open(partial, "wb") as file:
            yield file
        os.replace(partial, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.remove(partial)
        if isinstance(error, OSError):
            raise InputError(f"{os.fspath(path)}: {what} cannot be written: {error.strerror}") from None
        raise


def _require_private(path: Path) -> None:
    """Refuses the file of a secret key that others may read or change."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: the file with the secret key cannot be read: {error.strerror}") from None
    mode, name, user = stat.S_IMODE(found.st_mode), os.fspath(path), os.geteuid()
    if found.st_uid not in (user, 0):
        raise InputError(
            f"{name}: this secret key belongs to another user (number {found.st_uid}), who may read and change it; use a copy "
            f"of your own, or run: chown {user} {name}"
        )
    own = found.st_uid == user
    if mode & (0o077 if own else 0o027):
        raise InputError(
            f"{name}: others may read or change this secret key (mode {mode:04o}), so that it may be known or another one; "
            f"if you trust it still, run{'' if own else ' as root'}: chmod {'600' if own else '640'} {name}"
        )


def _arrays(answers: Handle) -> list[Any]:
    """Returns one array [inputs, elements] per output: numbers, or texts."""
    place = answers.place
    counts = range(LIBRARY.tacit_client_answers_inputs(place))
    found = []
    for output in range(LIBRARY.tacit_client_answers_outputs(place)):
        rows = []
        for row in counts:
            array = declared.TacitArray()
            Call().run("tacit_client_answers_get", place, row, output, byref(array))
            size = int(np.prod(array.shape[: array.dimensions], dtype=np.int64)) if array.dimensions else 1
            if size and LIBRARY.tacit_client_answers_text(place, row, output, 0) is not None:
                texts = [LIBRARY.tacit_client_answers_text(place, row, output, i) for i in range(size)]
                rows.append(np.array([text.decode() for text in texts]))
            else:
                rows.append(np.array(array.values[:size], dtype=np.float64))
        found.append(np.stack(rows))
    return found
