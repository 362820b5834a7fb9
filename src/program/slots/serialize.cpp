#include "program/slots/serialize.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "layout/serialize.h"
#include "params/polynomial_plan.h"

namespace tacit::slots {
namespace {

using base::ByteReader;
using base::ByteWriter;

constexpr std::uint32_t kProgramFormat = 0x5450520a;  // "TPR" and the version
constexpr std::size_t kLongestText = 4096;
constexpr std::int64_t kMaxLevel = 127;
// Bytes that one item takes at least.
constexpr std::size_t kInstructionBytes = 40, kTermBytes = 40;
constexpr std::size_t kArgumentBytes = 20, kFactorBytes = 40, kPartBytes = 28;
constexpr int kMostRatioBits = 40;

/// Which operation follows: its place in the variant. The order is part of the format.
template <class Wanted, std::size_t I = 0>
constexpr std::uint8_t tag() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, Operation>, Wanted>) {
    return static_cast<std::uint8_t>(I);
  } else {
    return tag<Wanted, I + 1>();
  }
}

struct OperationWriter {
  ByteWriter& out;

  void write_schedule(const params::LinearSchedule& schedule) const {
    std::vector<std::int64_t> diagonals, babies, giants;
    for (const params::DiagonalStep& step : schedule.steps) {
      diagonals.push_back(step.diagonal);
      babies.push_back(step.baby);
      giants.push_back(step.giant);
    }
    for (const auto& list : {diagonals, babies, giants, schedule.folds}) out.compact_indices(list);
  }
  void write_schedule(const params::PolynomialSchedule& schedule) const {
    for (const int value : {schedule.degree, schedule.log_baby, schedule.depth}) out.i64(value);
  }
  void write_factors(const std::vector<params::DftFactor>& factors) const {
    out.u64(factors.size());
    for (const params::DftFactor& factor : factors) {
      for (const int value : {factor.first_stage, factor.stages, factor.level}) out.i64(value);
      write_schedule(factor.schedule);
    }
  }

  void operator()(const Input& operation) const {
    out.text(operation.name);
    out.compact_reals(operation.units);
  }
  void operator()(const Linear& operation) const {
    out.u64(operation.terms.size());
    for (const LinearTerm& term : operation.terms) {
      out.u32(term.input);
      layout::write_layout(out, term.map.in);
      layout::write_layout(out, term.map.out);
      layout::write_operator(out, *term.map.op);
      write_schedule(term.schedule);
    }
    out.u8(operation.bias ? 1 : 0);
    if (operation.bias) layout::write_repeated(out, *operation.bias);
  }
  void operator()(const Polynomial& operation) const {
    out.u32(operation.input);
    out.reals(operation.coefficients);
    write_schedule(operation.schedule);
  }
  void operator()(const AddPlain& operation) const {
    out.u32(operation.input);
    layout::write_repeated(out, operation.addend);
  }
  void operator()(const MultiplyPlain& operation) const {
    out.u32(operation.input);
    layout::write_repeated(out, operation.factor);
    out.i64(operation.terms);
  }
  void operator()(const Multiply& operation) const {
    out.u32(operation.left);
    out.u32(operation.right);
    out.i64(operation.terms);
  }
  void operator()(const Sum& operation) const {
    out.u32(operation.input);
    out.i64(operation.terms);
  }
  void operator()(const RotateSum& operation) const {
    out.u32(operation.input);
    out.indices(operation.steps);
  }
  void operator()(const Drop& operation) const { out.u32(operation.input); }
  void operator()(const Gather& operation) const {
    out.u64(operation.parts.size());
    for (const GatherPart& part : operation.parts) {
      out.u32(part.input);
      out.indices(part.extents);
      out.indices(part.strides);
      out.i64(part.offset);
    }
  }
  void operator()(const Rotate& operation) const {
    out.u32(operation.input);
    out.i64(operation.steps);
  }
  void operator()(const Output& operation) const {
    out.u32(operation.input);
    out.text(operation.name);
  }
  void operator()(const Validate& operation) const {
    out.u32(operation.value);
    out.u8(static_cast<std::uint8_t>(operation.detail));
    out.i64(operation.length);
    out.f64(operation.epsilon);
    meaning(operation.meaning);
    out.u64(operation.arguments.size());
    for (std::size_t a = 0; a < operation.arguments.size(); ++a) {
      out.u32(operation.arguments[a]);
      meaning(operation.detail == Detail::network ? operation.argument_meanings.at(a) : Meaning{});
    }
  }
  void meaning(const Meaning& value) const {
    out.text(value.tensor);
    out.reals(value.factors);
    out.f64(value.offset);
  }
  void operator()(const Bootstrap& operation) const {
    const params::BootstrapSchedule& schedule = operation.schedule;
    out.u64(operation.inputs.size());
    for (const ValueId input : operation.inputs) out.u32(input);
    out.u8(static_cast<std::uint8_t>(schedule.form));
    out.u8(schedule.arcsine ? 1 : 0);
    for (const int value : {schedule.chain.input, schedule.chain.output, schedule.chain.top, schedule.chain.skipped,
                            schedule.log_ratio, schedule.input_level, schedule.output_level})
      out.i64(value);
    const std::vector<std::int64_t> sine(schedule.chain.sine.begin(), schedule.chain.sine.end());
    out.indices(sine);
    write_factors(schedule.slots_to_coefficients);
    write_factors(schedule.coefficients_to_slots);
    out.f64(schedule.range);
    out.reals(schedule.cosine);
    write_schedule(schedule.polynomial);
  }
  template <class Pair>
  void operator()(const Pair& operation) const {
    out.u32(operation.left);
    out.u32(operation.right);
  }
};

class ProgramReader {
 public:
  explicit ProgramReader(std::span<const std::uint8_t> bytes) : in_(bytes, "program") {}

  Program run() {
    if (in_.u32() != kProgramFormat) in_.fail("these bytes are not a program of this version");
    program_.name = in_.text(kLongestText);
    program_.slots = in_.i64(1, layout::kMaxSlots, "the number of slots");
    const std::size_t count = in_.count(kInstructionBytes);
    for (std::size_t id = 0; id < count; ++id) program_.instructions.push_back(instruction());
    in_.expect_end();
    try {
      verify(program_);
    } catch (const base::InternalError& error) {
      throw base::InputError(error.what());
    }
    return std::move(program_);
  }

 private:
  Instruction instruction() {
    Instruction result;
    result.operation = operation();
    result.layout = layout::read_layout(in_);
    result.node = in_.text(kLongestText);
    result.source = in_.text(kLongestText);
    result.bound = in_.f64();
    result.level = static_cast<int>(in_.i64(0, kMaxLevel, "a level"));
    result.scale = in_.f64();
    if (!(result.scale > 0)) in_.fail("a scale is not positive");
    return result;
  }

  Operation operation() {
    switch (in_.u8()) {
      case tag<Input>(): {
        std::string name = in_.text(kLongestText);
        return Input{std::move(name), in_.compact_reals()};
      }
      case tag<Linear>(): return linear();
      case tag<Polynomial>(): return polynomial();
      case tag<Multiply>(): {
        const Add operands = pair<Add>();
        return Multiply{operands.left, operands.right, terms()};
      }
      case tag<Add>(): return pair<Add>();
      case tag<Subtract>(): return pair<Subtract>();
      case tag<AddPlain>(): {
        const ValueId input = operand();
        return AddPlain{input, layout::read_repeated(in_)};
      }
      case tag<MultiplyPlain>(): {
        const ValueId input = operand();
        layout::RepeatedReals factor = layout::read_repeated(in_);
        return MultiplyPlain{input, std::move(factor), terms()};
      }
      case tag<Sum>(): {
        const ValueId input = operand();
        return Sum{input, terms()};
      }
      case tag<RotateSum>(): {
        const ValueId input = operand();
        return RotateSum{input, in_.indices()};
      }
      case tag<Drop>(): return Drop{operand()};
      case tag<Gather>(): return gather();
      case tag<Rotate>(): {
        const ValueId input = operand();
        return Rotate{input, in_.i64(-program_.slots, program_.slots, "a rotation")};
      }
      case tag<Output>(): {
        const ValueId input = operand();
        return Output{input, in_.text(kLongestText)};
      }
      case tag<Validate>(): return validate();
      case tag<Bootstrap>(): {
        std::vector<ValueId> inputs(in_.count(sizeof(ValueId)));
        for (ValueId& input : inputs) input = operand();
        return Bootstrap{std::move(inputs), bootstrap_schedule()};
      }
      default: in_.fail("an operation is of an unknown kind");
    }
  }

  /// Only values that exist can be read.
  ValueId operand() {
    const ValueId value = in_.u32();
    if (value >= program_.instructions.size()) in_.fail(fmt::format("%{} is read before it is defined", value));
    return value;
  }

  layout::Index terms() { return in_.i64(1, layout::kMaxCiphertexts, "the terms of a sum"); }

  Gather gather() {
    Gather result;
    const std::size_t parts = in_.count(kPartBytes);
    for (std::size_t p = 0; p < parts; ++p) {
      GatherPart& part = result.parts.emplace_back();
      part.input = operand();
      part.extents = in_.indices();
      part.strides = in_.indices();
      part.offset = in_.i64(0, std::numeric_limits<std::int64_t>::max(), "the offset of a gather");
    }
    return result;
  }

  Validate validate() {
    Validate result;
    result.value = operand();
    const std::uint8_t detail = in_.u8();
    if (detail > static_cast<std::uint8_t>(Detail::instruction)) in_.fail("a validation is of an unknown detail");
    result.detail = static_cast<Detail>(detail);
    result.length = in_.i64(1, std::numeric_limits<std::int64_t>::max(), "the length of a validation");
    result.epsilon = in_.f64();
    result.meaning = meaning();
    const std::size_t arguments = in_.count(kArgumentBytes);
    for (std::size_t a = 0; a < arguments; ++a) {
      result.arguments.push_back(operand());
      Meaning of = meaning();
      if (result.detail == Detail::network) result.argument_meanings.push_back(std::move(of));
    }
    return result;
  }

  Meaning meaning() {
    Meaning result;
    result.tensor = in_.text(kLongestText);
    result.factors = in_.reals();
    result.offset = in_.f64();
    return result;
  }

  template <class Pair>
  Pair pair() {
    const ValueId left = operand();
    return Pair{left, operand()};
  }

  Linear linear() {
    Linear result;
    const std::size_t terms = in_.count(kTermBytes);
    for (std::size_t t = 0; t < terms; ++t) {
      LinearTerm& term = result.terms.emplace_back();
      term.input = operand();
      term.map.in = layout::read_layout(in_);
      term.map.out = layout::read_layout(in_);
      term.map.op = layout::read_operator(in_);
      term.schedule = linear_schedule();
    }
    if (in_.u8() != 0) result.bias = layout::read_repeated(in_);
    return result;
  }

  Polynomial polynomial() {
    Polynomial result;
    result.input = operand();
    result.coefficients = in_.reals();
    result.schedule = polynomial_schedule();
    params::plan_polynomial(result.coefficients, result.schedule);  // refuses what cannot be carried out
    return result;
  }

  params::PolynomialSchedule polynomial_schedule() {
    constexpr std::int64_t most = 1 << 20;
    params::PolynomialSchedule schedule;
    schedule.degree = static_cast<int>(in_.i64(0, most, "the degree of a polynomial"));
    schedule.log_baby = static_cast<int>(in_.i64(0, kMaxLevel, "the baby steps of a polynomial"));
    schedule.depth = static_cast<int>(in_.i64(0, kMaxLevel, "the depth of a polynomial"));
    return schedule;
  }

  params::LinearSchedule linear_schedule() {
    params::LinearSchedule schedule;
    const std::vector<std::int64_t> diagonals = in_.compact_indices(), babies = in_.compact_indices(),
                                    giants = in_.compact_indices();
    if (babies.size() != diagonals.size() || giants.size() != diagonals.size())
      in_.fail("a schedule does not have a baby and a giant step for every diagonal");
    for (std::size_t s = 0; s < diagonals.size(); ++s) schedule.steps.push_back({diagonals[s], babies[s], giants[s]});
    schedule.folds = in_.compact_indices();
    return schedule;
  }

  std::vector<params::DftFactor> factors() {
    std::vector<params::DftFactor> result;
    const std::size_t count = in_.count(kFactorBytes);
    for (std::size_t f = 0; f < count; ++f) {
      params::DftFactor& factor = result.emplace_back();
      for (int* value : {&factor.first_stage, &factor.stages, &factor.level})
        *value = static_cast<int>(in_.i64(0, kMaxLevel, "a factor of a bootstrap"));
      factor.schedule = linear_schedule();
    }
    return result;
  }

  // What does not carry out a bootstrap of the parameters at hand is for the executor to refuse, which knows them.
  params::BootstrapSchedule bootstrap_schedule() {
    params::BootstrapSchedule schedule;
    const std::uint8_t form = in_.u8();
    if (form > static_cast<std::uint8_t>(params::BootstrapForm::classic)) in_.fail("a bootstrap is of an unknown form");
    schedule.form = static_cast<params::BootstrapForm>(form);
    schedule.arcsine = in_.u8() != 0;
    params::BootstrapChain& chain = schedule.chain;
    for (int* value : {&chain.input, &chain.output, &chain.top, &chain.skipped, &schedule.log_ratio,
                       &schedule.input_level, &schedule.output_level})
      *value = static_cast<int>(in_.i64(0, kMaxLevel, "a level of a bootstrap"));
    for (const std::int64_t level : in_.indices()) {
      if (level < 0 || level > kMaxLevel) in_.fail("a level of a bootstrap's sine is out of range");
      chain.sine.push_back(static_cast<int>(level));
    }
    if (chain.sine.empty() || schedule.log_ratio > kMostRatioBits) in_.fail("a bootstrap has no sine");
    schedule.slots_to_coefficients = factors();
    schedule.coefficients_to_slots = factors();
    schedule.range = in_.f64();
    schedule.cosine = in_.reals();
    schedule.polynomial = polynomial_schedule();
    return schedule;
  }

  ByteReader in_;
  Program program_;
};

}  // namespace

std::vector<std::uint8_t> to_bytes(const Program& program) {
  ByteWriter out;
  out.u32(kProgramFormat);
  out.text(program.name);
  out.i64(program.slots);
  out.u64(program.instructions.size());
  for (const Instruction& instruction : program.instructions) {
    out.u8(static_cast<std::uint8_t>(instruction.operation.index()));
    std::visit(OperationWriter{out}, instruction.operation);
    layout::write_layout(out, instruction.layout);
    out.text(instruction.node);
    out.text(instruction.source);
    out.f64(instruction.bound);
    out.i64(instruction.level);
    out.f64(instruction.scale);
  }
  return out.take();
}

Program program_from_bytes(std::span<const std::uint8_t> bytes) { return ProgramReader(bytes).run(); }

}  // namespace tacit::slots
