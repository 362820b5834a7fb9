#pragma once

#include <vector>

#include "graph/compile.h"
#include "graph/slots/lower.h"

namespace tacit::graph::passes {

/// The noise of lowered networks' outputs. It is simulated on samples, or restored from an earlier compilation that
/// simulated it on the same program. Not thread safe.
class NoiseSource {
 public:
  /// Results are noted in `record` unless it is null. Both arguments must outlive this object.
  NoiseSource(const CompileOptions& options, Calibration* record) : options_(options), record_(record) {}

  /// Returns the deviation of the noise by output. Throws InputError if an earlier compilation did not consider this
  /// program, because another memory budget or other prices led to it.
  std::vector<double> of(const Lowered& lowered) const;

 private:
  const CompileOptions& options_;
  Calibration* record_;
};

}  // namespace tacit::graph::passes
