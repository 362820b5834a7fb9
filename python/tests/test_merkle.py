"""Merkle trees and proofs: what the command and C++ give, over bytes, arrays and files."""

import numpy as np
import pytest

import tacit
from tacit import merkle

BYTES = bytes(i * i % 253 for i in range(50_000))
CHUNK = 4096


@pytest.fixture(scope="module")
def tree():
    return merkle.tree(BYTES, chunk=CHUNK)


def chunk(index):
    return BYTES[index * CHUNK : (index + 1) * CHUNK]


def test_bytes_arrays_and_files_have_one_root(tree, tmp_path):
    path = tmp_path / "data"
    path.write_bytes(BYTES)
    numbers = np.frombuffer(BYTES, dtype=np.int32).reshape(-1, 100)
    assert len(tree) == 13 and len(tree.root) == 64
    for data in (bytearray(BYTES), memoryview(BYTES), numbers, numbers.T.copy().T, path, str(path), [path]):
        assert merkle.root(data, chunk=CHUNK) == tree.root
        assert merkle.tree(data, chunk=CHUNK).root == tree.root
    assert merkle.root(BYTES[:-1], chunk=CHUNK) != tree.root
    assert merkle.root(BYTES, chunk=2 * CHUNK) != tree.root
    assert merkle.root(BYTES, chunk=CHUNK, hash="rescue-prime-a.1") != tree.root


def test_leaves_of_bytes_are_those_of_a_file(tmp_path):
    path = tmp_path / "counted"
    path.write_bytes(bytes(range(256)))
    for leaf in ("sha256", "bytes"):
        for name in ("rescue-prime-c.1", "rescue-prime-a.1"):
            of_file = merkle.root(path, hash=name, leaf=leaf, chunk=64)
            assert merkle.root(path.read_bytes(), hash=name, leaf=leaf, chunk=64) == of_file
    digests = np.arange(64, dtype="<u8")
    assert merkle.tree(digests, leaf="digests").root == merkle.tree(digests.tobytes(), leaf="digests").root
    assert len(merkle.tree(digests, leaf="digests")) == 16


def test_names_and_lengths_of_several_files_count(tmp_path):
    for name, content in (("a", b"one"), ("b", b"two"), ("c", b"two")):
        (tmp_path / name).write_bytes(content)
    a, b, c = (tmp_path / name for name in "abc")
    assert len(merkle.tree([a, b])) == 4
    assert len({merkle.root([a, b]), merkle.root([b, a]), merkle.root([a, c]), merkle.root(b"onetwo")}) == 4


def test_proofs_hold_for_their_chunks_alone(tree):
    proof = tree.prove([12, 2])
    assert proof.indices == (2, 12) and proof.leaves == 13
    proof.verify(tree.root)
    proof.verify(tree.root, [chunk(2), np.frombuffer(chunk(12), np.uint8)])
    with pytest.raises(tacit.KeyMismatch, match="chunk 0 of those given is not leaf 2"):
        proof.verify(tree.root, [chunk(3), chunk(12)])
    with pytest.raises(tacit.KeyMismatch, match="does not hold"):
        proof.verify(merkle.root(BYTES[1:], chunk=CHUNK), [chunk(2), chunk(12)])
    with pytest.raises(tacit.KeyMismatch, match="hash"):
        proof.verify(tree.root, hash="rescue-prime-a.1")
    with pytest.raises(tacit.InputError, match="1 chunks for the 2 leaves"):
        proof.verify(tree.root, [chunk(2)])
    with pytest.raises(tacit.InputError, match="64 hexadecimal digits"):
        proof.verify("root")
    with pytest.raises(tacit.InputError, match="not about a tree that was extended"):
        proof.verify_extension(tree.root, tree.root)


def test_proofs_travel(tree, tmp_path):
    proof = tree.prove(7)
    for name in ("p.proof", "p.json"):
        proof.save(tmp_path / name)
        merkle.Proof.load(tmp_path / name).verify(tree.root, [chunk(7)])
        with pytest.raises(tacit.InputError):
            merkle.Proof.from_bytes((tmp_path / name).read_bytes()[:-9])
    assert merkle.Proof.from_bytes(proof.to_bytes()).to_json() == proof.to_json()
    # A flipped bit of a node is found, wherever it is: 4 nodes of 32 bytes end the file.
    whole = proof.to_bytes()
    assert len(whole) == 72 + 8 + 32 + 4 * 32
    for at in range(len(whole) - 5 * 32, len(whole), 32):
        damaged = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        with pytest.raises(tacit.KeyMismatch):
            merkle.Proof.from_bytes(damaged).verify(tree.root)


def test_logs_grow(tree):
    grown = tree.extended(b"more").extended(BYTES[:CHUNK])
    assert len(grown) == 15
    proof = grown.prove_extension(13)
    assert proof.indices == () and proof.leaves == 15
    proof.verify_extension(tree.root, grown.root)
    with pytest.raises(tacit.KeyMismatch):
        proof.verify_extension(grown.root, tree.root)
    with pytest.raises(tacit.InputError, match="use verify_extension"):
        proof.verify(grown.root)


def test_what_makes_no_tree_is_refused(tree, tmp_path):
    with pytest.raises(tacit.InputError, match="no bytes"):
        merkle.tree(b"")
    with pytest.raises(tacit.InputError, match="absent"):
        merkle.tree(tmp_path / "absent")
    with pytest.raises(tacit.InputError, match="md5"):
        merkle.tree(BYTES, hash="md5")
    with pytest.raises(tacit.InputError, match="whole number of digests"):
        merkle.tree(BYTES, leaf="digests")
    with pytest.raises(tacit.InputError, match="13"):
        tree.prove(13)
    with pytest.raises(tacit.InputError, match="counted from 0"):
        tree.prove([-1])
    with pytest.raises(tacit.InputError, match="Python objects"):
        merkle.tree(np.array([object()]))

