#!/usr/bin/env python3
"""Expects the declarations for ctypes to follow a header, and the committed ones to be up to date."""
import contextlib
import ctypes
import io
import pathlib
import tempfile
import unittest
from unittest import mock

import client_declarations

HEADER = """
typedef enum TacitStatus {
  TACIT_OK = 0, /* fine */
  TACIT_FAULT = 6
} TacitStatus;
/* A comment; with a semicolon. */
typedef struct TacitBytes {
  const uint8_t* data;
  size_t size;
} TacitBytes;
typedef struct TacitSink {
  void* context;
  int (*piece)(void* context, const uint8_t* bytes,
               size_t size);
} TacitSink;
typedef struct TacitModel TacitModel;
TACIT_CLIENT_API const char* tacit_client_sentence(void);
TACIT_CLIENT_API TacitStatus tacit_client_open(TacitBytes client, int insecure, TacitModel** model);
TACIT_CLIENT_API TacitStatus tacit_client_write(const TacitModel* model, const TacitSink* sink,
                                                uint8_t signer[32]);
TACIT_CLIENT_API void tacit_client_free(TacitModel* model);
"""


class Declarations(unittest.TestCase):
    def test_every_form_is_translated(self):
        found = {}
        exec(client_declarations.declarations(HEADER), found)  # the module that would be written
        self.assertEqual((found["OK"], found["FAULT"]), (0, 6))
        self.assertEqual([name for name, _ in found["TacitSink"]._fields_], ["context", "piece"])
        self.assertEqual(dict(found["TacitBytes"]._fields_)["size"], ctypes.c_size_t)
        functions = found["FUNCTIONS"]
        self.assertEqual(functions["tacit_client_sentence"], (ctypes.c_char_p, []))
        self.assertEqual(functions["tacit_client_open"],
                         (ctypes.c_int, [found["TacitBytes"], ctypes.c_int, ctypes.POINTER(ctypes.c_void_p)]))
        self.assertEqual(functions["tacit_client_write"],
                         (ctypes.c_int, [ctypes.c_void_p, ctypes.POINTER(found["TacitSink"]), ctypes.POINTER(ctypes.c_uint8)]))
        self.assertEqual(functions["tacit_client_free"], (None, [ctypes.c_void_p]))

    def test_a_changed_header_is_found(self):
        self.assertEqual(client_declarations.main([]), 0)
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder) / "client_c.h"
            text = client_declarations.HEADER.read_text(encoding="utf-8")
            header.write_text(text.replace("size_t per_input", "uint64_t per_input"), encoding="utf-8")
            out = io.StringIO()
            with mock.patch.object(client_declarations, "HEADER", header), contextlib.redirect_stdout(out):
                self.assertEqual(client_declarations.main([]), 1)
            self.assertIn("tacit_client_encrypt", out.getvalue())


if __name__ == "__main__":
    unittest.main()
