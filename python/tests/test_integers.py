"""Networks on integers with tables: the same calls."""

import numpy as np
import pytest
from conftest import EXAMPLES

import tacit

TREES = EXAMPLES / "trees"


@pytest.fixture(scope="module")
def public():
    return np.load(TREES / "train.npy")


@pytest.fixture(scope="module")
def rows():
    return np.load(TREES / "test.npy")


@pytest.fixture(scope="module")
def boosted(public):
    return tacit.compile(TREES / "boosted.onnx", scheme="tfhe", bits=4, calibration=public)


def test_trees_answer_under_encryption(boosted, rows):
    keys = tacit.keygen(boosted)
    question = keys.encrypt(rows[:3])
    answer = keys.decrypt(boosted.evaluate(question, keys.evaluation), question=question)
    assert boosted.client.scheme == "tfhe"
    labels, probabilities = answer
    assert probabilities.shape == (3, 2)
    simulated, _ = boosted.simulate(rows[:3])
    np.testing.assert_array_equal(labels, simulated)


def test_measured_ranges_replace_samples(boosted, public):
    ranges = tacit.calibrate(TREES / "boosted.onnx", public, scheme="tfhe", bits=4)
    for scheme in ("tfhe", "auto"):
        assert tacit.compile(TREES / "boosted.onnx", scheme=scheme, bits=4, ranges=ranges).client.id == boosted.client.id
    with pytest.raises(tacit.InputError, match="measured for --bits 4, and this compilation has 5"):
        tacit.compile(TREES / "boosted.onnx", scheme="tfhe", bits=5, ranges=ranges)
    with pytest.raises(tacit.InputError, match="hold no interval of a polynomial"):
        tacit.compile(TREES / "boosted.onnx", bits=4, ranges=ranges)


def test_numbers_of_trees_are_shared_without_a_flood(boosted, rows):
    keys = tacit.keygen(boosted)
    question = keys.encrypt(rows[:2])
    answer = boosted.evaluate(question, keys.evaluation)
    _, own = keys.decrypt(answer, question=question)
    _, shared = keys.decrypt(answer, question=question, share=40)
    np.testing.assert_allclose(shared, own, atol=1e-9)
    with pytest.raises(tacit.InputError, match="choose one"):
        keys.decrypt(answer, share=3, labels=True)


def test_trees_answer_inputs_under_a_public_key(boosted, rows, tmp_path):
    keys = tacit.keygen(boosted)
    keys.public_key.save(tmp_path / "public")
    question = tacit.PublicKey.load(boosted.client, tmp_path / "public").encrypt(rows[:2])
    labels, _ = keys.decrypt(boosted.evaluate(question, keys.evaluation), question=question)
    simulated, _ = boosted.simulate(rows[:2])
    np.testing.assert_array_equal(labels, simulated)
    stranger = tacit.compile(TREES / "boosted.onnx", scheme="tfhe", bits=3, calibration=np.load(TREES / "train.npy"))
    with pytest.raises(tacit.KeyMismatch):
        tacit.PublicKey.load(stranger, tmp_path / "public")


def test_a_simulation_tells_how_many_answers_stay(boosted, rows):
    labels = np.load(TREES / "labels.npy")
    answers, _ = boosted.simulate(rows)
    assert len(rows) == 200
    assert 0.85 <= (answers.ravel() == labels.ravel()).mean() <= 0.95


def test_the_plan_counts_lookups(boosted):
    plan = boosted.plan()
    assert plan.scheme == "tfhe" and plan.security_bits == 128 and plan.lookups == 68
    assert plan.log2_failure <= -128
    assert "lookup" in str(plan) and len(plan.to_dict()["instructions"]) > 3
    assert plan._repr_html_().count("<") == 2


def test_validation_is_exact(boosted, rows):
    validation = boosted.validate(rows[:1])
    assert not validation.failed and len(validation.operators) > 3
    assert all(operator.cause == "none" for operator in validation.operators)
    with pytest.raises(tacit.InputError, match="exactly"):
        boosted.validate(rows[:1], epsilon=-3)


def test_files_name_their_scheme(boosted, rows, tmp_path):
    boosted.save(tmp_path)
    loaded = tacit.Model.load(tmp_path)
    assert loaded.client.scheme == "tfhe" and loaded.client.id == boosted.client.id
    assert loaded.plan().lookups == 68
    with pytest.raises(tacit.InputError, match="compile it here"):
        loaded.simulate(rows)
    keys = tacit.keygen(loaded)
    keys.evaluation.save(tmp_path / "evaluation")
    keys.encrypt(rows[:1]).save(tmp_path / "question")
    server = tacit.ServerModel.load(tmp_path / "server.tacit")
    answer = server.evaluate(server.load_inputs(tmp_path / "question"), server.load_keys(tmp_path / "evaluation"))
    np.testing.assert_array_equal(keys.decrypt(answer)[0], boosted.simulate(rows[:1])[0])


def test_options_of_the_other_scheme_are_refused(public):
    for options, words in [
        ({"scheme": "tfhe", "batch": 2}, "batch"),
        ({"scheme": "ckks", "bits": 9}, "bits"),
        ({"scheme": "paillier"}, "give one of ckks, tfhe, auto"),
        ({"scheme": "tfhe", "failure": 2}, "probability"),
        ({"scheme": "auto", "rounding": "exact"}, "exact rounding is for networks on integers"),
    ]:
        with pytest.raises(tacit.InputError, match=words):
            tacit.compile(TREES / "boosted.onnx", calibration=public, **options)
    chosen = tacit.compile(TREES / "perceptron.onnx", scheme="auto", calibration=public, failure=2**-40)
    assert chosen.client.scheme in ("ckks", "tfhe") and "planned" in " ".join(chosen.plan().to_dict()["notes"])
