#include "graph/labels.h"

#include <algorithm>
#include <functional>
#include <random>

#include "base/error.h"
#include "base/wipe.h"
#include "graph/client_answers.h"
#include "graph/passes/graph_editor.h"

namespace tacit::graph {
namespace {

using Numbers = std::vector<std::vector<double>>;
/// Whether an element goes up (1), down (-1) or stays.
using Direction = std::function<double(std::size_t tensor, std::size_t element)>;

std::size_t row_length(const TensorInfo& info) {
  return info.shape.empty() ? 1 : static_cast<std::size_t>(std::max<std::int64_t>(info.shape.back(), 1));
}

/// For every element, whether it is the largest of its row.
std::vector<std::vector<bool>> largest_of_rows(const Graph& after, std::span<const std::vector<double>> decrypted) {
  std::vector<std::vector<bool>> largest;
  for (std::size_t i = 0; i < decrypted.size(); ++i) {
    std::vector<bool>& marks = largest.emplace_back(decrypted[i].size());
    const std::size_t length = row_length(after.tensors[after.inputs[i]]);
    for (std::size_t row = 0; row < decrypted[i].size(); row += length) {
      const auto begin = decrypted[i].begin() + static_cast<std::ptrdiff_t>(row);
      const auto end = begin + static_cast<std::ptrdiff_t>(std::min(length, decrypted[i].size() - row));
      marks[static_cast<std::size_t>(std::max_element(begin, end) - decrypted[i].begin())] = true;
    }
  }
  return largest;
}

std::vector<Direction> directions(const Graph& after, std::span<const std::vector<double>> decrypted) {
  constexpr std::size_t kMostAlone = 256;
  constexpr int kPatterns = 64;
  std::vector<Direction> tried{[](std::size_t, std::size_t) { return 1.0; },
                               [](std::size_t, std::size_t) { return -1.0; }};
  tried.emplace_back([largest = largest_of_rows(after, decrypted)](std::size_t i, std::size_t e) {
    return largest[i][e] ? -1.0 : 1.0;
  });
  for (std::size_t i = 0; i < decrypted.size(); ++i)
    for (std::size_t e = 0; decrypted[i].size() <= kMostAlone && e < decrypted[i].size(); ++e)
      for (const double sign : {1.0, -1.0})
        tried.emplace_back([=](std::size_t t, std::size_t at) { return t == i && at == e ? sign : 0.0; });
  for (int pattern = 0; pattern < kPatterns; ++pattern)
    tried.emplace_back([random = std::make_shared<std::mt19937>(pattern)](std::size_t, std::size_t) {
      return ((*random)() & 1) != 0 ? 1.0 : -1.0;
    });
  return tried;
}

bool same(const std::vector<Tensor>& a, const std::vector<Tensor>& b, std::size_t& which) {
  for (which = 0; which < a.size(); ++which)
    for (std::size_t e = 0; e < a[which].data.size(); ++e) {
      const Tensor &left = a[which], &right = b[which];
      const bool equal = left.texts.empty() ? left.data[e] == right.data[e]
                                            : left.texts.at(static_cast<std::size_t>(left.data[e])) ==
                                                  right.texts.at(static_cast<std::size_t>(right.data[e]));
      if (!equal) return false;
    }
  return true;
}

}  // namespace

ClientParts label_parts(const ClientParts& parts) {
  ClientParts labels = without_kept(parts);
  Graph& after = labels.after;
  std::erase_if(after.outputs, [&](TensorId id) { return !after.tensors[id].text && !after.tensors[id].integral; });
  if (!after.outputs.empty()) return labels;
  passes::GraphEditor editor(after);
  for (const TensorId id : without_kept(parts).after.outputs) {
    const TensorInfo scores = after.tensors[id];
    if (row_length(scores) < 2) continue;
    const std::int64_t last = static_cast<std::int64_t>(scores.shape.size()) - 1;
    after.outputs.push_back(editor.step("ArgMax", scores.name + "_label", {id},
                                        {scores.shape.begin(), scores.shape.end() - 1},
                                        {{"axis", last}, {"keepdims", std::int64_t{0}}}));
    editor.integral(after.outputs.back());
  }
  if (after.outputs.empty())
    throw base::InputError(
        "the model has no labels: none of its outputs is a string or a whole number, or a row of at least two numbers "
        "of which one is the largest; share its numbers rounded (--share)");
  return labels;
}

bool has_labels(const ClientParts& parts) {
  const Graph after = without_kept(parts).after;
  return std::ranges::any_of(after.outputs, [&](TensorId id) {
    const TensorInfo& info = after.tensors[id];
    return info.text || info.integral || row_length(info) >= 2;
  });
}

std::vector<Tensor> stable_labels(const ClientRun& labels, std::span<const std::vector<double>> decrypted,
                                  std::span<const double> noise) {
  std::vector<Tensor> found = answers_of(labels, decrypted);
  Numbers shifted(decrypted.begin(), decrypted.end());
  const base::WipedAtExit wiped(shifted);
  for (const Direction& direction : directions(labels.parts().after, decrypted)) {
    // Smaller shifts find labels that hold in a narrow range only.
    for (const double share : {1.0, 0.25, 0.0625}) {
      for (std::size_t i = 0; i < decrypted.size(); ++i)
        for (std::size_t e = 0; e < decrypted[i].size(); ++e)
          shifted[i][e] = decrypted[i][e] + direction(i, e) * share * kNoisesOfALabel * noise[i];
      std::size_t which = 0;
      if (same(found, labels.after(shifted), which)) continue;
      base::refuse(
          "'{}': the label is too close to another one: a shift of the numbers by {:g} times their noise "
          "would change it, so that it would tell of the noise; it is not shown",
          labels.parts().after.tensors[labels.parts().after.outputs[which]].name, share * kNoisesOfALabel);
    }
  }
  return found;
}

}  // namespace tacit::graph
