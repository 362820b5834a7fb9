#!/usr/bin/env python3
"""Says what exported models contain: one line a model, and a histogram of operators.

    venv/bin/python tools/survey_models.py zoo/sklearn zoo/torch > survey.txt

Every folder below the given ones that holds a model.onnx is read. A line gives the operator sets, inputs, the sequence
of operators (a run of equal ones as OPERATORxN; `ml.` stands for ai.onnx.ml), outputs, and what is out of the ordinary.
"""
import argparse
import collections
import pathlib
import sys

import onnx

SHORT = {"ai.onnx.ml": "ml.", "": "", "ai.onnx": ""}
SEQUENCE_OPERATORS = {"ZipMap", "SequenceConstruct", "SequenceAt", "SplitToSequence", "ConcatFromSequence"}


def type_name(kind):
    """A type as text: float[N,4], seq(map(int64,float))."""
    which = kind.WhichOneof("value")
    if which == "tensor_type":
        element = onnx.TensorProto.DataType.Name(kind.tensor_type.elem_type).lower()
        if not kind.tensor_type.HasField("shape"):
            return f"{element}[...]"
        extents = [str(d.dim_value) if d.HasField("dim_value") else d.dim_param or "?"
                   for d in kind.tensor_type.shape.dim]
        return f"{element}[{','.join(extents)}]"
    if which == "sequence_type":
        return f"seq({type_name(kind.sequence_type.elem_type)})"
    if which == "map_type":
        key = onnx.TensorProto.DataType.Name(kind.map_type.key_type).lower()
        return f"map({key},{type_name(kind.map_type.value_type)})"
    if which == "optional_type":
        return f"optional({type_name(kind.optional_type.elem_type)})"
    return str(which)


def graphs(model):
    """The main graph, those of control flow and the bodies of functions: everything that has nodes."""
    waiting = [model.graph, *model.functions]
    while waiting:
        graph = waiting.pop(0)
        yield graph
        for node in graph.node:
            waiting += [a.g for a in node.attribute if a.type == onnx.AttributeProto.GRAPH]


def operator(node):
    return SHORT.get(node.domain, node.domain + "::") + node.op_type


def sequence(graph):
    runs = []
    for node in graph.node:
        if runs and runs[-1][0] == operator(node):
            runs[-1][1] += 1
        else:
            runs.append([operator(node), 1])
    return " ".join(name if count == 1 else f"{name}x{count}" for name, count in runs)


def tensors(model):
    """All constants, with where they stand."""
    for graph in graphs(model):
        for tensor in getattr(graph, "initializer", ()):
            yield "initializer", tensor
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.TENSOR:
                    yield f"{node.op_type}.{attribute.name}", attribute.t


def oddities(model):
    """What an importer that knows the common form only would stumble over."""
    found = []
    domains = [entry.domain for entry in model.opset_import]
    if len(set(domains)) < len(domains):
        found.append("an operator set imported twice")
    used = {node.domain for graph in graphs(model) for node in graph.node}
    found += [f"imports {domain} without using it" for domain in sorted(set(domains) - used) if domain]
    found += [f"uses {domain} without importing it" for domain in sorted(used - set(domains)) if domain]
    found += [f"function {f.domain}::{f.name}" for f in model.functions]
    found += attribute_oddities(model) + value_oddities(model)
    return list(dict.fromkeys(found))


def attribute_oddities(model):
    found = []
    for graph in graphs(model):
        for node in graph.node:
            kinds = {a.type for a in node.attribute}
            if onnx.AttributeProto.GRAPH in kinds:
                found.append(f"subgraph in {node.op_type}")
            if onnx.AttributeProto.STRINGS in kinds and any(a.strings for a in node.attribute):
                found.append(f"strings in {operator(node)}")
            if node.op_type in SEQUENCE_OPERATORS:
                found.append(f"sequence by {operator(node)}")
            if "" in node.input:
                found.append(f"{node.op_type} leaves out an optional input")
            if any(a.ref_attr_name for a in node.attribute):
                found.append(f"{node.op_type} refers to an attribute of its function")
    return found


def value_oddities(model):
    found = []
    constants = {tensor.name for tensor in model.graph.initializer}
    produced = {name for node in model.graph.node for name in node.output}
    if constants & {value.name for value in model.graph.input}:
        found.append("initializers among the inputs")
    for output in model.graph.output:
        if output.name in constants or output.name not in produced:
            found.append(f"output {output.name} is a constant or an input")
    for where, tensor in tensors(model):
        name = onnx.TensorProto.DataType.Name(tensor.data_type).lower()
        if name not in ("float", "int64"):
            found.append(f"{name} {where}")
        if 0 in tensor.dims:
            found.append(f"{where} of extent 0")
        if tensor.HasField("data_location") and tensor.data_location == onnx.TensorProto.EXTERNAL:
            found.append("external data")
    if model.graph.sparse_initializer:
        found.append("sparse initializers")
    for value in model.graph.input:
        kind = type_name(value.type)
        if not kind.startswith("float["):
            found.append(f"input {kind.split('[')[0]}")
    return found


def line(model, name):
    opsets = ",".join(f"{SHORT.get(e.domain, e.domain)}{e.version}".replace("ml.", "ml") for e in model.opset_import)
    inputs = " ".join(f"{v.name}:{type_name(v.type)}" for v in model.graph.input)
    outputs = " ".join(f"{v.name}:{type_name(v.type)}" for v in model.graph.output)
    odd = oddities(model)
    bodies = "".join(f" | in {f.name}: {sequence(f)}" for f in model.functions)
    return (f"{name} | ir{model.ir_version} opsets {opsets} | {inputs} | {sequence(model.graph)} -> {outputs}{bodies}"
            + (f" | ODD: {'; '.join(odd)}" if odd else ""))


def attribute_text(attribute):
    if attribute.type == onnx.AttributeProto.INT:
        return f"{attribute.name}={attribute.i}"
    if attribute.type == onnx.AttributeProto.STRING:
        text = attribute.s.decode(errors="replace")[:60]
        return f"{attribute.name}={text if text.isprintable() else 'bytes'}"
    return attribute.name


def survey(folders, out):
    operators, models_with, spellings, odd_counts = (collections.Counter(), collections.Counter(),
                                                    collections.defaultdict(collections.Counter),
                                                    collections.Counter())
    paths = sorted(path for folder in folders for path in folder.rglob("model.onnx"))
    for path in paths:
        model = onnx.load(path, load_external_data=False)
        print(line(model, "/".join(path.parts[-3:-1])), file=out)
        names = [operator(node) for graph in graphs(model) for node in graph.node]
        operators.update(names)
        models_with.update(set(names))
        odd_counts.update(oddities(model))
        for graph in graphs(model):
            for node in graph.node:
                spelling = sorted(attribute_text(a) for a in node.attribute)
                spellings[operator(node)][", ".join(spelling) or "-"] += 1
    print(f"\nOPERATORS in {len(paths)} models: models with it, nodes, commonest attributes", file=out)
    for name, count in models_with.most_common():
        common = "; ".join(f"{text} ({times})" for text, times in spellings[name].most_common(8))
        print(f"{name:40} {count:5} {operators[name]:6}  {common}", file=out)
    print("\nOUT OF THE ORDINARY: models with it", file=out)
    for text, count in odd_counts.most_common():
        print(f"{count:5}  {text}", file=out)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    survey(parser.parse_args(arguments).folders, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
