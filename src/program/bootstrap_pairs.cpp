#include "program/bootstrap_pairs.h"

#include <algorithm>
#include <vector>

namespace tacit::program {

std::map<ValueId, ValueId> bootstrap_pairs(const Program& program) {
  std::map<ValueId, ValueId> pairs;
  std::vector<ValueId> alone;
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Instruction& instruction = program.instructions[id];
    const auto* bootstrap = std::get_if<Bootstrap>(&instruction.operation);
    if (!bootstrap || instruction.layout.ciphertexts() % 2 == 0 ||
        bootstrap->schedule.form == params::BootstrapForm::classic)
      continue;
    const auto first = std::ranges::find_if(alone, [&](ValueId earlier) {
      return bootstrap->input < earlier &&
             std::get<Bootstrap>(program.instructions[earlier].operation).schedule == bootstrap->schedule;
    });
    if (first == alone.end()) {
      alone.push_back(id);
    } else {
      pairs[*first] = id;
      alone.erase(first);
    }
  }
  return pairs;
}

}  // namespace tacit::program
