#include "graph/compile.h"
#include "graph/onnx/import.h"
#include "graph/reference/run.h"
#include "graph/serialize.h"
#include "mutate_bytes.h"
#include "onnx_models.h"

namespace tacit::fuzz {

std::string_view target_name() { return "client_parts"; }

/// Networks as what a client runs before encryption, and after it.
std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  for (const Bytes& model : small_onnx_models()) {
    const graph::Graph graph = graph::onnx::import_bytes(text_of(model), "seed");
    all.push_back(graph::to_bytes(graph::ClientParts{graph, {}, {{"n", "Relu", true, 3}}}));
    all.push_back(graph::to_bytes(graph::ClientParts{{}, graph, {}}));
  }
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_bytes(from, other, random); }

/// A client's part has one form, and makes the tensors that it states.
void check(std::span<const std::uint8_t> bytes) {
  const graph::ClientParts parts = graph::client_parts_from_bytes(bytes);
  const Bytes again = graph::to_bytes(parts);
  require(graph::to_bytes(graph::client_parts_from_bytes(again)) == again, "a client's part reads as it was written");
  for (std::size_t i = 0; i < parts.after.outputs.size(); ++i) graph::column_names(parts.after, i);
}

}  // namespace tacit::fuzz
