#include "app/model_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/parse_number.h"
#include "graph/onnx/import.h"
#include "session/owner/npy.h"

namespace tacit::app {
namespace {

/// NAME and VALUE of NAME=VALUE.
std::pair<std::string, std::string> named(const char* option, const std::string& word) {
  const std::size_t at = word.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == word.size())
    base::refuse("{} {}: NAME=VALUE is expected, with the name of an input of the model", option, word);
  return {word.substr(0, at), word.substr(at + 1)};
}

graph::onnx::InputShapes shapes_from(const std::vector<std::string>& words) {
  graph::onnx::InputShapes shapes;
  for (const std::string& word : words) {
    const auto [name, text] = named("--shape", word);
    graph::Shape shape;
    for (const std::string& part : CLI::detail::split(text, ',')) {
      const auto extent = base::parse_number<std::int64_t>(part);
      if (!extent || *extent < 1) base::refuse("--shape {}: '{}' is no extent; give one number per axis", word, part);
      shape.push_back(*extent);
    }
    if (!shapes.emplace(name, shape).second) base::refuse("--shape names the input '{}' twice", name);
  }
  return shapes;
}

graph::onnx::Bindings constants_from(const std::vector<std::string>& words) {
  graph::onnx::Bindings constants;
  for (const std::string& word : words) {
    const auto [name, text] = named("--constant", word);
    graph::Tensor value;
    if (const auto number = base::parse_number<double>(text)) {
      value.data = {*number};
    } else if (text.ends_with(".npy")) {
      const session::NpyArray array = session::read_npy(text);
      using session::ElementType;
      const bool real = array.type() == ElementType::float16 || array.type() == ElementType::float32 ||
                        array.type() == ElementType::float64;
      value = {array.shape(), array.values(), !real};
    } else {
      base::refuse("--constant {}: '{}' is neither a number nor a .npy file", word, text);
    }
    if (!constants.emplace(name, std::move(value)).second) base::refuse("--constant names the input '{}' twice", name);
  }
  return constants;
}

/// The shapes of one row of each file, after preprocessing; none where a file holds no rows.
graph::onnx::RowShapes row_shapes(const std::vector<std::filesystem::path>& rows,
                                  const session::Preprocessing& preprocessing) {
  graph::onnx::RowShapes shapes;
  for (const std::filesystem::path& path : rows) {
    const session::NpyForm array = session::read_npy_form(path);
    if (array.shape.empty() || array.type == session::ElementType::text) return {};
    const graph::Shape row(array.shape.begin() + 1, array.shape.end());
    shapes.push_back(session::preprocessed_shape(preprocessing, row, path.string()));
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

void ModelOptions::add_to(CLI::App& command) {
  auto* const group = command.add_option_group("Model", "How the ONNX file is read");
  group
      ->add_option("--shape", shapes,
                   "NAME=1,3,224,224 (repeated): the shape of an input whose axes the model leaves open. A leading 1 "
                   "takes the rows of a fixed batch one at a time; a leading n encrypts n rows together")
      ->allow_extra_args(false);
  group
      ->add_option("--constant", constants,
                   "NAME=NUMBER or NAME=FILE.npy (repeated): an input that is public and the same for everybody, as a "
                   "sampling rate; it is not encrypted")
      ->allow_extra_args(false);
}

graph::Graph ModelOptions::read(const std::filesystem::path& model, const std::vector<std::filesystem::path>& rows,
                                const session::Preprocessing& preprocessing) const {
  const graph::onnx::Bindings constant = constants_from(constants);
  const graph::onnx::RowShapes of_rows = row_shapes(rows, preprocessing);
  graph::Graph graph = graph::onnx::import_model(model, constant, shapes_from(shapes), of_rows);
  if (!shapes.empty()) return graph;
  const graph::onnx::InputShapes apart = shapes_of_rows(graph, of_rows);
  if (apart.empty()) return graph;
  const std::int64_t batch = graph.tensors.at(graph.inputs[0]).shape[0];
  try {
    graph = graph::onnx::import_model(model, constant, apart, of_rows);
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

}  // namespace tacit::app
