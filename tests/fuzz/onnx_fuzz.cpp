#include "base/error.h"
#include "graph/attribute.h"
#include "graph/onnx/import.h"
#include "graph/reference/run.h"
#include "onnx_models.h"

namespace tacit::fuzz {

std::string_view target_name() { return "onnx"; }

std::vector<Bytes> seeds() { return small_onnx_models(); }

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_onnx(from, other, random); }

/// Any bytes are a model or refused. A small model runs, and its tensors have the shapes that the importer stated (the
/// run checks them).
void check(std::span<const std::uint8_t> bytes) {
  constexpr std::int64_t kFewElements = 1 << 16;
  const graph::Graph graph = graph::onnx::import_bytes(text_of(bytes), "fuzz");
  std::int64_t elements = 0;
  for (const auto& tensor : graph.tensors) elements += graph::element_count(tensor.shape);
  if (elements > kFewElements) return;
  std::vector<graph::Tensor> inputs;
  for (const auto id : graph.inputs) {
    const graph::TensorInfo& info = graph.tensors[id];
    inputs.push_back({info.shape,
                      std::vector<double>(static_cast<std::size_t>(graph::element_count(info.shape)),
                                          info.integral || info.text ? 0 : 0.5),
                      info.integral});
    if (info.text) inputs.back().texts.emplace_back();
  }
  require(graph::reference::run(graph, inputs).size() == graph.outputs.size(), "every output is made");
}

}  // namespace tacit::fuzz
