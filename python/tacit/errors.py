"""Exceptions. The type says who can correct the mistake."""


class Error(Exception):
    """Root of the exceptions that Tacit raises on purpose, except for interruptions."""


class InputError(Error, ValueError):
    """An argument of the caller is wrong. The message names the thing, the bound that it broke and the way out."""


class KeyMismatch(Error):
    """A key, ciphertext or file belongs to another parameter set or another model."""


class InternalError(Error, RuntimeError):
    """A fault of the library: an invariant does not hold."""


class Cancelled(KeyboardInterrupt):
    """The work was stopped, and its unfinished files are removed."""
