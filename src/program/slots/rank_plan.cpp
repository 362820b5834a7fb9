#include "program/slots/rank_plan.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "layout/diagonals.h"
#include "layout/placement.h"
#include "params/account.h"
#include "program/array.h"
#include "program/slots/cost.h"
#include "program/slots/unit_prices.h"
#include "program/visit.h"

namespace tacit::slots {
namespace {

using layout::Index;
using layout::Interval;
using layout::Placement;

/// Follows a program through ranks: where every ciphertext lies, what travels and how long it takes.
class RankReading {
 public:
  RankReading(const Program& program, const params::CkksLiteral& literal, const params::CostTable& table,
              const params::Interconnect& network, Index ranks)
      : program_(program),
        prices_(literal, table),
        account_(literal),
        traffic_(network, ranks),
        placement_(ranks),
        whole_(price(program, literal, table)),
        holders_(program.instructions.size()),
        weight_bytes_(static_cast<std::size_t>(ranks)) {}

  RankPlan read() {
    for (ValueId id = 0; id < program_.instructions.size(); ++id) read(id);
    const double values = value_bytes(program_, account_, base::thread_limit(), placement_);
    RankPlan plan = traffic_.plan(whole_.seconds, whole_.memory.keys + whole_.memory.transforms +
                                                      *std::ranges::max_element(weight_bytes_) + values);
    count_bootstraps(plan);
    return plan;
  }

 private:
  using Needs = std::vector<std::vector<Index>>;

  double share(Index rank, Index units) const {
    return static_cast<double>(placement_.blocks_of(rank, units).size()) / static_cast<double>(units);
  }

  void move(const std::vector<Interval>& holders, const Needs& needs, int level) {
    traffic_.move(holders, needs, account_.ciphertext_bytes(level));
  }
  /// The results of units of `each` ciphertexts lie where they are computed.
  void place(ValueId id, Index units, Index each) {
    for (Index i = 0; i < program_.value(id).layout.ciphertexts(); ++i)
      holders_[id].push_back(placement_.ranks_of(i / each, units));
  }

  /// An instruction whose every result reads `each` consecutive ciphertexts of its operands.
  void read_units(ValueId id, Index each) {
    const Instruction& instruction = program_.value(id);
    const Index units = instruction.layout.ciphertexts();
    std::vector<ValueId> reads = operands(instruction.operation);
    reads.erase(std::ranges::unique(reads).begin(), reads.end());
    for (const ValueId operand : reads)
      move(holders_[operand], layout::needs_of_units(placement_, units, each, units * each),
           operand_level(instruction));
    place(id, units, 1);
    traffic_.compute(whole_.instructions[id].seconds * static_cast<double>(placement_.largest_share(units)) /
                     static_cast<double>(units));
  }

  void read_linear(ValueId id, const Linear& linear) {
    const Instruction& instruction = program_.value(id);
    const int level = operand_level(instruction);
    const Index outputs = instruction.layout.ciphertexts();
    const LinearPrices prices = prices_.operations().linear(level);
    std::vector<double> seconds(static_cast<std::size_t>(placement_.ranks()));
    double all_weights = 0;
    std::vector<double> weights(static_cast<std::size_t>(placement_.ranks()));
    for (const LinearTerm& term : linear.terms) {
      const auto inputs = layout::inputs_of_outputs(term.map);
      const Needs needs = layout::needs_of_units(placement_, inputs);
      move(holders_[term.input], needs, level);
      const layout::DiagonalCount diagonals = term.diagonals ? *term.diagonals : layout::diagonal_set(term.map).count;
      double blocks = 0;
      for (const auto& list : inputs) blocks += static_cast<double>(list.size());
      for (Index rank = 0; rank < placement_.ranks(); ++rank) {
        const auto r = static_cast<std::size_t>(rank);
        const Interval own = placement_.blocks_of(rank, outputs);
        double own_blocks = 0;
        for (Index j = own.begin; j < own.end; ++j)
          own_blocks += static_cast<double>(inputs[static_cast<std::size_t>(j)].size());
        LinearCounts counts = count(term.schedule, diagonals, static_cast<Index>(needs[r].size()), own.size());
        counts.products =
            blocks > 0 ? static_cast<std::int64_t>(static_cast<double>(diagonals.products) * own_blocks / blocks) : 0;
        seconds[r] += params::total(counts, prices);
        weights[r] += static_cast<double>(counts.products) * diagonals.density;
      }
      all_weights += static_cast<double>(diagonals.products) * diagonals.density;
    }
    place(id, outputs, 1);
    const double sums = static_cast<double>(static_cast<Index>(linear.terms.size()) - 1) *
                        prices_.seconds(Unit::add, instruction.level) *
                        static_cast<double>(placement_.largest_share(outputs));
    traffic_.compute(*std::ranges::max_element(seconds) + sums);
    if (all_weights > 0)
      for (std::size_t r = 0; r < weights.size(); ++r)
        weight_bytes_[r] += std::min(1.0, weights[r] / all_weights) * whole_.instructions[id].weight_bytes;
  }

  /// Reads bootstraps, or lookups of `tables` tables, of some values. `price` is the price of so many ciphertexts.
  template <class Price>
  void read_pairs(ValueId id, std::span<const ValueId> inputs, int input_level, Index tables, const Price& price) {
    const Index count = program_.value(id).layout.ciphertexts() / tables, pairs = (count + 1) / 2;
    std::vector<Interval> holders;
    for (const ValueId input : inputs) holders.insert(holders.end(), holders_[input].begin(), holders_[input].end());
    move(holders, layout::needs_of_units(placement_, pairs, 2, count), input_level);
    place(id, pairs, 2 * tables);
    double longest = 0;
    for (Index rank = 0; rank < placement_.ranks(); ++rank) {
      const Interval own = placement_.blocks_of(rank, pairs);
      longest = std::max(longest, price(std::min(2 * own.end, count) - 2 * own.begin));
    }
    traffic_.compute(longest);
  }

  void read(ValueId id) {
    const Instruction& instruction = program_.value(id);
    const double bytes =
        static_cast<double>(instruction.layout.ciphertexts()) * account_.ciphertext_bytes(instruction.level);
    std::visit(program::Overloaded{
                   [&](const Input&) {
                     holders_[id].assign(static_cast<std::size_t>(instruction.layout.ciphertexts()), {0, 1});
                     traffic_.carry_input(bytes / 2);  // the uniform half of a fresh ciphertext travels as its seed
                   },
                   [&](const Output& output) {
                     Needs needs(static_cast<std::size_t>(placement_.ranks()));
                     for (Index i = 0; i < instruction.layout.ciphertexts(); ++i) needs[0].push_back(i);
                     move(holders_[output.input], needs, instruction.level);
                     traffic_.compute(0);
                     traffic_.carry_output(bytes);
                   },
                   [&](const Validate&) {},
                   [&](const Gather& gather) {
                     for (const GatherPart& part : gather.parts) {
                       program::View view;
                       view.offset = part.offset;
                       for (std::size_t d = 0; d < part.extents.size(); ++d)
                         view.add_dimension(part.extents[d], part.strides[d]);
                       for (Index i = 0; i < view.count(); ++i)
                         holders_[id].push_back(holders_[part.input][static_cast<std::size_t>(view.at(i))]);
                     }
                   },
                   [&](const Linear& linear) { read_linear(id, linear); },
                   [&](const Bootstrap& bootstrap) {
                     read_pairs(id, bootstrap.inputs, bootstrap.schedule.input_level, 1, [&](Index count) {
                       return prices_.operations().bootstraps(bootstrap.schedule, count);
                     });
                   },
                   [&](const Lookup& lookup) {
                     const auto tables = static_cast<Index>(lookup.tables.size());
                     read_pairs(id, lookup.inputs, lookup.schedule.input_level(), tables, [&](Index count) {
                       return prices_.operations().lookups(lookup.schedule, tables, count);
                     });
                   },
                   [&](const Multiply& product) { read_units(id, product.terms); },
                   [&](const AddPlain&) {
                     read_units(id, 1);
                     for (std::size_t rank = 0; rank < weight_bytes_.size(); ++rank)
                       weight_bytes_[rank] += share(static_cast<Index>(rank), instruction.layout.ciphertexts()) *
                                              whole_.instructions[id].weight_bytes;
                   },
                   [&](const MultiplyPlain& product) {
                     read_units(id, product.terms);
                     for (double& held : weight_bytes_) held += whole_.instructions[id].weight_bytes;  // all factors
                   },
                   [&](const Sum& sum) { read_units(id, sum.terms); }, [&](const auto&) { read_units(id, 1); }},
               instruction.operation);
  }

  void count_bootstraps(RankPlan& plan) const {
    std::vector<std::int64_t> rounds(program_.instructions.size());
    program::BootstrapRounds all;
    for (ValueId id = 0; id < program_.instructions.size(); ++id) {
      const Instruction& instruction = program_.instructions[id];
      for (const ValueId operand : operands(instruction.operation)) rounds[id] = std::max(rounds[id], rounds[operand]);
      if (bootstrap_of(instruction.operation)) rounds[id] = all.add(rounds[id], instruction.layout.ciphertexts());
    }
    all.write(plan);
  }

  const Program& program_;
  UnitPrices prices_;
  params::Account account_;
  program::RankTraffic traffic_;
  Placement placement_;
  ProgramCost whole_;
  std::vector<std::vector<Interval>> holders_;  ///< by value and ciphertext
  std::vector<double> weight_bytes_;
};

}  // namespace

RankPlan plan_ranks(const Program& program, const params::CkksLiteral& literal, const params::CostTable& table,
                    const params::Interconnect& network, std::int64_t ranks) {
  return RankReading(program, literal, table, network, ranks).read();
}

}  // namespace tacit::slots
