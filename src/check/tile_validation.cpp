#include "check/tile_validation.h"

#include <cmath>

#include "base/error.h"
#include "base/wipe.h"
#include "check/slots/likely_cause.h"
#include "program/slots/validations.h"

namespace tacit::check {
namespace {

using tensor::PlainTensor;
using tensor::SessionPtr;
using tensor::TileTensor;

/// The same tensor in the clear, slot by slot.
TileTensor in_the_clear(const TileTensor& encrypted, const SessionPtr& clear) {
  std::vector<std::vector<double>> slots = encrypted.session()->decrypt(encrypted.view(), slots::Decoding::exact);
  const base::WipedAtExit wiped(slots);
  program::View view;
  view.array = clear->encrypt(
      static_cast<layout::Index>(slots.size()),
      [&](layout::Index tile) { return slots[static_cast<std::size_t>(tile)]; }, encrypted.level());
  layout::Index stride = encrypted.view().count();
  for (int i = 0; i < encrypted.view().rank; ++i) {
    const layout::Index extent = encrypted.view().extents[static_cast<std::size_t>(i)];
    stride /= extent;
    view.add_dimension(extent, stride);
  }
  return TileTensor(clear, encrypted.shape(), view).with_pending(encrypted.pending_dim(), encrypted.pending_places());
}

void check_request(const std::string& name, const TileTensor& result, const TileOperands& operands,
                   layout::Index length, double epsilon) {
  const layout::Index elements = layout::element_count(result.shape().sizes());
  if (length < 1 || length > elements)
    base::refuse("validation of '{}': length {} does not fit; the tensor {} has {} elements", name, length,
                 result.shape().to_string(), elements);
  if (!(epsilon >= program::kLowestEpsilon && epsilon <= program::kHighestEpsilon))
    base::refuse("validation of '{}': epsilon {} must lie between {} and {}: the tolerance is 10 to its power", name,
                 epsilon, program::kLowestEpsilon, program::kHighestEpsilon);
  if (operands.tensors.empty()) base::refuse("validation of '{}': name the tensors that it was made from", name);
  for (const TileTensor& operand : operands.tensors)
    if (operand.session() != result.session())
      base::refuse("validation of '{}': an operand is of another session than the result", name);
}

}  // namespace

OperatorResult validate_tiles(const std::string& name, const TileTensor& result, const TileOperands& operands,
                              const TileOperator& made_by, layout::Index length, double epsilon) {
  check_request(name, result, operands, length, epsilon);
  const SessionPtr clear = tensor::clear_session(result.session()->slots(), result.session()->max_level());
  TileOperands messages;
  for (const TileTensor& operand : operands.tensors) messages.tensors.push_back(in_the_clear(operand, clear));
  for (const PlainTensor& operand : operands.plains)
    messages.plains.emplace_back(clear, operand.shape(), operand.tensor());
  tensor::Dense encrypted = tensor::decrypt(result), message = tensor::decrypt(made_by(messages));
  const base::WipedAtExit wiped_encrypted(encrypted.values), wiped_message(message.values);
  if (message.values.size() != encrypted.values.size())
    base::refuse("validation of '{}': its operator makes {} elements of its operands and the tensor has {}", name,
                 message.values.size(), encrypted.values.size());
  OperatorResult judged;
  judged.node = judged.operators = judged.origin = name;
  judged.detail = program::Detail::vector;
  judged.tolerance = std::pow(10.0, epsilon);
  judged.level = result.level();
  judge_elements(encrypted.values, message.values, length, judged);
  if (judged.failed) judged.cause = one_ratio(encrypted.values, message.values, 0) ? Cause::scale : Cause::bug;
  return judged;
}

}  // namespace tacit::check
