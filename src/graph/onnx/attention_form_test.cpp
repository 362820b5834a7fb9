#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "graph/onnx/run_model_for_test.h"
#include "layout/layout.h"

namespace tacit::graph::onnx {
namespace {

using testing::HasSubstr;

/// The sizes and attributes of an attention of one sample.
struct Case {
  std::int64_t heads, key_heads, rows, columns, width, value_width;
  bool flat = false, causal = false;
  double scale = 0, cap = 0;
  std::vector<double> mask{};  ///< added to the scores of every head; empty: none
};

Tensor drawn(Shape shape, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> number;
  Tensor tensor{shape, std::vector<double>(static_cast<std::size_t>(layout::element_count(shape))), false};
  for (double& x : tensor.data) x = number(random);
  return tensor;
}

/// Returns element (head, token, k) of a tensor of queries, keys or values.
double at(const Tensor& x, bool flat, std::int64_t heads, std::int64_t head, std::int64_t token, std::int64_t k) {
  const std::int64_t width = flat ? x.shape[2] / heads : x.shape[3], tokens = flat ? x.shape[1] : x.shape[2];
  const std::int64_t place = flat ? token * x.shape[2] + head * width + k : (head * tokens + token) * width + k;
  return x.data[static_cast<std::size_t>(place)];
}

/// The formula of ONNX's operator, element by element.
std::vector<double> attention(const Case& c, const Tensor& q, const Tensor& k, const Tensor& v) {
  const double factor = c.scale != 0 ? c.scale : 1 / std::sqrt(static_cast<double>(c.width));
  std::vector<double> result(static_cast<std::size_t>(c.heads * c.rows * c.value_width), 0.0);
  for (std::int64_t h = 0; h < c.heads; ++h)
    for (std::int64_t i = 0; i < c.rows; ++i) {
      const std::int64_t shared = h / (c.heads / c.key_heads);
      std::vector<double> powers;
      double sum = 0;
      for (std::int64_t j = 0; j < c.columns; ++j) {
        double score = 0;
        for (std::int64_t d = 0; d < c.width; ++d)
          score += at(q, c.flat, c.heads, h, i, d) * at(k, c.flat, c.key_heads, shared, j, d);
        score *= factor;
        if (c.cap != 0) score = c.cap * std::tanh(score / c.cap);
        if (!c.mask.empty()) score += c.mask[static_cast<std::size_t>(i * c.columns + j)];
        powers.push_back(c.causal && j > i ? 0 : std::exp(score));
        sum += powers.back();
      }
      for (std::int64_t j = 0; j < c.columns; ++j)
        for (std::int64_t d = 0; d < c.value_width; ++d) {
          const std::int64_t place =
              c.flat ? i * c.heads * c.value_width + h * c.value_width + d : (h * c.rows + i) * c.value_width + d;
          result[static_cast<std::size_t>(place)] +=
              powers[static_cast<std::size_t>(j)] / sum * at(v, c.flat, c.key_heads, shared, j, d);
        }
    }
  return result;
}

std::string model(const Case& c) {
  const auto input = [&](std::int64_t heads, std::int64_t tokens, std::int64_t width) {
    return c.flat ? fmt::format("float[1, {}, {}]", tokens, heads * width)
                  : fmt::format("float[1, {}, {}, {}]", heads, tokens, width);
  };
  std::string attributes = fmt::format("is_causal = {}", c.causal ? 1 : 0), constants;
  if (c.flat) attributes += fmt::format(", q_num_heads = {}, kv_num_heads = {}", c.heads, c.key_heads);
  if (c.scale != 0) attributes += fmt::format(", scale = {:.4f}", c.scale);
  if (c.cap != 0) attributes += fmt::format(", softcap = {:.4f}", c.cap);
  if (!c.mask.empty())
    constants = fmt::format("<float[{}, {}] m = {{{}}}> ", c.rows, c.columns, fmt::join(c.mask, ", "));
  return fmt::format("g ({} q, {} k, {} v) => ({} y) {}{{ y = Attention <{}> (q, k, v{}) }}",
                     input(c.heads, c.rows, c.width), input(c.key_heads, c.columns, c.width),
                     input(c.key_heads, c.columns, c.value_width), input(c.heads, c.rows, c.value_width), constants,
                     attributes, c.mask.empty() ? "" : ", m");
}

TEST(AttentionForm, ComputesTheFormulaOfTheOperator) {
  const std::vector<double> mask{0, 0.5, -1, 0.25, 1, -1e30, 0, 2, -0.5, 0, 0, -1e30};
  for (const Case& c :
       {Case{2, 2, 3, 4, 5, 6}, Case{2, 2, 3, 3, 4, 4, true}, Case{4, 2, 3, 3, 2, 3, true, true},
        Case{6, 2, 3, 4, 2, 2, false, false, 0.75, 1.5}, Case{1, 1, 3, 4, 2, 2, false, false, 0, 0, mask},
        Case{2, 1, 3, 4, 2, 2, true, true, 0, 0, mask}}) {
    SCOPED_TRACE(model(c));
    const auto shape = [&](std::int64_t heads, std::int64_t tokens, std::int64_t width) {
      return c.flat ? Shape{1, tokens, heads * width} : Shape{1, heads, tokens, width};
    };
    const Tensor q = drawn(shape(c.heads, c.rows, c.width), 1), k = drawn(shape(c.key_heads, c.columns, c.width), 2),
                 v = drawn(shape(c.key_heads, c.columns, c.value_width), 3);
    const Graph graph = import_text(model(c), 23);
    const std::vector<Tensor> made = reference::run(graph, std::vector{q, k, v});
    EXPECT_EQ(made.at(0).shape, shape(c.heads, c.rows, c.value_width));
    EXPECT_THAT(made.at(0).data, testing::Pointwise(testing::DoubleNear(1e-5), attention(c, q, k, v)));
  }
}

TEST(AttentionForm, CachesAndUnevenHeadsAreRefused) {
  EXPECT_THAT(import_text_refusal("g (float[1, 1, 2, 2] q, float[1, 1, 2, 2] p) => (float[1, 1, 2, 2] y) "
                                  "{ y, a, b = Attention (q, q, q, , p, p) }",
                                  23),
              HasSubstr("(Attention): its keys of earlier tokens (past_key, past_value) grow from run to run"));
  EXPECT_THAT(import_text_refusal("g (float[1, 3, 2, 2] q, float[1, 2, 2, 2] k) => (float[1, 3, 2, 2] y) "
                                  "{ y = Attention (q, k, k) }",
                                  23),
              HasSubstr("3 heads of queries do not share 2 heads of keys evenly"));
  EXPECT_THAT(import_text_refusal("g (float[1, 2, 4] q) => (float[1, 2, 4] y) { y = Attention (q, q, q) }", 23),
              HasSubstr("need the attributes q_num_heads and kv_num_heads"));
}

}  // namespace
}  // namespace tacit::graph::onnx
