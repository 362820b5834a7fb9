#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "program/slots/program.h"
#include "scheme/ckks/bootstrapper.h"

namespace tacit::runtime {

/// The bootstraps of a program, those of lookups included, with their transforms encoded: one for every schedule in
/// the program. Immutable, thread
/// safe.
class Bootstrappers {
 public:
  /// Checks a program before any work, because it may come from anyone. Throws InputError if a schedule is not the one
  /// of the parameter set for its form and output level. Throws it also if an operand is not known to stay in [-1, 1].
  static void check(const slots::Program& program, const params::CkksParameters& parameters);

  /// Encodes the transforms. Takes seconds, and hundreds of megabytes for the sets with N = 2^16.
  Bootstrappers(const scheme::ckks::ContextPtr& context, const slots::Program& program,
                base::Progress& progress = base::Progress::silent());
  /// Returns the bootstrapper of a schedule of the program.
  const scheme::ckks::Bootstrapper& of(const params::BootstrapSchedule& schedule) const;
  std::uint64_t bytes() const;

 private:
  std::vector<std::unique_ptr<const scheme::ckks::Bootstrapper>> bootstrappers_;
};

}  // namespace tacit::runtime
