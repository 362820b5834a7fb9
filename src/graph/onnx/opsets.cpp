#include "graph/onnx/opsets.h"

#include "base/error.h"

namespace tacit::graph::onnx {

Opsets read_opsets(const google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto>& imports,
                   const std::string& what) {
  Opsets opsets;
  for (const auto& import : imports) {
    const bool standard = is_default_domain(import.domain());
    if (!standard && import.domain() != kMachineLearningDomain) continue;
    const char* name = standard ? "ai.onnx" : kMachineLearningDomain;
    const std::int64_t newest = standard ? kNewestOpset : kNewestMachineLearningOpset;
    if (import.version() < 1 || import.version() > newest)
      base::refuse(
          "{} uses version {} of the operator set '{}'; versions 1 to {} are supported: export it again for opset {}",
          what, import.version(), name, newest, newest);
    std::int64_t& known = standard ? opsets.standard : opsets.machine_learning;
    if (known != 0 && known != import.version())
      base::refuse("{} imports the operator set '{}' twice, in versions {} and {}; keep one", what, name, known,
                   import.version());
    known = import.version();
  }
  return opsets;
}

}  // namespace tacit::graph::onnx
