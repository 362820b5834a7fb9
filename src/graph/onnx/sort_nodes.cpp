#include "graph/onnx/sort_nodes.h"

#include <cstddef>
#include <functional>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tacit::graph::onnx {

std::vector<VersionedNode> sorted(std::vector<VersionedNode> nodes) {
  std::unordered_map<std::string_view, std::size_t> producer;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (const std::string& output : nodes[n].node.output())
      if (!output.empty()) producer.emplace(output, n);
  std::vector<std::vector<std::size_t>> readers(nodes.size());
  std::vector<std::size_t> waiting(nodes.size(), 0);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    std::unordered_set<std::size_t> needed;
    for (const std::string& input : nodes[n].node.input())
      if (const auto found = producer.find(input); found != producer.end()) needed.insert(found->second);
    waiting[n] = needed.size();
    for (const std::size_t from : needed) readers[from].push_back(n);
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (waiting[n] == 0) ready.push(n);
  std::vector<VersionedNode> result;
  std::vector<char> done(nodes.size(), 0);
  while (!ready.empty()) {
    const std::size_t n = ready.top();
    ready.pop();
    done[n] = 1;
    for (const std::size_t reader : readers[n])
      if (--waiting[reader] == 0) ready.push(reader);
    result.push_back(std::move(nodes[n]));
  }
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (!done[n]) result.push_back(std::move(nodes[n]));
  return result;
}

}  // namespace tacit::graph::onnx
