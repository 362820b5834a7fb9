#pragma once

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "program/evaluator.h"
#include "program/noise_model.h"

namespace tacit::program {

/// The slots of a ciphertext array, one period of each: layout.ciphertexts() vectors of layout.period() numbers.
using SlotArray = std::vector<std::vector<double>>;

/// The clear reading: exact slot semantics in double precision, padding and leftovers included, on one period of the
/// slots. Linear maps are read as sparse matrices made once, so that a set of inputs runs at full speed.
/// Not thread safe; copies may run side by side.
class ClearEvaluator {
 public:
  using Value = SlotArray;

  /// `program` must outlive the evaluator.
  explicit ClearEvaluator(const Program& program);
  /// Adds modelled Gaussian noise, drawn from a generator with this seed (a simulation, not cryptography). `model` has
  /// one deviation for each value of the program.
  void add_noise(NoiseModel model, std::uint64_t seed);

  /// The inputs of the next run, one tensor per Input instruction in order (row-major logical elements).
  void set_inputs(std::vector<std::vector<double>> tensors);

  Value evaluate(const Input&, const Instruction&, std::span<const Value* const>);
  Value evaluate(const Linear&, const Instruction&, std::span<const Value* const>);
  Value evaluate(const Polynomial&, const Instruction&, std::span<const Value* const>);
  Value evaluate(const Multiply&, const Instruction&, std::span<const Value* const>);
  Value evaluate(const Add&, const Instruction&, std::span<const Value* const>);
  Value evaluate(const Subtract&, const Instruction&, std::span<const Value* const>);
  Value evaluate(const AddPlain&, const Instruction&, std::span<const Value* const>);
  Value evaluate(const MultiplyPlain&, const Instruction&, std::span<const Value* const>);
  Value evaluate(const Rotate&, const Instruction&, std::span<const Value* const>);
  Value evaluate(const Bootstrap&, const Instruction&, std::span<const Value* const>);
  Value evaluate(const Output&, const Instruction&, std::span<const Value* const>);
  /// No value: this reading is what validations compare with.
  Value evaluate(const Validate&, const Instruction&, std::span<const Value* const>);

 private:
  struct SparseMap;
  const SparseMap& sparse(const Linear& linear, const layout::Layout& out);
  void disturb(SlotArray& value, const Instruction& instruction);

  const Program* program_;
  std::map<const Linear*, std::shared_ptr<const SparseMap>> sparse_;
  std::vector<std::vector<double>> inputs_;
  std::size_t next_input_ = 0;
  NoiseModel noise_;
  std::optional<std::mt19937_64> random_;
};

/// Runs a program in the clear: logical tensors in, logical tensors out.
std::vector<std::vector<double>> run_clear(const Program& program, ClearEvaluator& evaluator,
                                           std::vector<std::vector<double>> inputs,
                                           const ValueObserver<SlotArray>& observer = {});

/// One period of the slots of a tensor, and back.
SlotArray pack_period(const layout::Layout& layout, std::span<const double> tensor);
std::vector<double> unpack_period(const layout::Layout& layout, const SlotArray& slots);

}  // namespace tacit::program
