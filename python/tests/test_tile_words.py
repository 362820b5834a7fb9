"""The refusals, names and defaults of tile arithmetic."""

import numpy as np
import pytest

import tacit
from tacit import tile

# Rings that are fast and protect nothing.
FAST = "slots 1024, depth 2, fraction 30 bits, integer 8 bits, security 0"


@pytest.fixture(scope="module")
def clear():
    return tile.Session.clear(FAST)


def test_a_product_over_no_dimension_is_refused_by_its_shapes(clear):
    a = clear.encrypt("{any|32}{copy 32}", np.ones((4, 1)))
    b = clear.encrypt("{copy 32}{any|32}", np.ones((1, 5)))
    with pytest.raises(tacit.InputError) as refused:
        a @ b
    assert str(refused.value) == (
        "a @ b sums over the one dimension along which both have several elements; "
        f"{a.shape} and {b.shape} have none such: say which with a.multiply_sum(b, dim)"
    )


def test_a_product_over_the_last_of_three_dimensions(clear):
    x = np.arange(24.0).reshape(2, 1, 12)
    y = np.arange(36.0).reshape(1, 3, 12)
    a = clear.encrypt("{any|4}{copy 4}{any|64}", x)
    b = clear.encrypt("{copy 4}{any|4}{any|64}", y)
    np.testing.assert_allclose((a @ b).decrypt(), (x * y).sum(2, keepdims=True), atol=1e-9)


def test_only_a_matrix_may_stand_on_the_left(clear):
    x = clear.encrypt("{d any|1024}", np.ones(4))
    for array, dimensions in ((np.ones(4), 1), (np.ones((1, 2, 4)), 3)):
        with pytest.raises(tacit.InputError) as refused:
            array @ x
        assert str(refused.value) == f"matrix @ tensor takes a matrix, and this array has {dimensions} dimensions"
    np.testing.assert_allclose((np.ones((1, 4)) @ x).decrypt(), [4.0], atol=1e-9)


def test_filters_move_by_one_unless_a_stride_is_given(clear):
    picture, filters = np.arange(64.0).reshape(1, 8, 8, 1), np.arange(9.0).reshape(1, 1, 3, 3)
    shape = "{c 1}{y 8|4 woven}{x 8|4 woven}{copy 64}"
    image = clear.encrypt(shape, picture)
    hidden = clear.encrypt_filters(shape, filters)

    def correlated(stride):
        found = np.zeros((6, 6))
        for y in range(6):
            for x in range(6):
                found[y, x] = (picture[0, y : y + 3, x : x + 3, 0] * filters[0, 0]).sum()
        return found[::stride, ::stride]

    for given in (filters, hidden):
        np.testing.assert_allclose(np.squeeze(image.convolve(given).decrypt()), correlated(1), atol=1e-6)
        np.testing.assert_allclose(np.squeeze(image.convolve(given, 2).decrypt()), correlated(2), atol=1e-6)


def test_sums_fold_one_bit_at_a_time_over_elements_alone():
    assert repr(tile.Fold()) == "Fold(all_places=False, hoist=1)"
    assert repr(tile.Fold(True, 3)) == "Fold(all_places=True, hoist=3)"
    assert (tile.Fold().all_places, tile.Fold().hoist) == (False, 1)


def test_tensors_tell_their_shape_and_level(clear):
    x = clear.encrypt("{d any|1024}", np.ones(4))
    assert repr(x) == "<tacit.tile.Tensor {d 4|1024}, level 2>"
    assert x.level == clear.max_level == 2 and clear.slots == 1024
    assert clear.encrypt("{d any|1024}", np.ones(4), 1).level == 1


def test_insecure_rings_need_a_word_everywhere(tmp_path):
    rehearsal = tile.Session.rehearsal(FAST, allow_insecure=True)
    session = tile.Session.encrypted(FAST, rehearsal, allow_insecure=True)
    session.save_keys(tmp_path / "secret", tmp_path / "evaluation")

    def nothing(session):
        return [session.encrypt("{d any|1024}", np.zeros(4))]

    for refused in (
        lambda: tile.Session.rehearsal(FAST),
        lambda: tile.Session.encrypted(FAST, rehearsal),
        lambda: tile.Session.from_keys(FAST, tmp_path / "secret"),
        lambda: tile.record(FAST, "nothing", nothing),
    ):
        with pytest.raises(tacit.InputError, match="encrypts for nobody"):
            refused()


def test_plans_are_the_best_for_what_they_are_asked():
    requirement = "slots 4096, depth 1, fraction 35 bits, integer 8 bits, security 128"

    # A few inner products of 400 elements need rotations, many in step 400 products and none.
    def batch(session, extents, fold):
        values = np.zeros((extents[0], 400))
        shape = f"{{any|{extents[0]}}}{{any|{extents[1]}}}"
        session.encrypt(shape, values, 1).multiply_sum(session.encrypt(shape, values, 1), 1, fold)
        return extents[0]

    found = {
        objective: tacit.plan_packing(requirement, 2, batch, objective=objective).best[0]
        for objective in ("latency", "throughput", "memory")
    }
    assert found["latency"].latency < found["throughput"].latency
    assert found["throughput"].amortised < found["latency"].amortised
    assert found["memory"].memory <= min(found["latency"].memory, found["throughput"].memory)
    default = tacit.plan_packing(requirement, 2, batch).best[0]
    assert default.extents == found["latency"].extents and default.fold.hoist == found["latency"].fold.hoist
    first, second = default.extents
    assert repr(default) == f"<{first} x {second}: {default.latency * 1e3:f} ms>"
    with pytest.raises(tacit.InputError, match="objective 'speed' is none of 'latency', 'throughput' and 'memory'"):
        tacit.plan_packing(requirement, 2, batch, objective="speed")
