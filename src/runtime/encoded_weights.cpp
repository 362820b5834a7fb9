#include "runtime/encoded_weights.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "layout/diagonals.h"

namespace tacit::runtime {

using program::Instruction;
using program::ValueId;
using scheme::ckks::DiagonalMatrix;
using scheme::ckks::Plaintext;

namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

bool has_weights(const Instruction& instruction) {
  return std::holds_alternative<program::Linear>(instruction.operation) ||
         std::holds_alternative<program::AddPlain>(instruction.operation) ||
         std::holds_alternative<program::MultiplyPlain>(instruction.operation);
}

/// The diagonals of a block in the order of the steps; a step without one stays empty.
std::vector<std::vector<double>> in_step_order(const layout::DiagonalSet& set, const layout::DiagonalBlock& block,
                                               const std::vector<params::DiagonalStep>& steps,
                                               const Instruction& instruction) {
  std::vector<std::vector<double>> diagonals(steps.size());
  std::size_t found = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    diagonals[i] = layout::weights_of(set, block, steps[i].diagonal);
    found += diagonals[i].empty() ? 0 : 1;
  }
  if (found != block.size())
    throw base::InternalError(instruction.source + ": its schedule does not have the diagonals of its linear map");
  return diagonals;
}

}  // namespace

InstructionWeights::InstructionWeights(std::vector<std::unique_ptr<const DiagonalMatrix>> matrices,
                                       std::vector<Blocks> blocks, std::vector<Plaintext> plaintexts,
                                       std::uint64_t bytes)
    : matrices_(std::move(matrices)), blocks_(std::move(blocks)), plaintexts_(std::move(plaintexts)), bytes_(bytes) {}

EncodedWeights::EncodedWeights(scheme::ckks::ContextPtr context, const program::Program& program)
    : context_(context), encoder_(context), program_(program), held_(program.instructions.size()) {}

std::vector<Plaintext> EncodedWeights::encode_array(const layout::Layout& layout, std::span<const double> tensor,
                                                    int level, double scale) const {
  const std::vector<std::vector<double>> slots = layout.pack(tensor);
  std::vector<Plaintext> plaintexts(slots.size());
  base::parallel_for(0, slots.size(), [&](std::size_t c) { plaintexts[c] = encoder_.encode(slots[c], level, scale); });
  return plaintexts;
}

EncodedWeights::Encoding EncodedWeights::encode_linear(const program::Linear& linear, const Instruction& instruction,
                                                       std::uint64_t limit) const {
  // The raw diagonals of a whole map are made in one pass while they are small, else one output at a time.
  constexpr std::uint64_t kRawBytes = std::uint64_t{256} << 20;
  const params::CkksParameters& parameters = context_->parameters();
  const std::uint64_t rows = context_->chain().extended_rows(instruction.level + 1);
  Encoding result;
  if (linear.bias)
    result.bytes += static_cast<std::uint64_t>(instruction.layout.ciphertexts()) *
                    static_cast<std::uint64_t>(instruction.level + 1) * parameters.n() * sizeof(std::uint64_t);

  std::vector<std::unique_ptr<const DiagonalMatrix>> matrices;
  std::vector<InstructionWeights::Blocks> all_blocks;
  for (const program::LinearTerm& term : linear.terms) {
    const auto outputs = static_cast<std::size_t>(term.map.out.ciphertexts());
    const auto inputs = static_cast<std::size_t>(term.map.in.ciphertexts());
    const auto period = static_cast<std::uint64_t>(std::max(term.map.in.period(), term.map.out.period()));
    const bool one_pass = outputs * inputs * term.schedule.steps.size() * period * sizeof(double) <= kRawBytes;
    InstructionWeights::Blocks& blocks = all_blocks.emplace_back(outputs, std::vector<const DiagonalMatrix*>(inputs));
    layout::Diagonals raw;
    if (one_pass) raw = layout::diagonals(term.map);
    for (std::size_t j = 0; j < outputs; ++j) {
      if (!one_pass) raw = layout::diagonals(term.map, static_cast<layout::Index>(j));
      if (raw.set.folds != term.schedule.folds)
        throw base::InternalError(instruction.source + ": its schedule folds otherwise than its linear map");
      for (std::size_t i = 0; i < inputs; ++i) {
        layout::DiagonalBlock block = std::exchange(raw.blocks[j][i], {});
        if (block.empty()) continue;
        result.bytes += block.size() * (parameters.n() / parameters.slots()) * period * rows * sizeof(std::uint64_t);
        if (result.bytes > limit) {
          matrices.clear();
          continue;  // go on counting
        }
        const auto diagonals = in_step_order(raw.set, block, term.schedule.steps, instruction);
        matrices.push_back(std::make_unique<DiagonalMatrix>(
            encoder_.encode_diagonals(term.schedule.steps, diagonals, instruction.level + 1,
                                      program_.instructions[term.input].scale, instruction.scale)));
        blocks[j][i] = matrices.back().get();
      }
    }
  }
  if (result.bytes > limit) return result;
  std::vector<Plaintext> bias;
  if (linear.bias)
    bias = encode_array(instruction.layout, linear.bias->expanded(layout::element_count(instruction.layout.shape())),
                        instruction.level, instruction.scale);
  result.weights = std::make_shared<const InstructionWeights>(std::move(matrices), std::move(all_blocks),
                                                              std::move(bias), result.bytes);
  return result;
}

EncodedWeights::Encoding EncodedWeights::encode(ValueId id, std::uint64_t limit) const {
  const Instruction& instruction = program_.instructions[id];
  if (const auto* linear = std::get_if<program::Linear>(&instruction.operation))
    return encode_linear(*linear, instruction, limit);
  int level = instruction.level;
  double scale = instruction.scale;
  std::span<const double> tensor;
  if (const auto* add = std::get_if<program::AddPlain>(&instruction.operation)) {
    tensor = add->addend;
  } else if (const auto* multiply = std::get_if<program::MultiplyPlain>(&instruction.operation)) {
    tensor = multiply->factor;
    ++level;  // the rescale that follows divides by q_level and lands on the instruction's scale
    scale *= static_cast<double>(context_->parameters().q()[static_cast<std::size_t>(level)]) /
             program_.instructions[multiply->input].scale;
  }
  Encoding result;
  result.bytes = static_cast<std::uint64_t>(instruction.layout.ciphertexts()) * static_cast<std::uint64_t>(level + 1) *
                 context_->parameters().n() * sizeof(std::uint64_t);
  if (result.bytes <= limit)
    result.weights = std::make_shared<const InstructionWeights>(
        std::vector<std::unique_ptr<const DiagonalMatrix>>{}, std::vector<InstructionWeights::Blocks>{},
        encode_array(instruction.layout, tensor, level, scale), result.bytes);
  return result;
}

void EncodedWeights::encode(const base::MemoryBudget& budget, std::uint64_t taken, base::Progress& progress) {
  const std::uint64_t room = budget.available() - std::min(taken, budget.available());
  progress.begin("encode weights", program_.instructions.size());
  for (ValueId id = 0; id < program_.instructions.size(); ++id) {
    progress.advance();
    const Instruction& instruction = program_.instructions[id];
    if (!has_weights(instruction)) continue;
    Encoding encoding = encode(id, room - held_bytes_);
    if (encoding.bytes > room)
      throw base::InputError(budget.shortfall(instruction.source + ": its weights, keys and ciphertexts need",
                                              static_cast<double>(taken + encoding.bytes)));
    total_bytes_ += encoding.bytes;
    if (encoding.weights) {
      held_bytes_ += encoding.bytes;
      held_[id] = std::move(encoding.weights);
    } else {
      largest_unheld_bytes_ = std::max(largest_unheld_bytes_, encoding.bytes);
    }
    // Room for the largest that is encoded at every use. Encoding takes time in proportion to bytes, so the smallest go
    // first: they overshoot least.
    while (held_bytes_ > room - largest_unheld_bytes_) {
      const auto smallest = std::min_element(held_.begin(), held_.end(), [](const auto& a, const auto& b) {
        return a && (!b || a->bytes() < b->bytes());
      });
      held_bytes_ -= (*smallest)->bytes();
      largest_unheld_bytes_ = std::max(largest_unheld_bytes_, (*smallest)->bytes());
      smallest->reset();
    }
  }
  progress.end();
}

std::shared_ptr<const InstructionWeights> EncodedWeights::of(ValueId id) const {
  return held_[id] ? held_[id] : encode(id, kUnlimited).weights;
}

}  // namespace tacit::runtime
