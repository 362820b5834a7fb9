#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "program/evaluator.h"
#include "runtime/bootstrappers.h"
#include "runtime/ciphertext_file.h"
#include "runtime/encoded_weights.h"
#include "runtime/observer.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/evaluator.h"

namespace tacit::runtime {

/// The encrypted reading of a program: a value is an array of ciphertexts. Bootstraps take ciphertexts two at a time,
/// the last ones of two values together where program::bootstrap_pairs says so. Every instruction ends at the level and
/// the scale that the program states: operands that are higher are dropped first; a result that lands elsewhere is an
/// InternalError. One run of one program; not thread safe, threads are used inside.
class EncryptedEvaluator {
 public:
  using Value = CiphertextArray;
  using Operands = std::span<const Value* const>;

  /// inputs[i] belongs to the i-th Input of the program. Everything referred to must outlive the evaluator.
  EncryptedEvaluator(scheme::ckks::ContextPtr context, const scheme::ckks::Evaluator& evaluator,
                     const program::Program& program, const EncodedWeights& weights, const Bootstrappers& bootstrappers,
                     std::span<const Value> inputs, Observer* observer = nullptr,
                     std::function<void()> after_each = {});

  Value evaluate(const program::Input& operation, const program::Instruction& instruction, Operands operands);
  Value evaluate(const program::Linear& operation, const program::Instruction& instruction, Operands operands);
  Value evaluate(const program::Polynomial& operation, const program::Instruction& instruction, Operands operands);
  Value evaluate(const program::Multiply& operation, const program::Instruction& instruction, Operands operands);
  Value evaluate(const program::Add& operation, const program::Instruction& instruction, Operands operands);
  Value evaluate(const program::Subtract& operation, const program::Instruction& instruction, Operands operands);
  Value evaluate(const program::AddPlain& operation, const program::Instruction& instruction, Operands operands);
  Value evaluate(const program::MultiplyPlain& operation, const program::Instruction& instruction, Operands operands);
  Value evaluate(const program::Rotate& operation, const program::Instruction& instruction, Operands operands);
  /// No value; an observer sees the value and the arguments as operands.
  Value evaluate(const program::Validate& operation, const program::Instruction& instruction, Operands operands);
  Value evaluate(const program::Bootstrap& operation, const program::Instruction& instruction, Operands operands);
  Value evaluate(const program::Output& operation, const program::Instruction& instruction, Operands operands);

  /// By instruction.
  const std::vector<double>& seconds() const { return seconds_; }

 private:
  program::ValueId id(const program::Instruction& instruction) const;
  Value carry_out(const program::Instruction& instruction, Operands operands, const std::function<Value()>& body);
  /// One ciphertext at a time, each on its own thread.
  Value each(const program::Instruction& instruction, Operands operands,
             const std::function<scheme::ckks::Ciphertext(std::size_t)>& body);
  /// Keeps the last ciphertext of an operand that will pass with that of an earlier bootstrap.
  void keep_for_pair(const program::Instruction& instruction, const Value& value);
  scheme::ckks::Ciphertext dropped(const scheme::ckks::Ciphertext& ciphertext, int level) const;

  scheme::ckks::ContextPtr context_;
  const scheme::ckks::Evaluator& evaluator_;
  const program::Program& program_;
  const EncodedWeights& weights_;
  const Bootstrappers& bootstrappers_;
  std::span<const Value> inputs_;
  std::size_t next_input_ = 0;
  Observer* observer_;
  std::function<void()> after_each_;
  std::vector<double> seconds_;
  std::map<program::ValueId, program::ValueId> pairs_;              ///< of bootstraps, the earlier one first
  std::map<program::ValueId, scheme::ckks::Ciphertext> waiting_;    ///< by the later one: the last of its operand
  std::map<program::ValueId, scheme::ckks::Ciphertext> refreshed_;  ///< by the later one: the same, refreshed
};

}  // namespace tacit::runtime
