"""Meshes of nodes: what the command takes for --shard."""

import json
import os
import pathlib
import subprocess

import pytest
from conftest import FASHION

import tacit

CONVOLUTION, MATRIX = "node_Conv_43", "node_Gemm_49"
MESHES = {CONVOLUTION: "x:4,z:2", MATRIX: "y:8"}


def compiled(shard, **options):
    return tacit.compile(FASHION, input_range=(-1, 2.1), shard=shard, **options)


def test_meshes_compile_to_what_the_command_makes(model, tmp_path):
    command = os.environ.get("TACIT_COMMAND")
    if not command:
        pytest.skip("TACIT_COMMAND does not name the command")
    options = [word for node, mesh in MESHES.items() for word in ("--shard", f"{node}={mesh}")]
    subprocess.run(
        [command, "compile", str(FASHION), "-o", str(tmp_path), "--input-range=-1,2.1", *options],
        check=True, stdout=subprocess.DEVNULL,
    )
    of_the_command = tacit.Model.load(tmp_path).client
    file = tmp_path / "map.json"
    file.write_text(json.dumps(MESHES), encoding="utf-8")
    texts = [f"{node}={mesh}" for node, mesh in MESHES.items()]
    for shard in (MESHES, texts, file, str(file), [file], tuple(texts)):
        assert compiled(shard).client.id == of_the_command.id, shard
    assert of_the_command.id != model.client.id
    assert of_the_command.plan().input_ciphertexts == 2 and model.plan().input_ciphertexts == 1
    for shard in ({}, (), []):
        assert compiled(shard).client.id == model.client.id


def test_refusals_are_those_of_the_command():
    cases = [
        ({"node_Conv_44": "x:4"}, "there is no node 'node_Conv_44' to shard; nodes and inputs of similar names: 'node_Conv_4"),
        ({CONVOLUTION: "x:4,q:2"}, "no factor of Conv can be split along axis 'q'"),
        ({MATRIX: "x:2,y:2@n"}, "axes 'x' and 'y' both split 'n'"),
        ({CONVOLUTION: "mesh=[x=2, y=2] inputs={0: {-1, x*y, -1, -1}} outputs={}"}, "dimension 1 is split twice"),
        ({CONVOLUTION: 5}, "'node_Conv_43' has no text like"),
        (CONVOLUTION, "expected NODE=AXIS:BLOCKS"),
        (pathlib.Path("absent.json"), "expected NODE=AXIS:BLOCKS.*or the name of a file"),
    ]
    for shard, words in cases:
        with pytest.raises(tacit.InputError, match=words):
            compiled(shard)
    for scheme in ("tfhe", "auto"):
        with pytest.raises(tacit.InputError, match=r"--shard (belongs to|lays out)"):
            compiled(MESHES, scheme=scheme)
    with pytest.raises(TypeError):
        compiled(4)
