#include "graph/onnx/sort_nodes.h"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "graph/onnx/bodies.h"

namespace tacit::graph::onnx {

std::vector<VersionedNode> sorted(std::vector<VersionedNode> nodes) {
  std::unordered_map<std::string_view, std::size_t> producer;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (const std::string& output : nodes[n].node.output())
      if (!output.empty()) producer.emplace(output, n);
  std::vector<std::vector<std::size_t>> readers(nodes.size());
  std::vector<std::size_t> waiting(nodes.size(), 0);  // for so many of their inputs
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto read = [&](const std::string& tensor) {
      if (const auto found = producer.find(tensor); found != producer.end()) {
        readers[found->second].push_back(n);
        ++waiting[n];
      }
    };
    for (const std::string& input : nodes[n].node.input()) read(input);
    for_each_captured(nodes[n].node, read);
  }
  std::set<std::size_t> ready;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (waiting[n] == 0) ready.insert(n);
  std::vector<VersionedNode> result;
  while (!ready.empty()) {
    const std::size_t n = ready.extract(ready.begin()).value();
    for (const std::size_t reader : readers[n])
      if (--waiting[reader] == 0) ready.insert(reader);
    result.push_back(std::move(nodes[n]));
  }
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (waiting[n] > 0) result.push_back(std::move(nodes[n]));
  return result;
}

}  // namespace tacit::graph::onnx
