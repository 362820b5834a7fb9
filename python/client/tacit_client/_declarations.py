"""The declarations of tacit/client_c.h. tools/client_declarations.py --write makes this file."""

# ruff: noqa: E501
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint8, c_uint64, c_void_p

OK = 0
REFUSED = 1
KEY_MISMATCH = 2
CANCELLED = 3
STOPPED = 4
NO_MEMORY = 5
FAULT = 6


class TacitBytes(Structure):
    _fields_ = [
        ("data", POINTER(c_uint8)),
        ("size", c_size_t),
    ]


class TacitSink(Structure):
    _fields_ = [
        ("context", c_void_p),
        ("begin", CFUNCTYPE(c_int, c_void_p, c_uint64, POINTER(c_uint8))),
        ("piece", CFUNCTYPE(c_int, c_void_p, POINTER(c_uint8), c_size_t)),
    ]


class TacitPlaces(Structure):
    _fields_ = [
        ("context", c_void_p),
        ("place", CFUNCTYPE(c_int, c_void_p, c_uint64, POINTER(c_uint8), c_size_t)),
        ("end", CFUNCTYPE(c_int, c_void_p, c_uint64, POINTER(c_uint8))),
    ]


class TacitProgress(Structure):
    _fields_ = [
        ("context", c_void_p),
        ("report", CFUNCTYPE(c_int, c_void_p, c_char_p, c_uint64, c_uint64)),
    ]


class TacitArray(Structure):
    _fields_ = [
        ("values", POINTER(c_double)),
        ("shape", POINTER(c_int64)),
        ("dimensions", c_size_t),
    ]


#: The result and the arguments of each function.
FUNCTIONS = {
    "tacit_client_sentence": (c_char_p, []),
    "tacit_client_version": (c_char_p, []),
    "tacit_client_model_open": (c_int, [TacitBytes, c_int, POINTER(c_void_p)]),
    "tacit_client_model_free": (None, [c_void_p]),
    "tacit_client_model_facts": (c_char_p, [c_void_p]),
    "tacit_client_make_keys": (c_int, [c_void_p, POINTER(TacitSink), POINTER(TacitSink), POINTER(TacitSink), POINTER(TacitProgress)]),
    "tacit_client_place_keys": (c_int, [c_void_p, POINTER(TacitPlaces), POINTER(TacitSink), POINTER(TacitSink), POINTER(TacitProgress)]),
    "tacit_client_encrypt": (c_int, [c_void_p, TacitBytes, c_int, POINTER(TacitArray), c_size_t, c_size_t, POINTER(TacitSink), POINTER(TacitSink), POINTER(TacitProgress)]),
    "tacit_client_decrypt": (c_int, [c_void_p, TacitBytes, TacitBytes, TacitBytes, TacitBytes, POINTER(TacitProgress), POINTER(c_void_p)]),
    "tacit_client_answers_free": (None, [c_void_p]),
    "tacit_client_answers_inputs": (c_size_t, [c_void_p]),
    "tacit_client_answers_outputs": (c_size_t, [c_void_p]),
    "tacit_client_answers_get": (c_int, [c_void_p, c_size_t, c_size_t, POINTER(TacitArray)]),
    "tacit_client_answers_text": (c_char_p, [c_void_p, c_size_t, c_size_t, c_size_t]),
    "tacit_client_answers_name": (c_char_p, [c_void_p, c_size_t]),
    "tacit_client_check_receipt": (c_int, [c_void_p, TacitBytes, POINTER(c_uint8), TacitBytes, TacitBytes, POINTER(c_uint8)]),
}
