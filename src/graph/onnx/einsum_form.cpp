#include "graph/onnx/einsum_form.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "graph/onnx/tensor_proto.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::MakeAttribute;
using ::onnx::NodeProto;

bool has(const std::string& letters, char letter) { return letters.find(letter) != std::string::npos; }

std::string those(const std::string& letters, const auto& wanted) {
  std::string result;
  std::ranges::copy_if(letters, std::back_inserter(result), wanted);
  return result;
}

/// The letters of an equation of two operands.
struct Terms {
  std::string left, right, result;

  /// Reads an equation. Returns false if it is not one of two operands with different letters in each term.
  bool read(std::string equation) {
    std::erase(equation, ' ');
    const auto comma = equation.find(','), arrow = equation.find("->");
    if (comma == std::string::npos) return false;
    left = equation.substr(0, comma);
    right = equation.substr(comma + 1, arrow == std::string::npos ? arrow : arrow - comma - 1);
    if (arrow != std::string::npos)
      result = equation.substr(arrow + 2);
    else  // letters that occur once, in order
      for (char letter = 'A'; letter <= 'z'; ++letter)
        if (has(left, letter) != has(right, letter)) result += letter;
    return std::ranges::all_of(std::vector{left, right, result}, [&](std::string term) {
      const bool letters =
          std::ranges::all_of(term, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
      std::ranges::sort(term);
      return letters && std::ranges::adjacent_find(term) == term.end();
    });
  }
};

class EinsumWriter {
 public:
  EinsumWriter(NodeChange& change, Terms terms) : change_(change), terms_(std::move(terms)) {}

  /// Returns false if the shapes do not fit the equation. Its own form then says why, or repeats axes of extent 1.
  bool write() {
    if (!take_extents(0, terms_.left) || !take_extents(1, terms_.right)) return false;
    for (const char letter : terms_.result)
      if (!extents_.contains(letter)) return false;
    const std::string left = summed(change_.node.input(0), terms_.left, terms_.right),
                      right = summed(change_.node.input(1), terms_.right, terms_.left);
    const auto in_left = [&](char c) { return has(terms_.left, c); };
    const std::string shared = those(terms_.right, in_left);
    const std::string stack = those(shared, [&](char c) { return has(terms_.result, c); });
    const std::string inner = those(shared, [&](char c) { return !has(terms_.result, c); });
    const std::string rows = those(terms_.left, [&](char c) { return !has(shared, c); });
    const std::string columns = those(terms_.right, [&](char c) { return !has(shared, c); });
    const std::string a = as_matrices(left, terms_.left, stack, rows, inner),
                      b = as_matrices(right, terms_.right, stack, inner, columns);
    const std::string product = change_.add_before("MatMul", {a, b});
    const std::string made = stack + rows + columns;
    const std::string apart = change_.add_before("Reshape", {product, list(shape_of(made))});
    if (terms_.result.empty())
      change_.become("Identity", {apart});
    else
      change_.become("Transpose", {apart}, {MakeAttribute("perm", order(made, terms_.result))});
    return true;
  }

 private:
  bool take_extents(int input, const std::string& letters) {
    const Shape shape = change_.input(input).shape;
    if (shape.size() != letters.size()) return false;
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (extents_.emplace(letters[d], shape[d]).first->second != shape[d]) return false;
    return true;
  }

  /// Sums a tensor over the letters that nothing else has, and drops them.
  std::string summed(const std::string& tensor, std::string& letters, const std::string& other) {
    Shape axes;
    for (std::size_t d = 0; d < letters.size(); ++d)
      if (!has(other, letters[d]) && !has(terms_.result, letters[d])) axes.push_back(static_cast<std::int64_t>(d));
    if (axes.empty()) return tensor;
    letters = those(letters, [&](char c) { return has(other, c) || has(terms_.result, c); });
    return change_.add_before("ReduceSum", {tensor, list(axes)}, {MakeAttribute("keepdims", std::int64_t{0})});
  }

  std::string as_matrices(const std::string& tensor, const std::string& letters, const std::string& stack,
                          const std::string& rows, const std::string& columns) {
    const std::string wanted = stack + rows + columns;
    const std::string ordered =
        wanted == letters ? tensor
                          : change_.add_before("Transpose", {tensor}, {MakeAttribute("perm", order(letters, wanted))});
    return change_.add_before("Reshape", {ordered, list({count(stack), count(rows), count(columns)})});
  }

  static Shape order(const std::string& from, const std::string& to) {
    Shape result;
    for (const char letter : to) result.push_back(static_cast<std::int64_t>(from.find(letter)));
    return result;
  }
  Shape shape_of(const std::string& letters) const {
    Shape shape;
    for (const char letter : letters) shape.push_back(extents_.at(letter));
    return shape;
  }
  std::int64_t count(const std::string& letters) const {
    std::int64_t product = 1;
    for (const char letter : letters) product *= extents_.at(letter);
    return product;
  }

  std::string list(const Shape& numbers) {
    return change_.around.constant(
        {{static_cast<std::int64_t>(numbers.size())}, {numbers.begin(), numbers.end()}, true},
        ::onnx::TensorProto::INT64);
  }

  NodeChange& change_;
  Terms terms_;
  std::map<char, std::int64_t> extents_;
};

std::string equation_of(const NodeProto& node) {
  for (const AttributeProto& attribute : node.attribute())
    if (attribute.name() == "equation") return attribute.s();
  return {};
}

}  // namespace

void einsum_as_product(NodeChange& change) {
  if (change.node.input_size() != 2 || change.input(0).constant != nullptr || change.input(1).constant != nullptr)
    return;
  Terms terms;
  if (terms.read(equation_of(change.node))) EinsumWriter(change, std::move(terms)).write();
}

}  // namespace tacit::graph::onnx
