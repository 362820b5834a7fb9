#include "graph/slots/tabulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/passes/graph_editor.h"
#include "graph/passes/write_out_quantisation.h"
#include "graph/quant/provenance.h"
#include "graph/slots/number_grid.h"
#include "graph/slots/slots_draft.h"

namespace tacit::graph::passes {
namespace {

constexpr std::size_t kMostPoints = std::size_t{1} << 24;
// The share of a step by which sums may be off the grid. A table of 256 entries then is off by less than 1/100 of the
// distance of two entries, and a result is rounded to the right number.
constexpr double kMostOffTable = 0x1p-9, kMostOffOutput = 0x1p-4;

bool rounds_at_server(const Graph& encrypted) {
  return std::ranges::any_of(encrypted.nodes, [](const Node& node) { return has_attribute(node, kQuantises); });
}

/// Writes a quantised network with tables in place of functions.
class Tabulator {
 public:
  explicit Tabulator(const SlotsDraft& draft)
      : network_(draft.network),
        client_(draft.parties.client.before),
        provenance_(network_),
        read_outside_(network_.values.size(), 0) {
    for (ValueId id = 0; id < network_.values.size(); ++id)
      if (!provenance_.is_region(id))
        for (const ValueId read : operands(network_.values[id])) read_outside_[read] = 1;
    for (const ValueId id : network_.outputs) read_outside_[id] = 1;
  }

  /// Returns the network, and notes the grids of its outputs.
  Network run(std::vector<std::optional<NumberGrid>>& of_outputs) {
    names_.resize(network_.values.size());
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      if (provenance_.is_region(id) && read_outside_[id] == 0) continue;  // part of a later table
      names_[id] = provenance_.is_region(id) ? add_table(id) : add_sum(id);
    }
    for (const ValueId id : network_.outputs) {
      require_on_grid(id, kMostOffOutput);
      result_.outputs.push_back(names_[id]);
      of_outputs.push_back(grids_[names_[id]]);
    }
    return std::move(result_);
  }

 private:
  ValueId add(Value value, const NumberGrid& grid) {
    value.range = {grid.step * static_cast<double>(grid.lowest), grid.step * static_cast<double>(grid.highest)};
    value.step = grid.step;
    grids_.emplace_back(grid);
    return result_.add(std::move(value));
  }

  ValueId add_sum(ValueId id) {
    Value value = renamed(network_.values[id], names_);
    if (const auto* input = std::get_if<Private>(&value.operation)) {
      const auto grid = grid_of(client_, client_.outputs.at(input->input));
      if (!grid)
        base::refuse(
            "input '{}': its numbers are not quantised before they are encrypted, and lookups in slots need multiples "
            "of a step: put a QuantizeLinear in front of the first layer, or compile with --scheme tfhe",
            value.node);
      return add(std::move(value), *grid);
    }
    const auto* affine = std::get_if<Affine>(&value.operation);
    if (affine == nullptr)
      base::refuse(
          "node '{}' ({}): a quantised network in slots has sums with constant weights and functions of them, and this "
          "is neither: compile with --scheme tfhe",
          value.node, value.op);
    const auto grid = grid_of(*affine, layout::element_count(value.shape), grids_);
    if (!grid) refuse_off_grid(value);
    return add(std::move(value), *grid);
  }

  [[noreturn]] static void refuse_off_grid(const Value& value) {
    base::refuse(
        "node '{}' ({}): its weights and its bias are not multiples of one step, so that lookups would read between "
        "entries: quantise with one scale per tensor and a bias of the scale of the products, or compile with "
        "--scheme tfhe",
        value.node, value.op);
  }
  void require_on_grid(ValueId id, double most) const {
    if (grids_[names_[id]]->off > most) refuse_off_grid(network_.values[id]);
  }

  ValueId add_table(ValueId id) {
    Value value = network_.values[id];
    const ValueId source = provenance_.source(id);
    require_on_grid(source, kMostOffTable);
    const NumberGrid grid = *grids_[names_[source]];
    const Value& sum = network_.values[source];
    if (grid.count() > params::kMostEntries)
      base::refuse(
          "node '{}' ({}): a table reads its sums, which take {} values, and tables in slots have at most {} entries: "
          "quantise with fewer bits, or compile with --scheme tfhe",
          sum.node, sum.op, grid.count(), params::kMostEntries);
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(grid.count(), params::kFewestEntries));
    const auto elements = static_cast<std::size_t>(layout::element_count(value.shape));
    if (elements > kMostPoints / count)
      base::refuse("node '{}' ({}): its {} elements have more than {} entries together; use a smaller layer",
                   value.node, value.op, elements, kMostPoints);
    std::vector<double> points;
    for (std::size_t e = 0; e < elements; ++e)
      for (std::size_t m = 0; m < count; ++m)
        points.push_back(grid.step * static_cast<double>(grid.lowest + static_cast<std::int64_t>(m)));
    const std::vector<double> numbers = quant::evaluate_region(network_, provenance_, id, points, count);
    Tabulated table{.input = names_[source],
                    .entries = {numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count)},
                    .lowest = grid.step * (static_cast<double>(grid.lowest) - 0.5),
                    .highest = grid.step * (static_cast<double>(grid.lowest) + static_cast<double>(count) - 0.5),
                    .form = params::cheaper_form(static_cast<int>(count))};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!std::isfinite(numbers[i]))
        base::refuse("node '{}' ({}): it is not finite at {:.6g}, which its sum can take; clip the sum (Clip)",
                     value.node, value.op, points[i]);
      if (numbers[i] != table.entries[i % count])
        base::refuse(
            "node '{}' ({}): its elements need different tables, and a lookup in slots has one table for all: use one "
            "scale per tensor, or compile with --scheme tfhe",
            value.node, value.op);
    }
    const auto results = grid_of(table.entries);
    if (!results)
      base::refuse(
          "node '{}' ({}): its results are not multiples of one step, so that sums of them are off the grid of the "
          "next table: quantise what it makes (QuantizeLinear), or compile with --scheme tfhe",
          value.node, value.op);
    value.operation = std::move(table);
    return add(std::move(value), *results);
  }

  const Network& network_;
  const Graph& client_;
  quant::Provenance provenance_;
  std::vector<char> read_outside_;  // by value: something reads it that is not part of its region
  Network result_;
  std::vector<ValueId> names_;
  std::vector<std::optional<NumberGrid>> grids_;  // by value of the result
};

/// Lets the client round decrypted tensors to multiples of their step.
void round_at_client(Graph& after, const std::vector<std::optional<NumberGrid>>& grids) {
  for (std::size_t o = 0; o < grids.size(); ++o) {
    const TensorId exact = after.inputs.at(o);
    const TensorInfo info = after.tensors[exact];
    const auto add_like = [&](const char* what) {
      TensorInfo made = info;
      made.name += what;
      made.integral = false;
      after.tensors.push_back(std::move(made));
      return static_cast<TensorId>(after.tensors.size() - 1);
    };
    const TensorId decrypted = add_like(".decrypted"), steps = add_like(".steps"), whole = add_like(".whole");
    const TensorId step = GraphEditor(after).constant(info.name + ".step", {{}, {grids[o]->step}, false});
    const std::vector<Node> nodes{{"Div", info.name + ".steps", {decrypted, step}, {steps}, {}},
                                  {"Round", info.name + ".whole", {steps}, {whole}, {}},
                                  {"Mul", info.name + ".rounded", {whole, step}, {exact}, {}}};
    after.nodes.insert(after.nodes.begin(), nodes.begin(), nodes.end());
    after.inputs[o] = decrypted;
  }
}

}  // namespace

bool is_quantised(const Graph& model) {
  static const std::set<std::string> kQuantisers{"QLinearConv", "QLinearMatMul", "QuantizeLinear"};
  return std::ranges::any_of(model.nodes, [](const Node& node) { return kQuantisers.contains(node.op); });
}

void tabulate(SlotsDraft& draft) {
  if (!rounds_at_server(draft.parties.encrypted)) return;
  std::vector<std::optional<NumberGrid>> of_outputs;
  Network tabulated = Tabulator(draft).run(of_outputs);
  draft.network = std::move(tabulated);
  round_at_client(draft.parties.client.after, of_outputs);
}

}  // namespace tacit::graph::passes
