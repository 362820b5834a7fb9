#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/onnx/import.h"
#include "graph/reference/run.h"

using tacit::graph::Graph;
using tacit::graph::Tensor;

/// Any bytes are a model or an InputError: nothing else leaves the importer. A small model runs, and its tensors have
/// the shapes that the importer stated (the run checks them).
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::int64_t kFewElements = 1 << 16;
  try {
    const Graph graph = tacit::graph::onnx::import_bytes({reinterpret_cast<const char*>(data), size}, "fuzz");
    std::int64_t elements = 0;
    for (const auto& tensor : graph.tensors) elements += tacit::graph::element_count(tensor.shape);
    if (elements > kFewElements) return 0;
    std::vector<Tensor> inputs;
    for (const auto id : graph.inputs) {
      const auto count = static_cast<std::size_t>(tacit::graph::element_count(graph.tensors[id].shape));
      inputs.push_back({graph.tensors[id].shape, std::vector<double>(count, 0.5), graph.tensors[id].integral});
    }
    tacit::graph::reference::run(graph, inputs);
  } catch (const tacit::base::InputError&) {
    return 0;
  }
  return 0;
}
