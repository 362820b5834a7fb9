#include "program/rank_plan.h"

#include <algorithm>
#include <cstddef>

namespace tacit::program {

RankTraffic::RankTraffic(const params::Interconnect& network, layout::Index ranks)
    : network_(network),
      in_(static_cast<std::size_t>(ranks)),
      out_(static_cast<std::size_t>(ranks)),
      received_(static_cast<std::size_t>(ranks)) {
  plan_.ranks = ranks;
}

void RankTraffic::move(const std::vector<layout::Interval>& holders, const Needs& needs, double bytes) {
  for (const layout::Transfer& transfer : layout::transfers(holders, needs)) {
    in_[static_cast<std::size_t>(transfer.to)] += bytes;
    out_[static_cast<std::size_t>(transfer.from)] += bytes;
  }
}

void RankTraffic::compute(double seconds) {
  double fullest = 0;
  for (std::size_t rank = 0; rank < in_.size(); ++rank) {
    fullest = std::max({fullest, in_[rank], out_[rank]});
    received_[rank] += in_[rank];
    plan_.sent_bytes += out_[rank];
    in_[rank] = out_[rank] = 0;
  }
  if (fullest > 0) {
    ++plan_.exchanges;
    plan_.waiting_seconds += network_.seconds(fullest);
    plan_.seconds += network_.seconds(fullest);
  }
  plan_.seconds += seconds;
}

RankPlan RankTraffic::plan(double alone_seconds, double rank_bytes) const {
  RankPlan plan = plan_;
  plan.rank_bytes = rank_bytes;
  plan.received_bytes = *std::ranges::max_element(received_);
  if (plan.seconds > 0) plan.efficiency = alone_seconds / (static_cast<double>(plan.ranks) * plan.seconds);
  const auto others = static_cast<double>(plan.ranks - 1);
  plan.apart_seconds =
      alone_seconds + network_.seconds(others * input_bytes_) + network_.seconds(others * output_bytes_);
  if (plan.apart_seconds > 0) plan.apart_efficiency = alone_seconds / plan.apart_seconds;
  return plan;
}

std::int64_t BootstrapRounds::add(std::int64_t before, std::int64_t ciphertexts) {
  const auto round = static_cast<std::size_t>(before);
  if (widths_.size() <= round) widths_.resize(round + 1);
  widths_[round] += ciphertexts;
  return before + 1;
}

void BootstrapRounds::write(RankPlan& plan) const {
  plan.bootstrap_rounds = static_cast<std::int64_t>(widths_.size());
  for (const std::int64_t width : widths_) plan.widest_round = std::max(plan.widest_round, width);
}

}  // namespace tacit::program
