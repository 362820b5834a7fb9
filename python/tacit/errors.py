"""Exceptions, typed by who can mend what went wrong."""


class Error(Exception):
    """Root of what Tacit raises on purpose, but for interruptions."""


class InputError(Error, ValueError):
    """What the caller gave is wrong: the message names the thing, the bound that it broke and the way out."""


class KeyMismatch(Error):
    """A key, ciphertext or file belongs to another parameter set or another model."""


class InternalError(Error, RuntimeError):
    """The library's own fault: an invariant does not hold."""


class Cancelled(KeyboardInterrupt):
    """The work was stopped, and what it had begun to write is removed."""
