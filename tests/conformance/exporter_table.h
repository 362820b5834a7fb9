#pragma once

#include <string>
#include <vector>

#include "exported_model.h"

namespace tacit::conformance {

/// What became of one exported model.
struct ExportedOutcome {
  ExportedModel model;
  std::string refusal;  ///< the sentence, where it is refused
  std::vector<graph::ClientNode> client;
  Comparison comparison;
  int levels = 0, log_n = 0;
};

/// docs/exporters.md: exporter, version, estimator or layer, and what becomes of it.
std::string exporter_page(const std::vector<ExportedOutcome>& outcomes);

}  // namespace tacit::conformance
