#include "program/clear.h"

#include <algorithm>

#include "base/error.h"

namespace tacit::program {
namespace {

template <class F>
SlotArray slotwise(const SlotArray& a, const SlotArray& b, const F& f) {
  SlotArray result(a.size());
  for (std::size_t c = 0; c < a.size(); ++c) {
    result[c].resize(a[c].size());
    std::transform(a[c].begin(), a[c].end(), b[c].begin(), result[c].begin(), f);
  }
  return result;
}

}  // namespace

double chebyshev_series(std::span<const double> coefficients, double x) {
  double b1 = 0, b2 = 0;
  for (std::size_t k = coefficients.size(); k-- > 1;) {
    const double b = coefficients[k] + 2 * x * b1 - b2;
    b2 = b1;
    b1 = b;
  }
  return (coefficients.empty() ? 0 : coefficients[0]) + x * b1 - b2;
}

SlotArray pack_period(const layout::Layout& layout, std::span<const double> tensor) {
  if (tensor.size() != static_cast<std::size_t>(layout::element_count(layout.shape())))
    throw base::InternalError("a tensor of another size than its layout");
  SlotArray slots(static_cast<std::size_t>(layout.ciphertexts()),
                  std::vector<double>(static_cast<std::size_t>(layout.period())));
  for (layout::Index c = 0; c < layout.ciphertexts(); ++c)
    for (layout::Index s = 0; s < layout.period(); ++s)
      if (const auto element = layout.element_at(c, s))
        slots[static_cast<std::size_t>(c)][static_cast<std::size_t>(s)] = tensor[static_cast<std::size_t>(*element)];
  return slots;
}

std::vector<double> unpack_period(const layout::Layout& layout, const SlotArray& slots) {
  std::vector<double> tensor(static_cast<std::size_t>(layout::element_count(layout.shape())));
  for (std::size_t e = 0; e < tensor.size(); ++e) {
    const layout::Position at = layout.position_of(static_cast<layout::Index>(e));
    tensor[e] = slots.at(static_cast<std::size_t>(at.ciphertext)).at(static_cast<std::size_t>(at.slot));
  }
  return tensor;
}

/// Compressed rows over logical outputs; columns are slots of one operand, term by term.
struct ClearEvaluator::SparseMap {
  struct Term {
    std::vector<std::size_t> begin;  ///< outputs + 1
    std::vector<layout::Position> column;
    std::vector<double> weight;
  };
  std::vector<Term> terms;
};

ClearEvaluator::ClearEvaluator(const Program& program) : program_(&program) {}

void ClearEvaluator::add_noise(const NoiseModel& model, std::uint64_t seed) {
  noise_ = model;
  random_.emplace(seed);
}

void ClearEvaluator::set_inputs(std::vector<std::vector<double>> tensors) {
  inputs_ = std::move(tensors);
  next_input_ = 0;
}

void ClearEvaluator::disturb(SlotArray& value, double deviation) {
  if (!random_ || deviation == 0) return;
  std::normal_distribution<double> error(0, deviation);
  for (auto& slots : value)
    for (double& x : slots) x += error(*random_);
}

const ClearEvaluator::SparseMap& ClearEvaluator::sparse(const Linear& linear, const layout::Layout& out) {
  auto& entry = sparse_[&linear];
  if (entry) return *entry;
  auto made = std::make_shared<SparseMap>();
  const layout::Index rows = layout::element_count(out.shape());
  for (const LinearTerm& term : linear.terms) {
    SparseMap::Term& sparse_term = made->terms.emplace_back();
    sparse_term.begin.push_back(0);
    for (layout::Index row = 0; row < rows; ++row) {
      term.map.op->row(row, [&](layout::Index column, double weight) {
        sparse_term.column.push_back(term.map.in.position_of(column));
        sparse_term.weight.push_back(weight);
      });
      sparse_term.begin.push_back(sparse_term.weight.size());
    }
  }
  entry = std::move(made);
  return *entry;
}

SlotArray ClearEvaluator::evaluate(const Input& input, const Instruction& instruction, std::span<const Value* const>) {
  if (next_input_ >= inputs_.size()) throw base::InputError("no tensor was given for input '" + input.name + "'");
  SlotArray value = pack_period(instruction.layout, inputs_[next_input_++]);
  disturb(value, noise_.fresh);
  return value;
}

SlotArray ClearEvaluator::evaluate(const Linear& linear, const Instruction& instruction,
                                   std::span<const Value* const> operands) {
  const SparseMap& map = sparse(linear, instruction.layout);
  std::vector<double> result = linear.bias;
  result.resize(static_cast<std::size_t>(layout::element_count(instruction.layout.shape())), 0.0);
  for (std::size_t t = 0; t < map.terms.size(); ++t) {
    const SparseMap::Term& term = map.terms[t];
    const SlotArray& x = *operands[t];
    for (std::size_t row = 0; row < result.size(); ++row)
      for (std::size_t k = term.begin[row]; k < term.begin[row + 1]; ++k)
        result[row] += term.weight[k] * x[static_cast<std::size_t>(term.column[k].ciphertext)]
                                         [static_cast<std::size_t>(term.column[k].slot)];
  }
  SlotArray value = pack_period(instruction.layout, result);
  disturb(value, noise_.linear);
  return value;
}

SlotArray ClearEvaluator::evaluate(const Polynomial& polynomial, const Instruction&,
                                   std::span<const Value* const> operands) {
  SlotArray value = *operands[0];
  for (auto& slots : value)
    for (double& x : slots) x = chebyshev_series(polynomial.coefficients, x);
  disturb(value, noise_.polynomial);
  return value;
}

SlotArray ClearEvaluator::evaluate(const Multiply&, const Instruction&, std::span<const Value* const> operands) {
  SlotArray value = slotwise(*operands[0], *operands[1], std::multiplies<>());
  disturb(value, noise_.multiply);
  return value;
}

SlotArray ClearEvaluator::evaluate(const Add&, const Instruction&, std::span<const Value* const> operands) {
  return slotwise(*operands[0], *operands[1], std::plus<>());
}

SlotArray ClearEvaluator::evaluate(const Subtract&, const Instruction&, std::span<const Value* const> operands) {
  return slotwise(*operands[0], *operands[1], std::minus<>());
}

SlotArray ClearEvaluator::evaluate(const AddPlain& operation, const Instruction& instruction,
                                   std::span<const Value* const> operands) {
  return slotwise(*operands[0], pack_period(instruction.layout, operation.addend), std::plus<>());
}

SlotArray ClearEvaluator::evaluate(const MultiplyPlain& operation, const Instruction& instruction,
                                   std::span<const Value* const> operands) {
  SlotArray value =
      slotwise(*operands[0], pack_period(instruction.layout, operation.factor), std::multiplies<>());
  disturb(value, noise_.multiply_plain);
  return value;
}

SlotArray ClearEvaluator::evaluate(const Rotate& rotate, const Instruction&, std::span<const Value* const> operands) {
  SlotArray value = *operands[0];
  for (auto& slots : value) {
    const auto period = static_cast<std::int64_t>(slots.size());
    std::rotate(slots.begin(), slots.begin() + ((rotate.steps % period) + period) % period, slots.end());
  }
  disturb(value, noise_.rotate);
  return value;
}

SlotArray ClearEvaluator::evaluate(const Output&, const Instruction&, std::span<const Value* const> operands) {
  return *operands[0];
}

std::vector<std::vector<double>> run_clear(const Program& program, ClearEvaluator& evaluator,
                                           std::vector<std::vector<double>> inputs,
                                           const ValueObserver<SlotArray>& observer) {
  evaluator.set_inputs(std::move(inputs));
  const std::vector<SlotArray> slots = execute(program, evaluator, observer);
  std::vector<std::vector<double>> outputs;
  std::size_t next = 0;
  for (const Instruction& instruction : program.instructions)
    if (std::holds_alternative<Output>(instruction.operation))
      outputs.push_back(unpack_period(instruction.layout, slots[next++]));
  return outputs;
}

}  // namespace tacit::program
