#include "program/integers/clear_program.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "base/error.h"
#include "program/integers/evaluator.h"

namespace tacit::integers {
namespace {

std::uint64_t seed_of(const ClearProgram::Noise& noise, ValueId id) { return noise.seed * 0x9e3779b97f4a7c15u + id; }

constexpr double kNeverDrawn = 10;  // deviations
constexpr double kQuarter = 0.25;   // of a turn: where a bit flips

/// Bit by bit, as on ciphertexts: a bit that noise hides is taken for the other one, and stands in the way of the next.
Integers round_off(const Round& round, const Integers& arguments, std::span<const double> deviations,
                   std::uint64_t seed) {
  Integers result(arguments.size());
  const bool noisy = std::ranges::any_of(deviations, [](double d) { return d * kNeverDrawn > kQuarter; });
  if (!noisy) {
    for (std::size_t e = 0; e < result.size(); ++e) result[e] = rounded(arguments[e], round.dropped);
    return result;
  }
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (std::size_t e = 0; e < result.size(); ++e) {
    // As the torus wraps around.
    std::uint64_t left = static_cast<std::uint64_t>(arguments[e]) + (std::uint64_t{1} << (round.dropped - 1));
    for (int bit = 0; bit < round.dropped; ++bit) {
      const auto turns = std::ldexp(static_cast<double>(left & ((std::uint64_t{2} << bit) - 1)), -bit - 1);
      const double phase = turns + deviations[static_cast<std::size_t>(bit)] * normal(random);
      const double fraction = phase - std::floor(phase);
      if (fraction >= kQuarter && fraction < 1 - kQuarter) left -= std::uint64_t{1} << bit;
    }
    result[e] = rounded(static_cast<std::int64_t>(left), round.dropped);
  }
  return result;
}

/// Rounds off the bits that an output drops. Results beyond the torus wrap around it, as they do under encryption.
Integers read_out(const Program& program, ValueId id, const Integers& values,
                  const std::optional<ClearProgram::Noise>& noise) {
  const Instruction& made = program.value(id);
  const int dropped = made.step - program.value(std::get<Output>(made.operation).input).step;
  const double deviation = noise ? noise->deviations[id] : 0;
  std::mt19937_64 random(noise ? seed_of(*noise, id) : 0);
  std::normal_distribution<double> normal;
  Integers result(values.size());
  for (std::size_t e = 0; e < result.size(); ++e) {
    const double shift = deviation == 0 ? 0 : std::ldexp(deviation * normal(random), 64 - made.step);
    result[e] =
        shift == 0
            ? rounded(values[e], dropped)
            : static_cast<std::int64_t>(std::floor(std::ldexp(static_cast<double>(values[e]), -dropped) + shift + 0.5));
  }
  return result;
}

[[noreturn]] void refuse_input() { throw base::InternalError("a program on integers got an input of the wrong size"); }

struct ClearArray final : program::Array {
  explicit ClearArray(Integers numbers_)
      : Array(static_cast<layout::Index>(numbers_.size()), 0), numbers(std::move(numbers_)) {}
  const Integers numbers;
};

const Integers& numbers_of(const ArrayPtr& array) { return static_cast<const ClearArray&>(*array).numbers; }
ArrayPtr array_of(Integers numbers) { return std::make_shared<const ClearArray>(std::move(numbers)); }

class ClearEvaluator final : public Evaluator {
 public:
  ClearEvaluator(const Program& program, std::span<const std::vector<WeightRows>> weights,
                 std::span<const Bootstraps> bootstraps, const std::optional<ClearProgram::Noise>& noise)
      : program_(program), weights_(weights), bootstraps_(bootstraps), noise_(noise) {}

  ArrayPtr input(ValueId id, const ArrayPtr& given) override {
    if (numbers_of(given).size() != elements(program_.value(id))) refuse_input();
    return given;
  }

  ArrayPtr add_up(ValueId id, std::span<const ArrayPtr> operands) override {
    const Instruction& made = program_.value(id);
    const auto& linear = std::get<Linear>(made.operation);
    Integers result = linear.bias.empty() ? Integers(elements(made), 0) : linear.bias;
    for (std::size_t t = 0; t < linear.terms.size(); ++t) {
      const Integers& values = numbers_of(operands[t]);
      const int up = program_.value(linear.terms[t].input).step - made.step;
      for (std::size_t e = 0; e < result.size(); ++e) {
        const WeightRows::Row row = weights_[id][t].row(e);
        std::uint64_t sum = 0;  // modulo 2^64, as ciphertexts add up
        for (std::size_t k = 0; k < row.columns.size(); ++k)
          sum += static_cast<std::uint64_t>(row.weights[k]) * static_cast<std::uint64_t>(values[row.columns[k]]);
        result[e] = static_cast<std::int64_t>(static_cast<std::uint64_t>(result[e]) + (sum << up));
      }
    }
    return array_of(std::move(result));
  }

  // One bootstrap has one error, whatever it looks up.
  void look_up(ValueId id, const ArrayPtr& operand, std::span<ArrayPtr> values) override {
    const Bootstraps& bootstraps = bootstraps_[id];
    const auto& leader = std::get<Lookup>(program_.value(id).operation);
    const int step = program_.value(leader.input).step;
    const std::int64_t first = first_centre(program_, leader);
    const std::uint64_t entries = std::uint64_t{1} << program_.bits;
    std::mt19937_64 random(noise_ ? seed_of(*noise_, id) : 0);
    std::normal_distribution<double> normal;
    std::map<ValueId, Integers> results;
    for (const auto& tables : bootstraps.sets)
      for (const auto& [lookup, table] : tables) results[lookup].resize(elements(program_.value(lookup)));
    for (std::size_t i = 0; i < bootstraps.count(); ++i) {
      const std::int64_t above = numbers_of(operand)[bootstraps.arguments[i]] - first;
      const std::uint64_t nearest = box_of(above, step, program_.bits);
      const double error = noise_ && noise_->deviations[id] > 0 ? normal(random) : 0;  // in deviations
      for (const auto& [value, element] : bootstraps.made(i)) {
        const auto& lookup = std::get<Lookup>(program_.value(value).operation);
        const std::vector<std::int64_t>& table = lookup.tables[lookup.table(element)];
        const std::uint64_t box =
            error == 0 ? nearest : box_of(above, step, program_.bits, error * noise_->deviations[value]);
        if (box != nearest && !noise_->moved.empty()) ++noise_->moved[value];
        results[value][element] = box < entries ? table[box] : -table[box - entries];
      }
    }
    for (auto& [value, numbers] : results) values[value] = array_of(std::move(numbers));
  }

  ArrayPtr round_off(ValueId id, const ArrayPtr& operand) override {
    const bool given = noise_ && !noise_->of_bits.empty();
    return array_of(
        integers::round_off(std::get<Round>(program_.value(id).operation), numbers_of(operand),
                            given ? std::span<const double>(noise_->of_bits[id]) : std::span<const double>(),
                            noise_ ? seed_of(*noise_, id) : 0));
  }

  ArrayPtr output(ValueId id, const ArrayPtr& operand) override {
    return array_of(read_out(program_, id, numbers_of(operand), noise_));
  }

 private:
  const Program& program_;
  const std::span<const std::vector<WeightRows>> weights_;  // by instruction and term
  const std::span<const Bootstraps> bootstraps_;            // by instruction
  const std::optional<ClearProgram::Noise>& noise_;
};

}  // namespace

std::uint64_t box_of(std::int64_t above, int step, int bits, double noise) {
  const std::uint64_t mask = (std::uint64_t{2} << bits) - 1;
  const int dropped = kMessageBits - bits;  // of the phase
  if (noise == 0) {
    const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    return (((static_cast<std::uint64_t>(above) << step) + half) >> dropped) & mask;
  }
  const double box = std::ldexp(static_cast<double>(above), step - dropped) + std::ldexp(noise, bits + 1);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(box + 0.5))) & mask;
}

ClearProgram::ClearProgram(const Program& program) : program_(program) {
  verify(program);
  const Makers makers(program);
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Operation& operation = program.value(id).operation;
    weights_.push_back(weights_of(operation));
    bootstraps_.push_back(bootstraps_at(program, makers, id));
  }
}

std::vector<Integers> ClearProgram::run(std::span<const Integers> inputs, const Observer& observer,
                                        const std::optional<Noise>& noise) const {
  std::vector<ArrayPtr> tensors;
  for (const Integers& input : inputs) tensors.push_back(std::make_shared<const ClearArray>(input));
  ClearEvaluator evaluator(program_, weights_, bootstraps_, noise);
  const std::unique_ptr<program::Reading> reading = reading_of(program_, evaluator);
  if (inputs.size() < program::count_of<Input>(program_.instructions)) refuse_input();
  program::Execution execution(*reading, std::move(tensors));
  const auto watch = [&](ValueId id, const ArrayPtr& value, std::span<const ArrayPtr>) {
    if (observer && value) observer(id, numbers_of(value));
  };
  while (!execution.done()) execution.step(watch);
  std::vector<Integers> outputs;
  for (const ArrayPtr& output : execution.take_outputs()) outputs.push_back(numbers_of(output));
  return outputs;
}

}  // namespace tacit::integers
