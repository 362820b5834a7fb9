"""Objects that hold keys, models or connections are neither copied nor pickled."""

from __future__ import annotations

from typing import NoReturn


class Kept:
    """A class whose objects cannot be copied or pickled. A pickle of a key would be an unexpected copy of a secret."""

    #: The way out: the end of the sentence that refuses.
    _instead = "share the object"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"objects of type {type(self).__name__} are neither copied nor pickled; {self._instead}")
