#include "program/clear.h"

#include <algorithm>

#include "base/error.h"
#include "program/chebyshev_series.h"
#include "program/client_interface.h"

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

std::vector<layout::Index> copies_in_period(const layout::Layout& layout) {
  const std::vector<layout::Index> all = layout.copies();
  return {all.begin(), std::lower_bound(all.begin(), all.end(), layout.period())};
}

}  // namespace

SlotArray pack_period(const layout::Layout& layout, std::span<const double> tensor) {
  if (tensor.size() != static_cast<std::size_t>(layout::element_count(layout.shape())))
    throw base::InternalError("a tensor of another size than its layout");
  SlotArray slots(static_cast<std::size_t>(layout.ciphertexts()),
                  std::vector<double>(static_cast<std::size_t>(layout.period())));
  const std::vector<layout::Index> copies = copies_in_period(layout);
  for (std::size_t e = 0; e < tensor.size(); ++e) {
    const layout::Position at = layout.position_of(static_cast<layout::Index>(e));
    auto& vector = slots[static_cast<std::size_t>(at.ciphertext)];
    for (const layout::Index copy : copies) vector[static_cast<std::size_t>(at.slot + copy)] = tensor[e];
  }
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
    std::vector<std::size_t> begin;     ///< outputs + 1
    std::vector<std::uint32_t> column;  ///< ciphertext * period + slot
    std::vector<double> weight;
  };
  std::vector<Term> terms;
  std::vector<layout::Position> target;  ///< of every output
  std::vector<layout::Index> copies;     ///< from a target to its copies in the period
};

ClearEvaluator::ClearEvaluator(const Program& program) : program_(&program) {}

void ClearEvaluator::add_noise(NoiseModel model, std::uint64_t seed) {
  if (model.size() != program_->instructions.size()) throw base::InternalError("a noise model of another program");
  noise_ = std::move(model);
  random_.emplace(seed);
}

void ClearEvaluator::set_inputs(std::vector<std::vector<double>> tensors) {
  inputs_ = std::move(tensors);
  next_input_ = 0;
}

void ClearEvaluator::disturb(SlotArray& value, const Instruction& instruction) {
  if (!random_) return;
  const double deviation = noise_.at(static_cast<std::size_t>(&instruction - program_->instructions.data()));
  if (deviation == 0) return;
  std::normal_distribution<double> error(0, deviation);
  for (auto& slots : value)
    for (double& x : slots) x += error(*random_);
}

const ClearEvaluator::SparseMap& ClearEvaluator::sparse(const Linear& linear, const layout::Layout& out) {
  auto& entry = sparse_[&linear];
  if (entry) return *entry;
  auto made = std::make_shared<SparseMap>();
  const layout::Index rows = layout::element_count(out.shape());
  made->copies = copies_in_period(out);
  for (layout::Index row = 0; row < rows; ++row) made->target.push_back(out.position_of(row));
  for (const LinearTerm& term : linear.terms) {
    SparseMap::Term& sparse_term = made->terms.emplace_back();
    std::vector<std::uint32_t> position(static_cast<std::size_t>(layout::element_count(term.map.in.shape())));
    for (std::size_t e = 0; e < position.size(); ++e) {
      const layout::Position at = term.map.in.position_of(static_cast<layout::Index>(e));
      position[e] = static_cast<std::uint32_t>(at.ciphertext * term.map.in.period() + at.slot);
    }
    sparse_term.begin.push_back(0);
    layout::RowEntries entries;
    for (layout::Index row = 0; row < rows; ++row) {
      entries.clear();
      term.map.op->append_row(row, entries);
      for (const layout::Index column : entries.columns)
        sparse_term.column.push_back(position[static_cast<std::size_t>(column)]);
      sparse_term.weight.insert(sparse_term.weight.end(), entries.weights.begin(), entries.weights.end());
      sparse_term.begin.push_back(sparse_term.weight.size());
    }
  }
  entry = std::move(made);
  return *entry;
}

SlotArray ClearEvaluator::evaluate(const Input& input, const Instruction& instruction, std::span<const Value* const>) {
  if (next_input_ >= inputs_.size()) throw base::InputError("no tensor was given for input '" + input.name + "'");
  SlotArray value = pack_period(instruction.layout, in_units(input.units, std::move(inputs_[next_input_++])));
  disturb(value, instruction);
  return value;
}

SlotArray ClearEvaluator::evaluate(const Linear& linear, const Instruction& instruction,
                                   std::span<const Value* const> operands) {
  const SparseMap& map = sparse(linear, instruction.layout);
  const auto elements = static_cast<layout::Index>(map.target.size());
  std::vector<double> result = linear.bias.value_or(layout::RepeatedReals(0)).expanded(elements);
  std::vector<double> joined;
  for (std::size_t t = 0; t < map.terms.size(); ++t) {
    const SparseMap::Term& term = map.terms[t];
    const double* x = operands[t]->front().data();
    if (operands[t]->size() > 1) {
      joined.clear();
      for (const auto& slots : *operands[t]) joined.insert(joined.end(), slots.begin(), slots.end());
      x = joined.data();
    }
    for (std::size_t row = 0; row < result.size(); ++row) {
      double sum = 0;
      for (std::size_t k = term.begin[row]; k < term.begin[row + 1]; ++k) sum += term.weight[k] * x[term.column[k]];
      result[row] += sum;
    }
  }
  SlotArray value(static_cast<std::size_t>(instruction.layout.ciphertexts()),
                  std::vector<double>(static_cast<std::size_t>(instruction.layout.period())));
  for (std::size_t row = 0; row < result.size(); ++row) {
    auto& slots = value[static_cast<std::size_t>(map.target[row].ciphertext)];
    for (const layout::Index copy : map.copies)
      slots[static_cast<std::size_t>(map.target[row].slot + copy)] = result[row];
  }
  disturb(value, instruction);
  return value;
}

SlotArray ClearEvaluator::evaluate(const Polynomial& polynomial, const Instruction& instruction,
                                   std::span<const Value* const> operands) {
  SlotArray value = *operands[0];
  for (auto& slots : value) chebyshev_series_in_place(polynomial.coefficients, slots);
  disturb(value, instruction);
  return value;
}

SlotArray ClearEvaluator::evaluate(const Multiply&, const Instruction& instruction,
                                   std::span<const Value* const> operands) {
  SlotArray value = slotwise(*operands[0], *operands[1], std::multiplies<>());
  disturb(value, instruction);
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
  SlotArray value = slotwise(*operands[0], pack_period(instruction.layout, operation.factor), std::multiplies<>());
  disturb(value, instruction);
  return value;
}

SlotArray ClearEvaluator::evaluate(const Rotate& rotate, const Instruction& instruction,
                                   std::span<const Value* const> operands) {
  SlotArray value = *operands[0];
  for (auto& slots : value) {
    const auto period = static_cast<std::int64_t>(slots.size());
    std::rotate(slots.begin(), slots.begin() + ((rotate.steps % period) + period) % period, slots.end());
  }
  disturb(value, instruction);
  return value;
}

SlotArray ClearEvaluator::evaluate(const Bootstrap& bootstrap, const Instruction& instruction,
                                   std::span<const Value* const> operands) {
  SlotArray value = *operands[0];
  for (auto& slots : value)
    for (double& z : slots) z = bootstrap.schedule.result(z);
  disturb(value, instruction);
  return value;
}

SlotArray ClearEvaluator::evaluate(const Output&, const Instruction&, std::span<const Value* const> operands) {
  return *operands[0];
}

SlotArray ClearEvaluator::evaluate(const Validate&, const Instruction&, std::span<const Value* const>) { return {}; }

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
