#include "program/slots/runnable.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "layout/diagonals.h"
#include "program/slots/landing_rules.h"

namespace tacit::slots {
namespace {

// What streaming a linear map may take: places of elements, and pairs of ciphertexts. A layout may state any shape.
constexpr layout::Index kMostElements = layout::Index{1} << 24, kMostBlocks = layout::Index{1} << 22;

[[noreturn]] void refuse(const Program& program, const std::string& what) {
  throw base::InputError("program '" + program.name + "': " + what);
}

}  // namespace

std::string schedule_problem(const LinearTerm& term) {
  const auto& [in, out, op] = term.map;
  if (const layout::Index most = std::max(layout::element_count(in.shape()), layout::element_count(out.shape()));
      most > kMostElements)
    return fmt::format("its linear map has a tensor of {} elements, above {}", most, kMostElements);
  if (const auto copies = static_cast<layout::Index>(out.copies_in_period().size());
      copies > kMostElements / layout::element_count(out.shape()))
    return fmt::format("its linear map makes {} copies of {} elements, above {} slots", copies,
                       layout::element_count(out.shape()), kMostElements);
  if (in.ciphertexts() > kMostBlocks / out.ciphertexts())
    return fmt::format("its linear map joins {} ciphertexts with {}, above {} pairs", in.ciphertexts(),
                       out.ciphertexts(), kMostBlocks);
  const layout::DiagonalSet set = layout::diagonal_set(term.map);
  if (set.folds != term.schedule.folds) return "its schedule folds otherwise than its linear map";
  // A step reads the diagonal that equals its own modulo the smaller period; one that the map does not have is empty.
  std::vector<layout::Index> read;
  for (const params::DiagonalStep& step : term.schedule.steps)
    if (const layout::Index diagonal = step.diagonal & (set.modulus - 1); set.diagonals.contains(diagonal))
      read.push_back(diagonal);
  std::sort(read.begin(), read.end());
  if (!std::equal(read.begin(), read.end(), set.diagonals.begin(), set.diagonals.end()))
    return fmt::format("its schedule reads {} diagonals and its linear map has {}", read.size(), set.diagonals.size());
  return {};
}

void require_runnable(const Program& program, const params::CkksParameters& parameters) {
  if (program.slots != static_cast<layout::Index>(parameters.slots()))
    refuse(program, fmt::format("it is laid out for {} slots and the parameter set {} has {}", program.slots,
                                parameters.literal().name, parameters.slots()));
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Instruction& instruction = program.value(id);
    if (std::holds_alternative<Validate>(instruction.operation)) continue;
    std::string problem = level_problem(program, id, parameters);
    if (problem.empty()) problem = scale_problem(program, id, parameters);
    if (!problem.empty()) refuse(program, instruction.source + ": " + problem);
  }
}

void require_runnable_from_file(const Program& program, const params::CkksParameters& parameters) {
  require_runnable(program, parameters);
  std::vector<const params::BootstrapSchedule*> checked;  // few: checking takes longer than comparing
  for (const Instruction& instruction : program.instructions) {
    const auto check = [&](const std::string& problem) {
      if (!problem.empty())
        refuse(program, instruction.source + ": " + problem + "; the file was damaged or changed, compile it again");
    };
    if (const auto* linear = std::get_if<Linear>(&instruction.operation))
      for (const LinearTerm& term : linear->terms) check(schedule_problem(term));
    if (const auto* bootstrap = std::get_if<Bootstrap>(&instruction.operation)) {
      if (std::ranges::any_of(checked, [&](const auto* known) { return *known == bootstrap->schedule; })) continue;
      if (const std::string problem = params::schedule_problem(bootstrap->schedule, parameters.literal());
          !problem.empty())
        check("its bootstrap " + problem);
      checked.push_back(&bootstrap->schedule);
    }
    if (const auto* lookup = std::get_if<Lookup>(&instruction.operation))
      if (const std::string problem = params::schedule_problem(lookup->schedule, parameters.literal());
          !problem.empty())
        check("its lookup " + problem);
  }
}

}  // namespace tacit::slots
