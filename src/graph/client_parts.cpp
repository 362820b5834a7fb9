#include "graph/client_parts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/naming.h"
#include "base/private_value.h"
#include "graph/attribute.h"
#include "graph/client_guards.h"
#include "graph/declaration.h"
#include "graph/integers.h"
#include "graph/links.h"
#include "graph/prune.h"
#include "graph/reference/rounding.h"
#include "graph/reference/run.h"

namespace tacit::graph {
namespace {

std::vector<std::string> labels_of(const Node& node) {
  if (has_attribute(node, "classlabels_strings")) return texts_attribute(node, "classlabels_strings");
  std::vector<std::string> labels;
  for (const char* name : {"classlabels_ints", "classlabels_int64s"})
    for (const std::int64_t number : integers_attribute(node, name)) labels.push_back(std::to_string(number));
  return labels;
}

/// Integers come back with noise.
void to_whole_numbers(const std::string& name, IntegerType type, std::vector<double>& numbers) {
  const IntegerRange range = range_of(type);
  for (double& number : numbers) {
    const double whole = std::nearbyint(number), distance = std::abs(number - whole);
    if (!(distance <= kMostNoiseOfIntegers))
      base::refuse(
          "tensor '{}' holds integers, and {} came back {:.2f} away from one: it carries too much noise to "
          "tell which it was; use smaller integers, or floating-point numbers",
          name, base::private_value(number), distance);
    if (!range.contains(whole))
      base::refuse(
          "tensor '{}' holds integers of type {}, and one came back outside {} to {}: the model would let "
          "it wrap around, which encrypted arithmetic does not; use smaller inputs, or a wider type",
          name, name_of(type), range.lowest, range.highest);
    number = whole;
  }
}

/// True for a tensor of `after` that the client keeps.
bool is_kept(const ClientParts& parts, TensorId id) {
  return std::find(parts.after.inputs.end() - static_cast<std::ptrdiff_t>(parts.kept), parts.after.inputs.end(), id) !=
         parts.after.inputs.end();
}

}  // namespace

std::vector<Tensor> run_before(const ClientParts& parts, std::span<const Tensor> inputs) {
  std::vector<Tensor> made = reference::run(parts.before, inputs);
  made.resize(made.size() - parts.kept);
  return made;
}

std::vector<Tensor> kept_tensors(const ClientParts& parts, std::span<const Tensor> inputs) {
  if (parts.kept == 0) return {};
  std::vector<Tensor> made = reference::run(parts.before, inputs);
  made.erase(made.begin(), made.end() - static_cast<std::ptrdiff_t>(parts.kept));
  return made;
}

std::vector<std::vector<Tensor>> kept_tensors(const ClientParts& parts, std::span<const std::vector<Tensor>> samples) {
  std::vector<std::vector<Tensor>> kept;
  for (const std::vector<Tensor>& sample : samples) kept.push_back(kept_tensors(parts, sample));
  return kept;
}

ClientParts without_kept(const ClientParts& parts) {
  if (parts.kept == 0) return parts;
  ClientParts others = parts;
  const std::size_t encrypted = parts.before.outputs.size() - parts.kept;
  const std::size_t decrypted = parts.after.inputs.size() - parts.kept;
  others.before.outputs.resize(encrypted);
  others.before = prune(std::move(others.before));
  std::erase_if(others.after.outputs, [&](TensorId id) { return is_kept(parts, id); });
  others.after.inputs.resize(decrypted);
  others.after = prune(std::move(others.after));
  others.kept = 0;
  return others;
}

std::vector<std::string> kept_outputs(const ClientParts& parts) {
  std::vector<std::string> names;
  for (const TensorId id : parts.after.outputs)
    if (is_kept(parts, id)) names.push_back(parts.after.tensors[id].name);
  return names;
}

std::vector<std::vector<Tensor>> samples_behind(const ClientParts& client, std::vector<std::vector<Tensor>> samples) {
  base::naming("calibration data", [&] {
    for (std::vector<Tensor>& sample : samples) sample = run_before(client, sample);
  });
  return samples;
}

bool only_moves(const ClientParts& client) {
  return std::ranges::all_of(client.before.nodes, [](const Node& node) { return is(node.op, Class::movement); });
}

namespace {

/// Returns the inputs of `after`: the decrypted tensors in their element types, and the kept ones.
std::vector<Tensor> inputs_of_after(const ClientParts& parts, std::span<const std::vector<double>> decrypted,
                                    std::span<const Tensor> kept) {
  const Graph& after = parts.after;
  if (decrypted.size() + parts.kept != after.inputs.size())
    base::refuse(
        "the client's half says that {} tensors are decrypted, and its own part of the model takes {}: the "
        "file was changed, compile the model again",
        decrypted.size(), after.inputs.size() - parts.kept);
  if (kept.size() != parts.kept)
    base::refuse(
        "the model hands out {} of its inputs, which were not encrypted, and {} of them are given: pass what "
        "was kept when the inputs were encrypted",
        parts.kept, kept.size());
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < decrypted.size(); ++i) {
    const TensorInfo& info = after.tensors[after.inputs[i]];
    tensors.push_back({info.shape, decrypted[i], info.integral});
    if (info.integral) {
      to_whole_numbers(info.name, info.integers, tensors.back().data);
    } else {
      reference::round_to(info.rounding, tensors.back());  // so that it equals what operators choose from it
    }
  }
  tensors.insert(tensors.end(), kept.begin(), kept.end());
  return tensors;
}

}  // namespace

std::vector<Tensor> run_after(const ClientParts& parts, std::span<const std::vector<double>> decrypted,
                              std::span<const Tensor> kept, const reference::NodeObserver& observer) {
  if (has_errors(parts.after)) return ClientRun(parts).after(decrypted, kept, observer);
  return reference::run(parts.after, inputs_of_after(parts, decrypted, kept), observer);
}

/// The guards' probe, and the graph that reads its results.
struct ClientRun::Guarded {
  explicit Guarded(const Graph& after) : moves(after), graph(moves.with_inputs(after)) {}
  GuardMoves moves;
  Graph graph;
};

ClientRun::ClientRun(ClientParts parts) : parts_(std::move(parts)) {
  if (has_errors(parts_.after)) guarded_ = std::make_shared<const Guarded>(parts_.after);
}

std::vector<Tensor> ClientRun::after(std::span<const std::vector<double>> decrypted, std::span<const Tensor> kept,
                                     const reference::NodeObserver& observer) const {
  std::vector<Tensor> tensors = inputs_of_after(parts_, decrypted, kept);
  if (!guarded_) return reference::run(parts_.after, tensors, observer);
  std::vector<Tensor> moves = guarded_->moves.of(tensors);
  std::ranges::move(moves, std::back_inserter(tensors));
  return reference::run(guarded_->graph, tensors, observer);
}

std::vector<std::string> column_names(const Graph& after, std::size_t output) {
  TensorId id = after.outputs.at(output);
  const TensorInfo& info = after.tensors[id];
  const std::int64_t count = element_count(info.shape);
  if (info.text || info.integral || count < 2) return {};
  // A ZipMap names its columns wherever only casts and changes of shape follow it.
  const Links links(after);
  while (const std::optional<std::size_t> maker = links.makers[id]) {
    const Node& node = after.nodes[*maker];
    if (node.op == "ai.onnx.ml.ZipMap") return labels_of(node);
    if (node.op != "Cast" && node.op != "Identity" && node.op != "Reshape" && !is_guard(node.op)) break;
    id = node.inputs.at(0);
  }
  for (const Node& node : after.nodes) {
    const bool votes = node.op == "tacit.LinearVotes" || node.op == "tacit.SupportVectorVotes";
    std::vector<std::string> labels = votes ? labels_of(node) : std::vector<std::string>{};
    if (static_cast<std::int64_t>(labels.size()) == count) return labels;
  }
  return {};
}

}  // namespace tacit::graph
