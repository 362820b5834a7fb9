#include "session/owner/read_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "graph/onnx/import.h"
#include "session/owner/npy.h"
#include "session/sentence.h"

namespace tacit::session {
namespace {

graph::onnx::Bindings constants_of(const CompileOptions& options) {
  graph::onnx::Bindings constants;
  for (const auto& [name, number] : options.constants) {
    if (!std::isfinite(number)) base::refuse("the constant '{}' in the options is not finite", printable(name));
    constants[name].data = {number};
  }
  for (const auto& [name, file] : options.constant_files) {
    const NpyArray array = read_npy(file);
    const bool real = array.type() == ElementType::float16 || array.type() == ElementType::float32 ||
                      array.type() == ElementType::float64;
    if (!constants.emplace(name, graph::Tensor{array.shape(), array.values(), !real}).second)
      base::refuse("the options give input '{}' a number and a file; leave one of them out", printable(name));
  }
  return constants;
}

/// The shapes of one row of each file, after preprocessing; none where a file holds no rows.
graph::onnx::RowShapes row_shapes(const std::vector<std::filesystem::path>& rows, const Preprocessing& preprocessing) {
  graph::onnx::RowShapes shapes;
  for (const std::filesystem::path& path : rows) {
    const NpyForm array = read_npy_form(path);
    if (array.shape.empty() || array.type == ElementType::text) return {};
    const graph::Shape row(array.shape.begin() + 1, array.shape.end());
    shapes.push_back(preprocessed_shape(preprocessing, row, path.string()));
  }
  return shapes;
}

/// Shapes with a batch of 1 for a model that fixes a batch, where the files hold the rows of it; none where they hold
/// anything else.
graph::onnx::InputShapes shapes_of_rows(const graph::Graph& model, const graph::onnx::RowShapes& rows) {
  graph::onnx::InputShapes shapes;
  if (rows.size() != model.inputs.size()) return shapes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const graph::TensorInfo& info = model.tensors.at(model.inputs[i]);
    const graph::Shape& whole = info.shape;
    if (whole.size() < 2 || whole[0] < 2 || whole[0] != model.tensors.at(model.inputs[0]).shape[0]) return {};
    if (!std::equal(rows[i].begin(), rows[i].end(), whole.begin() + 1, whole.end())) return {};
    graph::Shape one = whole;
    one[0] = 1;
    shapes[info.name] = std::move(one);
  }
  return shapes;
}

}  // namespace

graph::Graph read_model(const ModelSource& model, const CompileOptions& options,
                        const std::vector<std::filesystem::path>& rows, const Preprocessing& preprocessing) {
  const graph::onnx::Bindings constants = constants_of(options);
  const graph::onnx::RowShapes of_rows = row_shapes(rows, preprocessing);
  const auto import = [&](const graph::onnx::InputShapes& shapes) {
    return model.file.empty() ? graph::onnx::import_bytes(model.content, model.name, constants, shapes, of_rows)
                              : graph::onnx::import_model(model.file, constants, shapes, of_rows);
  };
  graph::Graph graph = import({options.shapes.begin(), options.shapes.end()});
  if (!options.shapes.empty()) return graph;
  const graph::onnx::InputShapes apart = shapes_of_rows(graph, of_rows);
  if (apart.empty()) return graph;
  const std::int64_t batch = graph.tensors.at(graph.inputs[0]).shape[0];
  try {
    graph = import(apart);
  } catch (const base::InputError& error) {
    base::refuse(
        "{}. {} holds rows without the batch of {} that the model fixes; give rows of shape [n, {}, ...], or "
        "export the model with a symbolic batch axis",
        error.what(), rows[0].string(), batch, batch);
  }
  graph.notes.push_back(
      fmt::format("The model fixes a batch of {}. It treats its rows alone, so that every row is an input.", batch));
  return graph;
}

}  // namespace tacit::session
