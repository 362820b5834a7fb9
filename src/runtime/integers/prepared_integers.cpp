#include "runtime/integers/prepared_integers.h"

#include <algorithm>
#include <limits>

#include "program/integers/noise.h"
#include "program/visit.h"

namespace tacit::runtime {
namespace {

using integers::Instruction;
using integers::Lookup;
using scheme::tfhe::LookupTable;
using scheme::tfhe::Torus;

double bytes_of_table(const params::TfheParameters& parameters) {
  return static_cast<double>(parameters.polynomial().value * parameters.extension().value * sizeof(Torus));
}

}  // namespace

PreparedIntegers::PreparedIntegers(scheme::tfhe::ContextPtr context, integers::Program program, Communicator* ranks)
    : context_(std::move(context)), program_(std::move(program)), ranks_(ranks) {
  integers::verify(program_);
  integers::require_holds(program_, context_->parameters());
  const integers::Makers makers(program_);
  for (integers::ValueId id = 0; id < program_.instructions.size(); ++id) {
    const integers::Operation& operation = program_.value(id).operation;
    weights_.push_back(integers::weights_of(operation));
    std::vector<LookupTable>& tables = tables_.emplace_back();
    const integers::Bootstraps& bootstraps = bootstraps_.emplace_back(integers::bootstraps_at(program_, makers, id));
    for (const auto& set : bootstraps.sets) {
      std::vector<std::vector<Torus>> functions;
      for (const auto& [lookup, table] : set) {
        const Instruction& made = program_.value(lookup);
        std::vector<Torus>& values = functions.emplace_back();
        for (const std::int64_t entry : std::get<Lookup>(made.operation).tables[table])
          values.push_back(static_cast<Torus>(entry) << made.step);
      }
      tables.emplace_back(*context_, functions);
    }
  }
}

double value_bytes(const integers::Program& program, const params::TfheParameters& parameters) {
  const std::vector<integers::ValueId> last = integers::last_uses(program);
  const integers::Makers makers(program);
  std::vector<double> made_at(program.instructions.size(), 0);  // bytes
  for (integers::ValueId id = 0; id < made_at.size(); ++id)
    made_at[makers.of(id)] +=
        static_cast<double>(integers::elements(program.value(id))) * parameters.ciphertext_bytes();
  double held = 0, most = 0;
  for (integers::ValueId id = 0; id < program.instructions.size(); ++id) {
    const Instruction& made = program.value(id);
    const double bytes = made_at[id];
    held += bytes;
    // A bootstrap holds its argument under both keys, and the result a second time.
    const bool bootstraps = program::holds_any<Lookup, integers::Round>(made.operation);
    const double beside = bootstraps ? 3 * bytes : 0;
    most = std::max(most, held + beside);
    for (const integers::ValueId operand : integers::operands(made.operation))
      if (last[operand] == id)
        held -= static_cast<double>(integers::elements(program.value(operand))) * parameters.ciphertext_bytes();
  }
  return most;
}

double weight_bytes(const integers::Program& program) {
  constexpr double kBytes = sizeof(std::uint32_t) + sizeof(std::int32_t);
  double weights = 0;
  for (const Instruction& made : program.instructions)
    weights += static_cast<double>(integers::count_weights(made.operation, std::numeric_limits<std::uint64_t>::max()));
  return weights * kBytes;
}

double table_bytes(const integers::Program& program, const params::TfheParameters& parameters) {
  const integers::Makers makers(program);
  double tables = 0;
  for (integers::ValueId id = 0; id < program.instructions.size(); ++id)
    tables += static_cast<double>(integers::bootstraps_at(program, makers, id).sets.size());
  return tables * bytes_of_table(parameters);
}

double key_bytes(const params::TfheParameters& parameters) {
  return parameters.bootstrap_key_bytes() + parameters.key_switch_key_bytes();
}

double memory_need(const integers::Program& program, const params::TfheParameters& parameters) {
  return key_bytes(parameters) + table_bytes(program, parameters) + weight_bytes(program) +
         value_bytes(program, parameters);
}

}  // namespace tacit::runtime
