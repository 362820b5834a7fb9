#include <fmt/format.h>

#include <algorithm>

#include "graph/integers.h"
#include "graph/reference/broadcast.h"
#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

/// out[m, n] += a[m, k] b[k, n], all row-major. Integers are their 64 bits.
template <typename Number>
void multiply_add(const Number* a, const Number* b, Number* out, std::int64_t m, std::int64_t k, std::int64_t n) {
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < k; ++j) {
      const Number factor = a[i * k + j];
      if (factor == 0) continue;
      for (std::int64_t c = 0; c < n; ++c) out[i * n + c] += factor * b[j * n + c];
    }
  }
}

/// out[m, n] += a[m, k] b[n, k]: both are read along their rows.
void multiply_add_transposed(const double* a, const double* b, double* out, std::int64_t m, std::int64_t k,
                             std::int64_t n) {
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t c = 0; c < n; ++c) {
      double sum = 0;
      for (std::int64_t j = 0; j < k; ++j) sum += a[i * k + j] * b[c * k + j];
      out[i * n + c] += sum;
    }
  }
}

std::vector<double> transposed(const Tensor& matrix) {
  const std::int64_t rows = matrix.shape[0], columns = matrix.shape[1];
  std::vector<double> result(matrix.data.size());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j)
      result[static_cast<std::size_t>(j * rows + i)] = matrix.data[static_cast<std::size_t>(i * columns + j)];
  }
  return result;
}

std::vector<std::uint64_t> bits_of_all(const Tensor& tensor) {
  std::vector<std::uint64_t> bits;
  bits.reserve(tensor.data.size());
  for (const double value : tensor.data) bits.push_back(bits_of(value));
  return bits;
}

std::vector<Tensor> gemm(const Call& call) {
  const Tensor &a = call.input(0), &b = call.input(1);
  if (a.integral || b.integral) call.refuse("it takes floating-point matrices; multiply integers by MatMul");
  if (a.shape.size() != 2 || b.shape.size() != 2)
    call.refuse(fmt::format("Gemm takes matrices, not {} and {}", to_text(a.shape), to_text(b.shape)));
  const bool flip_a = flag_attribute(call.node, "transA");
  const bool flip_b = flag_attribute(call.node, "transB");
  const std::int64_t m = a.shape[flip_a ? 1 : 0], k = a.shape[flip_a ? 0 : 1], n = b.shape[flip_b ? 0 : 1];
  if (b.shape[flip_b ? 1 : 0] != k)
    call.refuse(fmt::format("matrices of shape {} and {} do not chain", to_text(a.shape), to_text(b.shape)));
  Tensor result = call.zeros({m, n});
  const std::vector<double> flipped = flip_a ? transposed(a) : std::vector<double>{};
  const double* left = flip_a ? flipped.data() : a.data.data();
  (flip_b ? multiply_add_transposed : multiply_add<double>)(left, b.data.data(), result.data.data(), m, k, n);
  const double alpha = real_attribute(call.node, "alpha"), beta = real_attribute(call.node, "beta");
  for (double& value : result.data) value *= alpha;
  if (call.has(2)) {
    const Tensor& bias = call.input(2);
    BroadcastIndex at = broadcast_to(call, "a bias", bias, result.shape);
    for (double& value : result.data) value += beta * bias.data[at.next()];
  }
  return {std::move(result)};
}

/// A vector takes part as a matrix of one row (left) or one column (right); that axis is dropped from the result.
std::vector<Tensor> matrix_multiply(const Call& call) {
  const Tensor &a = call.input(0), &b = call.input(1);
  if (a.shape.empty() || b.shape.empty()) call.refuse("MatMul takes vectors or matrices, not a single number");
  Shape left = a.shape, right = b.shape;
  if (left.size() == 1) left.insert(left.begin(), 1);
  if (right.size() == 1) right.push_back(1);
  const std::int64_t m = left[left.size() - 2], k = left.back(), n = right.back();
  const Shape left_stack(left.begin(), left.end() - 2), right_stack(right.begin(), right.end() - 2);
  const auto stack = broadcast_shape(left_stack, right_stack);
  if (right[right.size() - 2] != k || !stack)
    call.refuse(fmt::format("tensors of shape {} and {} do not chain", to_text(a.shape), to_text(b.shape)));
  Shape shape = *stack;
  shape.push_back(m);
  shape.push_back(n);
  Tensor result = call.zeros(shape, a.integral && b.integral);
  const auto multiply = [&](const auto& left_data, const auto& right_data, auto& results) {
    BroadcastIndex left_at(left_stack, *stack), right_at(right_stack, *stack);
    const std::int64_t count = element_count(*stack);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto from = static_cast<std::int64_t>(left_at.next()), by = static_cast<std::int64_t>(right_at.next());
      multiply_add(left_data.data() + from * m * k, right_data.data() + by * k * n, results.data() + i * m * n, m, k,
                   n);
    }
  };
  if (result.integral) {  // wraps around in its type
    std::vector<std::uint64_t> sums(result.data.size(), 0);
    multiply(bits_of_all(a), bits_of_all(b), sums);
    for (std::size_t i = 0; i < sums.size(); ++i) result.data[i] = wrapped(sums[i], call.integer_type(0));
  } else {
    multiply(a.data, b.data, result.data);
  }
  if (b.shape.size() == 1) result.shape.erase(result.shape.end() - 1);
  if (a.shape.size() == 1) result.shape.erase(result.shape.end() - (b.shape.size() == 1 ? 1 : 2));
  return {std::move(result)};
}

constexpr AttributeDeclaration kGemm[] = {real("alpha", 1), real("beta", 1), flag("transA"), flag("transB")};

constexpr Declaration kMatrixOperators[] = {
    {"Gemm", gemm, 1, "a b c?", Class::linear, kGemm, kLayer, "one or two encrypted matrices"},
    {"MatMul", matrix_multiply, 1, "a b", Class::linear, kNoAttributes, kLayer,
     "one or two encrypted operands; batches broadcast"},
};

}  // namespace

std::span<const Declaration> matrix_operators() { return kMatrixOperators; }

}  // namespace tacit::graph::reference
