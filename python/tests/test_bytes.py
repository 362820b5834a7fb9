"""Objects from bytes and to bytes, without files."""

import numpy as np
import pytest
from conftest import LOGITS

import tacit
from tacit import InputError, Sink, Source


@pytest.fixture(scope="module")
def server(model):
    return tacit.ServerModel.load(Source.memory(model.server.to_bytes()))


@pytest.fixture(scope="module")
def evaluation(keys):
    return keys.evaluation.to_bytes()


def test_every_object_travels_as_bytes(model, server, keys, evaluation, waves, tmp_path):
    client = tacit.ClientModel.load(Source.memory(memoryview(model.client.to_bytes())))
    assert client.id == model.client.id
    owner = tacit.Keys.load(client, Source.memory(keys.secret_key_bytes()))
    question = owner.encrypt(waves)
    inputs = server.load_inputs(Source.memory(bytearray(question.to_bytes())))
    answer = server.evaluate(inputs, server.load_keys(Source.memory(evaluation))).to_bytes()
    scores = owner.decrypt(
        client.load_results(Source.memory(answer)), question=client.load_questions(Source.memory(question.to_bytes()))
    )
    np.testing.assert_allclose(scores[0], LOGITS, atol=1e-3)
    assert question.kept_values() == b""
    for thing in (model.client, model.server, question, keys.evaluation):
        thing.save(tmp_path / "file")
        assert thing.to_bytes() == (tmp_path / "file").read_bytes()
        thing.save(str(tmp_path / "file"))
        thing.save(Sink(tmp_path / "file"))
        assert tacit.root_of(Source.memory(thing.to_bytes())) == tacit.root_of(tmp_path / "file")
    owner.save_secret_key(tmp_path / "secret")
    assert isinstance(owner.secret_key_bytes(), bytearray)
    assert owner.secret_key_bytes() == (tmp_path / "secret").read_bytes()


def test_receipts_travel_as_text(model, keys, waves, tmp_path):
    model.save(tmp_path)
    keys.evaluation.save(tmp_path / "keys")
    keys.encrypt(waves).save(tmp_path / "question")
    receipt = tacit.evaluate_files(tmp_path / "server.tacit", tmp_path / "keys", tmp_path / "question", tmp_path / "answer")
    assert receipt.json == (tmp_path / "answer.receipt").read_text()
    assert tacit.load_receipt(Source.memory(receipt.json.encode())).commitment == receipt.commitment
    with pytest.raises(InputError, match="mine: this is no receipt of Tacit: it is too large"):
        tacit.load_receipt(Source.memory(b" " * (1 << 20), "mine"))


@pytest.mark.parametrize("piece", [1000, 4096, 1 << 20, (1 << 20) + 1])
def test_streams_are_the_bytes_in_pieces(server, keys, evaluation, piece):
    pieces = []
    facts = []
    keys.evaluation.save(Sink.stream(pieces.append, lambda size, root: facts.append((size, root)) or 0))
    assert b"".join(pieces) == evaluation
    assert max(map(len, pieces)) == 1 << 20
    assert facts == [(len(evaluation), tacit.root_of(Source.memory(evaluation)))]
    given = (evaluation[at : at + piece] for at in range(0, len(evaluation), piece))
    assert server.load_keys(Source.stream(given, len(evaluation), len(evaluation))).to_bytes() == evaluation


def test_an_interrupted_stream_continues(keys, evaluation):
    received = bytearray()

    def cut_off(piece):
        received.extend(piece[: len(piece) // 2])
        raise ConnectionResetError("gone")

    with pytest.raises(ConnectionResetError, match="gone"):
        keys.evaluation.save(Sink.stream(cut_off))
    for _ in range(3):
        end = len(received) + (3 << 20)

        def write(piece, until=end):
            if len(received) >= until:
                raise ConnectionResetError("gone again")
            received.extend(piece)

        try:
            keys.evaluation.save(Sink.stream(write, lambda size, root: len(received)))
        except ConnectionResetError:
            pass
    rest = []
    keys.evaluation.save(Sink.stream(rest.append, lambda size, root: len(received)))
    assert bytes(received) + b"".join(rest) == evaluation
    keys.evaluation.save(Sink.stream(rest.append, lambda size, root: size))
    assert bytes(received) + b"".join(rest) == evaluation


def test_streams_with_faults_are_refused(model):
    half = model.client.to_bytes()
    with pytest.raises(InputError, match=f"it ended after {len(half)} of {len(half) + 1} bytes"):
        Source.stream([half], 1 << 20, len(half) + 1)
    with pytest.raises(InputError, match="it says that it has 10 bytes, and has more"):
        Source.stream([half], 1 << 20, 10)
    with pytest.raises(InputError, match="mine: it has more than the 10 bytes that are accepted; raise the bound"):
        Source.stream([half], 10, name="mine")
    with pytest.raises(InputError, match="it says that it has 11 bytes, and at most 10 are accepted"):
        Source.stream(iter(int, 1), 10, 11)
    with pytest.raises(InputError, match="it gave none 1000 times in a row"):
        Source.stream(iter(lambda: b"", None), 10)
    with pytest.raises(TypeError):
        Source.stream(["text"], 10)
    with pytest.raises(TypeError):
        Source.memory("text")
    with pytest.raises(InputError, match="1000 bytes where its header says"):
        tacit.ClientModel.load(Source.memory(half[:1000]))

    def failing():
        yield half[:5]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Source.stream(failing(), 1 << 20)


def test_the_wrong_bytes_are_refused(model, server, keys, evaluation):
    with pytest.raises(InputError, match="mine: this is a secret key, and the computing side must never get one"):
        server.load_keys(Source.memory(keys.secret_key_bytes(), "mine"))
    with pytest.raises(InputError, match="it holds evaluation keys where a client model is needed"):
        tacit.ClientModel.load(Source.memory(evaluation))
    damaged = bytearray(evaluation)
    damaged[len(damaged) // 2] ^= 1
    with pytest.raises(InputError, match="is damaged: its SHA-256 does not match"):
        server.load_keys(Source.memory(damaged))
    with pytest.raises(InputError, match="it asks for bytes from"):
        keys.evaluation.save(Sink.stream(print, lambda size, root: size + 1))
    with pytest.raises((TypeError, RuntimeError)):
        keys.evaluation.save(Sink.stream(print, lambda size, root: "none"))


def test_memory_is_held_and_not_copied(model):
    data = bytearray(model.client.to_bytes())
    source = Source.memory(data)
    with pytest.raises(BufferError):
        data.clear()  # the source holds it
    assert tacit.ClientModel.load(source).id == model.client.id
    data[200] ^= 1
    with pytest.raises(InputError, match="damaged"):
        tacit.ClientModel.load(source)
    del source
    data.clear()


def test_a_function_may_use_the_object_that_calls_it(model):
    inner = []
    model.client.save(Sink.stream(lambda piece: inner.append(model.client.to_bytes())))
    assert inner and inner[0] == model.client.to_bytes()
