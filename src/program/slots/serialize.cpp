#include "program/slots/serialize.h"

#include <fmt/format.h>

#include <limits>

#include "base/byte_fields.h"
#include "base/error.h"
#include "layout/serialize.h"
#include "params/polynomial_plan.h"

namespace tacit::slots {
namespace {

constexpr std::uint32_t kProgramFormat = 0x5450520a;  // "TPR" and the version
constexpr std::int64_t kMaxLevel = 127;
// Bytes that one item takes at least.
constexpr std::size_t kInstructionBytes = 40, kTermBytes = 40;
constexpr std::size_t kArgumentBytes = 20, kFactorBytes = 40, kPartBytes = 28;
constexpr int kMostRatioBits = 40;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// The fields of a program, in the order of the format.
template <class Fields>
class ProgramFields {
  template <class T>
  using Of = base::Of<Fields, T>;

 public:
  ProgramFields(Fields& f, Of<Program>& program) : f_(f), program_(program) {}

  void all() {
    f_.format(kProgramFormat, "these bytes are not a program of this version; compile the model again");
    f_.text(program_.name);
    f_.integer(program_.slots, 1, layout::kMaxSlots, "the number of slots");
    f_.list(program_.instructions, kInstructionBytes, [&](auto& x) { instruction(x); });
  }

 private:
  void instruction(Of<Instruction>& x) {
    // Which operation it is: its place in the variant, whose order is part of the format.
    f_.alternative(x.operation, 0, "an operation is of an unknown kind", [&](auto& o) { operation(o); });
    packing(x.layout);
    f_.text(x.node);
    f_.text(x.source);
    f_.real(x.bound);
    f_.integer(x.level, 0, kMaxLevel, "a level");
    f_.real(x.scale);
    f_.require(x.scale > 0, "a scale is not positive");
  }

  void operation(Of<Input>& x) {
    f_.text(x.name);
    f_.compact_reals(x.units);
  }
  void operation(Of<Linear>& x) {
    f_.list(x.terms, kTermBytes, [&](auto& term) {
      operand(term.input);
      packing(term.map.in);
      packing(term.map.out);
      f_.by(
          term.map.op, [](auto& to, auto& op) { write_operator(to, *op); }, layout::read_operator);
      schedule(term.schedule);
    });
    f_.optional(x.bias, [&](auto& bias) { repeated(bias); });
  }
  void operation(Of<Polynomial>& x) {
    operand(x.input);
    f_.reals(x.coefficients);
    schedule(x.schedule);
    if constexpr (Fields::reads) params::plan_polynomial(x.coefficients, x.schedule);  // refuses what cannot be done
  }
  void operation(Of<Multiply>& x) {
    operands(x);
    terms(x.terms);
  }
  void operation(Of<Add>& x) { operands(x); }
  void operation(Of<Subtract>& x) { operands(x); }
  void operation(Of<AddPlain>& x) {
    operand(x.input);
    repeated(x.addend);
  }
  void operation(Of<MultiplyPlain>& x) {
    operand(x.input);
    repeated(x.factor);
    terms(x.terms);
  }
  void operation(Of<Sum>& x) {
    operand(x.input);
    terms(x.terms);
  }
  void operation(Of<RotateSum>& x) {
    operand(x.input);
    f_.indices(x.steps);
  }
  void operation(Of<Drop>& x) { operand(x.input); }
  void operation(Of<Gather>& x) {
    f_.list(x.parts, kPartBytes, [&](auto& part) {
      operand(part.input);
      f_.indices(part.extents);
      f_.indices(part.strides);
      f_.integer(part.offset, 0, kMost, "the offset of a gather");
    });
  }
  void operation(Of<Rotate>& x) {
    operand(x.input);
    f_.integer(x.steps, -program_.slots, program_.slots, "a rotation");
  }
  void operation(Of<Output>& x) {
    operand(x.input);
    f_.text(x.name);
  }
  void operation(Of<Validate>& x) {
    operand(x.value);
    f_.choice(x.detail, Detail::instruction, "a validation is of an unknown detail");
    f_.integer(x.length, 1, kMost, "the length of a validation");
    f_.real(x.epsilon);
    meaning(x.meaning);
    const bool has_meanings = x.detail == Detail::network;  // otherwise nothing is written in their places
    std::size_t a = 0;
    f_.list(x.arguments, kArgumentBytes, [&](auto& argument) {
      operand(argument);
      Meaning none;
      if constexpr (Fields::reads)
        meaning(has_meanings ? x.argument_meanings.emplace_back() : none);
      else
        meaning(has_meanings ? x.argument_meanings.at(a++) : none);
    });
  }
  // What does not carry out a bootstrap of the parameters at hand is for the executor to refuse, which knows them.
  void operation(Of<Bootstrap>& x) {
    f_.list(x.inputs, sizeof(ValueId), [&](auto& input) { operand(input); });
    bootstrap(x.schedule, params::BootstrapForm::folded);
  }
  void operation(Of<Lookup>& x) {
    f_.list(x.inputs, sizeof(ValueId), [&](auto& input) { operand(input); });
    f_.list(x.tables, sizeof(std::int64_t), [&](auto& table) { f_.reals(table); });
    f_.integer(x.schedule.entries, params::kFewestEntries, params::kMostEntries, "the entries of a table");
    schedule(x.schedule.polynomial);
    bootstrap(x.schedule.bootstrap, params::BootstrapForm::whole);
  }

  void bootstrap(Of<params::BootstrapSchedule>& s, params::BootstrapForm last) {
    f_.choice(s.form, last, "a bootstrap is of a form that this version does not have; compile the model again");
    bool arcsine = false;  // a byte of the format that is always 0
    f_.flag(arcsine);
    f_.require(!arcsine, "a bootstrap computes an arcsine, which this version does not do; compile the model again");
    for (auto* value : {&s.chain.input, &s.chain.output, &s.chain.top, &s.chain.skipped, &s.log_ratio, &s.input_level,
                        &s.output_level})
      f_.integer(*value, 0, kMaxLevel, "a level of a bootstrap");
    f_.list(s.chain.sine, sizeof(std::int64_t),
            [&](auto& level) { f_.integer(level, 0, kMaxLevel, "a level of a bootstrap's sine"); });
    f_.require(!s.chain.sine.empty() && s.log_ratio <= kMostRatioBits, "a bootstrap has no sine");
    factors(s.slots_to_coefficients);
    factors(s.coefficients_to_slots);
    f_.real(s.range);
    f_.reals(s.cosine);
    schedule(s.polynomial);
  }

  /// Only values that exist can be read.
  void operand(Of<ValueId>& value) {
    f_.u32(value);
    if constexpr (Fields::reads)
      if (value >= program_.instructions.size()) f_.from.fail(fmt::format("%{} is read before it is defined", value));
  }
  template <class Pair>
  void operands(Pair& x) {
    operand(x.left);
    operand(x.right);
  }
  void terms(Of<layout::Index>& count) { f_.integer(count, 1, layout::kMaxCiphertexts, "the terms of a sum"); }
  void packing(Of<layout::Layout>& x) { f_.by(x, layout::write_layout, layout::read_layout); }
  void repeated(Of<layout::RepeatedReals>& x) { f_.by(x, layout::write_repeated, layout::read_repeated); }

  void meaning(Of<Meaning>& x) {
    f_.text(x.tensor);
    f_.reals(x.factors);
    f_.real(x.offset);
  }

  void factors(Of<std::vector<params::DftFactor>>& list) {
    f_.list(list, kFactorBytes, [&](auto& factor) {
      for (auto* value : {&factor.first_stage, &factor.stages, &factor.level})
        f_.integer(*value, 0, kMaxLevel, "a factor of a bootstrap");
      schedule(factor.schedule);
    });
  }

  void schedule(Of<params::PolynomialSchedule>& x) {
    f_.integer(x.degree, 0, 1 << 20, "the degree of a polynomial");
    f_.integer(x.log_baby, 0, kMaxLevel, "the baby steps of a polynomial");
    f_.integer(x.depth, 0, kMaxLevel, "the depth of a polynomial");
  }

  void schedule(Of<params::LinearSchedule>& x) {
    std::vector<std::int64_t> diagonals, babies, giants;
    for (const params::DiagonalStep& step : x.steps) {
      diagonals.push_back(step.diagonal);
      babies.push_back(step.baby);
      giants.push_back(step.giant);
    }
    for (auto* steps : {&diagonals, &babies, &giants}) f_.compact_indices(*steps);
    if constexpr (Fields::reads) {
      f_.require(babies.size() == diagonals.size() && giants.size() == diagonals.size(),
                 "a schedule does not have a baby and a giant step for every diagonal");
      for (std::size_t s = 0; s < diagonals.size(); ++s) x.steps.push_back({diagonals[s], babies[s], giants[s]});
    }
    f_.compact_indices(x.folds);
  }

  Fields& f_;
  Of<Program>& program_;
};

}  // namespace

std::vector<std::uint8_t> to_bytes(const Program& program) {
  base::FieldWriter out;
  ProgramFields(out, program).all();
  return out.to.take();
}

Program program_from_bytes(std::span<const std::uint8_t> bytes) {
  base::FieldReader in{{bytes, "program"}};
  Program program;
  ProgramFields(in, program).all();
  in.from.expect_end();
  try {
    verify(program);
  } catch (const base::InternalError& error) {
    throw base::InputError(error.what());
  }
  return program;
}

}  // namespace tacit::slots
