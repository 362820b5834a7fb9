#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "check/integers/integer_validator.h"
#include "graph/quant/compile.h"
#include "layout/sparse_rows.h"
#include "params/tfhe_noise.h"
#include "program/integers/clear_program.h"

/// Planted faults on integers. Each makes a run go wrong at one instruction, in one way.
namespace tacit::check {

/// A network, and inputs for its runs.
struct TestIntegers {
  graph::quant::CompiledIntegers model;
  std::vector<std::vector<integers::Integers>> samples;
};

struct IntegerFault {
  std::string name;
  IntegerCause expected = IntegerCause::none;
  program::ValueId at = 0;                                      ///< instruction that goes wrong
  std::optional<integers::Program> compiled{};                  ///< program of a wrong compilation, which is also run
  std::optional<integers::Program> run{};                       ///< program that is run instead
  std::vector<integers::Integers> input{};                      ///< encrypted integers
  std::function<void(scheme::tfhe::LweCiphertexts&)> tamper{};  ///< changes the value of instruction `at`
};

/// Draws places. A draw returns none if the network has no place for its fault, or if the fault changes nothing.
class IntegerFaults {
 public:
  IntegerFaults(const TestIntegers& net, unsigned seed) : net_(net), random_(seed) {}

  using Draw = std::optional<IntegerFault> (IntegerFaults::*)();
  static std::vector<Draw> all() {
    return {&IntegerFaults::weight_changed,   &IntegerFaults::constant_changed,  &IntegerFaults::flipped_bit_of_a_sum,
            &IntegerFaults::entries_changed,  &IntegerFaults::tables_swapped,    &IntegerFaults::arguments_swapped,
            &IntegerFaults::flipped_bit,      &IntegerFaults::bits_not_rounded,  &IntegerFaults::input_beyond_range,
            &IntegerFaults::noisy_bootstrap,  &IntegerFaults::compiled_constant, &IntegerFaults::compiled_weights,
            &IntegerFaults::compiled_function};
  }

  std::optional<IntegerFault> weight_changed() {
    return changed<integers::Linear>("a weight changed in a sum", IntegerCause::sum, [&](integers::Linear& linear) {
      integers::LinearTerm& term = linear.terms[pick(linear.terms.size())];
      const layout::SparseRows rows = layout::SparseRows::of(*term.op);
      std::vector<double> weights = rows.weights();
      weights[pick(weights.size())] *= -1;  // the noise stays as the parameters expect
      term.op = std::make_shared<layout::SparseRows>(rows.in_shape(), rows.out_shape(), rows.row_begin(),
                                                     rows.columns(), std::move(weights));
    });
  }
  std::optional<IntegerFault> constant_changed() {
    return changed<integers::Linear>("a sum's constant dropped", IntegerCause::sum, [&](integers::Linear& linear) {
      if (!linear.bias.empty()) linear.bias[pick(linear.bias.size())] = 0;
    });
  }
  std::optional<IntegerFault> flipped_bit_of_a_sum() {
    return tampered<integers::Linear>("a bit of a sum flipped", IntegerCause::sum, flip());
  }
  std::optional<IntegerFault> entries_changed() {
    return changed<integers::Lookup>("a table's entries moved up", IntegerCause::lookup, [&](integers::Lookup& lookup) {
      auto& table = lookup.tables[pick(lookup.tables.size())];
      const auto [lowest, highest] = std::ranges::minmax(table);
      for (std::int64_t& entry : table)
        entry += std::max<std::int64_t>(1, static_cast<std::int64_t>(0.43 * static_cast<double>(highest - lowest)));
    });
  }
  std::optional<IntegerFault> tables_swapped() {
    return changed<integers::Lookup>("two tables swapped", IntegerCause::lookup, [&](integers::Lookup& lookup) {
      if (lookup.table_of.size() > 1)
        std::swap(lookup.table_of[pick(lookup.table_of.size())], lookup.table_of[pick(lookup.table_of.size())]);
    });
  }
  std::optional<IntegerFault> arguments_swapped() {
    return changed<integers::Lookup>(
        "an argument of another element", IntegerCause::lookup, [&](integers::Lookup& lookup) {
          if (lookup.argument_of.empty()) return;
          lookup.argument_of[pick(lookup.argument_of.size())] = lookup.argument_of[pick(lookup.argument_of.size())];
        });
  }
  std::optional<IntegerFault> flipped_bit() {
    return tampered<integers::Lookup>("a bit of a table's result flipped", IntegerCause::lookup, flip());
  }

  /// A sum of the identity replaces the rounding, so that the bits stay.
  std::optional<IntegerFault> bits_not_rounded() {
    return changed<integers::Round>("bits not rounded off", IntegerCause::rounding, [](auto&) {});
  }

  /// Inputs grow until the argument of a table is outside its interval by more than noise can explain. The sum before
  /// the table must be found.
  std::optional<IntegerFault> input_beyond_range() {
    const integers::Program& program = net_.model.program;
    const integers::ClearProgram reading(program);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      IntegerFault fault{.name = "an input beyond all samples", .expected = IntegerCause::overflow, .input = sample()};
      for (integers::Integers& tensor : fault.input) {
        const auto middle = *std::ranges::max_element(tensor) / 2;
        for (std::int64_t& x : tensor) x = middle + (x - middle) * (4 + attempt);
      }
      std::vector<integers::Integers> values(program.instructions.size());
      reading.run(fault.input, [&](program::ValueId id, std::span<const std::int64_t> numbers) {
        values[id].assign(numbers.begin(), numbers.end());
      });
      for (program::ValueId id = 0; id < values.size() && fault.at == 0; ++id)
        if (const auto* lookup = std::get_if<integers::Lookup>(&program.value(id).operation)) {
          const integers::Instruction& read = program.value(lookup->input);
          const auto box = std::int64_t{1} << std::max(0, integers::kMessageBits - program.bits - read.step);
          for (const std::int64_t x : values[lookup->input])
            if (x < read.lowest - 3 * box || x > read.highest + 3 * box) {
              const auto* round = std::get_if<integers::Round>(&read.operation);
              fault.at = round != nullptr ? round->input : lookup->input;
            }
        }
      if (fault.at != 0) return fault;
    }
    return std::nullopt;
  }

  std::optional<IntegerFault> noisy_bootstrap() {
    const auto shape = params::TfheParameters::check(net_.model.parameters).shape();
    const double far = kDeviations * std::sqrt(params::bootstrap_variance(shape));
    return tampered<integers::Lookup>(
        "noise in a table's result", IntegerCause::noise, [this, far](scheme::tfhe::LweCiphertexts& made) {
          made.body(pick(made.count())) +=
              static_cast<scheme::tfhe::Torus>(static_cast<std::int64_t>(std::ldexp(far, 64)));
        });
  }

  std::optional<IntegerFault> compiled_constant() {
    return compiled<integers::Linear>("compiled with another constant", [&](integers::Linear& linear, auto& made) {
      linear.bias.resize(integers::elements(made), 0);
      linear.bias[pick(linear.bias.size())] += (made.highest - made.lowest) / 4;
    });
  }
  std::optional<IntegerFault> compiled_weights() {
    return compiled<integers::Linear>(
        "compiled with weights of half the size", [&](integers::Linear& linear, const integers::Instruction&) {
          for (integers::LinearTerm& term : linear.terms) {
            const layout::SparseRows rows = layout::SparseRows::of(*term.op);
            std::vector<double> weights = rows.weights();
            for (double& weight : weights) weight = std::floor(weight / 2);
            term.op = std::make_shared<layout::SparseRows>(rows.in_shape(), rows.out_shape(), rows.row_begin(),
                                                           rows.columns(), std::move(weights));
          }
        });
  }
  std::optional<IntegerFault> compiled_function() {
    return compiled<integers::Lookup>("compiled with another function", [](integers::Lookup& lookup, auto& made) {
      const std::int64_t width = made.highest - made.lowest;  // beyond the entries of every box of the right table
      for (auto& table : lookup.tables)
        for (std::int64_t& entry : table) entry += width + width / 4 + 1;
      made.highest += width + width / 4 + 1;
    });
  }

 private:
  static constexpr int kAttempts = 16;
  static constexpr double kDeviations = 18;  // two and a half times the bound that noise exceeds with probability 2^-40

  std::size_t pick(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  const std::vector<integers::Integers>& sample() { return net_.samples[pick(net_.samples.size())]; }

  template <class Operation>
  std::optional<program::ValueId> place(bool with_tensor = false) {
    std::vector<program::ValueId> places;
    for (program::ValueId id = 0; id < net_.model.program.instructions.size(); ++id)
      if (std::holds_alternative<Operation>(net_.model.program.value(id).operation) &&
          (!with_tensor || net_.model.meanings[id].tensor != graph::kNoTensor))
        places.push_back(id);
    return places.empty() ? std::nullopt : std::optional(places[pick(places.size())]);
  }

  std::function<void(scheme::tfhe::LweCiphertexts&)> flip() {
    return [this](scheme::tfhe::LweCiphertexts& made) {
      made.body(pick(made.count())) ^= scheme::tfhe::Torus{1}
                                       << 62;  // the secret may have no use for a word of the mask
    };
  }

  static integers::Integers value_of(const integers::Program& program, program::ValueId wanted,
                                     const std::vector<integers::Integers>& input) {
    integers::Integers result;
    integers::ClearProgram(program).run(input, [&](program::ValueId id, std::span<const std::int64_t> numbers) {
      if (id == wanted) result.assign(numbers.begin(), numbers.end());
    });
    return result;
  }

  /// The executed program differs from the compiled one.
  template <class Operation, class Change>
  std::optional<IntegerFault> changed(const char* name, IntegerCause expected, const Change& change) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const auto at = place<Operation>();
      if (!at) return std::nullopt;
      IntegerFault fault{.name = name, .expected = expected, .at = *at, .run = net_.model.program, .input = sample()};
      integers::Instruction& made = fault.run->instructions[*at];
      change(std::get<Operation>(made.operation));
      if constexpr (std::is_same_v<Operation, integers::Round>) leave_bits(*fault.run, made);
      if constexpr (std::is_same_v<Operation, integers::Lookup>) widen(made);
      const auto right = value_of(net_.model.program, *at, fault.input), wrong = value_of(*fault.run, *at, fault.input);
      const int up = made.step - net_.model.program.value(*at).step;
      bool differs = false;
      for (std::size_t e = 0; e < right.size(); ++e) {
        const auto far_from = [&](std::int64_t entry) {
          return std::abs(std::ldexp(static_cast<double>(wrong[e]), up) - static_cast<double>(entry)) >
                 least_effect<Operation>(net_.model.program.value(*at));
        };
        if constexpr (std::is_same_v<Operation, integers::Lookup>)
          differs = differs || std::ranges::all_of(entries_near(*at, e, fault.input), far_from);
        else
          differs = differs || far_from(right[e]);
      }
      if (differs) return fault;
    }
    return std::nullopt;
  }

  /// Returns the entries that a table may give for an element: that of its argument's box, and those of the neighbours,
  /// which noise may reach.
  integers::Integers entries_near(program::ValueId at, std::size_t e,
                                  const std::vector<integers::Integers>& input) const {
    const integers::Program& program = net_.model.program;
    const auto& lookup = std::get<integers::Lookup>(program.value(at).operation);
    const std::int64_t argument = value_of(program, lookup.input, input).at(lookup.argument(e));
    const auto box =
        std::llround(std::ldexp(static_cast<double>(argument - integers::first_centre(program, lookup)),
                                program.value(lookup.input).step - (integers::kMessageBits - program.bits)));
    const std::vector<std::int64_t>& table = lookup.tables.at(lookup.table(e));
    const auto last = static_cast<std::int64_t>(table.size()) - 1;
    integers::Integers near;
    for (std::int64_t beside = box - 1; beside <= box + 1; ++beside)
      near.push_back(table[static_cast<std::size_t>(std::clamp<std::int64_t>(beside, 0, last))]);
    return near;
  }

  /// The least detected change. A sum is compared with its operands to the last bit, and a table up to noise.
  template <class Operation>
  static double least_effect(const integers::Instruction& made) {
    if (std::is_same_v<Operation, integers::Lookup>) return static_cast<double>(made.highest - made.lowest) / 16;
    return std::is_same_v<Operation, integers::Round> ? 0.1 : 0;
  }
  static void widen(integers::Instruction& made) {
    for (const auto& table : std::get<integers::Lookup>(made.operation).tables) {
      made.lowest = std::min(made.lowest, std::ranges::min(table));
      made.highest = std::max(made.highest, std::ranges::max(table));
    }
  }
  static void leave_bits(const integers::Program& program, integers::Instruction& made) {
    const auto round = std::get<integers::Round>(made.operation);
    const integers::Instruction& of = program.value(round.input);
    const auto one = [](layout::Index row, layout::RowEntries& entries) { entries.add(row, 1); };
    made.operation =
        integers::Linear{{{round.input, std::make_shared<layout::SparseRows>(of.shape, made.shape, one)}}, {}};
    made.step = of.step;
    made.lowest = of.lowest;
    // The interval is that of the tables that take the rounding; values beyond it wrap around.
    made.highest = std::min(of.highest, of.lowest + ((std::int64_t{1} << (integers::kMessageBits - 2)) >> of.step));
  }

  /// The compiler made another program, and it is executed correctly.
  template <class Operation, class Change>
  std::optional<IntegerFault> compiled(const char* name, const Change& change) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const auto at = place<Operation>(true);
      if (!at) return std::nullopt;
      IntegerFault fault{.name = name,
                         .expected = IntegerCause::quantisation,
                         .at = *at,
                         .compiled = net_.model.program,
                         .input = sample()};
      integers::Instruction& made = fault.compiled->instructions[*at];
      change(std::get<Operation>(made.operation), made);
      const auto right = value_of(net_.model.program, *at, fault.input),
                 wrong = value_of(*fault.compiled, *at, fault.input);
      // Rounding explains smaller differences.
      const double least = static_cast<double>(made.highest - made.lowest) * 0.15;
      for (std::size_t e = 0; e < right.size(); ++e)
        if (std::abs(static_cast<double>(wrong[e] - right[e])) > least && wrong[e] >= made.lowest &&
            wrong[e] <= made.highest)
          return fault;
    }
    return std::nullopt;
  }

  template <class Operation>
  std::optional<IntegerFault> tampered(const char* name, IntegerCause expected,
                                       std::function<void(scheme::tfhe::LweCiphertexts&)> tamper) {
    const auto at = place<Operation>();
    if (!at) return std::nullopt;
    return IntegerFault{.name = name, .expected = expected, .at = *at, .input = sample(), .tamper = std::move(tamper)};
  }

  const TestIntegers& net_;
  std::mt19937 random_;
};

}  // namespace tacit::check
