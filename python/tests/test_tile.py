import numpy as np
import pytest

import tacit
from tacit import tile

REQUIREMENT = "slots 4096, depth 2, fraction 30 bits, integer 8 bits, security 128"
# Rings that are fast and protect nothing.
FAST = "slots 1024, depth 2, fraction 30 bits, integer 8 bits, security 0"


def encrypted(requirement, computation):
    """The results of a computation, encrypted and in the clear, and its cost."""
    insecure = "security 0" in requirement
    rehearsal = tile.Session.rehearsal(requirement, allow_insecure=insecure)
    computation(rehearsal)
    session = tile.Session.encrypted(requirement, rehearsal, allow_insecure=insecure)
    clear = computation(tile.Session.clear(requirement)).decrypt()
    return computation(session).decrypt(), clear, rehearsal.cost()


def test_an_inner_product():
    u, v = np.sin(0.1 * np.arange(100)), np.cos(0.2 * np.arange(100))
    found, clear, cost = encrypted(
        REQUIREMENT, lambda session: session.encrypt("{d any|4096}", u) @ session.encrypt("{d any|4096}", v)
    )
    assert found[0] == pytest.approx(u @ v, abs=1e-4) and clear[0] == pytest.approx(u @ v, abs=1e-9)
    assert cost.products == 1 and cost.rotations == 7 and cost.tiles == 2


def test_a_matrix_product_by_operators():
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((8, 5)), rng.standard_normal((8, 6))

    def product(session):
        left = session.encrypt("{any|16}{any|8}{copy 8}", a[:, :, None])
        right = session.encrypt("{any|16}{copy 8}{any|8}", b[:, None, :])
        return left @ right

    found, clear, _ = encrypted(FAST, product)
    assert found.shape == (1, 5, 6)
    np.testing.assert_allclose(found[0], a.T @ b, atol=1e-3)
    np.testing.assert_allclose(clear[0], a.T @ b, atol=1e-9)


def test_elements_meet_tensors_plaintexts_and_numbers():
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((4, 100)), rng.standard_normal((4, 100))
    shape = "{rows any|4}{d any|256}"

    def arithmetic(session):
        x, y, plain = session.encrypt(shape, a), session.encrypt(shape, b), session.plain(shape, b)
        return (x * y - 2 * x + plain + 0.5).sum(0)

    found, clear, _ = encrypted(FAST, arithmetic)
    expected = (a * b - 2 * a + b + 0.5).sum(0, keepdims=True)
    np.testing.assert_allclose(clear, expected, atol=1e-9)
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_a_plain_matrix_from_the_left():
    rng = np.random.default_rng(3)
    matrix, x = rng.standard_normal((6, 10)), rng.standard_normal(10)
    found, clear, _ = encrypted(FAST, lambda session: matrix @ session.encrypt("{d any|1024}", x))
    assert found.shape == (6,)
    np.testing.assert_allclose(found, matrix @ x, atol=1e-3)
    np.testing.assert_allclose(clear, matrix @ x, atol=1e-9)


def test_shapes_parse_print_and_compare():
    shape = tile.Shape("{rows 10|4}{copy 64}")
    assert str(shape) == "{rows 10|4}{copy 64}" and repr(shape) == "Shape('{rows 10|4}{copy 64}')"
    assert shape == tile.Shape(str(shape)) and hash(shape) == hash(tile.Shape(str(shape))) and shape != 3
    assert shape.sizes() == [10, 1] and shape.tiles() == 3 and shape.slots() == 256
    with pytest.raises(tacit.InputError):
        tile.Shape("{rows 10|3}")


def test_a_product_says_when_its_dimension_is_not_clear():
    session = tile.Session.clear(FAST)
    a = session.encrypt("{any|32}{any|32}", np.ones((4, 5)))
    with pytest.raises(tacit.InputError, match=r"dimensions 0 and 1: say which with a\.multiply_sum"):
        a @ a
    with pytest.raises(TypeError):
        a @ "matrix"
    np.testing.assert_allclose(a.multiply_sum(a, 0).decrypt(), np.full((1, 5), 4.0), atol=1e-9)


def test_the_planner_prices_packings():
    x, y = np.ones((16, 10, 1)), np.ones((16, 1, 12))

    def batch(session, extents, fold):
        i, j, k = extents
        product = session.encrypt(f"{{any|{i}}}{{any|{j}}}{{copy {k}}}", x, 1).multiply_sum(
            session.encrypt(f"{{any|{i}}}{{copy {j}}}{{any|{k}}}", y, 1), 0, fold
        )
        assert str(product.shape)
        return 1

    plan = tacit.plan_packing(REQUIREMENT, 3, batch, memory=256e6)
    assert len(plan.best) == 10 and plan.exhaustive and plan.priced > 50
    assert all(np.prod(found.extents) == 4096 for found in plan.best)
    assert plan.best[0].latency <= plan.best[1].latency and plan.best[0].memory <= 256e6
    with pytest.raises(tacit.InputError, match="objective 'speed'"):
        tacit.plan_packing(REQUIREMENT, 3, batch, objective="speed")

    class Fault(Exception):
        pass

    def faulty(session, extents, fold):
        raise Fault("mine")

    with pytest.raises(Fault, match="mine"):
        tacit.plan_packing(REQUIREMENT, 3, faulty)


def test_a_recording_is_a_model_like_others(tmp_path):
    def product(session):
        shape = "{d any|4096}"
        return session.encrypt(shape, np.zeros(50)) @ session.encrypt(shape, np.zeros(50))

    model = tile.record(REQUIREMENT, "product", product)
    assert model.client.input_shapes == [(50,), (50,)]
    model.save(tmp_path)
    assert tacit.Model.load(tmp_path).client.id == model.client.id


def test_a_recorded_computation_runs_on_rows_of_its_tensors():
    def total(session):
        return session.encrypt("{d any|1024}", np.zeros(5)) + session.encrypt("{d any|1024}", np.zeros(5))

    model = tile.record(FAST, "total", total, allow_insecure=True)
    a, b = np.arange(10.0).reshape(2, 5), np.ones((2, 5))
    np.testing.assert_allclose(model.run((a, b)), a + b, atol=1e-3)
    with pytest.raises(tacit.InputError, match=r"has shape \(5,\), the model takes \(rows, 5\); for one input write array\[None\]"):
        model.run((a[0], b[0]))


def test_tensors_and_keys_are_saved(tmp_path):
    rehearsal = tile.Session.rehearsal(FAST, allow_insecure=True)
    session = tile.Session.encrypted(FAST, rehearsal, allow_insecure=True)
    x = np.arange(8.0)
    session.encrypt("{d any|1024}", x).save(tmp_path / "x")
    session.save_keys(tmp_path / "secret", tmp_path / "evaluation")
    again = tile.Session.from_keys(FAST, tmp_path / "secret", allow_insecure=True)
    np.testing.assert_allclose(again.load(tmp_path / "x").decrypt(), x, atol=1e-3)


def test_an_operator_is_compared_with_its_message():
    rehearsal = tile.Session.rehearsal(FAST, allow_insecure=True)
    x = np.linspace(-1, 1, 16)
    rehearsed = rehearsal.encrypt("{d any|1024}", x)
    assert (rehearsed * rehearsed).level == 1
    session = tile.Session.encrypted(FAST, rehearsal, allow_insecure=True)
    a = session.encrypt("{d any|1024}", x)
    right = tile.validate("square", a * a, lambda t: t * t, [a], [], 16, -3)
    assert not right.failed and right.worst_error < 1e-3
    wrong = tile.validate("square", a * a, lambda t: t + 1.0, [a], [], 16, -3)
    assert wrong.failed and wrong.index == 0 and "square[0]" in wrong.text
