#include "graph/onnx/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/work.h"

namespace tacit::graph::onnx {
namespace {

std::vector<Shape> known_shapes(std::span<const InferredOutput> outputs) {
  std::vector<Shape> shapes;
  for (const InferredOutput& output : outputs) shapes.push_back(output.known ? output.shape : Shape{0});
  return shapes;
}

/// Texts count for the memory that they take.
std::int64_t elements_of(const Tensor& tensor) {
  std::size_t bytes = 0;
  for (const std::string& text : tensor.texts) bytes += sizeof(text) + text.size();
  return tensor.size() + static_cast<std::int64_t>(bytes / sizeof(double));
}

/// Elements of which operand they are is said for every operand that they may come from.
std::int64_t operands_held(const Node& node) {
  const Operator* op = find_operator(node.op);
  return op != nullptr && op->joins() && op->is == Class::movement ? static_cast<std::int64_t>(node.inputs.size()) : 1;
}

[[noreturn]] void refuse_folded(const Node& node, std::int64_t elements, std::int64_t most) {
  refuse(node,
         fmt::format("constants that are computed from constants would have {} elements by now, and {} is the most for "
                     "a file with as many weights; store the constants in the file, or make them smaller",
                     elements, most));
}

}  // namespace

Budget::Budget(std::size_t file_bytes, std::int64_t rows)
    : most_activation_(rows * kMostActivation),
      most_activations_(rows * (kMostActivations + kMostActivationsPerByte * static_cast<std::int64_t>(file_bytes))),
      most_work_(static_cast<double>(rows) * (kMostWork + kMostWorkPerByte * static_cast<double>(file_bytes))),
      most_folding_(kMostFoldingWork + kMostFoldingWorkPerByte * static_cast<double>(file_bytes)) {}

void Budget::add_weights(std::int64_t elements) { most_folded_ += kMostFoldedPerWeight * elements; }

void Budget::take_input(const std::string& name, const Shape& shape) {
  const std::int64_t elements = element_count(shape);
  if (elements > most_activation_)
    base::refuse(
        "input '{}' of shape {} has {} elements, and {} is the most that an input may have; split it, or "
        "make it smaller",
        name, to_text(shape), elements, most_activation_);
  activations_ += elements;
}

void Budget::take(const Node& node, std::span<const Shape* const> inputs, std::span<const InferredOutput> outputs) {
  for (const InferredOutput& output : outputs) {
    if (!output.known) continue;
    const std::int64_t elements = element_count(output.shape);
    if (elements > most_activation_)
      refuse(node, fmt::format("its result of shape {} has {} elements, and {} is the most that what depends on an "
                               "input may have; make it smaller",
                               to_text(output.shape), elements, most_activation_));
    activations_ += elements * operands_held(node);
  }
  if (activations_ > most_activations_)
    refuse(
        node,
        fmt::format(
            "inputs and results have {} elements by now, and {} is the most for a file of this size; make them smaller",
            activations_, most_activations_));
  work_ += work_of(node, inputs, known_shapes(outputs));
  if (work_ > most_work_)
    refuse(node, fmt::format("the network needs {:.3g} multiplications by now, and {:.3g} is the most for a file of "
                             "this size; make its inputs or layers smaller",
                             work_, most_work_));
}

void Budget::check_work(const Node& node, std::span<const Shape* const> inputs) const {
  Budget rest = *this;
  rest.take(node, inputs, {});
}

std::int64_t Budget::begin_fold(const Node& node, std::span<const Shape* const> inputs,
                                std::span<const InferredOutput> outputs) {
  const std::vector<Shape> shapes = known_shapes(outputs);
  std::int64_t elements = folded_;
  for (const Shape& shape : shapes) {
    elements += element_count(shape);
    if (elements > most_folded_) refuse_folded(node, elements, most_folded_);
  }
  folding_ += work_of(node, inputs, shapes);
  if (folding_ > most_folding_)
    refuse(node, fmt::format("constants that are computed from constants would take {:.3g} steps by now, and {:.3g} is "
                             "the most for a file of this size; store the constants in the file",
                             folding_, most_folding_));
  return std::min(kMostElements, most_folded_ - folded_);
}

void Budget::end_fold(const Node& node, const Tensor& result) {
  folded_ += elements_of(result);
  if (folded_ > most_folded_) refuse_folded(node, folded_, most_folded_);
}

}  // namespace tacit::graph::onnx
