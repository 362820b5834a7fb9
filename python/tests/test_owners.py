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
