#include "program/integers/rank_plan.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "program/integers/rank_needs.h"
#include "program/visit.h"

namespace tacit::integers {
namespace {

using layout::Index;
using layout::Interval;

/// Follows a program through ranks: where every ciphertext lies, what travels and how long it takes.
class RankReading {
 public:
  RankReading(const Program& program, const params::TfheParameters& parameters, std::span<const double> seconds,
              const params::Interconnect& network, Index ranks)
      : program_(program),
        makers_(program),
        seconds_(seconds),
        bytes_(parameters.ciphertext_bytes()),
        placement_(ranks),
        traffic_(network, ranks),
        holders_(program.instructions.size()),
        rounds_after_(program.instructions.size()) {}

  program::RankPlan read(double rank_bytes) {
    for (ValueId id = 0; id < program_.instructions.size(); ++id) read(id);
    program::RankPlan plan = traffic_.plan(std::accumulate(seconds_.begin(), seconds_.end(), 0.0), rank_bytes);
    rounds_.write(plan);
    return plan;
  }

 private:
  void read(ValueId id) {
    const Instruction& made = program_.value(id);
    const auto count = static_cast<Index>(elements(made));
    for (const ValueId operand : operands(made.operation))
      rounds_after_[id] = std::max(rounds_after_[id], rounds_after_[operand]);
    std::visit(
        program::Overloaded{[&](const Input&) {
                              holders_[id].assign(static_cast<std::size_t>(count), {0, 1});
                              traffic_.carry_input(static_cast<double>(count) * bytes_);
                            },
                            [&](const Linear& linear) { add_up(id, linear, weights_of(made.operation)); },
                            [&](const Lookup&) { look_up(id); },
                            [&](const Round& round) {
                              move(round.input, layout::needs_of_units(placement_, count, 1, count));
                              compute(id, count);
                              place(id, count);
                              for (int bit = 0; bit < round.dropped; ++bit)
                                rounds_after_[id] = rounds_.add(rounds_after_[id], count);
                            },
                            [&](const Output& output) {
                              std::vector<std::vector<Index>> needs(static_cast<std::size_t>(placement_.ranks()));
                              for (Index e = 0; e < count; ++e) needs[0].push_back(e);
                              move(output.input, needs);
                              traffic_.compute(0);
                              traffic_.carry_output(static_cast<double>(count) * bytes_);
                            },
                            [](const program::Validate&) {}},
        made.operation);
  }

  /// The rank with most weights takes longest.
  void add_up(ValueId id, const Linear& linear, std::span<const WeightRows> terms) {
    const auto count = static_cast<Index>(elements(program_.value(id)));
    std::vector<double> entries(static_cast<std::size_t>(placement_.ranks()));
    double all = 0;
    for (std::size_t t = 0; t < terms.size(); ++t) {
      move(linear.terms[t].input, needs_of_rows(placement_, terms[t]));
      all += static_cast<double>(terms[t].entries());
      for (Index rank = 0; rank < placement_.ranks(); ++rank) {
        const Interval own = placement_.blocks_of(rank, count);
        for (Index r = own.begin; r < own.end; ++r)
          entries[static_cast<std::size_t>(rank)] +=
              static_cast<double>(terms[t].row(static_cast<std::size_t>(r)).columns.size());
      }
    }
    traffic_.compute(all > 0 ? seconds_[id] * *std::ranges::max_element(entries) / all : 0);
    place(id, count);
  }

  void look_up(ValueId id) {
    const Bootstraps bootstraps = bootstraps_at(program_, makers_, id);
    const auto count = static_cast<Index>(bootstraps.count());
    if (count == 0) {  // made with an earlier lookup
      rounds_after_[id] = rounds_after_[makers_.of(id)];
      return;
    }
    move(std::get<Lookup>(program_.value(id).operation).input, needs_of_bootstraps(placement_, bootstraps));
    compute(id, count);
    for (const ValueId lookup : makers_.lookups(id)) holders_[lookup].resize(elements(program_.value(lookup)));
    for (Index i = 0; i < count; ++i)
      for (const auto& [lookup, element] : bootstraps.made(static_cast<std::size_t>(i)))
        holders_[lookup][element] = placement_.ranks_of(i, count);
    rounds_after_[id] = rounds_.add(rounds_after_[id], count);
  }

  void move(ValueId operand, const std::vector<std::vector<Index>>& needs) {
    traffic_.move(holders_[operand], needs, bytes_);
  }
  void compute(ValueId id, Index units) {
    traffic_.compute(seconds_[id] * static_cast<double>(placement_.largest_share(units)) / static_cast<double>(units));
  }
  void place(ValueId id, Index count) {
    for (Index e = 0; e < count; ++e) holders_[id].push_back(placement_.ranks_of(e, count));
  }

  const Program& program_;
  const Makers makers_;
  const std::span<const double> seconds_;
  const double bytes_;  ///< of a ciphertext
  const layout::Placement placement_;
  program::RankTraffic traffic_;
  program::BootstrapRounds rounds_;
  std::vector<std::vector<Interval>> holders_;  ///< by value and element
  std::vector<std::int64_t> rounds_after_;      ///< by value, the rounds of bootstraps that it follows on
};

}  // namespace

program::RankPlan plan_ranks(const Program& program, const params::TfheParameters& parameters,
                             std::span<const double> seconds, double rank_bytes, const params::Interconnect& network,
                             std::int64_t ranks) {
  return RankReading(program, parameters, seconds, network, ranks).read(rank_bytes);
}

}  // namespace tacit::integers
