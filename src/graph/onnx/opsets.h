#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>

namespace tacit::graph::onnx {

/// The newest versions of the two operator sets, and of the file format, whose changes the adapters know.
inline constexpr std::int64_t kNewestOpset = 28;
inline constexpr std::int64_t kNewestMachineLearningOpset = 5;
inline constexpr std::int64_t kNewestFileFormat = 14;

/// The versions whose forms the graph's operators have. The onnx library has the schemas of these versions.
inline constexpr std::int64_t kFormOpset = 17;
inline constexpr std::int64_t kFormMachineLearningOpset = 3;

/// True for the domain of ONNX itself. It has two names, and the library knows the empty one.
inline bool is_default_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }
inline constexpr const char* kMachineLearningDomain = "ai.onnx.ml";
/// The operators that ONNX Runtime adds. Its set has one version.
inline constexpr const char* kContributedDomain = "com.microsoft";

/// The versions of the two operator sets that a model or a function imports.
struct Opsets {
  std::int64_t standard = 0, machine_learning = 0;  ///< 0 = not imported

  std::int64_t version_of(const std::string& domain) const {
    if (is_default_domain(domain)) return standard;
    if (domain == kContributedDomain) return 1;
    return domain == kMachineLearningDomain ? machine_learning : 0;
  }
};

/// Reads imports. Foreign domains are refused at the nodes that use them. `what` names the importer in errors. Throws
/// InputError for versions that are not known, and for two imports of one domain that disagree. Converters write some
/// imports twice, which is accepted.
Opsets read_opsets(const google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto>& imports,
                   const std::string& what);

}  // namespace tacit::graph::onnx
