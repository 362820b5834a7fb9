#include "runtime/slots/bootstrappers.h"

#include <algorithm>

#include "base/error.h"

namespace tacit::runtime {

namespace {
constexpr double kLargestOperand = 1 + 1e-9;
}

void Bootstrappers::check(const slots::Program& program, const params::CkksParameters& parameters) {
  for (program::ValueId id = 0; id < program.instructions.size(); ++id) {
    const slots::Instruction& instruction = program.value(id);
    const auto* bootstrap = std::get_if<slots::Bootstrap>(&instruction.operation);
    const auto* lookup = std::get_if<slots::Lookup>(&instruction.operation);
    if (!bootstrap && !lookup) continue;
    const std::string problem = lookup ? params::schedule_problem(lookup->schedule, parameters.literal())
                                       : params::schedule_problem(bootstrap->schedule, parameters.literal());
    if (!problem.empty())
      throw base::InputError("program '" + program.name + "': " + instruction.source + ": its " +
                             slots::mnemonic(instruction.operation) + " " + problem);
    if (lookup) continue;  // any argument has a result between the entries
    const params::BootstrapSchedule& schedule = bootstrap->schedule;
    for (const program::ValueId input : bootstrap->inputs) {
      const double bound = program.value(input).bound;
      const bool known = bound > 0 || schedule.form == params::BootstrapForm::folded;  // a function's are [-1, 1]
      if (!(known && bound <= kLargestOperand))
        throw base::InputError(
            "program '" + program.name + "': " + program.value(slots::refreshed_as(program, id, input)).source +
            ": the operand of its bootstrap " +
            (bound > 0 ? "reaches " + std::to_string(bound) : std::string("has no known range")) +
            ", and a bootstrap takes values in [-1, 1]: compile the model again with calibration data");
    }
  }
}

Bootstrappers::Bootstrappers(const scheme::ckks::ContextPtr& context, const slots::Program& program,
                             base::Progress& progress) {
  for (const slots::Instruction& instruction : program.instructions) {
    const params::BootstrapSchedule* schedule = slots::bootstrap_of(instruction.operation);
    if (schedule && std::none_of(bootstrappers_.begin(), bootstrappers_.end(),
                                 [&](const auto& made) { return made->schedule() == *schedule; }))
      bootstrappers_.push_back(std::make_unique<const scheme::ckks::Bootstrapper>(context, *schedule, progress));
  }
}

const scheme::ckks::Bootstrapper& Bootstrappers::of(const params::BootstrapSchedule& schedule) const {
  for (const auto& made : bootstrappers_)
    if (made->schedule() == schedule) return *made;
  throw base::InternalError("a bootstrap that the program does not have");
}

std::uint64_t Bootstrappers::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& made : bootstrappers_) sum += made->bytes();
  return sum;
}

}  // namespace tacit::runtime
