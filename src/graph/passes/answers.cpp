#include "graph/passes/answers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>

namespace tacit::graph::passes {
namespace {

constexpr double kNumberTolerance = 0.01, kLargestError = 1.0 / 16;
constexpr double kNoiseDeviations = 12, kLargestNoise = 1.0 / 1024;

double share(double error, double allowed) {
  if (error == 0) return 0;
  return allowed > 0 && std::isfinite(error) ? error / allowed : std::numeric_limits<double>::infinity();
}

/// True if the client maps tensor `id` by one of `operators`, behind what only moves or casts it.
bool reaches(const Graph& after, TensorId id, const std::set<std::string>& operators) {
  static const std::set<std::string> kThrough{"Cast", "Concat", "Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"};
  return std::any_of(after.nodes.begin(), after.nodes.end(), [&](const Node& node) {
    if (std::find(node.inputs.begin(), node.inputs.end(), id) == node.inputs.end()) return false;
    return operators.contains(node.op) || (kThrough.contains(node.op) && reaches(after, node.outputs[0], operators));
  });
}

}  // namespace

Answers::Answers(const Graph& after, std::vector<std::vector<std::vector<double>>> exact) : exact_(std::move(exact)) {
  static const std::set<std::string> kSigns{"Greater", "Less", "Sigmoid", "Sign", "tacit.LinearVotes"};
  for (std::size_t o = 0; o < after.inputs.size(); ++o) {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    for (const auto& outputs : exact_)
      for (const double x : outputs[o]) {
        lowest = std::min(lowest, x);
        highest = std::max(highest, x);
      }
    const double range = std::max(highest - lowest, 0.0);
    const bool single = !exact_.empty() && exact_[0][o].size() == 1;
    const Kind kind = !single                                    ? Kind::largest
                      : reaches(after, after.inputs[o], kSigns) ? Kind::sign
                                                                : Kind::number;
    rules_.push_back({kind, range * (kind == Kind::number ? kNumberTolerance : kLargestError), range});
  }
}

double Answers::used_margin(std::size_t sample, const std::vector<std::vector<double>>& outputs) const {
  double used = 0;
  for (std::size_t o = 0; o < rules_.size(); ++o) {
    const std::vector<double>&exact = exact_[sample][o], &found = outputs[o];
    const auto best = static_cast<std::size_t>(std::max_element(exact.begin(), exact.end()) - exact.begin());
    for (std::size_t k = 0; k < exact.size(); ++k) {
      used = std::max(used, share(std::abs(found[k] - exact[k]), rules_[o].allowed));
      if (rules_[o].kind == Kind::sign) used = std::max(used, share(std::abs(found[k] - exact[k]), std::abs(exact[k])));
      if (rules_[o].kind != Kind::largest || k == best) continue;
      const double gap = exact[best] - exact[k], closed = gap - (found[best] - found[k]);
      if (closed > 0 || !std::isfinite(closed)) used = std::max(used, share(closed, gap));
    }
  }
  return used;
}

std::vector<double> Answers::allowed_noise(const std::vector<std::vector<std::vector<double>>>& outputs) const {
  std::vector<double> allowed;
  for (const Rule& rule : rules_)
    allowed.push_back(std::min(kLargestNoise * rule.range, rule.allowed / kNoiseDeviations));
  for (std::size_t s = 0; s < exact_.size(); ++s) {
    if (2 * used_margin(s, outputs[s]) >= 1) continue;
    for (std::size_t o = 0; o < rules_.size(); ++o) {
      std::vector<double> sorted = exact_[s][o];
      if (rules_[o].kind == Kind::sign) allowed[o] = std::min(allowed[o], std::abs(sorted[0]) / kNoiseDeviations);
      if (rules_[o].kind != Kind::largest || sorted.size() < 2) continue;
      std::nth_element(sorted.begin(), sorted.begin() + 1, sorted.end(), std::greater<>());
      const double gap = *std::max_element(sorted.begin(), sorted.begin() + 1) - sorted[1];
      allowed[o] = std::min(allowed[o], gap / std::sqrt(2.0) / kNoiseDeviations);  // both numbers are noisy
    }
  }
  return allowed;
}

}  // namespace tacit::graph::passes
