#include "graph/slots/shape_softmax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/client_guards.h"
#include "graph/links.h"
#include "graph/passes/graph_editor.h"
#include "graph/passes/write_out_softmax.h"
#include "graph/reference/run.h"
#include "graph/slots/gather_scores.h"
#include "graph/slots/hiding_mask.h"
#include "graph/slots/slots_draft.h"

namespace tacit::graph::passes {
namespace {

constexpr std::size_t kMostShown = 128;   // samples that are looked at
constexpr double kLargestRatio = 500;     // of the sums of exponentials of rows, before a coarse normalisation
constexpr double kLargestLastRatio = 64;  // before the last one, which makes the result
constexpr double kWidestExponents = 64;   // a series of degree 31 for exp is then right to 1e-7
constexpr double kRidge = 1e-6;           // of the mean square of a feature

/// Where the scores of a Softmax come from: factor * product + constants + mask.
struct Scores {
  std::size_t softmax;  // position of the node
  TensorId scores;
  std::optional<std::size_t> product{};  // position of the MatMul of queries and keys
  double factor = 1;
  std::optional<TensorId> mask{};  // an encrypted summand, which may hide elements
  int mask_operand = -1;
  std::optional<TensorId> hidden{};  ///< constants that hide elements
};

/// Follows the scores of a Softmax to their product.
Scores trace(const Graph& graph, const Links& links, std::size_t softmax) {
  Scores result{softmax, graph.nodes[softmax].inputs.at(0)};
  TensorId at = result.scores;
  while (links.makers[at] && links.readers[at].size() == 1) {
    const std::size_t position = *links.makers[at];
    const Node& made = graph.nodes[position];
    const auto is_constant = [&](std::size_t k) { return graph.is_constant(made.inputs.at(k)); };
    const auto scalar = [&](std::size_t k) {
      return is_constant(k) && graph.constant(made.inputs[k]).data.size() == 1;
    };
    if (made.op == "MatMul" && !is_constant(0) && !is_constant(1)) {
      const Shape &a = graph.tensors[made.inputs[0]].shape, &b = graph.tensors[made.inputs[1]].shape;
      if (a.size() >= 2 && a.size() == b.size() && std::equal(a.begin(), a.end() - 2, b.begin()) &&
          links.readers[made.inputs[1]].size() == 1)
        result.product = position;
      break;
    }
    if (made.op == "Add" && (is_constant(0) || is_constant(1))) {
      const std::size_t scores = is_constant(0) ? 1 : 0;
      const std::vector<double>& added = graph.constant(made.inputs[1 - scores]).data;
      if (std::ranges::any_of(added, [](double x) { return x <= kHides; })) result.hidden = made.inputs[1 - scores];
      at = made.inputs[scores];
    } else if (made.op == "Add" && !result.mask) {
      // The mask has fewer elements, or comes second.
      const auto elements = [&](std::size_t k) { return element_count(graph.tensors[made.inputs[k]].shape); };
      result.mask_operand = elements(0) < elements(1) ? 0 : 1;
      result.mask = made.inputs[static_cast<std::size_t>(result.mask_operand)];
      at = made.inputs[static_cast<std::size_t>(1 - result.mask_operand)];
    } else if (made.op == "Mul" && (scalar(0) || scalar(1))) {
      result.factor *= graph.constant(made.inputs[scalar(0) ? 0 : 1]).data[0];
      at = made.inputs[scalar(0) ? 1 : 0];
    } else if (made.op == "Div" && scalar(1)) {
      result.factor /= graph.constant(made.inputs[1]).data[0];
      at = made.inputs[0];
    } else {
      break;
    }
  }
  return result;
}

/// The rows of a Softmax over samples: what is needed to choose its form.
class Rows {
 public:
  /// `masked` scores of at most half of kHides are hidden.
  Rows(Shape shape, std::int64_t features, bool masked)
      : masked_(masked),
        width_(static_cast<std::size_t>(shape.back())),
        length_(static_cast<std::size_t>(shape[shape.size() - 2])),
        groups_(static_cast<std::size_t>(element_count(shape)) / (width_ * length_)),
        features_(static_cast<std::size_t>(features)) {}

  void add(const Tensor& scores, const Tensor* queries, double factor) {
    scores_.push_back(scores.data);
    queries_.emplace_back();
    if (queries == nullptr) return;
    queries_.back() = queries->data;
    for (double& q : queries_.back()) q *= factor;
  }

  std::size_t groups() const { return groups_; }
  std::size_t features() const { return features_; }
  std::size_t samples() const { return scores_.size(); }

  /// Returns how much lower the scores of a row become.
  double shift(std::size_t sample, std::size_t row, const SoftmaxForm& form) const {
    const std::size_t group = row / length_;
    double result = form.offsets.empty() ? 0 : form.offsets[group];
    if (form.keys.empty()) return result;
    for (std::size_t f = 0; f < features_; ++f)
      result += form.keys[group * features_ + f] * queries_[sample][row * features_ + f];
    return result;
  }
  /// Returns the logarithm of the sum of exponentials of a row, of which all are divided by 2^halvings. It is -infinity
  /// for a row that is hidden whole.
  double log_sum(std::size_t sample, std::size_t row, double shift, int halvings) const {
    const double* const first = scores_[sample].data() + row * width_;
    const double largest = *std::max_element(first, first + width_);
    if (is_hidden(largest)) return -std::numeric_limits<double>::infinity();
    double sum = 0;
    for (std::size_t i = 0; i < width_; ++i) sum += std::exp(std::ldexp(first[i] - largest, -halvings));
    return std::ldexp(largest - shift, -halvings) + std::log(sum);
  }
  /// Returns how far the logarithms of sums are apart, over every `step`-th sample from `first` on.
  double spread(const SoftmaxForm& form, int halvings, std::size_t first = 0, std::size_t step = 1) const {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    for (std::size_t s = first; s < samples(); s += step)
      for (std::size_t row = 0; row < groups_ * length_; ++row) {
        const double value = log_sum(s, row, shift(s, row, form), halvings);
        if (!std::isfinite(value)) continue;
        lowest = std::min(lowest, value);
        highest = std::max(highest, value);
      }
    return std::max(0.0, highest - lowest);
  }
  /// Returns a sample that hides a row whole, if any does.
  std::optional<std::size_t> whole_row_hidden() const {
    for (std::size_t s = 0; s < samples(); ++s)
      for (std::size_t row = 0; row < groups_ * length_; ++row)
        if (!std::isfinite(log_sum(s, row, 0, 0))) return s;
    return std::nullopt;
  }
  /// True if scores look as if a mask hid some: there are low ones, and none between them and the others.
  bool look_hidden() const {
    const auto some = [&](double above, double most) {
      return std::ranges::any_of(scores_, [=](const std::vector<double>& sample) {
        return std::ranges::any_of(sample, [=](double score) { return score > above && score <= most; });
      });
    };
    return some(-HUGE_VAL, kHides) && !some(kHides, kHides / 2);
  }
  /// Returns the width of the shifted scores that no mask hides.
  double width(const SoftmaxForm& form) const {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    for (std::size_t s = 0; s < samples(); ++s)
      for (std::size_t row = 0; row < groups_ * length_; ++row) {
        const double moved = shift(s, row, form);
        for (std::size_t i = 0; i < width_; ++i) {
          const double score = scores_[s][row * width_ + i];
          if (is_hidden(score)) continue;
          lowest = std::min(lowest, score - moved);
          highest = std::max(highest, score - moved);
        }
      }
    return std::max(0.0, highest - lowest);
  }
  /// Fits keys and offsets to every `step`-th sample from `first` on, by least squares; offsets alone without `keys`.
  SoftmaxForm fitted(bool keys, std::size_t first = 0, std::size_t step = 1) const {
    SoftmaxForm form;
    const std::size_t unknowns = keys ? features_ + 1 : 1;
    for (std::size_t group = 0; group < groups_; ++group) {
      std::vector<double> squares(unknowns * unknowns, 0.0), right(unknowns, 0.0), row_of(unknowns, 1.0);
      for (std::size_t s = first; s < samples(); s += step)
        for (std::size_t row = group * length_; row < (group + 1) * length_; ++row) {
          const double target = log_sum(s, row, 0, 0);
          if (!std::isfinite(target)) continue;
          if (keys) std::copy_n(queries_[s].data() + row * features_, features_, row_of.begin());
          for (std::size_t i = 0; i < unknowns; ++i) {
            right[i] += row_of[i] * target;
            for (std::size_t j = 0; j < unknowns; ++j) squares[i * unknowns + j] += row_of[i] * row_of[j];
          }
        }
      const std::vector<double> found = solved(std::move(squares), std::move(right));
      if (keys) form.keys.insert(form.keys.end(), found.begin(), found.end() - 1);
      form.offsets.push_back(found.back());
    }
    return form;
  }

 private:
  /// The number of a mask was added to a score.
  bool is_hidden(double score) const { return masked_ && !(score > kHides / 2); }

  /// Solves a symmetric system by elimination. A small number on the diagonal settles what the samples leave open.
  static std::vector<double> solved(std::vector<double> matrix, std::vector<double> right) {
    const std::size_t n = right.size();
    double trace = 0;
    for (std::size_t i = 0; i < n; ++i) trace += matrix[i * n + i];
    for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] += kRidge * trace / static_cast<double>(n) + 1e-300;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) {
        const double times = matrix[j * n + i] / matrix[i * n + i];
        for (std::size_t k = i; k < n; ++k) matrix[j * n + k] -= times * matrix[i * n + k];
        right[j] -= times * right[i];
      }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) right[i] -= matrix[i * n + k] * right[k];
      right[i] /= matrix[i * n + i];
    }
    return right;
  }

  bool masked_;
  std::size_t width_, length_, groups_, features_;
  std::vector<std::vector<double>> scores_, queries_;  // by sample
};

[[noreturn]] void refuse_unknown_mask(const Node& node) {
  refuse(node,
         fmt::format("scores as low as {:g} are those of a mask, and the mask is not recognised. A mask adds 0 or "
                     "one number of at most {:g} to every score, and is a constant or follows from one input by "
                     "arithmetic with constants",
                     kHides, kHides));
}

SoftmaxForm form_of(const Node& node, const Rows& rows) {
  if (const std::optional<std::size_t> sample = rows.whole_row_hidden())
    refuse(node,
           fmt::format("calibration sample {} hides all elements of a row, whose exponentials then have the sum 0. "
                       "Leave such samples out, or let every row show one element",
                       *sample));
  SoftmaxForm form = rows.fitted(false);
  // Keys are fitted to half of the samples and judged on the others.
  if (rows.features() > 0 && rows.samples() >= 2) {
    const double without = rows.spread(rows.fitted(false, 0, 2), 0, 1, 2);
    const double with = rows.spread(rows.fitted(true, 0, 2), 0, 1, 2);
    if (with < without) form = rows.fitted(true);
  }
  double spread = rows.spread(form, 0);
  const double width = rows.width(form);
  while (spread > std::log(form.halvings == 0 ? kLargestLastRatio : kLargestRatio) ||
         std::ldexp(width, -form.halvings) > kWidestExponents) {
    if (form.halvings == kMostHalvings && rows.look_hidden()) refuse_unknown_mask(node);
    if (form.halvings == kMostHalvings)
      refuse(node, fmt::format("the sums of exponentials of its rows differ by a factor of e^{:.3g} after {} "
                               "halvings, and a reciprocal covers e^{:.2g}. Train with smaller scores, or give "
                               "calibration data without rows that are far from the others",
                               spread, form.halvings, std::log(kLargestRatio)));
    spread = rows.spread(form, ++form.halvings);
  }
  return form;
}

using Positions = std::vector<std::int64_t>;

/// Returns the sets of keys that constants show to a query. Sets that hold another one are left out.
std::vector<Positions> shown_keys(const Graph& graph, const Scores& scores) {
  const std::int64_t width = graph.tensors[scores.scores].shape.back();
  Positions all(static_cast<std::size_t>(width));
  std::iota(all.begin(), all.end(), 0);
  if (!scores.hidden) return {all};
  const Tensor& constant = graph.constant(*scores.hidden);
  std::set<Positions> rows;
  for (std::size_t first = 0; first < constant.data.size(); first += all.size()) {
    Positions row;
    for (const std::int64_t k : all)
      if (constant.data[first + static_cast<std::size_t>(k)] > kHides) row.push_back(k);
    rows.insert(std::move(row));
  }
  std::vector<Positions> smallest;
  for (const Positions& row : rows)
    if (std::ranges::none_of(rows, [&](const Positions& other) {
          return other.size() < row.size() && std::ranges::includes(row, other);
        }))
      smallest.push_back(row);
  return smallest;
}

/// Notes the keys of which an encrypted mask shows one at least, if it does so in all samples.
void note_shown_keys(SoftmaxForm& form, const Graph& graph, const Scores& scores, const HidingMask& mask,
                     const std::vector<std::vector<Tensor>>& samples) {
  constexpr std::size_t kMostSets = 64;
  const auto width = static_cast<std::size_t>(graph.tensors[scores.scores].shape.back());
  const auto is_wide = [&](TensorId id) {
    const Shape& shape = graph.tensors[id].shape;
    return !shape.empty() && shape.back() == static_cast<std::int64_t>(width);
  };
  if (!is_wide(graph.inputs[mask.input]) || !is_wide(*scores.mask) || (scores.hidden && !is_wide(*scores.hidden)))
    return;
  std::vector<Positions> sets = shown_keys(graph, scores);
  if (sets.size() > kMostSets) return;
  for (const std::vector<Tensor>& sample : samples) {
    const std::vector<double>& numbers = sample[mask.input].data;
    for (std::size_t first = 0; first < numbers.size(); first += width)
      for (const Positions& set : sets)
        if (std::ranges::none_of(set, [&](std::int64_t k) {
              return std::ranges::find(mask.shows, numbers[first + static_cast<std::size_t>(k)]) != mask.shows.end();
            }))
          return;
  }
  form.mask_shows = mask.shows;
  form.mask_rows = std::move(sets);
}

}  // namespace

std::vector<SoftmaxForm> softmax_forms(const Graph& graph, const std::vector<std::vector<Tensor>>& samples) {
  const Links links(graph);
  std::vector<Scores> traced;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (node.op != "Softmax" || !is_along_last_axis(graph, node)) continue;
    traced.push_back(trace(graph, links, n));
  }
  if (traced.empty() || samples.empty()) return {};

  std::map<TensorId, std::vector<Tensor>> seen;  // of the samples
  for (const Scores& scores : traced) {
    seen[scores.scores];
    if (scores.product) seen[graph.nodes[*scores.product].inputs[0]];
  }
  for (std::size_t s = 0; s < std::min(samples.size(), kMostShown); ++s) {
    for (std::size_t k = 0; k < graph.inputs.size(); ++k)
      if (const auto wanted = seen.find(graph.inputs[k]); wanted != seen.end())
        wanted->second.push_back(samples[s].at(k));
    reference::run(graph, samples[s], [&](const Node& node, std::span<const Tensor> made) {
      for (std::size_t k = 0; k < std::min(made.size(), node.outputs.size()); ++k)
        if (const auto wanted = seen.find(node.outputs[k]); wanted != seen.end()) wanted->second.push_back(made[k]);
    });
  }

  std::vector<SoftmaxForm> forms;
  for (const Scores& scores : traced) {
    const Node& node = graph.nodes[scores.softmax];
    const Shape& shape = graph.tensors[scores.scores].shape;
    const std::optional<HidingMask> mask =
        scores.mask ? hiding_mask(graph, links, *scores.mask, samples) : std::nullopt;
    // Without its mask, a sum of two encrypted values is what the Softmax reads.
    const bool through = scores.product && (!scores.mask || mask);
    const TensorId queries = through ? graph.nodes[*scores.product].inputs[0] : kNoTensor;
    Rows rows(shape, through ? graph.tensors[queries].shape.back() : 0, mask || scores.hidden);
    const std::vector<Tensor>& all = seen.at(scores.scores);
    for (std::size_t s = 0; s < all.size(); ++s)
      rows.add(all[s], through ? &seen.at(queries)[s] : nullptr, scores.factor);
    constexpr std::int64_t kFewTerms = 16;  // by logarithms of sums of two
    if (!scores.product && !mask && shape.back() <= kFewTerms) {
      if (!scores.hidden && rows.look_hidden()) refuse_unknown_mask(node);
      continue;
    }
    SoftmaxForm form = form_of(node, rows);
    form.node = node.name;
    if (mask) {
      form.mask = scores.mask_operand;
      form.hides = mask->hides;
      form.mask_input = mask->input;
      form.mask_numbers = mask->allowed;
      note_shown_keys(form, graph, scores, *mask, samples);
    }
    forms.push_back(std::move(form));
  }
  return forms;
}

namespace {

/// Returns by node whether its result is an output, or leads to one otherwise than through a Softmax.
std::vector<char> shown_scores(const Graph& graph, const std::vector<Node>& nodes, const Links& links) {
  std::vector<char> shown(nodes.size(), 0);
  for (std::size_t n = nodes.size(); n-- > 0;)
    for (const TensorId id : nodes[n].outputs) {
      if (id == kNoTensor) continue;
      const bool read = std::ranges::any_of(
          links.readers[id], [&](std::size_t reader) { return shown[reader] != 0 && nodes[reader].op != "Softmax"; });
      if (read || std::ranges::find(graph.outputs, id) != graph.outputs.end()) shown[n] = 1;
    }
  return shown;
}

}  // namespace

Graph with_softmax_forms(Graph graph, const std::vector<SoftmaxForm>& forms) {
  const Links links(graph);
  std::map<std::size_t, const SoftmaxForm*> of_softmax, of_product;  // by position
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].op != "Softmax") continue;
    const auto form = std::ranges::find(forms, graph.nodes[n].name, &SoftmaxForm::node);
    if (form == forms.end() || !is_along_last_axis(graph, graph.nodes[n])) continue;
    const Shape& shape = graph.tensors[graph.nodes[n].inputs.at(0)].shape;
    const auto groups =
        static_cast<std::size_t>(element_count(shape) / (shape[shape.size() - 1] * shape[shape.size() - 2]));
    if (!form->offsets.empty() && form->offsets.size() != groups)
      refuse(graph.nodes[n],
             fmt::format("the ranges state {} offsets for its {} groups", form->offsets.size(), groups));
    of_softmax[n] = &*form;
    if (form->keys.empty()) continue;
    if (const Scores scores = trace(graph, links, n); scores.product) of_product[*scores.product] = &*form;
  }
  if (of_softmax.empty()) return graph;
  const std::vector<Node> nodes = std::exchange(graph.nodes, {});
  GraphEditor editor(graph);
  // Scores of moved keys are other numbers than the model's. They are new tensors, up to the Softmax. Where the model's
  // own are an output as well, both are computed.
  std::map<TensorId, TensorId> moved_scores;
  const std::vector<char> shown = shown_scores(graph, nodes, links);
  const auto move_results = [&](Node& node) {
    for (TensorId& made : node.outputs) {
      if (made == kNoTensor) continue;
      TensorInfo info = graph.tensors[made];
      info.name += ".moved";
      graph.tensors.push_back(std::move(info));
      made = moved_scores[made] = static_cast<TensorId>(graph.tensors.size() - 1);
    }
  };
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    Node node = nodes[n];
    bool moves = of_product.contains(n);
    for (TensorId& read : node.inputs)
      if (const auto found = moved_scores.find(read); found != moved_scores.end()) {
        read = found->second;
        moves = true;
      }
    if (moves && !of_softmax.contains(n)) {
      if (shown[n]) {
        editor.copy(nodes[n]);
        node.name += ".moved";
      }
      move_results(node);
    }
    if (const auto form = of_product.find(n); form != of_product.end()) {
      Shape shape = editor.shape(node.inputs[1]);
      const Shape keys = shape;
      shape.back() = 1;
      if (element_count(shape) != static_cast<std::int64_t>(form->second->keys.size()))
        refuse(node, fmt::format("the ranges state {} numbers for its keys, which have {}", form->second->keys.size(),
                                 element_count(shape)));
      const TensorId moved = editor.constant(node.name + ".shift", {shape, form->second->keys, false});
      node.inputs[1] = editor.step("Sub", node.name + ".keys", {node.inputs[1], moved}, keys);
    }
    if (const auto form = of_softmax.find(n); form != of_softmax.end())
      write_out_softmax(editor, node, editor.shape(node.inputs[0]).size() - 1, *form->second);
    else
      editor.copy(std::move(node));
  }
  return graph;
}

namespace {

/// Puts a guard behind an input of the client's first part.
void guard_input(ClientParts& client, std::size_t input, std::string_view op,
                 std::map<std::string, Attribute> attributes) {
  TensorId& output = client.before.outputs.at(input);
  TensorInfo info = client.before.tensors[output];
  const std::string name = info.name;
  client.before.tensors.push_back(std::move(info));
  const auto checked = static_cast<TensorId>(client.before.tensors.size() - 1);
  client.before.nodes.push_back({std::string(op), name, {output}, {checked}, std::move(attributes)});
  output = checked;
  client.nodes.push_back({name, std::string(op), true, 0});
}

/// Lets the client refuse masks that the program does not hold for.
void guard_masks(SlotsDraft& draft, const std::vector<SoftmaxForm>& forms) {
  std::set<std::size_t> guarded;
  std::set<std::pair<std::size_t, std::vector<std::int64_t>>> shown;
  for (const SoftmaxForm& form : forms) {
    if (form.mask < 0) continue;
    if (form.mask_input >= draft.graph.inputs.size())
      base::refuse("the ranges state input {} for the mask of node '{}', and the network has {}", form.mask_input,
                   form.node, draft.graph.inputs.size());
    if (guarded.insert(form.mask_input).second)
      guard_input(draft.parties.client, form.mask_input, kOneOfOp,
                  {{"source", form.node}, {"values", form.mask_numbers}});
    for (const std::vector<std::int64_t>& row : form.mask_rows)
      if (shown.emplace(form.mask_input, row).second)
        guard_input(draft.parties.client, form.mask_input, kShowsOp,
                    {{"source", form.node}, {"values", form.mask_shows}, {"at", row}});
  }
}

}  // namespace

void shape_softmax(SlotsDraft& draft) {
  const CompileOptions& options = draft.options;
  draft.graph = with_gathered_scores(std::move(draft.graph));
  std::vector<SoftmaxForm> forms =
      options.measured ? options.measured->softmax : softmax_forms(draft.graph, options.calibration);
  guard_masks(draft, forms);
  draft.graph = with_softmax_forms(std::move(draft.graph), forms);
  if (Calibration* const record = draft.record()) record->softmax = std::move(forms);
}

}  // namespace tacit::graph::passes
