#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "graph/onnx/run_model_for_test.h"

namespace tacit::graph::onnx {
namespace {

using Extents = std::map<char, std::int64_t>;
const Extents kExtents{{'a', 2}, {'b', 3}, {'c', 4}, {'i', 5}, {'j', 2}, {'k', 3}};

Shape shape_of_letters(const std::string& letters) {
  Shape shape;
  for (const char letter : letters) shape.push_back(kExtents.at(letter));
  return shape;
}

std::size_t place(const std::string& letters, const Extents& at) {
  std::int64_t result = 0;
  for (const char letter : letters) result = result * kExtents.at(letter) + at.at(letter);
  return static_cast<std::size_t>(result);
}

std::int64_t elements(const std::string& letters) {
  std::int64_t count = 1;
  for (const char letter : letters) count *= kExtents.at(letter);
  return count;
}

/// The sums of products of an equation, index by index.
std::vector<double> sums(const std::string& left, const std::string& right, const std::string& result,
                         const std::vector<double>& a, const std::vector<double>& b) {
  std::string all = left;
  for (const char letter : right)
    if (all.find(letter) == std::string::npos) all += letter;
  std::vector<double> made(static_cast<std::size_t>(elements(result)), 0.0);
  for (std::int64_t n = 0; n < elements(all); ++n) {
    Extents at;
    std::int64_t rest = n;
    for (auto letter = all.rbegin(); letter != all.rend(); ++letter) {
      at[*letter] = rest % kExtents.at(*letter);
      rest /= kExtents.at(*letter);
    }
    made[place(result, at)] += a[place(left, at)] * b[place(right, at)];
  }
  return made;
}

Tensor counted(const std::string& letters, double step) {
  Tensor tensor{shape_of_letters(letters), {}, false};
  for (std::int64_t e = 0; e < elements(letters); ++e) tensor.data.push_back(step * static_cast<double>(e % 7) - 1);
  return tensor;
}

TEST(EinsumForm, TwoTensorsAreAProductOfMatrices) {
  for (const auto& [left, right, result] : std::vector<std::array<std::string, 3>>{{"ij", "jk", "ik"},
                                                                                   {"ij", "kj", "ik"},
                                                                                   {"abic", "abkc", "abik"},
                                                                                   {"abik", "akbc", "aibc"},
                                                                                   {"ai", "aj", "ija"},
                                                                                   {"i", "j", "ji"},
                                                                                   {"ij", "ij", ""},
                                                                                   {"ijb", "jk", "ki"},
                                                                                   {"abc", "abc", "cab"}}) {
    const auto type = [](const std::string& letters) {
      return letters.empty() ? "float" : fmt::format("float[{}]", fmt::join(shape_of_letters(letters), ", "));
    };
    const std::string text = fmt::format("g ({} x, {} y) => ({} z) {{ z = Einsum <equation = \"{},{}->{}\"> (x, y) }}",
                                         type(left), type(right), type(result), left, right, result);
    SCOPED_TRACE(text);
    const Graph graph = import_text(text, 17);
    EXPECT_THAT(operators_of(graph), testing::Contains("MatMul"));
    EXPECT_THAT(operators_of(graph), testing::Not(testing::Contains("Einsum")));
    const Tensor x = counted(left, 0.5), y = counted(right, 0.25);
    const std::vector<Tensor> made = reference::run(graph, std::vector{x, y});
    EXPECT_EQ(made.at(0).shape, shape_of_letters(result));
    EXPECT_THAT(made.at(0).data,
                testing::Pointwise(testing::DoubleNear(1e-9), sums(left, right, result, x.data, y.data)));
  }
}

TEST(EinsumForm, WithoutAnArrowLettersThatOccurOnceAreTheResult) {
  const Graph graph = import_text(
      "g (float[2, 3] x, float[3, 2] y) => (float[2, 2] z) { z = Einsum <equation = \"kj, ji\"> (x, y) }", 17);
  const std::vector<Tensor> made =
      reference::run(graph, std::vector{reals({2, 3}, {1, 2, 3, 4, 5, 6}), reals({3, 2}, {1, 0, 0, 1, 1, 1})});
  EXPECT_EQ(made.at(0).data, (std::vector<double>{4, 10, 5, 11})) << "i before k";
}

TEST(EinsumForm, OtherEquationsKeepTheirForm) {
  for (const char* node :
       {"(float[2, 2] x, float[2, 2] y) => (float[2] z) { z = Einsum <equation = \"ii,ij->j\"> (x, y) }",
        "(float[2, 2] x, float[2, 2] y) => (float[2, 2] z) { z = Einsum <equation = \"...j,jk->...k\"> (x, y) }",
        "(float[2, 1] x, float[2, 2] y) => (float[2, 2] z) { z = Einsum <equation = \"ij,jk->ik\"> (x, y) }",
        "(float[2, 2] x) => (float[2, 2] z) <float[2, 2] y = {1, 2, 3, 4}> { z = Einsum <equation = \"ij,jk->ik\"> (x, "
        "y) }"})
    EXPECT_THAT(operators_of(import_text(std::string("g ") + node, 17)), testing::Contains("Einsum")) << node;
}

}  // namespace
}  // namespace tacit::graph::onnx
