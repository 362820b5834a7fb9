#include "check/slots/validator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/wipe.h"
#include "check/slots/copies.h"
#include "check/slots/likely_cause.h"
#include "check/slots/scope.h"
#include "check/slots/units.h"
#include "program/slots/trace.h"
#include "runtime/slots/decryption_check.h"

namespace tacit::check {
namespace {

using program::ArrayPtr;
using program::Detail;
using program::Meaning;
using program::Validate;
using program::ValueId;
using slots::Instruction;

/// Slot by slot, one vector a ciphertext behind the other; a period of the message repeats along the slots.
std::vector<double> flat(const slots::SlotArray& slots, std::size_t per_ciphertext) {
  std::vector<double> result;
  for (const std::vector<double>& one : slots)
    for (std::size_t s = 0; s < per_ciphertext; ++s) result.push_back(one[s % one.size()]);
  return result;
}

/// Zeros where the slots of a value may hold anything: a linear map on ciphertexts leaves other numbers there than its
/// clear reading.
void forget_unknown(const layout::Layout& layout, std::vector<double>& numbers) {
  if (!layout.has_fill(layout::Fill::unknown)) return;
  const auto slots = static_cast<std::size_t>(layout.slots());
  for (std::size_t c = 0; c * slots < numbers.size(); ++c) {
    const std::vector<layout::Layout::Content> contents = layout.contents(static_cast<layout::Index>(c));
    for (std::size_t s = 0; s < slots; ++s)
      if (contents[s % contents.size()] == layout::Layout::Content::unknown) numbers[c * slots + s] = 0;
  }
}

std::uint64_t bytes_of(const std::vector<double>& numbers) { return numbers.size() * sizeof(double); }
std::uint64_t bytes_of(const slots::SlotArray& slots) {
  std::uint64_t bytes = 0;
  for (const auto& one : slots) bytes += bytes_of(one);
  return bytes;
}

}  // namespace

struct Validator::Sides {
  std::vector<double> encrypted;                     // as compared
  std::vector<double> local, end_to_end;             // what the operator makes of decrypted operands, and of messages
  std::vector<double> encrypted_value, local_value;  // in units of the value
  std::vector<std::vector<double>> arguments;        // elements, in units of the arguments
  std::vector<double> disagreements;                 // of the copies of the elements of every argument
  std::string operators;
  std::uint64_t bytes = 0;  // of what else was held

  Sides() = default;
  Sides(const Sides&) = delete;
  Sides& operator=(const Sides&) = delete;
  ~Sides() {
    for (auto* numbers : {&encrypted, &local, &end_to_end, &encrypted_value, &local_value}) base::wipe(*numbers);
    base::wipe(arguments);
  }
  std::uint64_t all_bytes() const {
    return bytes + bytes_of(encrypted) + bytes_of(local) + bytes_of(end_to_end) + bytes_of(encrypted_value) +
           bytes_of(local_value) + bytes_of(arguments);
  }
};

Validator::Validator(scheme::ckks::ContextPtr context, const scheme::ckks::SecretKey& secret,
                     const slots::Program& intended, const graph::Graph* graph, Mode mode,
                     std::vector<std::vector<double>> inputs)
    : owner_(runtime::EncryptedEvaluator::make(context, nullptr)),
      intended_(intended),
      network_(graph ? std::make_unique<const NetworkMessages>(*graph) : nullptr),
      mode_(mode),
      inputs_(std::move(inputs)),
      clear_(intended.slots),
      weights_(intended, clear_),
      noise_(slots::largest_noise(intended, context->parameters())),
      last_uses_(slots::last_uses(intended)),
      on_unit_interval_(intended.instructions.size(), 0) {
  owner_->set_secret(secret);
  for (ValueId id = 0; id < intended.instructions.size(); ++id) {
    const slots::Operation& operation = intended.instructions[id].operation;
    for (const ValueId read : read_on_unit_interval(operation)) on_unit_interval_[read] = 1;
    const auto* validate = std::get_if<Validate>(&operation);
    if (!validate) continue;
    if (validate->detail != Detail::network) {
      needs_readings_ = true;
      continue;
    }
    if (!network_)
      base::refuse("validation of '{}' compares with an operator of the model, and no model was given",
                   intended.instructions[id].node);
    for (const Meaning& meaning : validate->argument_meanings) last_readers_[meaning.tensor] = id;
  }
}

Validator::~Validator() {
  for (auto& [name, tensor] : messages_) base::wipe(tensor);
  base::wipe(inputs_);
}

Validator::Slots Validator::decrypted(const ArrayPtr& array) const {
  return owner_->decrypt(program::View::whole(array), slots::Decoding::exact);
}

void Validator::carried_out(ValueId id, const Instruction& instruction, std::span<const ArrayPtr> operands,
                            const ArrayPtr&) {
  if (std::holds_alternative<Validate>(instruction.operation)) {
    validate(id, operands);
  } else if (mode_.end_to_end) {
    read_clear(id);
  }
}

std::size_t Validator::input_index(ValueId id) const {
  return program::count_of<slots::Input>(std::span(intended_.instructions).first(id));
}

void Validator::read_clear(ValueId id) {
  const Instruction& instruction = intended_.value(id);
  if (const auto* input = std::get_if<slots::Input>(&instruction.operation); input && network_)
    messages_[input->name] = inputs_.at(input_index(id));
  if (!needs_readings_) return;
  const std::vector<ValueId> reads = slots::operands(instruction.operation);
  std::vector<ArrayPtr> values;
  for (const ValueId read : reads) values.push_back(readings_.at(read));
  if (std::holds_alternative<slots::Input>(instruction.operation))
    values.push_back(slots::clear_input(instruction, inputs_.at(input_index(id))));
  readings_[id] = slots::carry_out(intended_, id, clear_, weights_, values);
  for (const ValueId read : reads)
    if (last_uses_[read] == id) readings_.erase(read);
}

void Validator::compare_with_network(const Validate& validate, std::span<const ArrayPtr> operands, Sides& sides) {
  const Instruction& value = intended_.value(validate.value);
  Slots slots = decrypted(operands[0]);
  const base::WipedAtExit wiped(slots);
  sides.bytes = bytes_of(slots);
  sides.encrypted_value = value.layout.unpack(slots);
  sides.encrypted = in_units_of_tensor(intended_, validate.value, validate.meaning, sides.encrypted_value);
  std::vector<KnownTensor> known, messages;
  std::vector<std::vector<double>> tensors(validate.arguments.size());
  const base::WipedAtExit wiped_tensors(tensors);
  std::vector<std::string> names;
  for (std::size_t a = 0; a < validate.arguments.size(); ++a) {
    const Instruction& made = intended_.value(validate.arguments[a]);
    Slots argument = decrypted(operands[a + 1]);
    const base::WipedAtExit wiped_argument(argument);
    sides.bytes = std::max(sides.bytes, bytes_of(argument));
    sides.arguments.push_back(made.layout.unpack(argument));
    sides.disagreements.push_back(disagreement(made.layout, argument));
    names.push_back(validate.argument_meanings[a].tensor);
    tensors[a] =
        in_units_of_tensor(intended_, validate.arguments[a], validate.argument_meanings[a], sides.arguments.back());
    known.push_back({names.back(), &tensors[a]});
  }
  const std::string& wanted = validate.meaning.tensor;
  sides.local = (*network_)(wanted, known);
  if (sides.local.size() != sides.encrypted.size())
    base::refuse("tensor '{}' of the model has {} elements and its value on ciphertexts {}", wanted, sides.local.size(),
                 sides.encrypted.size());
  sides.local_value = in_units_of_value(intended_, validate.value, validate.meaning, sides.local);
  sides.operators = network_->operators(wanted, names);
  if (sides.operators.empty()) sides.operators = slots::mnemonic(value.operation);  // the same tensor, refreshed
  sides.bytes += bytes_of(tensors);
  if (!mode_.end_to_end) return;
  const bool refreshed = std::find(names.begin(), names.end(), wanted) != names.end();
  for (const auto& [name, tensor] : messages_)
    if (name != wanted || refreshed) messages.push_back({name, &tensor});
  sides.end_to_end = (*network_)(wanted, messages);
}

void Validator::compare_with_reading(const Validate& validate, std::span<const ArrayPtr> operands, Sides& sides) {
  const Instruction& value = intended_.value(validate.value);
  Slots slots = decrypted(operands[0]);
  const base::WipedAtExit wiped(slots);
  Slots message;
  const base::WipedAtExit wiped_message(message);
  // Weights repeat with the layout's period; other instructions take slots one by one, so that all of them are read.
  const bool periodic = slots::has_weights(value.operation);
  std::vector<Slots> arguments;
  const base::WipedAtExit wiped_arguments(arguments);
  for (std::size_t a = 0; a < validate.arguments.size(); ++a) {
    const layout::Layout& layout = intended_.value(validate.arguments[a]).layout;
    Slots argument = decrypted(operands[a + 1]);
    sides.arguments.push_back(layout.unpack(argument));
    sides.disagreements.push_back(disagreement(layout, argument));
    if (periodic)
      for (auto& one : argument) one.resize(static_cast<std::size_t>(layout.period()));
    arguments.push_back(std::move(argument));
  }
  std::vector<ArrayPtr> reads;
  for (const Slots& argument : arguments) reads.push_back(slots::clear_array(argument));
  message = slots::slots_of(slots::carry_out(intended_, validate.value, clear_, weights_, reads));
  sides.bytes = bytes_of(slots) + bytes_of(message);
  for (const Slots& argument : arguments) sides.bytes += bytes_of(argument);
  const bool elements = validate.detail == Detail::vector;
  const auto per_ciphertext = static_cast<std::size_t>(value.layout.slots());
  const bool linear = std::holds_alternative<slots::Linear>(value.operation);
  const auto all_slots = [&](const Slots& read) {
    std::vector<double> numbers = flat(read, per_ciphertext);
    if (linear) forget_unknown(value.layout, numbers);
    return numbers;
  };
  const auto compared = [&](const Slots& read) {
    return elements ? slots::unpack_period(value.layout, read) : all_slots(read);
  };
  sides.encrypted_value = elements ? value.layout.unpack(slots) : all_slots(slots);
  sides.local_value = compared(message);
  sides.encrypted = sides.encrypted_value;
  sides.local = sides.local_value;
  if (mode_.end_to_end) sides.end_to_end = compared(slots::slots_of(readings_.at(validate.value)));
  sides.operators = slots::mnemonic(value.operation);
}

void Validator::validate(ValueId id, std::span<const ArrayPtr> operands) {
  const auto start = std::chrono::steady_clock::now();
  const auto& validate = std::get<Validate>(intended_.value(id).operation);
  {
    Sides sides;
    if (validate.detail == Detail::network) {
      compare_with_network(validate, operands, sides);
    } else {
      compare_with_reading(validate, operands, sides);
    }
    std::uint64_t kept = 0;
    for (const auto& [name, tensor] : messages_) kept += bytes_of(tensor);
    for (const auto& [value, reading] : readings_) kept += bytes_of(slots::slots_of(reading));
    report_.peak_bytes = std::max(report_.peak_bytes, kept + sides.all_bytes());
    judge(validate, sides);
    if (mode_.end_to_end && validate.detail == Detail::network && last_readers_.contains(validate.meaning.tensor))
      messages_[validate.meaning.tensor] = sides.end_to_end;
  }
  forget_messages(id, validate);
  report_.validate_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (mode_.fail_fast && report_.operators.back().failed) throw ValidationFailed(report_.operators.back());
}

void Validator::forget_messages(ValueId id, const Validate& validate) {
  const std::vector<std::string> inputs = program::names_of<slots::Input>(intended_);
  for (const Meaning& meaning : validate.argument_meanings) {
    const auto kept = messages_.find(meaning.tensor);
    if (kept == messages_.end() || last_readers_[meaning.tensor] != id) continue;
    // Where only some nodes are validated, messages start from the inputs.
    if (std::ranges::count(inputs, meaning.tensor) > 0) continue;
    base::wipe(kept->second);
    messages_.erase(kept);
  }
}

Validator::Origin Validator::own_cause(const Validate& validate, const Sides& sides) const {
  const std::vector<ValueId> inside = between(intended_, validate.arguments, validate.value);
  double variance = 0;
  for (const ValueId id : inside) {
    variance += noise_[id] * noise_[id];
    if (const auto* linear = std::get_if<slots::Linear>(&intended_.value(id).operation))
      for (std::size_t a = 0; a < validate.arguments.size(); ++a)
        variance += variance_of_copies(*linear, validate.arguments[a], sides.disagreements[a]);
  }
  Finding found = likely_cause(intended_,
                               {.value = validate.value,
                                .encrypted = sides.encrypted_value,
                                .message = sides.local_value,
                                .arguments = validate.arguments,
                                .elements = sides.arguments,
                                .inside = inside,
                                .noise = std::sqrt(variance)},
                               owner_->context()->parameters());
  return {intended_.value(validate.value).node, found.cause, std::move(found.out_of_range)};
}

std::vector<double> Validator::message_of_argument(const Validate& validate, std::size_t argument) const {
  const ValueId id = validate.arguments[argument];
  if (validate.detail != Detail::network)
    return slots::unpack_period(intended_.value(id).layout, slots::slots_of(readings_.at(id)));
  const Meaning& meaning = validate.argument_meanings[argument];
  const auto kept = messages_.find(meaning.tensor);
  if (kept != messages_.end()) return in_units_of_value(intended_, id, meaning, kept->second);
  std::vector<KnownTensor> messages;
  for (const auto& [name, tensor] : messages_) messages.push_back({name, &tensor});
  return in_units_of_value(intended_, id, meaning, (*network_)(meaning.tensor, messages));
}

Validator::Origin Validator::carried_from(const Validate& validate, const Sides& sides) const {
  Origin origin{intended_.value(validate.value).node, Cause::drift};
  double largest = 0;
  for (std::size_t a = 0; a < validate.arguments.size(); ++a) {
    const ValueId id = validate.arguments[a];
    std::vector<double> message = message_of_argument(validate, a);
    const base::WipedAtExit wiped(message);
    double most = 0, size = std::numeric_limits<double>::min();
    for (std::size_t e = 0; e < message.size(); ++e) {
      most = std::max(most, std::abs(sides.arguments[a][e] - message[e]));
      size = std::max(size, std::abs(message[e]));
    }
    if (!(most / size > largest)) continue;
    largest = most / size;
    const Instruction& made = intended_.value(id);
    if (const auto known = origins_.find(id); known != origins_.end()) {
      origin = known->second;
    } else if (slots::arrives(intended_, id)) {
      const Evidence evidence{.value = id, .encrypted = sides.arguments[a], .message = message, .noise = noise_[id]};
      origin = {made.node, likely_cause(intended_, evidence, owner_->context()->parameters()).cause};
    } else {
      origin = {made.node, Cause::drift};
    }
  }
  return origin;
}

double Validator::range_share(ValueId value, std::span<const double> elements) const {
  double largest = 0;
  for (const double x : elements) largest = std::max(largest, std::abs(x));
  const Instruction& instruction = intended_.value(value);
  if (on_unit_interval_[value]) return largest;
  return largest / runtime::largest_value(owner_->context()->parameters(), instruction.level, instruction.scale);
}

void Validator::judge(const Validate& validate, const Sides& sides) {
  const Instruction& value = intended_.value(validate.value);
  const std::vector<double>& message = mode_.end_to_end ? sides.end_to_end : sides.local;
  const auto length = static_cast<std::size_t>(validate.length);
  OperatorResult result;
  result.node = value.node;
  result.operators = sides.operators;
  result.source = value.source;
  result.detail = validate.detail;
  result.value = validate.value;
  result.tolerance = std::pow(10.0, validate.epsilon);
  result.level = value.level;
  result.scale = value.scale;
  judge_elements(sides.encrypted, message, validate.length, result);
  if (validate.detail != Detail::instruction && result.index < layout::element_count(value.layout.shape())) {
    result.block = value.layout.position_of(result.index).ciphertext;
    result.blocks = value.layout.ciphertexts();
  }
  result.range_share = range_share(validate.value, sides.encrypted_value);
  if (mode_.end_to_end || result.failed) {
    double own = 0, carried = 0;
    for (std::size_t i = 0; i < length; ++i) {
      own = std::max(own, std::abs(sides.encrypted[i] - sides.local[i]));
      carried = std::max(carried, std::abs(sides.local[i] - message[i]));
    }
    Origin& origin = origins_[validate.value];
    origin = own >= carried ? own_cause(validate, sides) : carried_from(validate, sides);
    if (result.failed) {
      result.origin = origin.node;
      result.cause = origin.cause;
      result.out_of_range = origin.out_of_range;
    }
  }
  report_.operators.push_back(std::move(result));
}

}  // namespace tacit::check
