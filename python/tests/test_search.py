"""Private search: a store, its client and its server, as files."""

import numpy as np
import pytest

import tacit
from tacit import search

RECORDS, DIMENSIONS = 500, 12


@pytest.fixture(scope="module")
def vectors():
    rows = np.random.default_rng(1).standard_normal((RECORDS, DIMENSIONS))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def store(vectors, tmp_path):
    texts = [f"text {i}" for i in range(RECORDS)]
    return search.Store.build(tmp_path / "store", vectors, payload=texts, largest_component=1)


def test_best_records_are_those_of_numpy(store, vectors):
    queries = np.random.default_rng(2).standard_normal((2, DIMENSIONS))
    for hits, query in zip(store.query(queries, k=10), queries):
        cosines = vectors @ (query / np.linalg.norm(query))
        best = np.argsort(-cosines)[:10]
        assert len({hit.id for hit in hits} & set(best.tolist())) >= 9
        assert hits[0].id == best[0]
        assert all(abs(hit.score - cosines[hit.record]) < 0.02 for hit in hits)


def test_a_client_fetches_texts_and_gets_a_receipt(store, tmp_path):
    client = search.Client(store.client, tmp_path / "secret")
    client.keygen(tmp_path / "evaluation")
    client.fetch([7, 499], tmp_path / "question")
    receipt = store.answer(tmp_path / "evaluation", tmp_path / "question", tmp_path / "answer")
    assert receipt.model == store.facts.root and receipt.output == tacit.root_of(tmp_path / "answer")
    records = client.records(tmp_path / "question", tmp_path / "answer")
    assert [record.rstrip(b"\0") for record in records] == [b"text 7", b"text 499"]
    with pytest.raises(tacit.InputError, match="asks for records, not for scores"):
        client.scores(tmp_path / "question", tmp_path / "answer")


def test_versions_count_and_refusals_say_why(store, vectors):
    store.append(vectors[:1], payload=["again"], payload_bytes=len("text 499"))
    assert (store.facts.version, store.facts.records) == (2, RECORDS + 1)
    store.delete([RECORDS])
    assert store.facts.version == 3
    assert store.query(vectors[3], k=1)[0][0].id == 3
    with pytest.raises(tacit.InputError, match="is deleted already"):
        store.delete([RECORDS])
    with pytest.raises(tacit.InputError, match="the vectors have 3 dimensions, and the store has 12"):
        store.append([[1, 0, 0]], payload=["x"], payload_bytes=8)
    with pytest.raises(tacit.InputError, match="one row of numbers for each vector"):
        store.query(np.zeros((1, 1, 1)))
    with pytest.raises(tacit.InputError, match="cannot open the file"):
        search.Store(store.folder / "absent")
