#include "graph/reference/support_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/reference/estimators.h"

namespace tacit::graph::reference {
namespace {

enum class KernelKind : std::uint8_t { linear, polynomial, radial, sigmoid };

struct Kernel {
  KernelKind kind = KernelKind::linear;
  double gamma = 0, offset = 0, degree = 0;

  double operator()(const double* a, const double* b, std::int64_t count) const {
    double sum = 0;
    if (kind == KernelKind::radial) {
      for (std::int64_t i = 0; i < count; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
      return std::exp(-gamma * sum);
    }
    for (std::int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
    if (kind == KernelKind::linear) return sum;
    const double scaled = gamma * sum + offset;
    return kind == KernelKind::sigmoid ? std::tanh(scaled) : std::pow(scaled, degree);
  }
};

Kernel kernel_function(const Call& call) {
  Kernel kernel;
  kernel.kind = choice_attribute<KernelKind>(call.node, "kernel_type");
  if (kernel.kind == KernelKind::linear) return kernel;
  const std::vector<double> values = reals_attribute(call.node, "kernel_params");
  if (values.size() != 3)
    call.refuse(fmt::format("kernel_params holds {} values; gamma, coef0 and degree are needed", values.size()));
  kernel.gamma = values[0];
  kernel.offset = values[1];
  kernel.degree = values[2];
  return kernel;
}

/// Support vectors as rows, and the kernel between them and a row of the input.
struct SupportVectors {
  Kernel kernel;
  std::int64_t count = 0, features = 0;
  std::vector<double> values;

  std::vector<double> kernels(const double* row) const {
    std::vector<double> result(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
      result[static_cast<std::size_t>(i)] = kernel(row, values.data() + i * features, features);
    return result;
  }
};

SupportVectors support_vectors(const Call& call, std::int64_t count, std::int64_t features) {
  SupportVectors vectors{kernel_function(call), count, features, reals_attribute(call.node, "support_vectors")};
  const auto size = static_cast<std::int64_t>(vectors.values.size());
  if (size % features != 0 || size / features != count)
    call.refuse(
        fmt::format("support_vectors holds {} values, not those of {} vectors of {} features", size, count, features));
  return vectors;
}

std::vector<std::int64_t> vectors_of_classes(const Call& call) {
  constexpr std::int64_t kMostVectors = std::int64_t{1} << 28;
  std::vector<std::int64_t> counts = integers_attribute(call.node, "vectors_per_class");
  std::int64_t total = 0;
  for (const std::int64_t count : counts) {
    if (count < 0 || count > kMostVectors - total)
      call.refuse(fmt::format("vectors_per_class {} do not add up to [0, 2^28]", to_text(counts)));
    total += count;
  }
  return counts;
}

/// [batch, pairs]. The coefficients have a row less than there are classes: a vector of class i meets the class j in
/// row j - 1 where i < j, and in row j otherwise.
Tensor pair_decisions(const Call& call, const std::vector<std::int64_t>& counts) {
  const FeatureRows rows = feature_rows(call);
  const std::size_t classes = counts.size(), pairs = classes * (classes - 1) / 2;
  std::vector<std::size_t> starts(classes + 1, 0);
  for (std::size_t i = 0; i < classes; ++i) starts[i + 1] = starts[i] + static_cast<std::size_t>(counts[i]);
  const std::size_t total = starts[classes];
  const std::vector<double> coefficients = reals_attribute(call.node, "coefficients");
  const std::vector<double> rho = reals_attribute(call.node, "rho");
  if (rho.size() != pairs)
    call.refuse(fmt::format("rho holds {} values for the {} pairs of {} classes", rho.size(), pairs, classes));
  if (coefficients.size() != (classes - 1) * total)
    call.refuse(fmt::format("{} coefficients do not fit {} support vectors of {} classes", coefficients.size(), total,
                            classes));
  const SupportVectors vectors = support_vectors(call, static_cast<std::int64_t>(total), rows.features);
  Tensor result = call.zeros({rows.count, static_cast<std::int64_t>(pairs)});
  double* out = result.data.data();
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const std::vector<double> kernels = vectors.kernels(rows.row(row));
    const auto weighted = [&](std::size_t of, std::size_t against) {
      const double* weights = coefficients.data() + against * total;
      return std::inner_product(weights + starts[of], weights + starts[of + 1], kernels.data() + starts[of], 0.0);
    };
    for (std::size_t i = 0, pair = 0; i < classes; ++i) {
      for (std::size_t j = i + 1; j < classes; ++j, ++pair) *out++ = rho[pair] + weighted(i, j - 1) + weighted(j, i);
    }
  }
  return result;
}

/// [batch, classes]: the form without support vectors. The first rho counts for all, and the kernel is not looked at.
Tensor class_decisions(const Call& call) {
  return linear_scores(call, [&](std::size_t classes) {
    const std::vector<double> rho = reals_attribute(call.node, "rho");
    if (rho.empty()) call.refuse("it has no rho, the constant of its scores");
    return std::vector<double>(classes, rho[0]);
  });
}

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

/// Labels [batch] and scores from decisions [batch, pairs or classes], by the attributes of call.node. Scores are
/// [batch, classes], but [batch, pairs] for more than two classes without probabilities.
std::vector<Tensor> decision_votes(const Call& call, const Tensor& decisions) {
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

std::vector<Tensor> votes_of_decisions(const Call& call) { return decision_votes(call, call.input(0)); }

std::vector<Tensor> classifier(const Call& call) {
  const std::vector<std::int64_t> counts = vectors_of_classes(call);
  Node tail{kSupportVectorVotes, call.node.name, {}, call.node.outputs, support_vector_votes_attributes(call.node)};
  if (!counts.empty() && reals_attribute(call.node, "support_vectors").empty())
    call.refuse("it states vectors_per_class without support_vectors");
  return decision_votes(Call{tail, call.inputs, call.graph, call.most_elements},
                        counts.empty() ? class_decisions(call) : pair_decisions(call, counts));
}

/// Without support vectors the coefficients weigh the features themselves. ONNX Runtime applies no post_transform to
/// the one score, whatever is stated, so that none is applied here.
std::vector<Tensor> regressor(const Call& call) {
  const FeatureRows rows = feature_rows(call);
  const std::vector<double> coefficients = reals_attribute(call.node, "coefficients");
  const std::vector<double> rho = reals_attribute(call.node, "rho");
  const std::int64_t count = integer_attribute(call.node, "n_supports");
  const auto expected = count == 0 ? rows.features : count;
  if (count < 0 || static_cast<std::int64_t>(coefficients.size()) != expected)
    call.refuse(fmt::format("{} coefficients do not fit {} support vectors of {} features", coefficients.size(), count,
                            rows.features));
  if (rho.empty()) call.refuse("it has no rho, the constant of its score");
  const SupportVectors vectors = support_vectors(call, count, rows.features);
  const bool one_class = flag_attribute(call.node, "one_class");
  Tensor result = call.zeros({rows.count, 1});
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const double* in = rows.row(row);
    const std::vector<double> kernels = count == 0 ? std::vector<double>(in, in + rows.features) : vectors.kernels(in);
    const double score = std::inner_product(kernels.begin(), kernels.end(), coefficients.begin(), rho[0]);
    result.data[static_cast<std::size_t>(row)] = !one_class ? score : score > 0 ? 1 : -1;
  }
  return {std::move(result)};
}

constexpr AttributeDeclaration kLabels[] = {integers("classlabels_ints"), texts("classlabels_strings"), reals("prob_a"),
                                            reals("prob_b")};
constexpr AttributeDeclaration kMachine[] = {
    reals("coefficients"), reals("kernel_params"), text("kernel_type", "LINEAR", "LINEAR, POLY, RBF, SIGMOID"),
    kPostTransform[0],     reals("rho"),           reals("support_vectors")};
constexpr auto kDecisionVotes =
    joined(kLabels, kPostTransform, {text("decisions", "pairs", "pairs, classes"), flag("positive_weights")});
constexpr auto kMachineClassifier = joined(kLabels, kMachine, {integers("vectors_per_class")});
constexpr auto kMachineRegressor = joined(kMachine, {integer("n_supports", 0), flag("one_class")});

constexpr Declaration kSupportVectorsOperators[] = {
    {kSupportVectorVotes, votes_of_decisions, 0, "decisions -> labels scores", Class::client, kDecisionVotes},
    {"ai.onnx.ml.SVMClassifier", classifier, 1, "x -> labels scores", Class::written_out, kMachineClassifier, kRowWise,
     "kernels of products, squares and functions; the client votes and labels",
     "sums and tables of kernels; the client votes and labels"},
    {"ai.onnx.ml.SVMRegressor", regressor, 1, "x", Class::written_out, kMachineRegressor, kRowWise,
     "kernels of products, squares and functions", "sums and tables of kernels"},
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

std::span<const Declaration> support_vector_operators() { return kSupportVectorsOperators; }

}  // namespace tacit::graph::reference
