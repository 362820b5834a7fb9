"""Two of three owners decrypt: the steps of the guide, as files and in memory."""

import numpy as np
import pytest
from conftest import EXAMPLES

import tacit
from tacit import owners

NAMES = ("a", "b", "c")


@pytest.fixture(scope="module")
def group(tmp_path_factory):
    """A folder with a model, a group and its keys, and the model."""
    folder = tmp_path_factory.mktemp("group")
    samples = np.random.default_rng(1).uniform(0, 16, (80, 64))
    model = tacit.compile(EXAMPLES / "digits" / "model.onnx", calibration=samples, owners=(3, 2))
    client = folder / "client"
    model.client.save(client)
    for name in NAMES:
        owners.make_key(client, folder / f"{name}.secret", folder / f"{name}.id")
    owners.propose(client, {name: folder / f"{name}.id" for name in NAMES}, 2, folder / "proposed")
    commits = [folder / f"{name}.commit" for name in NAMES]
    for name, commit in zip(NAMES, commits):
        owners.Owner(client, folder / "proposed", folder / f"{name}.secret").commit(commit)
    owners.agree(client, folder / "proposed", commits, folder / "group")
    everybody = {name: owners.Owner(client, folder / "group", folder / f"{name}.secret") for name in NAMES}
    first, second = ([folder / f"{name}.{part}" for name in NAMES] for part in ("first", "second"))
    for owner, to in zip(everybody.values(), first):
        owner.first_part(to)
    for owner, to in zip(everybody.values(), second):
        owner.second_part(first, to)
    owners.combine_keys(client, folder / "group", first + second, folder / "public", folder / "evaluation")
    return folder, model, everybody


def test_two_of_three_owners_decrypt(group):
    folder, model, everybody = group
    client = folder / "client"
    rows = np.random.default_rng(2).uniform(0, 16, (2, 64))
    question = tacit.PublicKey.load(model.client, folder / "public").encrypt(rows)
    question.save(folder / "question")
    answer = model.evaluate(question, model.server.load_keys(folder / "evaluation"))
    answer.save(folder / "answer")
    for name in ("a", "c"):
        assert everybody[name].share(folder / "answer", folder / "a.id", folder / f"{name}.share") == 2
    shares = [folder / "a.share", tacit.Source((folder / "c.share"))]
    owners.combine_shares(client, folder / "group", folder / "answer", folder / "a.id", shares, folder / "shared")
    scores = owners.decrypt(client, folder / "a.secret", folder / "shared", question=folder / "question")
    expected = model.simulate(rows)
    assert scores.shape == expected.shape
    assert np.abs(scores - expected).max() < 0.02 * np.ptp(expected)
    with pytest.raises(tacit.InputError, match="are needed; ask more owners for their shares"):
        owners.combine_shares(client, folder / "group", folder / "answer", folder / "a.id", shares[:1], folder / "x")
    with pytest.raises(tacit.Error):
        owners.decrypt(client, folder / "b.secret", folder / "shared")
    assert not (folder / "x").exists()


def test_strangers_and_missing_parts_are_refused(group):
    folder, _, everybody = group
    client = folder / "client"
    owners.make_key(client, folder / "d.secret", folder / "d.id")
    with pytest.raises(tacit.InputError):
        owners.Owner(client, folder / "group", folder / "d.secret").first_part(folder / "d.first")
    with pytest.raises(tacit.InputError, match="what 'c' made with --part1 is missing"):
        everybody["a"].second_part([folder / "a.first", folder / "b.first"], folder / "again")
    with pytest.raises(tacit.InputError):
        owners.propose(client, {name: folder / f"{name}.id" for name in NAMES}, 4, folder / "p")
    with pytest.raises(tacit.InputError):
        owners.make_key(client, folder / "a.secret", folder / "again.id")


@pytest.mark.parametrize("scheme", ["ckks", "tfhe"])
def test_inputs_of_two_owners_become_one_question(tmp_path, scheme):
    pytest.importorskip("onnx")
    from onnx import helper, numpy_helper, parser, save

    random = np.random.default_rng(4)
    a, b = random.uniform(-0.5, 0.5, (3, 2)), random.uniform(-0.5, 0.5, (5, 2))
    graph = parser.parse_graph(
        "two (float[1,3] left, float[1,5] right) => (float[1,2] sum) "
        "{ l = MatMul(left, a) r = MatMul(right, b) t = Add(l, r) sum = Relu(t) }"
    )
    graph.initializer.extend(numpy_helper.from_array(w.astype("float32"), name) for name, w in (("a", a), ("b", b)))
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "two.onnx")
    samples = random.uniform(-1, 1, (60, 3)), random.uniform(-1, 1, (60, 5))
    model = tacit.compile(tmp_path / "two.onnx", calibration=samples, scheme=scheme)
    client = tmp_path / "client"
    model.client.save(client)
    keys = tacit.keygen(model)
    keys.public_key.save(tmp_path / "public")
    left, right = (0.9 * array[:2] for array in samples)
    # The order of the parts does not count, and one of them stays in memory.
    owners.encrypt_only(client, tmp_path / "public", {"right": right}, tmp_path / "right")
    part = tacit.Source.memory((tmp_path / "right").read_bytes())
    owners.encrypt_only(client, tmp_path / "public", {"left": left}, tmp_path / "left")
    owners.combine_questions(client, [part, tmp_path / "left"], tmp_path / "question")
    question = model.client.load_questions(tmp_path / "question")
    sums = keys.decrypt(model.evaluate(question, keys.evaluation), question=question)
    expected = np.maximum(left @ a + right @ b, 0)
    assert np.abs(sums - expected).max() < (0.05 if scheme == "ckks" else 0.15)

    with pytest.raises(tacit.InputError, match=r"input 'right' of model 'two\.onnx' is missing; ask its owner for it"):
        owners.combine_questions(client, [tmp_path / "left"], tmp_path / "none")
    with pytest.raises(tacit.InputError, match="both hold input 'left'"):
        owners.combine_questions(client, [tmp_path / "left", part, tmp_path / "left"], tmp_path / "none")
    with pytest.raises(tacit.InputError, match="has no input 'middle'; name one of its inputs 'left', 'right'"):
        owners.encrypt_only(client, tmp_path / "public", {"middle": left}, tmp_path / "none")
    with pytest.raises(tacit.InputError, match="which combine puts together"):
        model.server.load_inputs(tmp_path / "left")
    other = tacit.keygen(model).public_key
    other.save(tmp_path / "other")
    owners.encrypt_only(client, tmp_path / "other", {"right": right}, tmp_path / "foreign")
    with pytest.raises(tacit.KeyMismatch):
        owners.combine_questions(client, [tmp_path / "left", tmp_path / "foreign"], tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_no_server_gets_the_secret_of_an_owner(group):
    folder, _, _ = group
    client = tacit.Client("http://127.0.0.1:1", token="t")  # nobody listens there
    for send in (lambda: client.send_group_file("0" * 64, folder / "a.secret"), lambda: client.send_group("0" * 64, folder / "a.secret")):
        with pytest.raises(tacit.InputError, match="is a secret key: never send it to a server"):
            send()
