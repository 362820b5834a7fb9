#include "program/serialize.h"

#include <cmath>
#include <map>
#include <memory>

#include "layout/sparse_rows.h"
#include "program/byte_stream.h"

namespace tacit::program {
namespace {

constexpr std::int64_t kMaxSlots = std::int64_t{1} << 16;
constexpr std::int64_t kMaxElements = std::int64_t{1} << 30;  ///< of one tensor, logical or packed

[[noreturn]] void invalid(const std::string& what) { throw base::InputError("program: " + what); }

double finite(double value) {
  if (!std::isfinite(value)) invalid("a number is not finite");
  return value;
}
std::vector<double> finite(std::vector<double> values) {
  for (const double value : values) finite(value);
  return values;
}

void write_layout(ByteWriter& out, const layout::Layout& layout) { out.text(layout.to_string()); }
layout::Layout read_layout(ByteReader& in) {
  layout::Layout layout = layout::Layout::parse(in.text());
  if (layout.slots() > kMaxSlots || layout.ciphertexts() > kMaxElements / layout.slots() ||
      layout::element_count(layout.shape()) > kMaxElements)
    invalid("a layout is larger than 2^16 slots or 2^30 elements");
  return layout;
}

void write_operator(ByteWriter& out, const layout::LinearOperator& op) {
  const auto rows = layout::SparseRows::of(op);
  out.array(rows.in_shape());
  out.array(rows.out_shape());
  out.array(rows.row_begin());
  out.array(rows.columns());
  out.array(rows.weights());
}
layout::LinearOperatorPtr read_operator(ByteReader& in) {
  auto in_shape = in.array<layout::Index>();
  auto out_shape = in.array<layout::Index>();
  auto begin = in.array<layout::Index>();
  auto columns = in.array<layout::Index>();
  auto weights = in.array<double>();
  return std::make_shared<layout::SparseRows>(std::move(in_shape), std::move(out_shape), std::move(begin),
                                              std::move(columns), std::move(weights));
}

void write_schedule(ByteWriter& out, const params::LinearSchedule& schedule) {
  out.number<std::uint64_t>(schedule.steps.size());
  for (const params::DiagonalStep& step : schedule.steps) {
    out.number(step.diagonal);
    out.number(step.baby);
    out.number(step.giant);
  }
  out.array(schedule.folds);
}
params::LinearSchedule read_schedule(ByteReader& in, std::int64_t slots) {
  params::LinearSchedule schedule;
  schedule.steps.resize(in.count(3 * sizeof(std::int64_t)));
  const auto inside = [&](std::int64_t step) { return step >= 0 && step < slots; };
  for (params::DiagonalStep& step : schedule.steps) {
    step.diagonal = in.number<std::int64_t>();
    step.baby = in.number<std::int64_t>();
    step.giant = in.number<std::int64_t>();
    if (!inside(step.diagonal) || !inside(step.baby) || !inside(step.giant) ||
        (step.baby + step.giant - step.diagonal) % slots != 0)
      invalid("a diagonal is not the sum of its baby and giant step");
  }
  schedule.folds = in.array<std::int64_t>();
  for (const std::int64_t fold : schedule.folds)
    if (!inside(fold)) invalid("a fold is no rotation of the slots");
  return schedule;
}

enum class Tag : std::uint8_t {
  input, linear, polynomial, multiply, add, subtract, add_plain, multiply_plain, rotate, output
};

struct OperationWriter {
  ByteWriter& out;
  void tag(Tag value) const { out.number(static_cast<std::uint8_t>(value)); }
  template <class Pair>
  void pair(Tag value, const Pair& operation) const {
    tag(value);
    out.number(operation.left);
    out.number(operation.right);
  }
  void operator()(const Input& operation) const {
    tag(Tag::input);
    out.text(operation.name);
  }
  void operator()(const Linear& operation) const {
    tag(Tag::linear);
    out.number<std::uint64_t>(operation.terms.size());
    for (const LinearTerm& term : operation.terms) {
      out.number(term.input);
      write_layout(out, term.map.in);
      write_layout(out, term.map.out);
      write_operator(out, *term.map.op);
      write_schedule(out, term.schedule);
    }
    out.array(operation.bias);
  }
  void operator()(const Polynomial& operation) const {
    tag(Tag::polynomial);
    out.number(operation.input);
    out.array(operation.coefficients);
    out.number<std::int32_t>(operation.schedule.degree);
    out.number<std::int32_t>(operation.schedule.log_baby);
    out.number<std::int32_t>(operation.schedule.depth);
  }
  void operator()(const Multiply& operation) const { pair(Tag::multiply, operation); }
  void operator()(const Add& operation) const { pair(Tag::add, operation); }
  void operator()(const Subtract& operation) const { pair(Tag::subtract, operation); }
  void operator()(const AddPlain& operation) const {
    tag(Tag::add_plain);
    out.number(operation.input);
    out.array(operation.addend);
  }
  void operator()(const MultiplyPlain& operation) const {
    tag(Tag::multiply_plain);
    out.number(operation.input);
    out.array(operation.factor);
  }
  void operator()(const Rotate& operation) const {
    tag(Tag::rotate);
    out.number(operation.input);
    out.number(operation.steps);
  }
  void operator()(const Output& operation) const {
    tag(Tag::output);
    out.number(operation.input);
    out.text(operation.name);
  }
};

Linear read_linear(ByteReader& in, std::int64_t slots) {
  Linear linear;
  linear.terms.resize(in.count(sizeof(ValueId)));
  for (LinearTerm& term : linear.terms) {
    term.input = in.number<ValueId>();
    term.map.in = read_layout(in);
    term.map.out = read_layout(in);
    term.map.op = read_operator(in);
    if (layout::element_count(term.map.op->in_shape()) != layout::element_count(term.map.in.shape()) ||
        layout::element_count(term.map.op->out_shape()) != layout::element_count(term.map.out.shape()) ||
        term.map.in.slots() != slots || term.map.out.slots() != slots)
      invalid("a linear operator does not fit its layouts");
    term.schedule = read_schedule(in, slots);
  }
  linear.bias = finite(in.array<double>());
  return linear;
}

Polynomial read_polynomial(ByteReader& in) {
  Polynomial polynomial;
  polynomial.input = in.number<ValueId>();
  polynomial.coefficients = finite(in.array<double>());
  polynomial.schedule.degree = in.number<std::int32_t>();
  polynomial.schedule.log_baby = in.number<std::int32_t>();
  polynomial.schedule.depth = in.number<std::int32_t>();
  if (polynomial.schedule != params::PolynomialSchedule::choose(polynomial.schedule.degree))
    invalid("a polynomial's schedule is not one of ours");
  return polynomial;
}

Operation read_operation(ByteReader& in, std::int64_t slots) {
  const auto pair = [&](auto operation) {
    operation.left = in.number<ValueId>();
    operation.right = in.number<ValueId>();
    return operation;
  };
  switch (static_cast<Tag>(in.number<std::uint8_t>())) {
    case Tag::input: return Input{in.text()};
    case Tag::linear: return read_linear(in, slots);
    case Tag::polynomial: return read_polynomial(in);
    case Tag::multiply: return pair(Multiply{});
    case Tag::add: return pair(Add{});
    case Tag::subtract: return pair(Subtract{});
    case Tag::add_plain: {
      AddPlain operation{in.number<ValueId>(), {}};
      operation.addend = finite(in.array<double>());
      return operation;
    }
    case Tag::multiply_plain: {
      MultiplyPlain operation{in.number<ValueId>(), {}};
      operation.factor = finite(in.array<double>());
      return operation;
    }
    case Tag::rotate: {
      Rotate operation{in.number<ValueId>(), 0};
      operation.steps = in.number<std::int64_t>();
      if (operation.steps <= -slots || operation.steps >= slots) invalid("a rotation exceeds the slots");
      return operation;
    }
    case Tag::output: {
      Output operation{in.number<ValueId>(), {}};
      operation.name = in.text();
      return operation;
    }
  }
  invalid("an instruction of unknown kind");
}

void write_client_step(ByteWriter& out, const PostStep& step) {
  out.text(step.op);
  out.number<std::int32_t>(step.axis);
  out.array(step.values);
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const Program& program) {
  ByteWriter out;
  out.text(program.name);
  out.number<std::int64_t>(program.slots);
  out.number<std::uint64_t>(program.instructions.size());
  for (const Instruction& instruction : program.instructions) {
    std::visit(OperationWriter{out}, instruction.operation);
    write_layout(out, instruction.layout);
    out.text(instruction.node);
    out.text(instruction.source);
    out.number(instruction.bound);
    out.number<std::int32_t>(instruction.level);
    out.number(instruction.scale);
  }
  return out.take();
}

Program program_from_bytes(std::span<const std::uint8_t> bytes) {
  ByteReader in(bytes);
  Program program;
  program.name = in.text();
  program.slots = in.number<std::int64_t>();
  if (program.slots < 1 || program.slots > kMaxSlots) invalid("the number of slots is out of range");
  const std::size_t count = in.count(1);
  for (std::size_t i = 0; i < count; ++i) {
    Instruction instruction;
    instruction.operation = read_operation(in, program.slots);
    instruction.layout = read_layout(in);
    instruction.node = in.text();
    instruction.source = in.text();
    instruction.bound = finite(in.number<double>());
    instruction.level = in.number<std::int32_t>();
    instruction.scale = finite(in.number<double>());
    if (instruction.level < 0 || instruction.level > 64 || !(instruction.scale > 0))
      invalid("a value has no level or scale");
    program.instructions.push_back(std::move(instruction));
  }
  in.expect_end();
  try {
    verify(program);
  } catch (const base::InternalError& error) {
    throw base::InputError(error.what());
  }
  return program;
}

std::vector<std::uint8_t> to_bytes(const ClientInterface& interface) {
  ByteWriter out;
  out.number<std::uint64_t>(interface.inputs.size());
  for (const ClientInput& input : interface.inputs) {
    out.text(input.name);
    write_layout(out, input.layout);
    out.number<std::int32_t>(input.level);
    out.number(input.scale);
    out.number(input.lowest);
    out.number(input.highest);
  }
  out.number<std::uint64_t>(interface.outputs.size());
  for (const ClientOutput& output : interface.outputs) {
    out.text(output.name);
    write_layout(out, output.layout);
    out.number<std::uint64_t>(output.program_output);
    out.number<std::uint64_t>(output.steps.size());
    for (const PostStep& step : output.steps) write_client_step(out, step);
    out.array(output.final_shape);
    out.number(output.lowest);
    out.number(output.highest);
  }
  return out.take();
}

ClientInterface client_interface_from_bytes(std::span<const std::uint8_t> bytes) {
  ByteReader in(bytes);
  ClientInterface interface;
  interface.inputs.resize(in.count(8));
  for (ClientInput& input : interface.inputs) {
    input.name = in.text();
    input.layout = read_layout(in);
    input.level = in.number<std::int32_t>();
    input.scale = finite(in.number<double>());
    input.lowest = finite(in.number<double>());
    input.highest = finite(in.number<double>());
    if (input.level < 0 || input.level > 64 || !(input.scale > 0)) invalid("an input has no level or scale");
  }
  interface.outputs.resize(in.count(8));
  for (ClientOutput& output : interface.outputs) {
    output.name = in.text();
    output.layout = read_layout(in);
    output.program_output = static_cast<std::size_t>(in.number<std::uint64_t>());
    output.steps.resize(in.count(8));
    for (PostStep& step : output.steps) {
      step.op = in.text();
      step.axis = in.number<std::int32_t>();
      step.values = finite(in.array<double>());
    }
    output.final_shape = in.array<layout::Index>();
    if (layout::element_count(output.final_shape) > kMaxElements) invalid("an output is too large");
    output.lowest = finite(in.number<double>());
    output.highest = finite(in.number<double>());
  }
  in.expect_end();
  return interface;
}

}  // namespace tacit::program
