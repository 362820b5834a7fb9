import inspect
import json

import numpy as np
import pytest
from conftest import EXAMPLES, FASHION, LOGITS

import tacit


def test_the_client_and_the_server_get_the_plaintext_answer(model, keys, waves):
    question = keys.encrypt(waves)
    answer = model.evaluate(question, keys.evaluation)
    scores = keys.decrypt(answer, question=question)
    assert len(question) == len(answer) == 2
    assert scores.shape == (2, 10) and scores.dtype == np.float64
    np.testing.assert_allclose(scores[0], LOGITS, atol=1e-3)
    assert abs(scores[1] - scores[0]).max() > 1
    np.testing.assert_array_equal(keys.decrypt(answer, labels=True), [8, 8])


def test_run_does_it_at_once_and_keeps_its_keys(waves):
    model = tacit.compile(FASHION, input_range=(-1, 2.1))
    np.testing.assert_allclose(model.run(waves[:1])[0], LOGITS, atol=1e-3)
    kept = model._keys
    np.testing.assert_allclose(model.run(waves.astype(np.float32))[0], LOGITS, atol=1e-3)
    assert model._keys is kept


def test_models_come_as_paths_bytes_and_protos(model, waves):
    onnx = pytest.importorskip("onnx")
    given = FASHION.read_bytes()
    for form in (str(FASHION), given, bytearray(given), onnx.load(str(FASHION))):
        same = tacit.compile(form, input_range=(-1, 2.1))
        assert same.client.output_shapes == [(1, 10)]
        assert same.client.id == model.client.id
    with pytest.raises(TypeError, match="not int"):
        tacit.compile(3)


def test_several_inputs_and_outputs_are_tuples_in_the_order_of_the_model():
    pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    weights = np.arange(6, dtype=np.float32).reshape(3, 2) / 4
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["a", "w"], ["product"]), helper.make_node("Add", ["product", "b"], ["sum"])],
        "two",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", width]) for name, width in (("a", 3), ("b", 2))],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 2]) for name in ("product", "sum")],
        [numpy_helper.from_array(weights, "w")],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    proto.ir_version = min(proto.ir_version, 9)
    a = np.array([[1.0, -0.5, 0.25], [0.5, 1.0, -1.0], [0.0, 0.75, 0.5]])
    b = np.array([[0.5, -1.0], [0.25, 1.0], [-0.75, 0.0]])
    model = tacit.compile(proto, input_range=(-1, 1))
    assert model.client.input_shapes == [(1, 3), (1, 2)] and model.client.output_shapes == [(1, 2), (1, 2)]
    for answers in (model.run((a, b)), model.simulate((a, b))):
        assert isinstance(answers, tuple) and len(answers) == 2
        np.testing.assert_allclose(answers[0], a @ weights, atol=1e-4)
        np.testing.assert_allclose(answers[1], a @ weights + b, atol=1e-4)
    with pytest.raises(tacit.InputError, match="has 1 arrays, the model has 2 inputs"):
        model.run(a)
    with pytest.raises(tacit.InputError, match="one input has 3 rows and another 2: give as many of each"):
        model.run((a, b[:2]))


def test_open_axes_constants_and_far_rows_are_told():
    pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    graph = helper.make_graph(
        [helper.make_node("Mul", ["x", "gain"], ["scaled"]), helper.make_node("Add", ["scaled", "b"], ["y"])],
        "open",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", "width"]), helper.make_tensor_value_info("gain", TensorProto.FLOAT, [])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", "width"])],
        [numpy_helper.from_array(np.float32(0.5), "b")],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    proto.ir_version = min(proto.ir_version, 9)
    with pytest.raises(tacit.InputError, match="axis 1 of input 'x' \\('width'\\) is dynamic"):
        tacit.compile(proto, input_range=(-1, 1), constant={"gain": 2})
    model = tacit.compile(proto, input_range=(-1, 1), constant={"gain": 2}, shape={"x": (1, 3)})
    assert model.client.input_shapes == [(1, 3)]
    x = np.array([[0.25, -0.5, 1.0]])
    np.testing.assert_allclose(model.simulate(x), 2 * x + 0.5, atol=1e-4)
    with pytest.raises(tacit.InputError, match="'z', which is no private input"):
        tacit.compile(proto, input_range=(-1, 1), constant={"gain": 2}, shape={"x": (1, 3), "z": (1, 3)})
    with pytest.raises(tacit.InputError, match=r"--calibrate-trim 1\.5"):
        tacit.compile(proto, calibration=np.zeros((4, 3)), constant={"gain": 2}, shape={"x": (1, 3)}, calibrate_trim=1.5)


def test_keywords_are_the_table_of_options():
    table = {line.split(":")[0] for line in tacit.options().splitlines() if not line.startswith(" ")}
    keywords = set(inspect.signature(tacit.compile).parameters)
    apart = {"model", "calibration", "memory", "allow_insecure", "explain", "name", "progress", "former"}
    assert keywords - apart == table
    for name in table:
        assert f"{name}" in tacit.compile.__doc__, name
    with pytest.raises(TypeError, match="unexpected keyword argument 'degree'"):
        tacit.compile(FASHION, degree=7)
    with pytest.warns(DeprecationWarning, match="shapes= is shape= now"):
        tacit.compile(FASHION, input_range=(-1, 2.1), shapes={})
    with pytest.raises(tacit.InputError, match="--scheme bfv: give one of ckks, tfhe, auto"):
        tacit.compile(FASHION, scheme="bfv")
    with pytest.raises(tacit.InputError, match="give a number, a text, or several of them"):
        tacit.compile(FASHION, max_degree={7})
    with pytest.raises(tacit.InputError, match=r"^calibrate_trim=array\(.{40,54}\.\.\.: give a number") as refused:
        tacit.compile(FASHION, calibrate_trim=np.ones((100, 100)))
    assert "\n" not in str(refused.value)


def test_measured_ranges_replace_samples(waves):
    samples = np.concatenate([waves] * 4) + np.linspace(0, 0.1, 4 * len(waves)).reshape(-1, 1, 1, 1)
    ranges = tacit.calibrate(FASHION, samples, max_degree=15)
    by_samples = tacit.compile(FASHION, calibration=samples, max_degree=15)
    by_ranges = tacit.compile(FASHION, ranges=ranges, max_degree=15)
    assert by_ranges.client.id == by_samples.client.id
    with pytest.raises(tacit.InputError, match="--ranges and --calibrate both say"):
        tacit.compile(FASHION, ranges=ranges, calibration=samples, max_degree=15)
    with pytest.raises(TypeError, match="unexpected keyword argument 'degree'"):
        tacit.calibrate(FASHION, samples, degree=15)
    with pytest.raises(tacit.InputError, match="give --scheme ckks or --scheme tfhe to calibrate"):
        tacit.calibrate(FASHION, samples, scheme="auto")
    with pytest.raises(tacit.InputError, match="measured for --scheme ckks and lack the ranges of all elements"):
        tacit.compile(FASHION, ranges=ranges, scheme="tfhe")


def test_a_score_says_what_agrees_and_what_has_no_answer(model, waves):
    inputs = np.concatenate([waves, waves[:1] * np.nan, waves[:1] + 50])
    score = model.score(inputs, labels=[8, 8, 8, 8])
    assert score.inputs == 4 and list(score.misses) == [2, 3] and score.agreement == 0.5
    assert "input 2" in score.misses[2] and "input 3" in score.misses[3]
    assert score.accuracy == score.plain_accuracy == 1
    report = score.to_dict()
    assert report["misses"] == 2 and report["outputs"][0]["largest_error"] < 1e-3
    assert "agree with plaintext: 2 of 4" in str(score)
    encrypted = model.score(waves[:1], encrypted=True)
    assert encrypted.agreement == 1 and encrypted.seconds > 0 and encrypted.accuracy is None
    with pytest.raises(tacit.InputError, match="1 labels for 2 inputs"):
        model.score(waves, labels=[8])
    assert list(model.score(waves[:1] * np.nan).misses) == [0]


def test_rows_calibrate_for_each_other():
    rows = np.load(EXAMPLES / "trees" / "test.npy")[:60]
    perceptron = EXAMPLES / "trees" / "perceptron.onnx"
    score = tacit.cross_fit(perceptron, rows, parts=3, max_degree=31)
    assert score.inputs == 60 and score.agreement + len(score.misses) / 60 > 0.95 and score.accuracy is None
    assert score.to_dict()["misses"] == len(score.misses)
    with pytest.raises(tacit.InputError, match="at least 2 parts"):
        tacit.cross_fit(perceptron.read_bytes(), rows, parts=61)
    with pytest.raises(TypeError, match="unexpected keyword argument 'calibration'"):
        tacit.cross_fit(perceptron, rows, calibration=rows)


def test_passes_are_left_out_and_explained():
    model = tacit.compile(FASHION, input_range=(-1, 2.1), passes="no-fold", explain="parameters")
    assert [name for name, _ in model.explanations] == ["parameters"] and "log_n" in model.explanations[0][1]


def test_plans_are_objects_text_dictionaries_and_pages(model):
    plan = model.plan()
    assert plan.security_bits == 128 and plan.log_n == 14 and plan.levels == 7 and plan.rotations == 63
    assert plan.log_qp == pytest.approx(421.0, abs=0.1)
    assert 50e6 < plan.key_bytes < 200e6
    assert "128-bit security" in str(plan) and "node_Conv_43" in str(plan)
    told = plan.to_dict()
    assert told == json.loads(plan.json)
    assert told["rotations"] == 63 and told["scheme"] == plan.scheme == "ckks" and len(told["instructions"]) == 11
    page = plan._repr_html_()
    assert page.startswith("<iframe sandbox=") and "N14-d8" in page and page.count("<") == 2


def test_a_batch_takes_inputs_side_by_side(waves):
    model = tacit.compile(FASHION, input_range=(-1, 2.1), batch=2)
    assert model.plan().batch == 2
    np.testing.assert_allclose(model.run(np.concatenate([waves, waves[:1]]))[[0, 2]], [LOGITS, LOGITS], atol=1e-3)
    for batch in (0, "many", 1.5):
        with pytest.raises(tacit.InputError, match="or auto"):
            tacit.compile(FASHION, input_range=(-1, 2.1), batch=batch)


def test_a_simulation_is_near_the_plaintext(model, waves):
    simulated = model.simulate(waves)
    assert simulated.shape == (2, 10)
    np.testing.assert_allclose(simulated[0], LOGITS, atol=1e-3)
    assert abs(model.simulate(waves) - simulated).max() < 1e-3


def test_validation_compares_every_operator(model, waves):
    validation = model.validate(waves[:1], epsilon=-3)
    assert not validation.failed and len(validation.operators) == 7
    assert validation.operators[0].node == "node_Conv_43" and validation.operators[0].cause == "none"
    assert 0 < validation.operators[0].worst_error < 1e-3
    assert len(validation.to_dict()["operators"]) == 7
    strict = model.validate(waves[:1], epsilon=-9, fail_fast=True)
    assert strict.failed and strict.operators[0].failed and "node_Conv_43" in str(strict)


def test_refusals_name_the_thing_the_bound_and_the_way_out(model, keys, waves):
    cases = [
        (lambda: keys.encrypt(waves[0]), r"\(1, 28, 28\).*array\[None\]"),
        (lambda: keys.encrypt(waves.reshape(2, 784)), r"reshape\(-1, 1, 28, 28\)"),
        (lambda: keys.encrypt(waves[:, :, 1:]), r"\(2, 1, 27, 28\)"),
        (lambda: keys.encrypt(waves[:0]), "no rows"),
        (lambda: keys.encrypt(7), "single number"),
        (lambda: keys.encrypt((waves, waves)), "2 arrays, the model has 1"),
        (lambda: keys.encrypt(waves + 1j), "complex128"),
        (lambda: keys.encrypt(waves * np.nan), "element 0"),
        (lambda: keys.encrypt(waves + 5), r"outside \[-1, 2.1\]"),
        (lambda: keys.encrypt(np.full((1, 1, 28, 28), 2**60)), r"2\^53"),
        (lambda: keys.decrypt(keys.encrypt(waves)), "no server has evaluated"),
        (lambda: tacit.compile(FASHION.with_name("absent.onnx")), "absent.onnx"),
        (lambda: tacit.compile(b"no model", name="mine.onnx"), "mine.onnx.*not an ONNX model"),
        (lambda: tacit.compile(FASHION, parameters="N12-d99"), "N12-d99"),
        (lambda: tacit.compile(FASHION, calibration=np.zeros((1, 3))), "784"),
        (lambda: tacit.compile(FASHION, max_degree=-1), "--max-degree -1"),
    ]
    for call, words in cases:
        with pytest.raises(tacit.InputError, match=words):
            call()
    assert issubclass(tacit.InputError, ValueError) and issubclass(tacit.Cancelled, KeyboardInterrupt)


def test_objects_of_others_are_told_apart(model, keys, waves):
    stranger = tacit.keygen(model)
    with pytest.raises(tacit.KeyMismatch, match="key set"):
        model.evaluate(stranger.encrypt(waves), keys.evaluation)
    first, second = keys.encrypt(waves[:1]), keys.encrypt(waves[1:])
    answer = model.evaluate(first, keys.evaluation)
    with pytest.raises(tacit.KeyMismatch):
        keys.decrypt(answer, question=second)
    with pytest.raises(tacit.KeyMismatch):
        stranger.decrypt(answer)
    other = tacit.compile(FASHION, input_range=(-1, 2.1), batch=2)
    with pytest.raises(tacit.KeyMismatch, match="model"):
        other.server.prepare(held=[keys.evaluation])


def test_insecure_parameters_need_permission(model):
    literal = json.dumps(dict(model.client.parameters, insecure=True))
    with pytest.raises(tacit.InputError, match="insecure"):
        tacit.compile(FASHION, input_range=(-1, 2.1), parameters=literal)
    insecure = tacit.compile(FASHION, input_range=(-1, 2.1), parameters=literal, allow_insecure=True)
    assert insecure.plan().security_bits == 0
