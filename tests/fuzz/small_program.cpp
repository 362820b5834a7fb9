#include "small_program.h"

#include <cmath>
#include <utility>

#include "base/error.h"
#include "mutate_bytes.h"
#include "program/slots/serialize.h"
#include "runtime/slots/small_program_for_test.h"

namespace tacit::fuzz {

using layout::Index;
using layout::Layout;
using program::ValueId;
using runtime::ProgramWriter;

std::vector<slots::Program> small_programs(const params::CkksParameters& parameters) {
  const auto slots = static_cast<Index>(parameters.slots());
  const Layout grid = Layout::row_major({2, slots}, slots), three = Layout::row_major({3}, slots),
               full = Layout::row_major({slots}, slots);
  std::vector<slots::Program> programs;
  {
    ProgramWriter writer(slots);
    const ValueId x = writer.input("x", grid), h = writer.dense(x, three);
    writer.output(writer.multiply(h, h), "y");
    programs.push_back(writer.finish(parameters));
  }
  {
    ProgramWriter writer(slots, 2);
    const ValueId x = writer.input("x", full), y = writer.input("y", full);
    const ValueId sum = writer.sum(x, y), difference = writer.difference(sum, writer.add_plain(y));
    const ValueId turned = writer.record(slots::Rotate{difference, -3}, full);
    writer.output(writer.record(slots::RotateSum{turned, {1, 2}}, full), "r");
    writer.output(writer.multiply_plain(sum), "p");
    programs.push_back(writer.finish(parameters));
  }
  {
    ProgramWriter writer(slots, 3);
    const ValueId x = writer.input("x", grid);
    const ValueId both =
        writer.record(slots::Gather{{{x, {2}, {1}, 0}, {x, {2}, {0}, 1}}}, Layout::row_major({4, slots}, slots));
    writer.output(writer.record(slots::Sum{both, 4}, full), "s");
    writer.output(writer.record(slots::Multiply{both, both, 4}, full), "m");
    programs.push_back(writer.finish(parameters));
  }
  if (parameters.max_level() >= 2) {
    ProgramWriter writer(slots, 4);
    writer.output(writer.polynomial(writer.input("x", three), {0.5, 0.25, -0.125}), "y");
    programs.push_back(writer.finish(parameters));
  }
  return programs;
}

slots::Program refreshing_program(const params::CkksParameters& parameters) {
  const auto slots = static_cast<Index>(parameters.slots());
  const Layout layout = Layout::row_major({slots}, slots);
  ProgramWriter writer(slots);
  const ValueId x = writer.input("x", layout);
  const ValueId fresh =
      writer.record(slots::Bootstrap{{x}, params::plan_bootstrap(parameters.literal(), {.output_level = 5})}, layout);
  writer.output(writer.multiply(fresh, fresh), "y");
  const auto lookups =
      params::plan_lookup(parameters.literal(), {.form = params::BootstrapForm::half, .entries = 4, .output_level = 1});
  writer.output(writer.record(slots::Lookup{{x}, {{0, 1, 1, 0}}, lookups}, layout), "t");
  return writer.finish(parameters);
}

namespace {

double other_real(double value, Random& random) {
  const double values[] = {0, -value, value * 2, value / 3, value + 1, 1e300, 0x1p-1000, std::nextafter(value, 1e9)};
  return random.pick(values);
}

std::int64_t other_integer(std::int64_t value, Random& random) {
  const auto bits = static_cast<std::uint64_t>(value);  // which may wrap around
  const std::uint64_t values[] = {0,        1,        ~std::uint64_t{0}, bits + 1,
                                  bits - 1, 2 * bits, 0 - bits,          std::uint64_t{1} << random.below(62)};
  return static_cast<std::int64_t>(random.pick(values));
}

/// Changes what only this kind of instruction has.
struct ChangeOperation {
  Random& random;

  void operator()(slots::Linear& linear) const {
    if (linear.terms.empty()) return;
    auto& schedule = random.pick(linear.terms).schedule;
    if (schedule.steps.empty()) return;
    auto& step = random.pick(schedule.steps);
    switch (random.below(3)) {
      case 0: step = random.pick(schedule.steps); break;
      case 1: schedule.steps.pop_back(); break;
      default: std::swap(step, schedule.steps.front());
    }
  }
  void operator()(slots::Polynomial& polynomial) const {
    auto& coefficients = polynomial.coefficients;
    if (random.one_in(3)) coefficients.push_back(1);
    if (!coefficients.empty()) random.pick(coefficients) = other_real(random.pick(coefficients), random);
  }
  void operator()(slots::Multiply& multiply) const { multiply.terms = other_integer(multiply.terms, random); }
  void operator()(slots::MultiplyPlain& multiply) const { multiply.terms = other_integer(multiply.terms, random); }
  void operator()(slots::Sum& sum) const { sum.terms = other_integer(sum.terms, random); }
  void operator()(slots::Rotate& rotate) const { rotate.steps = other_integer(rotate.steps, random); }
  void operator()(slots::RotateSum& rotate) const {
    if (!rotate.steps.empty()) random.pick(rotate.steps) = other_integer(random.pick(rotate.steps), random);
  }
  void operator()(slots::Gather& gather) const {
    if (gather.parts.empty()) return;
    slots::GatherPart& part = random.pick(gather.parts);
    if (random.one_in(3)) part.offset = other_integer(part.offset, random);
    if (!part.extents.empty() && random.one_in(2)) random.pick(part.extents) = static_cast<Index>(random.below(9));
    if (!part.strides.empty()) random.pick(part.strides) = other_integer(random.pick(part.strides), random);
  }
  void operator()(slots::Bootstrap& bootstrap) const {
    int& level = random.one_in(2) ? bootstrap.schedule.input_level : bootstrap.schedule.output_level;
    level = static_cast<int>(other_integer(level, random) % 100);
  }
  void operator()(slots::Lookup& lookup) const {
    if (random.one_in(3)) lookup.schedule.entries = static_cast<int>(random.below(300));
    if (random.one_in(3)) lookup.tables.emplace_back(random.below(9));
    if (lookup.tables.empty() || lookup.tables.front().empty()) return;
    std::vector<double>& table = random.pick(lookup.tables);
    if (!table.empty()) random.pick(table) = other_real(random.pick(table), random);
  }
  template <class Other>
  void operator()(Other&) const {}
};

void change(slots::Program& program, Random& random) {
  auto& all = program.instructions;
  if (all.empty()) return;
  slots::Instruction& one = random.pick(all);
  switch (random.below(9)) {
    case 0:
      rename_operands(one.operation, [&](ValueId) { return static_cast<ValueId>(random.below(all.size() + 1)); });
      break;
    case 1: one.level = static_cast<int>(random.below(30)) - 1; break;
    case 2: one.scale = random.one_in(2) ? random.pick(all).scale : other_real(one.scale, random); break;
    case 3: one.layout = random.pick(all).layout; break;
    case 4: try { one.layout = Layout::parse(text_of(mutate_text(bytes_of(one.layout.to_string()), {}, random)));
      } catch (const base::InputError&) {
      }
      break;
    case 5: std::swap(one.operation, random.pick(all).operation); break;
    case 6: all.insert(all.begin() + static_cast<std::ptrdiff_t>(random.below(all.size())), one); break;
    case 7: program.slots = Index{1} << random.below(18); break;
    default: std::visit(ChangeOperation{random}, one.operation);
  }
}

}  // namespace

Bytes mutate_program(const Bytes& from, const Bytes& other, Random& random) {
  if (random.one_in(3)) return mutate_bytes(from, other, random);
  try {
    slots::Program program = slots::program_from_bytes(from);
    for (std::size_t left = 1 + random.below(3); left > 0; --left) change(program, random);
    return slots::to_bytes(program);
  } catch (const base::InputError&) {
    return mutate_bytes(from, other, random);
  }
}

}  // namespace tacit::fuzz
