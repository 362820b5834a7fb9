"""The command: `python3 -m tacit.demonstration --help`."""

from __future__ import annotations

import argparse
import pathlib
import stat
import sys

from .. import forbid_core_dumps
from ..errors import Error, InputError
from ..service import Client
from .companion import Companion
from .reader import Reader


def _token(path: pathlib.Path) -> str:
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise InputError(f"{path} holds a token and others can read it; chmod 600 {path}")
    with open(path, encoding="ascii") as file:
        return file.read(4096).strip()


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python3 -m tacit.demonstration",
        description="Serves a page, to this machine alone, on which a person draws a digit. It is encrypted here, read by the "
        "server, which cannot see it, and decrypted here.",
    )
    parser.add_argument("--server", required=True, metavar="URL", help="where `tacit serve` has a model of digits")
    parser.add_argument("--token", required=True, type=pathlib.Path, metavar="FILE",
                        help="your token for it, readable by you alone; keys that it had there for the model are replaced")
    parser.add_argument("--model", metavar="ID", help="of several models at the server")
    parser.add_argument("--ca", metavar="FILE", help="certificates to trust in place of the system's")
    parser.add_argument("--insecure-http", action="store_true",
                        help="allow http:// to another machine: everybody on the way reads the token and what is sent")
    parser.add_argument("--port", type=int, default=0, help="of the page; a free one when absent")
    arguments = parser.parse_args()
    forbid_core_dumps()
    try:
        client = Client(arguments.server, token=_token(arguments.token), ca=arguments.ca, insecure_http=arguments.insecure_http)
        reader = Reader(client, arguments.model)
        with Companion(reader, server=arguments.server, port=arguments.port) as companion:
            print(f"draw at {companion.url} (Ctrl-C ends it)", flush=True)
            companion.serve_forever()
    except KeyboardInterrupt:
        return 0
    except (Error, OSError, OverflowError, UnicodeDecodeError) as error:
        print(f"tacit.demonstration: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
