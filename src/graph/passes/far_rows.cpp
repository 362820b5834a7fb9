#include "graph/passes/far_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "graph/passes/clear_network.h"

namespace tacit::graph::passes {
namespace {

constexpr std::size_t kFewestRows = 20;
/// The share of the rows that may be far. The tail that shows how heavy an element's tail is has the same share.
constexpr std::size_t kTwentieth = 20;
constexpr std::size_t kFewestOfTail = 5;
/// The gap between neighbours of a tail has, as a logarithm, an exponential distribution. A gap of this many means
/// happens about once in a thousand elements.
constexpr double kTails = 7;

/// The ranges of every row of a value, by element or channel.
class RowRanges {
 public:
  RowRanges(const Value& value, std::size_t rows, bool apart) : rows_(rows) {
    constexpr std::size_t kMost = std::size_t{1} << 20;
    const auto elements = static_cast<std::size_t>(layout::element_count(value.shape));
    channels_ = value.shape.size() > 2;
    inner_ = 1;
    for (std::size_t d = 2; d < value.shape.size(); ++d) inner_ *= static_cast<std::size_t>(value.shape[d]);
    groups_ = channels_ ? static_cast<std::size_t>(value.shape[1]) : elements;
    if (!apart || groups_ * rows > kMost) groups_ = 1, inner_ = std::max<std::size_t>(1, elements), channels_ = false;
    ranges_.resize(groups_ * rows, Range{HUGE_VAL, -HUGE_VAL});
  }

  bool channels() const { return channels_; }
  std::size_t groups() const { return groups_; }
  std::span<const Range> group(std::size_t g) const { return std::span(ranges_).subspan(g * rows_, rows_); }

  /// Notes all numbers of one row.
  void note(std::size_t row, std::span<const double> numbers) {
    for (std::size_t e = 0; e < numbers.size(); ++e) note(ranges_[group_of(e) * rows_ + row], numbers[e]);
  }
  /// Notes the numbers of some rows side by side. Rows of different blocks may be noted at once.
  void note(const SampleRun::BlockOfValue& block) {
    for (std::size_t e = 0; e < block.numbers.size() / kLanes; ++e) {
      Range* const rows = &ranges_[group_of(e) * rows_ + block.first];
      for (std::size_t lane = 0; lane < block.samples; ++lane) note(rows[lane], block.numbers[e * kLanes + lane]);
    }
  }

 private:
  std::size_t group_of(std::size_t element) const { return element / inner_ % groups_; }
  static void note(Range& range, double x) {
    range.lowest = std::min(range.lowest, x);
    range.highest = std::max(range.highest, x);
  }

  std::size_t rows_, groups_ = 1, inner_ = 1;
  bool channels_ = false;
  std::vector<Range> ranges_;
};

/// The ranges by value. None if nothing was noted.
using Seen = std::vector<std::optional<RowRanges>>;

Seen of_inputs(const Network& network, const std::vector<std::vector<Tensor>>& samples) {
  Seen seen(network.values.size());
  for (ValueId id = 0; id < network.values.size(); ++id)
    if (const auto* input = std::get_if<Private>(&network.values[id].operation)) {
      seen[id].emplace(network.values[id], samples.size(), true);
      for (std::size_t s = 0; s < samples.size(); ++s) seen[id]->note(s, samples[s].at(input->input).data);
    }
  return seen;
}

Seen of_values(const Network& network, std::size_t samples) {
  Seen seen(network.values.size());
  const std::vector<char> apart = told_apart(network);
  for (ValueId id = 0; id < network.values.size(); ++id)
    if (!std::holds_alternative<Private>(network.values[id].operation))
      seen[id].emplace(network.values[id], samples, apart[id] != 0);
  return seen;
}

double farthest(const Range& range, const Range& others) {
  return range.highest - others.highest > others.lowest - range.lowest ? range.highest : range.lowest;
}

double factor_of(Range range, const Range& others) {
  range.include(others);
  return range.width() / others.width();
}

/// A group of rows that are far together, with a description of each.
struct Together {
  std::vector<FarRow> rows;  // `row` is the index of the sample
  double factor = 0;
};

std::vector<Together> find(const Network& network, const Seen& seen,
                           const std::optional<std::pair<double, double>>& known) {
  std::vector<Together> found;
  for (ValueId id = 0; id < network.values.size(); ++id) {
    if (!seen[id]) continue;
    const bool is_known = known && std::holds_alternative<Private>(network.values[id].operation);
    for (std::size_t g = 0; g < seen[id]->groups(); ++g) {
      const FarGroup far = far_group(seen[id]->group(g));
      Together together;
      for (const std::size_t row : far.rows) {
        const Range& range = seen[id]->group(g)[row];
        if (is_known && range.lowest >= known->first && range.highest <= known->second) continue;
        together.rows.push_back({static_cast<std::int64_t>(row), network.values[id].node, static_cast<std::int64_t>(g),
                                 seen[id]->channels(), farthest(range, far.others), far.others,
                                 factor_of(range, far.others), false});
        together.factor = std::max(together.factor, together.rows.back().factor);
      }
      if (!together.rows.empty()) found.push_back(std::move(together));
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &Together::factor);
  return found;
}

class Trimming {
 public:
  Trimming(const Network& network, std::vector<std::vector<Tensor>>& samples, const CalibrationTrim& trim,
           std::int64_t first)
      : network_(network), samples_(samples), most_(most_set_aside(trim, samples.size())), first_(first) {
    numbers_.resize(samples.size());
    std::iota(numbers_.begin(), numbers_.end(), std::size_t{0});
  }

  /// Sets far rows aside. Returns false if there were none.
  bool trim(const Seen& seen, const std::optional<std::pair<double, double>>& known) {
    std::set<std::size_t> taken;  // by position in `samples_`
    for (const Together& together : find(network_, seen, known)) {
      std::set<std::size_t> with = taken;
      for (const FarRow& far : together.rows) with.insert(static_cast<std::size_t>(far.row));
      if (aside_.size() + with.size() <= most_ && with.size() < samples_.size()) taken = with;
      for (FarRow far : together.rows) {
        const std::size_t number = numbers_[static_cast<std::size_t>(far.row)];
        far.row = first_ + static_cast<std::int64_t>(number);
        staying_.try_emplace(number, far);
      }
    }
    for (auto at = taken.rbegin(); at != taken.rend(); ++at) {  // the last first, so that positions stay valid
      const auto place = static_cast<std::ptrdiff_t>(*at);
      aside_.push_back(staying_.at(numbers_[*at]));
      aside_.back().set_aside = true;
      staying_.erase(numbers_[*at]);
      set_aside_.push_back(std::move(samples_[*at]));
      samples_.erase(samples_.begin() + place);
      numbers_.erase(numbers_.begin() + place);
    }
    return !taken.empty();
  }

  const std::vector<std::size_t>& numbers() const { return numbers_; }

  /// Returns by sample that is left whether it is far. Empty if none is.
  std::vector<char> stays_far() const {
    std::vector<char> far;
    if (!staying_.empty())
      for (const std::size_t number : numbers_) far.push_back(staying_.contains(number) ? 1 : 0);
    return far;
  }

  FarRows far(const Network& calibrated) const {
    FarRows result{aside_, {}};
    for (const auto& [number, row] : staying_) result.rows.push_back(row);
    std::ranges::sort(result.rows, {}, &FarRow::row);
    if (set_aside_.empty()) return result;
    const std::vector<char> apart = told_apart(calibrated);
    std::vector<Range> with(calibrated.values.size());
    for (const std::vector<Tensor>& sample : set_aside_)
      SampleRun(calibrated, {&sample, 1}, Functions::exact).each_value([&](const SampleRun::BlockOfValue& block) {
        for (const double x : block.numbers)
          if (std::isfinite(x)) with[block.id].include(x);
      });
    for (ValueId id = 0; id < calibrated.values.size(); ++id) {
      const Value& value = calibrated.values[id];
      if (apart[id] == 0 || !value.range.known()) continue;
      with[id].include(value.range);
      const RangeWithFarRows range{value.node, value.range, with[id]};
      if (range.factor() >= 2) result.ranges.push_back(range);
    }
    std::ranges::stable_sort(result.ranges, std::ranges::greater(), &RangeWithFarRows::factor);
    constexpr std::size_t kShown = 16;
    result.ranges.resize(std::min(kShown, result.ranges.size()));
    return result;
  }

 private:
  const Network& network_;
  std::vector<std::vector<Tensor>>& samples_;
  std::size_t most_;
  std::int64_t first_;
  std::vector<std::size_t> numbers_;       // of the samples that are left
  std::map<std::size_t, FarRow> staying_;  // far rows that stay, by number
  std::vector<FarRow> aside_;
  std::vector<std::vector<Tensor>> set_aside_;
};

}  // namespace

FarGroup far_group(std::span<const Range> rows) {
  const std::size_t n = rows.size();
  if (n < kFewestRows) return {};
  std::vector<double> middles;
  for (const Range& row : rows) {
    if (!std::isfinite(row.lowest) || !std::isfinite(row.highest) || !row.known()) return {};
    middles.push_back(row.lowest / 2 + row.highest / 2);
  }
  const auto half = static_cast<std::ptrdiff_t>(n / 2);
  std::nth_element(middles.begin(), middles.begin() + half, middles.end());
  const double middle = middles[n / 2];
  std::vector<std::pair<double, std::size_t>> by_distance;
  for (std::size_t i = 0; i < n; ++i)
    by_distance.emplace_back(std::max(rows[i].highest - middle, middle - rows[i].lowest), i);
  std::ranges::sort(by_distance, std::ranges::greater());

  const std::size_t most = n / kTwentieth, tail = std::max(kFewestOfTail, n / kTwentieth);
  Range others;
  for (std::size_t i = most; i < n; ++i) others.include(rows[by_distance[i].second]);
  for (std::size_t m = most; m > 0; --m) {  // rows [0, m) are tried; others holds the rest
    const double next = by_distance[m].first, far = by_distance[m - 1].first;
    // If most rows are the same, the other rows determine how far is far.
    const bool varies = by_distance[m + (n - m) / 5].first > 0;
    const std::size_t last = varies ? m + tail : m + kFewestOfTail - 1;
    if (by_distance[last].first > 0 && others.width() > 1e-9 * others.bound() &&
        factor_of(rows[by_distance[m - 1].second], others) >= (varies ? kFarFactor : kFarFactorOfRare)) {
      double heaviness = 0;
      for (std::size_t i = m; i < last; ++i)
        heaviness += std::log(by_distance[i].first / by_distance[last].first) / static_cast<double>(last - m);
      if (std::log(far / next) > kTails * heaviness) {
        FarGroup group{{}, others};
        for (std::size_t i = 0; i < m; ++i) group.rows.push_back(by_distance[i].second);
        return group;
      }
    }
    others.include(rows[by_distance[m - 1].second]);
  }
  return {};
}

OrdinaryCalibration calibrate_on_ordinary(Network& network, std::vector<std::vector<Tensor>>& samples,
                                          const CalibrationTrim& trim, std::int64_t first,
                                          const std::optional<std::pair<double, double>>& known,
                                          base::Progress& progress, SampleReading reading) {
  constexpr int kRounds = 4;
  if (samples.size() < kFewestRows) return {calibrate(network, samples, progress, reading), {}, {}};
  Trimming trimming(network, samples, trim, first);
  for (int round = 0; round < kRounds; ++round)
    if (!trimming.trim(of_inputs(network, samples), known)) break;
  for (int round = 0;; ++round) {
    Network tried = network;
    Seen seen = of_values(tried, samples.size());
    reading.numbers = trimming.numbers();
    reading.also = [&](const SampleRun::BlockOfValue& block) {
      if (seen[block.id]) seen[block.id]->note(block);
    };
    Calibrated calibrated = calibrate(tried, samples, progress, reading);
    if (round < kRounds && trimming.trim(seen, known)) continue;
    network = std::move(tried);
    return {std::move(calibrated), trimming.far(network), trimming.stays_far()};
  }
}

}  // namespace tacit::graph::passes
