#include "runtime/encrypted_evaluator.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "program/bootstrap_pairs.h"

namespace tacit::runtime {

using program::Instruction;
using scheme::ckks::Ciphertext;

EncryptedEvaluator::EncryptedEvaluator(scheme::ckks::ContextPtr context, const scheme::ckks::Evaluator& evaluator,
                                       const program::Program& program, const EncodedWeights& weights,
                                       const Bootstrappers& bootstrappers, std::span<const Value> inputs,
                                       Observer* observer, std::function<void()> after_each)
    : context_(std::move(context)),
      evaluator_(evaluator),
      program_(program),
      weights_(weights),
      bootstrappers_(bootstrappers),
      inputs_(inputs),
      observer_(observer),
      after_each_(std::move(after_each)),
      seconds_(program.instructions.size()),
      pairs_(program::bootstrap_pairs(program)) {}

program::ValueId EncryptedEvaluator::id(const Instruction& instruction) const {
  return static_cast<program::ValueId>(&instruction - program_.instructions.data());
}

EncryptedEvaluator::Value EncryptedEvaluator::carry_out(const Instruction& instruction, Operands operands,
                                                        const std::function<Value()>& body) {
  // Scales are exact in the plan and rounded in the machine: 2^-30 is far above one and far below the message.
  constexpr double kScaleTolerance = 0x1p-30;
  const auto start = std::chrono::steady_clock::now();
  Value value = body();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  for (Ciphertext& ciphertext : value) {
    if (ciphertext.level != instruction.level ||
        !(std::abs(ciphertext.scale / instruction.scale - 1) <= kScaleTolerance))
      throw base::InternalError(instruction.source + ": " + program::mnemonic(instruction.operation) +
                                " ended at level " + std::to_string(ciphertext.level) + ", scale 2^" +
                                std::to_string(std::log2(ciphertext.scale)) + " where the program says level " +
                                std::to_string(instruction.level) + ", scale 2^" +
                                std::to_string(std::log2(instruction.scale)));
    ciphertext.scale = instruction.scale;
  }
  keep_for_pair(instruction, value);
  seconds_[id(instruction)] = elapsed.count();
  if (observer_ != nullptr) observer_->carried_out(id(instruction), instruction, operands, value, elapsed.count());
  if (after_each_) after_each_();
  return value;
}

EncryptedEvaluator::Value EncryptedEvaluator::each(const Instruction& instruction, Operands operands,
                                                   const std::function<Ciphertext(std::size_t)>& body) {
  return carry_out(instruction, operands, [&] {
    Value value(operands[0]->size());
    base::parallel_for(0, value.size(), [&](std::size_t i) { value[i] = body(i); });
    return value;
  });
}

void EncryptedEvaluator::keep_for_pair(const Instruction& instruction, const Value& value) {
  for (const auto& [first, second] : pairs_) {
    const auto& later = std::get<program::Bootstrap>(program_.value(second).operation);
    if (later.input == id(instruction)) waiting_[second] = dropped(value.back(), later.schedule.input_level);
  }
}

Ciphertext EncryptedEvaluator::dropped(const Ciphertext& ciphertext, int level) const {
  return ciphertext.level == level ? ciphertext : evaluator_.drop_to_level(ciphertext, level);
}

EncryptedEvaluator::Value EncryptedEvaluator::evaluate(const program::Input&, const Instruction& instruction,
                                                       Operands operands) {
  const Value& input = inputs_[next_input_++];
  return carry_out(instruction, operands, [&] {
    Value value;
    for (const Ciphertext& ciphertext : input) value.push_back(dropped(ciphertext, instruction.level));
    return value;
  });
}

EncryptedEvaluator::Value EncryptedEvaluator::evaluate(const program::Linear& operation, const Instruction& instruction,
                                                       Operands operands) {
  return carry_out(instruction, operands, [&] {
    const auto weights = weights_.of(id(instruction));
    Value sum;
    for (std::size_t t = 0; t < operation.terms.size(); ++t) {
      Value low;
      for (const Ciphertext& ciphertext : *operands[t]) low.push_back(dropped(ciphertext, instruction.level + 1));
      Value part = evaluator_.linear(low, weights->blocks(t), operation.terms[t].schedule);
      if (t == 0) {
        sum = std::move(part);
      } else {
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = evaluator_.add(sum[i], part[i]);
      }
    }
    for (std::size_t i = 0; i < weights->plaintexts().size(); ++i)
      sum[i] = evaluator_.add_plain(sum[i], weights->plaintexts()[i]);
    return sum;
  });
}

EncryptedEvaluator::Value EncryptedEvaluator::evaluate(const program::Polynomial& operation,
                                                       const Instruction& instruction, Operands operands) {
  const int start = instruction.level + operation.schedule.depth;
  return each(instruction, operands, [&](std::size_t i) {
    return evaluator_.polynomial(dropped((*operands[0])[i], start), operation.coefficients, operation.schedule,
                                 instruction.scale);
  });
}

EncryptedEvaluator::Value EncryptedEvaluator::evaluate(const program::Multiply& operation,
                                                       const Instruction& instruction, Operands operands) {
  return each(instruction, operands, [&](std::size_t i) {
    const Ciphertext left = dropped((*operands[0])[i], instruction.level + 1);
    if (operation.left == operation.right) return evaluator_.square(left);
    return evaluator_.multiply(left, dropped((*operands[1])[i], instruction.level + 1));
  });
}

EncryptedEvaluator::Value EncryptedEvaluator::evaluate(const program::Add&, const Instruction& instruction,
                                                       Operands operands) {
  return each(instruction, operands, [&](std::size_t i) {
    return evaluator_.add(dropped((*operands[0])[i], instruction.level), dropped((*operands[1])[i], instruction.level));
  });
}

EncryptedEvaluator::Value EncryptedEvaluator::evaluate(const program::Subtract&, const Instruction& instruction,
                                                       Operands operands) {
  return each(instruction, operands, [&](std::size_t i) {
    return evaluator_.sub(dropped((*operands[0])[i], instruction.level), dropped((*operands[1])[i], instruction.level));
  });
}

EncryptedEvaluator::Value EncryptedEvaluator::evaluate(const program::AddPlain&, const Instruction& instruction,
                                                       Operands operands) {
  const auto weights = weights_.of(id(instruction));
  return each(instruction, operands, [&](std::size_t i) {
    return evaluator_.add_plain(dropped((*operands[0])[i], instruction.level), weights->plaintexts()[i]);
  });
}

EncryptedEvaluator::Value EncryptedEvaluator::evaluate(const program::MultiplyPlain&, const Instruction& instruction,
                                                       Operands operands) {
  const auto weights = weights_.of(id(instruction));
  return each(instruction, operands, [&](std::size_t i) {
    return evaluator_.multiply_plain_rescale(dropped((*operands[0])[i], instruction.level + 1),
                                             weights->plaintexts()[i]);
  });
}

EncryptedEvaluator::Value EncryptedEvaluator::evaluate(const program::Rotate& operation, const Instruction& instruction,
                                                       Operands operands) {
  return each(instruction, operands, [&](std::size_t i) {
    return evaluator_.rotate(dropped((*operands[0])[i], instruction.level), operation.steps);
  });
}

EncryptedEvaluator::Value EncryptedEvaluator::evaluate(const program::Validate&, const Instruction& instruction,
                                                       Operands operands) {
  return carry_out(instruction, operands, [] { return Value{}; });
}

// Two ciphertexts with real slots pass as one with complex ones.
EncryptedEvaluator::Value EncryptedEvaluator::evaluate(const program::Bootstrap& operation,
                                                       const Instruction& instruction, Operands operands) {
  const scheme::ckks::Bootstrapper& bootstrapper = bootstrappers_.of(operation.schedule);
  return carry_out(instruction, operands, [&] {
    Value value;
    const Value& input = *operands[0];
    for (std::size_t i = 0; i + 1 < input.size(); i += 2) {
      auto [first, second] = bootstrapper.bootstrap_pair(evaluator_, input[i], input[i + 1]);
      value.push_back(std::move(first));
      value.push_back(std::move(second));
    }
    const auto pair = pairs_.find(id(instruction));
    if (auto done = refreshed_.extract(id(instruction))) {
      value.push_back(std::move(done.mapped()));
    } else if (pair != pairs_.end()) {
      auto waiting = waiting_.extract(pair->second);
      auto [own, other] = bootstrapper.bootstrap_pair(evaluator_, input.back(), waiting.mapped());
      value.push_back(std::move(own));
      refreshed_[pair->second] = std::move(other);
    } else if (input.size() % 2 == 1) {
      value.push_back(bootstrapper.bootstrap(evaluator_, input.back()));
    }
    for (Ciphertext& ciphertext : value) ciphertext = dropped(ciphertext, instruction.level);
    return value;
  });
}

EncryptedEvaluator::Value EncryptedEvaluator::evaluate(const program::Output&, const Instruction& instruction,
                                                       Operands operands) {
  return each(instruction, operands, [&](std::size_t i) { return dropped((*operands[0])[i], instruction.level); });
}

}  // namespace tacit::runtime
