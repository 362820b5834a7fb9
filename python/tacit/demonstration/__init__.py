"""A page on which a person draws a digit, and a server reads it encrypted.

    python3 -m tacit.demonstration --server https://host:8443 --token my.token

The page, the secret key and all data in the clear stay on this machine."""

from .companion import Companion
from .reader import Reader, Reading

__all__ = ["Companion", "Reader", "Reading"]
