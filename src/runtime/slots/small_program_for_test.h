#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "layout/diagonals.h"
#include "layout/sparse_rows.h"
#include "params/ckks_parameters.h"
#include "program/slots/levels.h"
#include "program/slots/program.h"

/// Programs with every kind of instruction, small enough to run encrypted in a test.
namespace tacit::runtime {

inline params::CkksLiteral small_insecure_literal(int depth) {
  std::vector<int> q(static_cast<std::size_t>(depth) + 1, 40);
  q[0] = 50;
  return {.name = "test", .log_n = 10, .q_bits = q, .p_bits = {50, 50}, .log_scale = 40, .insecure = true};
}

inline params::LinearSchedule schedule_of(const layout::LinearMap& map) {
  const layout::DiagonalSet set = layout::diagonal_set(map);
  const auto span = static_cast<double>(set.diagonals.empty() ? 1 : *set.diagonals.rbegin() + 1);
  const auto babies = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::sqrt(span))));
  params::LinearSchedule schedule;
  for (const layout::Index d : set.diagonals) schedule.steps.push_back({d, d % babies, d - d % babies});
  schedule.folds = set.folds;
  return schedule;
}

/// Writes programs one instruction at a time.
class ProgramWriter {
 public:
  explicit ProgramWriter(layout::Index slots, unsigned seed = 1) : random_(seed) {
    program_.name = "small";
    program_.slots = slots;
  }

  program::ValueId input(const std::string& name, const layout::Layout& layout) {
    return add(slots::Input{name}, layout);
  }
  /// Adds a dense random matrix and a random bias. The entries keep values of size 1 near size 1.
  program::ValueId dense(program::ValueId from, const layout::Layout& out) {
    const layout::Layout& in = program_.instructions[from].layout;
    const layout::Index columns = layout::element_count(in.shape());
    std::normal_distribution<double> entry(0, 1 / std::sqrt(static_cast<double>(columns)));
    std::vector<double> bias;
    auto op =
        std::make_shared<layout::SparseRows>(in.shape(), out.shape(), [&](layout::Index, layout::RowEntries& entries) {
          for (layout::Index c = 0; c < columns; ++c) entries.add(c, entry(random_));
          bias.push_back(entry(random_));
        });
    slots::LinearTerm term{from, {in, out, op}, {}};
    term.schedule = schedule_of(term.map);
    return add(slots::Linear{{term}, layout::RepeatedReals::of(bias)}, out);
  }
  /// Adds the sum of two linear values in one instruction.
  program::ValueId join(program::ValueId a, program::ValueId b) {
    const auto& left = std::get<slots::Linear>(program_.instructions[a].operation);
    const auto& right = std::get<slots::Linear>(program_.instructions[b].operation);
    const layout::Layout out = program_.instructions[a].layout;
    return add(slots::Linear{{left.terms[0], right.terms[0]}, {}}, out);
  }
  program::ValueId polynomial(program::ValueId x, std::vector<double> coefficients) {
    const auto schedule = params::PolynomialSchedule::choose(static_cast<int>(coefficients.size()) - 1);
    return add(slots::Polynomial{x, std::move(coefficients), schedule}, program_.instructions[x].layout);
  }
  program::ValueId multiply(program::ValueId a, program::ValueId b) { return add(slots::Multiply{a, b}, layout(a)); }
  program::ValueId sum(program::ValueId a, program::ValueId b) { return add(slots::Add{a, b}, layout(a)); }
  program::ValueId difference(program::ValueId a, program::ValueId b) { return add(slots::Subtract{a, b}, layout(a)); }
  program::ValueId add_plain(program::ValueId x) {
    return add(slots::AddPlain{x, layout::RepeatedReals::of(numbers(layout(x)))}, layout(x));
  }
  program::ValueId multiply_plain(program::ValueId x) {
    return add(slots::MultiplyPlain{x, layout::RepeatedReals::of(numbers(layout(x)))}, layout(x));
  }
  /// Adds any other instruction.
  program::ValueId record(slots::Operation operation, const layout::Layout& layout) {
    return add(std::move(operation), layout);
  }
  void output(program::ValueId x, const std::string& name) { add(slots::Output{x, name}, layout(x)); }

  std::vector<double> numbers(const layout::Layout& layout) {
    std::uniform_real_distribution<double> number(-1, 1);
    std::vector<double> tensor(static_cast<std::size_t>(layout::element_count(layout.shape())));
    for (double& x : tensor) x = number(random_);
    return tensor;
  }
  slots::Program finish(const params::CkksParameters& parameters) {
    slots::assign_levels(program_, parameters);
    slots::verify(program_);
    return program_;
  }

 private:
  const layout::Layout& layout(program::ValueId id) const { return program_.instructions[id].layout; }
  program::ValueId add(slots::Operation operation, layout::Layout layout) {
    slots::Instruction instruction;
    instruction.node = "node" + std::to_string(program_.instructions.size());
    instruction.source = "small.onnx: " + instruction.node;
    instruction.operation = std::move(operation);
    instruction.layout = std::move(layout);
    program_.instructions.push_back(std::move(instruction));
    return static_cast<program::ValueId>(program_.instructions.size() - 1);
  }
  slots::Program program_;
  std::mt19937 random_;
};

}  // namespace tacit::runtime
