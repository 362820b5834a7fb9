#include "graph/slots/pair_bootstraps.h"

#include <algorithm>
#include <map>

namespace tacit::graph::passes {
namespace {

using program::ValueId;
using slots::Bootstrap;
using slots::Instruction;
using slots::Program;

/// Returns pairs, from the earlier to the later bootstrap.
std::map<ValueId, ValueId> pairs_of(const Program& program) {
  std::map<ValueId, ValueId> pairs;
  std::vector<ValueId> alone;
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Instruction& instruction = program.value(id);
    const auto* bootstrap = std::get_if<Bootstrap>(&instruction.operation);
    if (!bootstrap || instruction.layout.ciphertexts() % 2 == 0) continue;
    const auto first = std::ranges::find_if(alone, [&](ValueId earlier) {
      return bootstrap->inputs[0] < earlier &&
             std::get<Bootstrap>(program.value(earlier).operation).schedule == bootstrap->schedule;
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

struct Pairing {
  const Program& program;
  Program paired{program.name, program.slots, {}};
  std::vector<ValueId> names = std::vector<ValueId>(program.instructions.size());  ///< of the values in `paired`

  void run(const std::map<ValueId, ValueId>& pairs) {
    std::vector<char> done(program.instructions.size(), 0);
    for (ValueId id = 0; id < program.instructions.size(); ++id) {
      if (done[id]) continue;
      if (const auto pair = pairs.find(id); pair != pairs.end()) {
        add_pair(id, pair->second);
        done[pair->second] = 1;
      } else {
        Instruction instruction = program.value(id);
        slots::rename_operands(instruction.operation, [&](ValueId read) { return names[read]; });
        names[id] = add(std::move(instruction));
      }
    }
  }

  ValueId add(Instruction instruction) {
    paired.instructions.push_back(std::move(instruction));
    return static_cast<ValueId>(paired.instructions.size() - 1);
  }

  void add_pair(ValueId first, ValueId second) {
    const Instruction &a = program.value(first), &b = program.value(second);
    Bootstrap both = std::get<Bootstrap>(a.operation);
    both.inputs.push_back(std::get<Bootstrap>(b.operation).inputs[0]);
    for (ValueId& input : both.inputs) input = names[input];
    const layout::Index slots = program.slots, count = a.layout.ciphertexts() + b.layout.ciphertexts();
    const ValueId pair = add({std::move(both), layout::Layout::row_major({count * slots}, slots), a.node, a.source,
                              std::max(a.bound, b.bound), std::max(a.level, b.level), a.scale});
    layout::Index offset = 0;
    for (const ValueId id : {first, second}) {
      Instruction part = program.value(id);
      const layout::Index ciphertexts = part.layout.ciphertexts();
      part.operation = slots::Gather{{{.input = pair, .extents = {ciphertexts}, .strides = {1}, .offset = offset}}};
      names[id] = add(std::move(part));
      offset += ciphertexts;
    }
  }
};

}  // namespace

std::vector<ValueId> pair_bootstraps(Program& program) {
  Pairing pairing{program};
  pairing.run(pairs_of(program));
  program = std::move(pairing.paired);
  return std::move(pairing.names);
}

}  // namespace tacit::graph::passes
