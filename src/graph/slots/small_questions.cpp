#include "graph/slots/small_questions.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tacit::graph::passes {
namespace {

using layout::Digit;
using layout::Index;
using layout::Layout;
using program::ValueId;

/// Returns the layout with zeros in place of all but the first of `copies` outermost copies. None if the layout does
/// not begin with so many.
std::optional<Layout> first_copy(const Layout& whole, Index copies) {
  if (whole.shape().empty() || whole.within().empty()) return std::nullopt;
  std::vector<Digit> within = whole.within();
  Digit& outermost = within.front();
  if (outermost.dim != layout::kReplica || outermost.extent % copies != 0) return std::nullopt;
  Index product = 1;
  for (const Digit& digit : within) product *= digit.extent;
  if (product != whole.slots()) return std::nullopt;
  outermost.extent /= copies;
  // A digit of the first dimension beyond the others: the index never reaches its second value.
  Index covered = 1;
  for (const std::vector<Digit>* digits : {&whole.across(), &whole.within()})
    for (const Digit& digit : *digits)
      if (digit.dim == 0) covered = std::max(covered, digit.extent * digit.stride);
  if (outermost.extent == 1) within.erase(within.begin());
  within.insert(within.begin(), {.dim = 0, .extent = copies, .stride = covered, .axis = ""});
  return Layout(whole.shape(), whole.across(), std::move(within),
                std::vector<layout::Fill>(whole.shape().size(), layout::Fill::zero));
}

}  // namespace

std::vector<ValueId> small_questions(slots::Program& program) {
  slots::Program made{program.name, program.slots, {}};
  std::vector<ValueId> names;
  for (slots::Instruction& instruction : program.instructions) {
    slots::rename_operands(instruction.operation, [&](ValueId id) { return names.at(id); });
    const slots::Instruction whole = instruction;
    int rotations = 0;
    if (std::holds_alternative<slots::Input>(instruction.operation))
      for (int most = kMostTraceRotations; most > 0 && rotations == 0; --most)
        if (std::optional<Layout> one = first_copy(instruction.layout, Index{1} << most)) {
          instruction.layout = *std::move(one);
          rotations = most;
        }
    made.instructions.push_back(std::move(instruction));
    for (; rotations > 0; --rotations) {
      slots::Instruction sum = whole;
      const auto last = static_cast<ValueId>(made.instructions.size() - 1);
      sum.operation = slots::RotateSum{last, {program.slots >> rotations}};
      made.instructions.push_back(std::move(sum));
    }
    names.push_back(static_cast<ValueId>(made.instructions.size() - 1));
  }
  program = std::move(made);
  return names;
}

}  // namespace tacit::graph::passes
