"""Every option of the commands that work on data is within reach of Python: an argument of the same name, or what is listed here."""

import inspect
import os
import re
import subprocess

import numpy as np
import pytest

import tacit

# Where Python says it differently: an argument of another name or place, another function, or a property of the process.
PROCESS = {"threads": tacit.set_threads}
SEEN = {"verbose": tacit.show_private_values}
SERVICE = dict.fromkeys(["server", "token", "ca", "insecure-http"], tacit.Client)
RESULTS = dict.fromkeys(["output", "output-format", "json"], "arrays and objects are returned")
ELSEWHERE = {
    "evaluate": {"sign": "signing_key", "insecure": "allow_insecure", "json": "a receipt is returned", **PROCESS, **SERVICE},
    "decrypt": {
        "key": tacit.Keys, "input": "results", "insecure": tacit.ClientModel.load, "memory": "what is decrypted is in memory",
        **RESULTS, **PROCESS, **SEEN,
    },
    "validate": {
        "input": "inputs", "first": "rows of an array", "count": "rows of an array", "validate": "operators",
        "dry": tacit.Model.dry_run, "report": "tacit.Validation.to_dict", "json": tacit.Model.validate,
        **dict.fromkeys(["scale", "mean", "std", "pad", "calibrate-first", "calibrate-count"], "arrays are prepared before"),
        **PROCESS, **SEEN,
    },
}
FUNCTIONS = {"evaluate": tacit.evaluate_files, "decrypt": tacit.Keys.decrypt, "validate": tacit.Model.validate}


def options_of(command, name):
    told = subprocess.run([command, name, "--help"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"^ +(?:-\w,)?--([a-z-]+)", told, flags=re.MULTILINE)) - {"help"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_options_of_a_command_are_arguments(name):
    command = os.environ.get("TACIT_COMMAND")
    if not command:
        pytest.skip("TACIT_COMMAND does not name the command")
    arguments = set(inspect.signature(FUNCTIONS[name]).parameters)
    if name == "validate":
        arguments |= set(inspect.signature(tacit.compile).parameters) | {"calibrate"}  # calibration=
    options = options_of(command, name)
    assert len(options) > 8
    missing = {option for option in options - set(ELSEWHERE[name]) if option.replace("-", "_") not in arguments}
    assert not missing
    unknown = set(ELSEWHERE[name]) - options
    assert not unknown, "of no option any more"
    renamed = {said for said in ELSEWHERE[name].values() if isinstance(said, str) and said.isidentifier()}
    assert renamed <= arguments


def test_former_names_of_decrypt_warn_and_work(keys, model, waves):
    results = model.evaluate(keys.encrypt(waves[:1]), keys.evaluation)
    with pytest.warns(DeprecationWarning, match="share_decryptions"):
        former = keys.decrypt(results, decryptions=4)
    assert np.abs(former - keys.decrypt(results)).max() == 0
    with pytest.raises(TypeError, match="'repetitions'"):
        keys.decrypt(results, repetitions=4)


def test_a_dry_run_needs_no_keys(model):
    followed = model.dry_run()
    assert not followed.failed
    assert followed.to_dict()["failed"] is False
    assert "Conv" in str(followed) or followed.text


def test_validation_takes_own_keys(model, keys, waves, tmp_path):
    secret, evaluation = tmp_path / "secret", tmp_path / "evaluation"
    keys.save_secret_key(secret)
    keys.evaluation.save(evaluation)
    assert not model.validate(waves[:1], epsilon=-2, secret=secret, evaluation=evaluation).failed
    with pytest.raises(tacit.InputError, match="go together"):
        model.validate(waves[:1], secret=secret)


def test_an_evaluation_of_files_keeps_checkpoints(model, keys, waves, tmp_path):
    model.save(tmp_path / "model")
    keys.encrypt(waves[:1]).save(tmp_path / "x.ct")
    evaluation = tmp_path / "evaluation"
    keys.evaluation.save(evaluation)
    for _ in range(2):
        receipt = tacit.evaluate_files(
            tmp_path / "model" / "server.tacit", evaluation, tmp_path / "x.ct", tmp_path / "y.ct", checkpoint=tmp_path / "kept"
        )
        assert receipt.output == tacit.root_of(tmp_path / "y.ct")
    assert (tmp_path / "kept").is_dir()
