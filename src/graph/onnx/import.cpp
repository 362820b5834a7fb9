#include "graph/onnx/import.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <new>
#include <optional>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/onnx/batch_rows.h"
#include "graph/onnx/bind_inputs.h"
#include "graph/onnx/builder.h"
#include "graph/onnx/external_data.h"
#include "graph/onnx/inline_functions.h"
#include "graph/onnx/opsets.h"
#include "graph/onnx/parse.h"
#include "graph/onnx/screen.h"
#include "graph/onnx/sort_nodes.h"
#include "graph/onnx/tensor_proto.h"
#include "graph/prune.h"

namespace tacit::graph::onnx {
namespace {

/// Every refusal names the file; what the libraries throw at bytes that nobody foresaw is a refusal too.
template <typename Function>
auto naming(const std::string& kind, const std::string& name, Function function) {
  try {
    return function();
  } catch (const base::InternalError&) {
    throw;
  } catch (const std::bad_alloc&) {
    base::refuse("{} '{}': it needs more memory than there is", kind, name);
  } catch (const std::exception& error) {
    base::refuse("{} '{}': {}", kind, name, error.what());
  }
}

/// None for a model that cannot hold the batch its inputs now have: one that reshapes to a batch of 1 by a constant.
std::optional<Graph> build_if_it_fits(const ::onnx::ModelProto& model, const std::vector<VersionedNode>& nodes,
                                      const Opsets& opsets, const Bindings& bindings) {
  try {
    return prune(Builder(model.graph(), nodes, opsets, bindings, kSeveralRows).build());
  } catch (const base::InputError&) {
    return std::nullopt;
  }
}

/// Refuses a model that one row does not fit, for `reason`, where a multiple of rows fits it. One model more is built
/// where none does.
void refuse_batch_of_one(::onnx::ModelProto& model, const std::vector<VersionedNode>& nodes, const Opsets& opsets,
                         const Bindings& bindings, const InputShapes& shapes, const RowShapes& rows,
                         const std::string& reason) {
  constexpr std::int64_t kMultipleOfMany = 48;
  const auto stated = model.graph().input();
  const auto fits = [&](std::int64_t batch) {
    *model.mutable_graph()->mutable_input() = stated;
    bind_inputs(model, bindings, batch, shapes, rows);
    try {
      Builder(model.graph(), nodes, opsets, bindings, batch).build();
    } catch (const base::InputError&) {
      return false;
    }
    return true;
  };
  if (!fits(kMultipleOfMany)) return;
  std::int64_t batch = 2;
  while (kMultipleOfMany % batch != 0 || !fits(batch)) ++batch;
  base::refuse(
      "{}. The model takes batches of {} rows together: give --shape with {} as the leading extent, and rows "
      "with that axis",
      reason, batch, batch);
}

/// `folder`, where weights may lie beside the model; none for bytes in memory.
Graph import_unnamed(std::string_view bytes, const Bindings& given, const InputShapes& shapes, const RowShapes& rows,
                     const std::optional<std::filesystem::path>& folder) {
  ::onnx::ModelProto model;
  parse(bytes, model);
  if (folder) read_external_data(model, *folder);
  if (model.ir_version() > kNewestFileFormat)
    base::refuse("its file format is version {} and {} is the newest that is known: export it again",
                 model.ir_version(), kNewestFileFormat);
  if (model.opset_import_size() == 0) throw base::InputError("it states no operator set (opset)");
  const Opsets opsets = read_opsets(model.opset_import(), "it");
  const std::vector<VersionedNode> nodes = sorted(inline_functions(model, opsets));
  screen(model.graph(), nodes);
  const Bindings bindings = filled(model, given);
  const auto stated_inputs = model.graph().input();
  const auto bind = [&](std::int64_t batch) {
    *model.mutable_graph()->mutable_input() = stated_inputs;
    return bind_inputs(model, bindings, batch, shapes, rows);
  };
  const BatchBinding batch = bind(1);
  std::optional<Graph> graph;
  try {
    graph = prune(Builder(model.graph(), nodes, opsets, bindings).build());
  } catch (const base::InputError& error) {
    if (batch.open) {
      *model.mutable_graph()->mutable_input() = stated_inputs;
      refuse_batch_of_one(model, nodes, opsets, bindings, shapes, rows, error.what());
    }
    throw;
  }
  if (batch.open) {
    bind(kSeveralRows);
    const std::optional<Graph> several = build_if_it_fits(model, nodes, opsets, bindings);
    if (several) check_rows_are_apart(*graph, *several, batch.taken_apart);
    if (!several && batch.taken_apart) refuse_held_batch();
  }
  for (const auto& [name, shape] : batch.of_rows)
    graph->notes.push_back(fmt::format(
        "The model leaves axes of the input '{}' open. The rows at hand fix its shape to {}.", name, to_text(shape)));
  return std::move(*graph);
}

}  // namespace

Graph import_model(const std::filesystem::path& path, const Bindings& bindings, const InputShapes& shapes,
                   const RowShapes& rows) {
  return naming("model", path.string(),
                [&] { return import_unnamed(read_file(path), bindings, shapes, rows, path.parent_path()); });
}

Graph import_bytes(std::string_view bytes, const std::string& name, const Bindings& bindings, const InputShapes& shapes,
                   const RowShapes& rows) {
  return naming("model", name, [&] { return import_unnamed(bytes, bindings, shapes, rows, std::nullopt); });
}

Tensor read_tensor(const std::filesystem::path& path, std::string* name) {
  return naming("tensor file", path.string(), [&] {
    ::onnx::TensorProto proto;
    parse(read_file(path), proto);
    if (name != nullptr) *name = proto.name();
    return to_tensor(proto, fmt::format("the tensor '{}'", proto.name()));
  });
}

}  // namespace tacit::graph::onnx
