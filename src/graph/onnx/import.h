#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace tacit::graph::onnx {

/// The graph inputs that are constants instead of private data, by name. Conformance cases pass weights as inputs.
using Bindings = std::map<std::string, Tensor>;

/// The shapes of private inputs by name, which fix their symbolic axes. A leading 1 takes the rows of a fixed batch one
/// at a time. Another leading extent fixes a symbolic batch.
using InputShapes = std::map<std::string, Shape>;

/// The shape of one row of each private input that is not bound, in the model's order and without the batch axis. These
/// shapes fix the symbolic axes that no other shape fixes.
using RowShapes = std::vector<Shape>;

/// Reads a model in these steps:
/// - The onnx project's library parses the bytes, with a bound on their size.
/// - Functions are inlined, and every node is brought to one form (see adapt.h).
/// - Shapes are inferred with the batch dimension bound to 1, and graph/reference folds constants.
///
/// Accepts opsets 1 to 28 of ai.onnx and 1 to 5 of ai.onnx.ml. The bytes are untrusted: at most 2^31 - 1 of them, and
/// at most 2^28 elements per tensor. Node names are unique. Initialisers, inputs with a default value and bound inputs
/// are constants. Safe to call from several threads. Throws InputError naming the file, the node and the reason:
/// - not a model, or truncated;
/// - an operator or opset that is not supported;
/// - a dynamic shape other than the batch;
/// - training mode;
/// - control flow that private data steer;
/// - data in other files, or sparse tensors.
Graph import_model(const std::filesystem::path& path, const Bindings& bindings = {}, const InputShapes& shapes = {},
                   const RowShapes& rows = {});
Graph import_bytes(std::string_view bytes, const std::string& name, const Bindings& bindings = {},
                   const InputShapes& shapes = {}, const RowShapes& rows = {});

/// Reads a TensorProto file (conformance data). `name` receives the tensor's name. Throws InputError naming the file.
Tensor read_tensor(const std::filesystem::path& path, std::string* name = nullptr);

}  // namespace tacit::graph::onnx
