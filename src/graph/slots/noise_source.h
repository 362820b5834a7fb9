#pragma once

#include <vector>

#include "graph/compile.h"
#include "graph/slots/lower.h"

namespace tacit::graph::passes {

/// The noise of lowered networks' outputs: simulated on samples, or as an earlier compilation that had them measured it
/// on the same program. Not thread safe.
class NoiseSource {
 public:
  /// What is found is noted in `record`, where there is one. Both must outlive this.
  NoiseSource(const CompileOptions& options, Calibration* record) : options_(options), record_(record) {}

  /// Throws InputError where an earlier compilation did not come across this program: another memory budget or other
  /// prices led to it.
  std::vector<double> of(const Lowered& lowered) const;

 private:
  const CompileOptions& options_;
  Calibration* record_;
};

}  // namespace tacit::graph::passes
