import os
import stat

import numpy as np
import pytest
from conftest import LOGITS

import tacit


def test_every_object_travels_as_a_file(model, waves, tmp_path):
    model.save(tmp_path / "fashion")
    client = tacit.ClientModel.load(tmp_path / "fashion" / "client.tacit")
    assert client.id == model.client.id and client.input_shapes == [(1, 1, 28, 28)]
    keys = tacit.keygen(client)
    keys.save_secret_key(tmp_path / "secret")
    keys.evaluation.save(tmp_path / "evaluation")
    keys.encrypt(waves).save(tmp_path / "question")
    assert stat.S_IMODE(os.stat(tmp_path / "secret").st_mode) == 0o600
    with pytest.raises(tacit.InputError, match="exists"):
        keys.save_secret_key(tmp_path / "secret")

    server = tacit.ServerModel.load(tmp_path / "fashion" / "server.tacit")
    with pytest.raises(tacit.InputError, match="secret key"):
        server.load_keys(tmp_path / "secret")
    evaluation = server.load_keys(tmp_path / "evaluation")
    server.prepare(clients=2, held=[evaluation])
    answer = server.evaluate(server.load_inputs(tmp_path / "question"), evaluation)
    answer.save(tmp_path / "answer")

    again = tacit.Keys.load(client, tmp_path / "secret")
    scores = again.decrypt(
        client.load_results(tmp_path / "answer"), question=client.load_questions(tmp_path / "question")
    )
    np.testing.assert_allclose(scores[0], LOGITS, atol=1e-3)
    with pytest.raises(tacit.InputError, match="no server has evaluated"):
        client.load_results(tmp_path / "question")

    both = tacit.Model.load(tmp_path / "fashion")
    np.testing.assert_allclose(both.run(waves, again)[0], LOGITS, atol=1e-3)
    with pytest.raises(tacit.InputError, match="compile it here"):
        both.validate(waves)


def test_inputs_under_a_public_key_give_the_same_answers(model, keys, waves, tmp_path):
    keys.public_key.save(tmp_path / "public")
    assert keys.public_key is keys.public_key
    provider = tacit.PublicKey.load(model, tmp_path / "public")
    question = provider.encrypt(waves)
    assert isinstance(question, tacit.EncryptedTensors) and len(question) == len(waves)
    scores = keys.decrypt(model.evaluate(question, keys.evaluation), question=question)
    np.testing.assert_allclose(scores[0], LOGITS, atol=1e-3)
    assert model.client.id[:12] in repr(provider)
    keys.save_secret_key(tmp_path / "mine")
    with pytest.raises(tacit.InputError, match="it holds a secret key where a public key is needed"):
        tacit.PublicKey.load(model, tmp_path / "mine")
    with pytest.raises(tacit.InputError, match="it holds a public key where a secret key is needed"):
        tacit.Keys.load(model, tmp_path / "public")


def test_receipts_name_what_an_evaluation_read(model, keys, waves, tmp_path):
    model.save(tmp_path)
    keys.evaluation.save(tmp_path / "keys")
    keys.encrypt(waves).save(tmp_path / "question")
    receipt = tacit.evaluate_files(
        tmp_path / "server.tacit", tmp_path / "keys", tmp_path / "question", tmp_path / "answer"
    )
    assert receipt.model_id == model.client.id and receipt.signer == ""
    assert receipt.input == tacit.root_of(tmp_path / "question") and receipt.output == tacit.root_of(tmp_path / "answer")
    assert tacit.load_receipt(tmp_path / "answer.receipt").commitment == receipt.commitment
    np.testing.assert_allclose(keys.decrypt(model.client.load_results(tmp_path / "answer"))[0], LOGITS, atol=1e-3)


def test_damaged_files_are_refused(model, tmp_path):
    model.save(tmp_path)
    whole = (tmp_path / "client.tacit").read_bytes()
    for damaged in (b"", whole[:-7], whole[:200] + bytes([whole[200] ^ 1]) + whole[201:], b"\0" * 4096):
        (tmp_path / "damaged").write_bytes(damaged)
        with pytest.raises(tacit.InputError, match="damaged"):
            tacit.ClientModel.load(tmp_path / "damaged")


def test_secrets_are_not_pickled(model, keys):
    import pickle

    for thing in (keys, keys.evaluation, keys._core):
        with pytest.raises(TypeError):
            pickle.dumps(thing)
