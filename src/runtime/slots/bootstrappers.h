#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "program/slots/program.h"
#include "scheme/ckks/bootstrapper.h"

namespace tacit::runtime {

/// The bootstraps of a program with their transforms encoded: one for every schedule that occurs. Immutable, thread
/// safe.
class Bootstrappers {
 public:
  /// Throws InputError if a schedule is not the one that the parameter set has for its form and output level, or if an
  /// operand is not known to stay in [-1, 1], so that a program that arrives with others is refused before any work.
  static void check(const slots::Program& program, const params::CkksParameters& parameters);

  /// Encodes the transforms: seconds, and hundreds of megabytes for the sets of N = 2^16.
  Bootstrappers(const scheme::ckks::ContextPtr& context, const slots::Program& program,
                base::Progress& progress = base::Progress::silent());
  /// The one of a schedule of the program.
  const scheme::ckks::Bootstrapper& of(const params::BootstrapSchedule& schedule) const;
  std::uint64_t bytes() const;

 private:
  std::vector<std::unique_ptr<const scheme::ckks::Bootstrapper>> bootstrappers_;
};

}  // namespace tacit::runtime
