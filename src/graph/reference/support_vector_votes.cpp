#include "graph/reference/support_vector_votes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graph/declaration.h"
#include "graph/reference/estimators.h"

namespace tacit::graph::reference {
namespace {

/// The class with most votes, the first among equals.
std::size_t winner(const double* decisions, std::size_t classes) {
  std::vector<std::size_t> votes(classes, 0);
  for (std::size_t i = 0; i < classes; ++i) {
    for (std::size_t j = i + 1; j < classes; ++j) ++votes[*decisions++ > 0 ? i : j];
  }
  return static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
}

/// Probabilities p of the classes from r[i][j], the probability of i among i and j: the minimum of the sum over all
/// pairs of (r[j][i] p[i] - r[i][j] p[j])^2 among p that add up to 1 (Wu, Lin and Weng, 2004, second approach). Its
/// fixed-point iteration stops where LIBSVM stops, for a further step would change digits that others report.
std::vector<double> couple(const std::vector<double>& r, std::size_t classes) {
  constexpr int kMostSteps = 100;
  const double tolerance = 0.005 / static_cast<double>(classes);
  std::vector<double> p(classes, 1 / static_cast<double>(classes)), q(classes * classes, 0.0), qp(classes);
  for (std::size_t i = 0; i < classes; ++i) {
    for (std::size_t j = 0; j < classes; ++j) {
      if (j == i) continue;
      q[i * classes + i] += r[j * classes + i] * r[j * classes + i];
      q[i * classes + j] = -r[j * classes + i] * r[i * classes + j];
    }
  }
  for (int step = 0; step < kMostSteps; ++step) {
    double pqp = 0, worst = 0;
    for (std::size_t i = 0; i < classes; ++i) {
      qp[i] = 0;
      for (std::size_t j = 0; j < classes; ++j) qp[i] += q[i * classes + j] * p[j];
      pqp += p[i] * qp[i];
    }
    for (const double value : qp) worst = std::max(worst, std::abs(value - pqp));
    if (worst < tolerance) break;
    // One coordinate moves at a time; then all are scaled to add up to 1 again.
    for (std::size_t i = 0; i < classes; ++i) {
      const double* row = q.data() + i * classes;
      const double move = (pqp - qp[i]) / row[i], scale = 1 / (1 + move);
      pqp = (pqp + move * (move * row[i] + 2 * qp[i])) * scale * scale;
      p[i] += move;
      for (std::size_t j = 0; j < classes; ++j) {
        qp[j] = (qp[j] + move * row[j]) * scale;
        p[j] *= scale;
      }
    }
  }
  return p;
}

/// Platt's sigmoid of every pair's decision, and the classes' probabilities from those.
std::vector<double> probabilities(const double* decisions, std::size_t classes, const std::vector<double>& a,
                                  const std::vector<double>& b) {
  constexpr double kLeast = 1e-7;
  std::vector<double> r(classes * classes, 0.0);
  for (std::size_t i = 0, pair = 0; i < classes; ++i) {
    for (std::size_t j = i + 1; j < classes; ++j, ++pair) {
      const double first = 1 / (1 + std::exp(decisions[pair] * a[pair] + b[pair]));
      r[i * classes + j] = std::clamp(first, kLeast, 1 - kLeast);
      r[j * classes + i] = 1 - r[i * classes + j];
    }
  }
  return couple(r, classes);
}

std::vector<Tensor> from_pairs(const Call& call, const ClassLabels& labels, PostTransform kind,
                               const Tensor& decisions) {
  const std::size_t classes = labels.size(), pairs = classes * (classes - 1) / 2;
  const std::vector<double> a = reals_attribute(call.node, "prob_a"), b = reals_attribute(call.node, "prob_b");
  if (a.size() != b.size() || (!a.empty() && a.size() != pairs))
    call.refuse(
        fmt::format("prob_a and prob_b hold {} and {} values for {} pairs of classes", a.size(), b.size(), pairs));
  std::vector<std::size_t> best;
  const auto batch = static_cast<std::size_t>(decisions.shape[0]);
  for (std::size_t row = 0; row < batch; ++row) best.push_back(winner(decisions.data.data() + row * pairs, classes));
  if (a.empty() && classes == 2) return {labels.at(best), two_columns(call, kind, true, decisions)};
  Tensor scores = decisions;
  if (!a.empty()) {
    scores = call.zeros({decisions.shape[0], static_cast<std::int64_t>(classes)});
    for (std::size_t row = 0; row < batch; ++row) {
      const std::vector<double> p = probabilities(decisions.data.data() + row * pairs, classes, a, b);
      std::copy(p.begin(), p.end(), scores.data.begin() + static_cast<std::ptrdiff_t>(row * classes));
    }
  }
  transform_scores(kind, scores);
  return {labels.at(best), std::move(scores)};
}

/// The largest score wins. Of two classes without probabilities ONNX Runtime takes the second wherever the largest
/// score, whosever it is, passes a threshold.
std::vector<Tensor> from_classes(const Call& call, const ClassLabels& labels, PostTransform kind,
                                 const Tensor& decisions) {
  const std::size_t classes = labels.size();
  const bool positive = flag_attribute(call.node, "positive_weights");
  const bool by_threshold = classes == 2 && reals_attribute(call.node, "prob_a").empty();
  std::vector<std::size_t> best;
  for (std::size_t row = 0; row < static_cast<std::size_t>(decisions.shape[0]); ++row) {
    const double* first = decisions.data.data() + row * classes;
    const double* largest = std::max_element(first, first + classes);
    const bool passes = positive ? *largest >= 0.5 : *largest > 0;
    best.push_back(by_threshold && passes ? 1 : static_cast<std::size_t>(largest - first));
  }
  Tensor scores = decisions;
  transform_scores(kind, scores);
  return {labels.at(best), std::move(scores)};
}

std::vector<Tensor> votes(const Call& call) { return support_vector_votes(call, call.input(0)); }

constexpr AttributeDeclaration kVotes[] = {integers("classlabels_ints"),
                                           texts("classlabels_strings"),
                                           text("decisions", "pairs", "pairs, classes"),
                                           flag("positive_weights"),
                                           kPostTransform[0],
                                           reals("prob_a"),
                                           reals("prob_b")};

constexpr Declaration kOperators[] = {
    {kSupportVectorVotes, votes, 0, "decisions -> labels scores", Class::client, kVotes},
};

}  // namespace

std::map<std::string, Attribute> support_vector_votes_attributes(const Node& classifier) {
  std::map<std::string, Attribute> attributes;
  for (const char* name : {"classlabels_ints", "classlabels_strings", "prob_a", "prob_b", "post_transform"}) {
    const auto found = classifier.attributes.find(name);
    if (found != classifier.attributes.end()) attributes.insert(*found);
  }
  const std::vector<double> weights = reals_attribute(classifier, "coefficients");
  const bool positive = std::all_of(weights.begin(), weights.end(), [](double weight) { return weight >= 0; });
  const bool pairs = !integers_attribute(classifier, "vectors_per_class").empty();
  attributes["decisions"] = std::string(pairs ? "pairs" : "classes");
  attributes["positive_weights"] = std::int64_t{positive ? 1 : 0};
  return attributes;
}

std::vector<Tensor> support_vector_votes(const Call& call, const Tensor& decisions) {
  const ClassLabels labels = class_labels(call);
  const PostTransform kind = post_transform_of(call);
  const std::string form = text_attribute(call.node, "decisions");
  const auto classes = static_cast<std::int64_t>(labels.size());
  const std::int64_t columns = form == "pairs" ? classes * (classes - 1) / 2 : classes;
  if (decisions.shape.size() != 2 || decisions.shape[1] != columns)
    call.refuse(fmt::format("decisions of shape {} do not fit {} classes: [batch, {}] are needed",
                            to_text(decisions.shape), classes, columns));
  return form == "pairs" ? from_pairs(call, labels, kind, decisions) : from_classes(call, labels, kind, decisions);
}

std::span<const Declaration> support_vector_votes_operators() { return kOperators; }

}  // namespace tacit::graph::reference
