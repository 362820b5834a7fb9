#include "program/integers/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/parallel.h"
#include "program/integers/bootstraps.h"
#include "program/integers/copies.h"
#include "program/visit.h"

namespace tacit::integers {
namespace {

using program::Overloaded;

/// The worst row of a linear instruction. Independent operands add their squares up; sums of sums their norms, and
/// elements that are one ciphertext their weights.
NoiseNorms of_linear(const Program& program, const Linear& linear, const Instruction& made,
                     const std::vector<NoiseNorms>& norms, const std::vector<std::vector<std::uint32_t>>& copies) {
  struct RowRead {
    std::uint32_t ciphertext = 0;
    ValueId input = 0;
    double weight = 0;
  };
  NoiseNorms worst;
  std::mutex mutex;
  const std::size_t rows = elements(made);
  base::parallel_for(0, (rows + kRowsOfTask - 1) / kRowsOfTask, [&](std::size_t task) {
    layout::RowEntries entries;
    std::vector<RowRead> reads;
    NoiseNorms of_task;
    for (std::size_t row = task * kRowsOfTask; row < std::min(rows, (task + 1) * kRowsOfTask); ++row) {
      reads.clear();
      for (const LinearTerm& term : linear.terms) {
        entries.clear();
        term.op->append_row(static_cast<layout::Index>(row), entries);
        for (std::size_t k = 0; k < entries.size(); ++k)
          reads.push_back(
              {copies[term.input][static_cast<std::size_t>(entries.columns[k])], term.input, entries.weights[k]});
      }
      std::ranges::sort(reads, {}, &RowRead::ciphertext);
      NoiseNorms squares, sums;
      for (std::size_t k = 0; k < reads.size();) {
        const std::uint32_t ciphertext = reads[k].ciphertext;
        double weight = 0;
        bool is_sum = false;
        NoiseNorms of;
        for (; k < reads.size() && reads[k].ciphertext == ciphertext; ++k) {
          const Operation& operand = program.value(reads[k].input).operation;
          // What is rounded carries the noise of the sum.
          is_sum = is_sum || std::holds_alternative<Linear>(operand) || std::holds_alternative<Round>(operand);
          of = {std::max(of.fresh, norms[reads[k].input].fresh),
                std::max(of.bootstraps, norms[reads[k].input].bootstraps)};
          weight += reads[k].weight;
        }
        NoiseNorms& into = is_sum ? sums : squares;
        const double fresh = std::abs(weight) * of.fresh, bootstraps = std::abs(weight) * of.bootstraps;
        into.fresh += is_sum ? fresh : fresh * fresh;
        into.bootstraps += is_sum ? bootstraps : bootstraps * bootstraps;
      }
      of_task = {std::max(of_task.fresh, std::sqrt(squares.fresh) + sums.fresh),
                 std::max(of_task.bootstraps, std::sqrt(squares.bootstraps) + sums.bootstraps)};
    }
    const std::lock_guard lock(mutex);
    worst = {std::max(worst.fresh, of_task.fresh), std::max(worst.bootstraps, of_task.bootstraps)};
  });
  return worst;
}

/// Bits that boxes of a lookup of this operand must hold apart.
int looked_up_bits(const Program& program, const Lookup& lookup) {
  const Instruction& operand = program.value(lookup.input);
  // An argument that is rounded may land in the next box, and no farther: noise may fill a whole box.
  if (rounds(program, lookup)) return std::max(1, program.bits - 1);
  return std::min(program.bits, kMessageBits - operand.step);
}

/// The norms of what is left of a value when `done` bits are rounded off, each by a bootstrap.
NoiseNorms rounded_norms(const NoiseNorms& norms, int done) {
  return {norms.fresh, std::sqrt(norms.bootstraps * norms.bootstraps + done)};
}

/// Of one bit that is rounded off, the lowest being 0: it stands at the top of the torus, without a message beside it.
params::LookupRequirement requirement_of_bit(const Program& program, const Round& round, int bit,
                                             const NoiseNorms& norms) {
  const NoiseNorms left = rounded_norms(norms, bit);
  params::LookupRequirement r;
  r.sign = true;
  r.sign_of = kMessageBits - program.value(round.input).step - bit;
  const double scale = std::ldexp(1.0, r.sign_of);
  r.norm2 = left.bootstraps * scale;
  r.fresh_norm2 = left.fresh * scale;
  return r;
}

/// What the requirements of instructions depend on.
struct NoiseOfProgram {
  explicit NoiseOfProgram(const Program& program) : norms(noise_norms(program)), rooms(log_rooms(program)) {}
  std::vector<NoiseNorms> norms;
  std::vector<int> rooms;
};

/// What the instruction asks: one requirement, or one for every bit that it rounds off.
std::vector<params::LookupRequirement> requirements_of(const Program& program, ValueId id, const NoiseOfProgram& noise,
                                                       double log2_failure) {
  const std::vector<NoiseNorms>& norms = noise.norms;
  const Instruction& made = program.value(id);
  std::vector<params::LookupRequirement> result;
  if (const auto* round = std::get_if<Round>(&made.operation)) {
    for (int bit = 0; bit < round->dropped; ++bit)
      result.push_back(requirement_of_bit(program, *round, bit, norms[round->input]));
  } else if (const auto* lookup = std::get_if<Lookup>(&made.operation)) {
    params::LookupRequirement& r = result.emplace_back();
    r.bits = looked_up_bits(program, *lookup);
    r.norm2 = std::max(1.0, norms[lookup->input].bootstraps);
    r.fresh_norm2 = norms[lookup->input].fresh;
    r.log_tables = noise.rooms[id];
  } else if (const auto* output = std::get_if<Output>(&made.operation)) {
    params::LookupRequirement& r = result.emplace_back();
    r.decrypted = true;
    r.bits = kMessageBits - made.step;
    r.norm2 = norms[output->input].bootstraps;
    r.fresh_norm2 = norms[output->input].fresh;
  }
  for (params::LookupRequirement& r : result) {
    r.layer = made.node.empty() ? std::string(mnemonic(made.operation)) : fmt::format("layer '{}'", made.node);
    r.log2_failure = log2_failure;
  }
  return result;
}

}  // namespace

std::vector<NoiseNorms> noise_norms(const Program& program) {
  std::vector<NoiseNorms> norms(program.instructions.size());
  const std::vector<std::vector<std::uint32_t>> ciphertexts = copies(program);
  for (ValueId id = 0; id < norms.size(); ++id) {
    const Instruction& made = program.value(id);
    std::visit(
        Overloaded{[&](const Input&) { norms[id].fresh = 1; }, [&](const Lookup&) { norms[id].bootstraps = 1; },
                   [&](const Round& round) { norms[id] = rounded_norms(norms[round.input], round.dropped); },
                   [&](const Linear& linear) { norms[id] = of_linear(program, linear, made, norms, ciphertexts); },
                   [&](const Output& output) { norms[id] = norms[output.input]; }, [](const program::Validate&) {}},
        made.operation);
  }
  return norms;
}

std::vector<params::LookupRequirement> requirements(const Program& program, double log2_failure) {
  const NoiseOfProgram noise(program);
  std::vector<params::LookupRequirement> result;
  for (ValueId id = 0; id < program.instructions.size(); ++id)
    for (params::LookupRequirement& r : requirements_of(program, id, noise, log2_failure))
      result.push_back(std::move(r));
  return result;
}

std::vector<double> noise_deviations(const Program& program, const params::TfheParameters& parameters) {
  const std::vector<NoiseNorms> norms = noise_norms(program);
  const std::vector<int> rooms = log_rooms(program);
  std::vector<double> deviations(norms.size(), 0.0);
  for (ValueId id = 0; id < norms.size(); ++id) {
    const auto* lookup = std::get_if<Lookup>(&program.value(id).operation);
    const NoiseNorms& of = norms[lookup != nullptr ? lookup->input : id];
    params::LookupShape shape = parameters.shape();
    shape.log_tables = rooms[id];
    const params::NoiseBudget budget = params::noise_budget(shape, of.bootstraps, of.fresh);
    deviations[id] = std::sqrt(lookup != nullptr ? budget.total() : budget.bootstraps + budget.fresh);
  }
  return deviations;
}

std::vector<std::vector<double>> rounding_deviations(const Program& program, const params::TfheParameters& parameters) {
  const NoiseOfProgram noise(program);
  std::vector<std::vector<double>> deviations(program.instructions.size());
  params::LookupShape shape = parameters.shape();
  shape.log_tables = 0;
  for (ValueId id = 0; id < deviations.size(); ++id) {
    if (!std::holds_alternative<Round>(program.value(id).operation)) continue;
    for (const params::LookupRequirement& r : requirements_of(program, id, noise, 0))
      deviations[id].push_back(std::sqrt(params::noise_budget(shape, r.norm2, r.fresh_norm2).total()));
  }
  return deviations;
}

void require_holds(const Program& program, const params::TfheParameters& parameters) {
  if (const auto broken = why_not_held(program, parameters)) broken->refuse();
}

namespace {

constexpr double kRounding = 1e-6;  // of the sums that parameters were chosen by

double log2_failure_of(const Program& program, const params::LookupShape& shape, double log2_failure) {
  const NoiseOfProgram noise(program);
  double sum = 0;
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    for (const params::LookupRequirement& r : requirements_of(program, id, noise, log2_failure))
      sum += static_cast<double>(elements(program.value(id))) * std::exp2(params::log2_failure(shape, r));
  }
  return std::log2(sum);  // of 0: minus infinity
}

}  // namespace

std::optional<base::Infeasible> why_not_held(const Program& program, const params::TfheParameters& parameters) {
  if (parameters.looks_up() && program.log_tables > parameters.literal().log_tables)
    return base::infeasible(
        "2^{} tables share a bootstrap, and parameter set '{}' is made for 2^{}; compile the model again",
        program.log_tables, parameters.literal().name, parameters.literal().log_tables);
  // Fewer bits than tables are for noise to judge: arguments that are rounded ask for one bit less.
  if (parameters.looks_up() && lookups(program) > 0 && parameters.bits() > program.bits)
    return base::infeasible(
        "tables have {} bits, and parameter set '{}' is made for {}; compile with {} bits (--bits), or "
        "leave --parameters out",
        program.bits, parameters.literal().name, parameters.bits(), parameters.bits());
  for (const params::LookupRequirement& r : requirements(program, parameters.literal().log2_failure)) {
    const double failure = params::log2_failure(parameters.shape(), r);
    if (failure <= r.log2_failure + kRounding) continue;
    if (!parameters.looks_up() && !r.decrypted)
      return base::infeasible(
          "{}: parameter set '{}' is for sums alone, and tables are looked up here; compile the model "
          "again, or leave --parameters out",
          r.layer, parameters.literal().name);
    return base::infeasible(
        "{}: parameter set '{}' fails with probability 2^{:.1f} on {}, above the 2^{} that it states; "
        "compile the model again",
        r.layer, parameters.literal().name, failure, params::load_of(r), r.log2_failure);
  }
  return std::nullopt;
}

std::optional<base::Infeasible> why_no_public_key(const Program& program, const params::TfheParameters& parameters) {
  const params::LookupShape shape = params::with_public_inputs(parameters.shape());
  for (const params::LookupRequirement& r : requirements(program, parameters.literal().log2_failure)) {
    const double failure = params::log2_failure(shape, r);
    if (failure <= r.log2_failure + kRounding) continue;
    const int bits = r.sign ? r.sign_of : r.bits;
    return base::infeasible(
        "{}: with inputs under a public key, {} bits behind weights of 2-norm {:.4g} on inputs fail with probability "
        "2^{:.1f}, above the 2^{} that the model states; encrypt with the secret key, use smaller integers, or "
        "compile for a larger probability (--failure)",
        r.layer, bits, r.sign ? std::ldexp(r.fresh_norm2, -bits) : r.fresh_norm2, failure, r.log2_failure);
  }
  return std::nullopt;
}

double log2_failure_of_run(const Program& program, const params::TfheParameters& parameters) {
  return log2_failure_of(program, parameters.shape(), parameters.literal().log2_failure);
}

double log2_failure_of_public_run(const Program& program, const params::TfheParameters& parameters) {
  return log2_failure_of(program, params::with_public_inputs(parameters.shape()), parameters.literal().log2_failure);
}

}  // namespace tacit::integers
