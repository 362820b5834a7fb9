#include "session/ranked_evaluation.h"

#include <string>

#include "base/build_info.h"

namespace tacit::session {

std::optional<runtime::Checkpoints> checkpoints_of(const EvaluatedFiles& files, const runtime::SampleReader& inputs,
                                                   const LoadedKeys& keys) {
  if (files.checkpoints.empty()) return std::nullopt;
  return runtime::Checkpoints{files.checkpoints,
                              {std::string(base::version()), inputs.head().binding, keys.provenance().root}};
}

}  // namespace tacit::session
