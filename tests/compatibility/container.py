"""Containers of Tacit from their bytes: a section is changed, and digests and root are made again, as another version would have."""
import functools
import hashlib
import pathlib
import re
import struct

P = 2**64 - 2**32 + 1
HEADER, ROOT_AT, CHUNK = 128, 96, 1 << 20
MATRIX = (7, 23, 8, 26, 13, 10, 9, 7, 6, 22, 21, 8)
SEVENTH_ROOT = pow(7, -1, P - 1)
NODE, TREE, SHA256 = 3, 4, 5  # domains
SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent / "src"


@functools.cache
def constants():
    words = [int(word, 16) for word in re.findall(r"0x([0-9a-f]{16})u", (SOURCES / "merkle/round_constants.inc").read_text())]
    return [words[i:i + 12] for i in range(0, len(words), 12)]


def rescue(words, domain):
    """The hash rescue-prime-c.1 of at most eight words."""
    state = [len(words), domain, 0, 0, *words, *[0] * (8 - len(words))]

    def linear(added):
        return [(sum(state[j] * MATRIX[(j - i) % 12] for j in range(12)) + added[i]) % P for i in range(12)]

    for step in range(7):
        state = [pow(x, 7, P) for x in state]
        state = linear(constants()[step])
        state = [pow(x, SEVENTH_ROOT, P) for x in state]
        state = linear(constants()[7 + step])
    return state[4:8]


def leaf(data):
    """A leaf of the SHA-256 of data: words of seven bytes, the last followed by a byte 1."""
    digest = hashlib.sha256(data).digest() + b"\1"
    return rescue([int.from_bytes(digest[i:i + 7], "little") for i in range(0, len(digest), 7)], SHA256)


def sealed(header, body):
    """A container of one chunk: this header, with a root, and this body."""
    top = rescue(leaf(header[:ROOT_AT]) + leaf(body), NODE)
    root = rescue([*top, 2, 1, 2, CHUNK], TREE)  # leaves, depth, rule of leaves, bytes of a chunk
    return header[:ROOT_AT] + struct.pack("<4Q", *root) + body + hashlib.sha256(body).digest()


def sections(container):
    """The places of the sections in a container, by name."""
    table, count = struct.unpack_from("<QI", container, 32)
    found, at = {}, HEADER + table
    for _ in range(count):
        length, _, offset, size = struct.unpack_from("<IIQQ", container, at)
        found[container[at + 24:at + 24 + length].decode()] = range(HEADER + offset, HEADER + offset + size)
        at += 24 + length
    return found


def with_byte(container, at, change):
    """The container with a changed byte, as if it had been written so."""
    changed = bytearray(container)
    changed[at] = (changed[at] + change) % 256
    body_bytes = struct.unpack_from("<Q", container, 24)[0]
    assert sealed(container[:HEADER], container[HEADER:HEADER + body_bytes]) == container, "the rule of the root is another"
    return sealed(bytes(changed[:HEADER]), bytes(changed[HEADER:HEADER + body_bytes]))
