#include "graph/slots/optimise_sharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "graph/slots/propagate_sharding.h"
#include "graph/slots/sharded_layouts.h"
#include "layout/sharding/carried.h"

namespace tacit::graph::passes {
namespace {

using layout::ArraySharding;
using layout::Layout;

class Optimiser {
 public:
  Optimiser(Network network, layout::Index slots, const std::function<double(const layout::LinearMap&)>& price)
      : network_(std::move(network)), slots_(slots), price_(price) {}

  OptimisedSharding run() {
    for (ValueId id = 0; id < network_.values.size(); ++id)
      if (is_reshard(network_, id)) cancel(id);
    for (ValueId id = 0; id < network_.values.size(); ++id)
      if (is_reshard(network_, id) && network_.uses()[id] > 0) compose(id);
    return {without_unread(network_), decisions_.empty() ? "no reshards\n" : std::move(decisions_)};
  }

 private:
  ValueId& source(ValueId reshard) { return std::get<Affine>(network_.values[reshard].operation).terms[0].input; }

  // Shortens chains: a reshard of a reshard reads the operand of the first one.
  void cancel(ValueId reshard) {
    while (is_reshard(network_, source(reshard))) source(reshard) = source(source(reshard));
    const ValueId read = source(reshard);
    if (!layout::same_blocks(*network_.values[read].sharding, *network_.values[reshard].sharding)) return;
    redirect(reshard, read);
    decisions_ += fmt::format("%{} cancels: %{} has these blocks\n", reshard, read);
  }

  void compose(ValueId reshard) {
    const ValueId read = source(reshard);
    if (const auto readers = affine_readers(reshard)) {
      compose_with_readers(reshard, read, *readers);
    } else if (network_.uses()[read] == 1 && std::holds_alternative<Affine>(network_.values[read].operation)) {
      compose_with_maker(reshard, read);
    } else {
      decisions_ += fmt::format("%{} stays: what makes it and what reads it need their blocks\n", reshard);
    }
  }

  void redirect(ValueId from, ValueId to) {
    std::vector<ValueId> names(network_.values.size());
    for (ValueId id = 0; id < names.size(); ++id) names[id] = id == from ? to : id;
    for (Value& value : network_.values) value = renamed(value, names);
    for (ValueId& id : network_.outputs) id = names[id];
  }

  // Returns the values that read a value, if all are linear maps.
  std::optional<std::vector<ValueId>> affine_readers(ValueId read) const {
    std::vector<ValueId> readers;
    if (std::ranges::find(network_.outputs, read) != network_.outputs.end()) return std::nullopt;
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      const std::vector<ValueId> reads = operands(network_.values[id]);
      if (std::ranges::find(reads, read) == reads.end()) continue;
      if (!std::holds_alternative<Affine>(network_.values[id].operation)) return std::nullopt;
      readers.push_back(id);
    }
    return readers;
  }

  Layout layout_of(const Value& value, const std::optional<ArraySharding>& sharding) const {
    return sharding ? sharded_layouts(value.shape, *sharding, slots_).front() : Layout::row_major(value.shape, slots_);
  }

  // Returns the price of the terms of `reader` that read `read`, with `read` in these blocks.
  double price_of_reading(ValueId reader, ValueId read, const std::optional<ArraySharding>& blocks) const {
    const Value& value = network_.values[reader];
    double sum = 0;
    for (const AffineTerm& term : std::get<Affine>(value.operation).terms)
      if (term.input == read)
        sum += price_({layout_of(network_.values[read], blocks), layout_of(value, value.sharding), term.op});
    return sum;
  }

  double price_of_making(ValueId id, const std::optional<ArraySharding>& blocks) const {
    const Value& value = network_.values[id];
    double sum = 0;
    for (const AffineTerm& term : std::get<Affine>(value.operation).terms) {
      const Value& operand = network_.values[term.input];
      sum += price_({layout_of(operand, operand.sharding), layout_of(value, blocks), term.op});
    }
    return sum;
  }

  bool decide(ValueId reshard, const char* with, double composed, double apart) {
    const bool taken = composed <= apart;
    decisions_ += fmt::format("%{} composed with {}: {:.4g} s, apart {:.4g} s and a level: {}\n", reshard, with,
                              composed, apart, taken ? "composed" : "stays");
    return taken;
  }

  void compose_with_readers(ValueId reshard, ValueId read, const std::vector<ValueId>& readers) {
    const auto &before = network_.values[read].sharding, &after = network_.values[reshard].sharding;
    double composed = 0, apart = price_of_making(reshard, after);
    for (const ValueId reader : readers) {
      composed += price_of_reading(reader, reshard, before);
      apart += price_of_reading(reader, reshard, after);
    }
    if (decide(reshard, "what reads it", composed, apart)) redirect(reshard, read);
  }

  void compose_with_maker(ValueId reshard, ValueId read) {
    Value& made = network_.values[read];
    const std::optional<ArraySharding> after = network_.values[reshard].sharding;
    const double composed = price_of_making(read, after);
    const double apart = price_of_making(read, made.sharding) + price_of_making(reshard, after);
    if (!decide(reshard, "what makes it", composed, apart)) return;
    made.sharding = after;
    redirect(reshard, read);
  }

  Network network_;
  layout::Index slots_;
  const std::function<double(const layout::LinearMap&)>& price_;
  std::string decisions_;
};

}  // namespace

OptimisedSharding optimise_sharding(Network network, layout::Index slots,
                                    const std::function<double(const layout::LinearMap&)>& price) {
  return Optimiser(std::move(network), slots, price).run();
}

}  // namespace tacit::graph::passes
