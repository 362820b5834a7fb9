#include "graph/quant/border_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/random.h"

namespace tacit::graph::quant {
namespace {

/// Returns the next number above, in the format of the borders.
double above(double number, bool single) {
  return single
             ? static_cast<double>(std::nextafter(static_cast<float>(number), std::numeric_limits<float>::infinity()))
             : std::nextafter(number, std::numeric_limits<double>::infinity());
}

double in_format(double number, bool single) {
  return single ? static_cast<double>(static_cast<float>(number)) : number;
}

/// Returns a number of (below, border], in single precision if there is one, because models compare in single
/// precision.
double point_of(double below, double border) {
  const auto single = static_cast<float>(border);
  for (const float number : {single, std::nextafter(single, -std::numeric_limits<float>::infinity())})
    if (const double point = number; point > below && point <= border) return point;
  return border;
}

/// Neighbouring intervals between candidates that the program joins.
struct Segment {
  std::size_t first = 0, last = 0;  ///< intervals
  std::size_t point = 0;            ///< the interval whose answers it has
  double cost = 0;                  ///< weight of samples that go another way
};

class Merger {
 public:
  Merger(std::span<const Candidate> candidates, std::span<const double> shown) : candidates_(candidates) {
    // If there are no samples, every interval counts as a small share of one sample.
    const double unseen = 1.0 / static_cast<double>(candidates.size() + 1);
    masses_.assign(candidates.size() + 1, unseen);
    for (const double number : shown) {
      const auto at = std::ranges::lower_bound(candidates, number, {}, &Candidate::border) - candidates.begin();
      masses_[static_cast<std::size_t>(at)] += 1;
    }
  }

  std::vector<Segment> merge(std::size_t borders) const {
    std::vector<Segment> segments;
    for (std::size_t i = 0; i < masses_.size(); ++i) segments.push_back({i, i, i, 0});
    std::vector<double> added;  // by segment: loss of joining it with the next
    for (std::size_t s = 0; s + 1 < segments.size(); ++s) added.push_back(loss(segments[s], segments[s + 1]));
    while (segments.size() > borders + 1) {
      const auto at = static_cast<std::size_t>(std::ranges::min_element(added) - added.begin());
      segments[at] = joined(segments[at], segments[at + 1]);
      segments.erase(segments.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      added.erase(added.begin() + static_cast<std::ptrdiff_t>(at));
      if (at > 0) added[at - 1] = loss(segments[at - 1], segments[at]);
      if (at < added.size()) added[at] = loss(segments[at], segments[at + 1]);
    }
    return segments;
  }

 private:
  double loss(const Segment& left, const Segment& right) const {
    return joined(left, right).cost - left.cost - right.cost;
  }

  /// Joins two segments. The point is the interval at which the masses beyond the borders around it cost least.
  Segment joined(const Segment& left, const Segment& right) const {
    Segment made{left.first, right.last, left.first, 0};
    // Starts at the first interval, with the costs of borders that are left of the point or right of it.
    double right_of = 0, mass = 0;
    for (std::size_t i = made.first; i <= made.last; ++i) mass += masses_[i];
    double behind = 0;
    for (std::size_t i = made.first; i < made.last; ++i) {
      behind += masses_[i];
      right_of += candidates_[i].weight * (mass - behind);
    }
    double cost = right_of;
    made.cost = cost;
    behind = 0;
    for (std::size_t i = made.first; i < made.last; ++i) {
      behind += masses_[i];
      cost += candidates_[i].weight * (behind - (mass - behind));
      if (cost >= made.cost) continue;
      made.cost = cost;
      made.point = i + 1;
    }
    return made;
  }

  std::span<const Candidate> candidates_;
  std::vector<double> masses_;  ///< masses of samples, by interval
};

class Decoys {
 public:
  Decoys(std::span<const double> shown, bool single, const base::Digest& seed, std::uint64_t stream)
      : shown_(shown), single_(single), random_(seed, stream) {}

  void fill(std::vector<double>& borders, std::size_t count) {
    std::set<double> all(borders.begin(), borders.end());
    std::vector<double> middles;
    for (std::size_t i = 0; i + 1 < shown_.size(); ++i)
      if (shown_[i] < shown_[i + 1]) {
        const double middle = in_format(shown_[i] + (shown_[i + 1] - shown_[i]) / 2, single_);
        if (middle < shown_[i + 1] && !all.contains(middle)) middles.push_back(middle);
      }
    while (all.size() < count && !middles.empty()) {
      std::swap(middles[random_.below(middles.size())], middles.back());
      all.insert(middles.back());
      middles.pop_back();
    }
    constexpr std::size_t kTries = 64;
    const auto [lowest, width] = surroundings(borders);
    for (std::size_t i = 0; i < kTries * count && all.size() < count; ++i)
      all.insert(in_format(lowest + width * std::ldexp(static_cast<double>(random_.next() >> 11), -53), single_));
    borders.assign(all.begin(), all.end());
    while (borders.size() < count) borders.push_back(borders.back());
  }

 private:
  /// Returns the range of samples and borders, and a little more.
  std::pair<double, double> surroundings(std::span<const double> borders) const {
    constexpr double kMore = 0.05;
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    for (const std::span<const double> numbers : {shown_, borders})
      if (!numbers.empty()) {
        lowest = std::min(lowest, numbers.front());
        highest = std::max(highest, numbers.back());
      }
    if (!(lowest <= highest)) return {-1, 2};
    const double width = highest > lowest ? highest - lowest : std::max(1.0, std::abs(lowest));
    return {lowest - kMore * width, width * (1 + 2 * kMore)};
  }

  std::span<const double> shown_;
  bool single_;
  base::Csprng random_;
};

}  // namespace

ChosenBorders choose_borders(std::span<const Candidate> candidates, std::span<const double> shown, std::size_t count,
                             bool single, const base::Digest& seed, std::uint64_t stream) {
  ChosenBorders chosen;
  const auto end_of = [&](std::size_t interval) {
    return interval < candidates.size() ? candidates[interval].border : above(candidates.back().border, single);
  };
  const auto begin_of = [&](std::size_t interval) {
    return interval > 0 ? candidates[interval - 1].border : -std::numeric_limits<double>::infinity();
  };
  if (candidates.size() > count) {
    for (const Segment& segment : Merger(candidates, shown).merge(count)) {
      if (segment.last < candidates.size()) chosen.borders.push_back(candidates[segment.last].border);
      chosen.points.push_back(point_of(begin_of(segment.point), end_of(segment.point)));
    }
    return chosen;
  }
  for (const Candidate& candidate : candidates) chosen.borders.push_back(candidate.border);
  Decoys(shown, single, seed, stream).fill(chosen.borders, count);
  double below = -std::numeric_limits<double>::infinity();
  for (const double border : chosen.borders) {
    chosen.points.push_back(point_of(below, border));
    below = border;
  }
  chosen.points.push_back(above(chosen.borders.back(), single));
  return chosen;
}

}  // namespace tacit::graph::quant
