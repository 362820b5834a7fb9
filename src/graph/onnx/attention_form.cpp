#include "graph/onnx/attention_form.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "graph/onnx/refuse_node.h"
#include "graph/onnx/tensor_proto.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::MakeAttribute;

// The number that hides an element of a row of scores.
constexpr double kHidden = std::numeric_limits<float>::lowest();

/// Writes an Attention node out as nodes in front of it. The node itself becomes the last of them.
class AttentionWriter {
 public:
  explicit AttentionWriter(NodeChange& change) : change_(change), type_(change.input(0).element_type) {
    refuse_caches();
    const Shape &q = shape(0), &k = shape(1), &v = shape(2);
    if (q.size() != k.size() || k.size() != v.size() || (q.size() != 3 && q.size() != 4))
      refuse_node(change_.node,
                  fmt::format("it takes three tensors of three or of four dimensions; they have {}, {} and {}",
                              q.size(), k.size(), v.size()));
    flat_ = q.size() == 3;
    const std::int64_t heads = change_.take_integer("q_num_heads", 0), shared = change_.take_integer("kv_num_heads", 0);
    if (flat_ && (heads < 1 || shared < 1))
      refuse_node(change_.node, "tensors of three dimensions need the attributes q_num_heads and kv_num_heads");
    query_heads_ = flat_ ? heads : q[1];
    key_heads_ = flat_ ? shared : k[1];
    rows_ = flat_ ? q[1] : q[2];
    columns_ = flat_ ? k[1] : k[2];
    if (query_heads_ % key_heads_ != 0)
      refuse_node(change_.node,
                  fmt::format("{} heads of queries do not share {} heads of keys evenly", query_heads_, key_heads_));
  }

  void write() {
    const std::string q = by_head(0, query_heads_), k = repeated(by_head(1, key_heads_), 1),
                      v = repeated(by_head(2, key_heads_), 2);
    const std::int64_t width = flat_ ? shape(0)[2] / query_heads_ : shape(0)[3];
    const auto scale = change_.take("scale");
    const double factor = scale && scale->f() != 0 ? scale->f() : 1 / std::sqrt(static_cast<double>(width));
    const std::string turned = change_.add_before("Transpose", {k}, {MakeAttribute("perm", Shape{0, 1, 3, 2})});
    std::string scores = change_.add_before("MatMul", {change_.add_before("Mul", {q, number(factor)}), turned});
    scores = masked(capped(scores));
    const std::string shares = change_.add_before("Softmax", {scores}, {MakeAttribute("axis", std::int64_t{-1})});
    if (!flat_) return change_.become("MatMul", {shares, v});
    const std::string mixed = change_.add_before("MatMul", {shares, v});
    const std::string side_by_side =
        change_.add_before("Transpose", {mixed}, {MakeAttribute("perm", Shape{0, 2, 1, 3})});
    change_.become("Reshape", {side_by_side, list({0, 0, -1})});
  }

 private:
  const Shape& shape(int input) {
    shapes_[input] = change_.input(input).shape;
    return shapes_[input];
  }

  void refuse_caches() {
    if (change_.has_input(4) || change_.has_input(5))
      refuse_node(change_.node,
                  "its keys of earlier tokens (past_key, past_value) grow from run to run, which a compiled "
                  "model cannot; export the model without a cache (use_cache=False)");
    if (change_.has_input(6))
      refuse_node(change_.node, "its number of keys (nonpad_kv_seqlen) is an input; use a mask instead");
    for (int i = 1; i < change_.node.output_size(); ++i)
      if (!change_.node.output(i).empty())
        refuse_node(change_.node, fmt::format("its output {} ('{}') is not supported: export the model without a cache",
                                              i, change_.node.output(i)));
    while (change_.node.output_size() > 1) change_.node.mutable_output()->RemoveLast();
    change_.take_integer("qk_matmul_output_mode", 0);
    change_.take_integer("softmax_precision", 0);
  }

  std::string number(double value) { return change_.around.constant({{}, {value}, false}, type_); }
  std::string list(const Shape& numbers) {
    return change_.around.constant(
        {{static_cast<std::int64_t>(numbers.size())}, {numbers.begin(), numbers.end()}, true},
        ::onnx::TensorProto::INT64);
  }

  /// Returns an input as [batch, heads, tokens, width].
  std::string by_head(int input, std::int64_t heads) {
    const std::string name = change_.node.input(input);
    if (!flat_) return name;
    const std::int64_t width = shape(input)[2];
    if (width % heads != 0)
      refuse_node(change_.node,
                  fmt::format("its input {} of width {} does not split into {} heads", input, width, heads));
    const std::string split = change_.add_before("Reshape", {name, list({0, 0, heads, width / heads})});
    return change_.add_before("Transpose", {split}, {MakeAttribute("perm", Shape{0, 2, 1, 3})});
  }
  /// Returns keys or values with every head as often as heads of queries share it.
  std::string repeated(const std::string& heads, int input) {
    const std::int64_t times = query_heads_ / key_heads_;
    if (times == 1) return heads;
    const Shape& whole = shape(input);
    const std::int64_t width = flat_ ? whole[2] / key_heads_ : whole[3];
    const std::string apart = change_.add_before("Reshape", {heads, list({whole[0], key_heads_, 1, columns_, width})});
    const std::string copies =
        change_.add_before("Expand", {apart, list({whole[0], key_heads_, times, columns_, width})});
    return change_.add_before("Reshape", {copies, list({whole[0], query_heads_, columns_, width})});
  }
  std::string capped(const std::string& scores) {
    const auto attribute = change_.take("softcap");
    const double cap = attribute ? attribute->f() : 0;
    if (cap == 0) return scores;
    return change_.add_before(
        "Mul", {change_.add_before("Tanh", {change_.add_before("Div", {scores, number(cap)})}), number(cap)});
  }
  /// Adds the mask. Truth values show an element.
  std::string masked(std::string scores) {
    if (change_.take_integer("is_causal", 0) != 0) {
      Tensor later{{rows_, columns_}, std::vector<double>(static_cast<std::size_t>(rows_ * columns_), 0.0), false};
      for (std::int64_t i = 0; i < rows_; ++i)
        for (std::int64_t j = i + 1; j < columns_; ++j)
          later.data[static_cast<std::size_t>(i * columns_ + j)] = kHidden;
      scores = change_.add_before("Add", {scores, change_.around.constant(std::move(later), type_)});
    }
    if (!change_.has_input(3)) return scores;
    std::string mask = change_.node.input(3);
    if (change_.input(3).element_type == ::onnx::TensorProto::BOOL)
      mask = change_.add_before("Where", {mask, number(0), number(kHidden)});
    return change_.add_before("Add", {scores, mask});
  }

  NodeChange& change_;
  int type_;
  bool flat_ = false;
  std::int64_t query_heads_ = 1, key_heads_ = 1, rows_ = 1, columns_ = 1;
  Shape shapes_[3];
};

}  // namespace

void attention_written_out(NodeChange& change) { AttentionWriter(change).write(); }

}  // namespace tacit::graph::onnx
