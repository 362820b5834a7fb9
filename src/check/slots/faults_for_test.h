#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "check/network_for_test.h"
#include "check/result.h"
#include "check/slots/likely_cause.h"
#include "layout/operators/combined.h"
#include "layout/sparse_rows.h"
#include "params/ckks_parameters.h"
#include "program/slots/clear_program.h"
#include "program/slots/trace.h"
#include "ring/modulus.h"
#include "runtime/slots/bench_for_test.h"
#include "runtime/slots/small_program_for_test.h"

/// Planted faults. Each makes an encrypted run go wrong at one instruction, in one way.
namespace tacit::check {

struct Fault {
  std::string name;
  Cause expected = Cause::bug;
  std::string node{};                        ///< node at which it must be found
  program::ValueId at = 0;                   ///< instruction that goes wrong
  std::optional<slots::Program> program{};   ///< program that is run instead
  std::optional<graph::Graph> graph{};       ///< model that is compared instead
  std::vector<std::vector<double>> input{};  ///< encrypted values
  std::function<void(runtime::CiphertextArray&, const params::CkksParameters&)> tamper{};  ///< changes the result
};

/// Draws places. Every draw returns none if the network has no place for its fault. A changed map changes its result by
/// more than `least_effect`, in units of the model. A weight of a pixel that is zero would change nothing.
class FaultLibrary {
 public:
  FaultLibrary(const TestNetwork& net, unsigned seed, double least_effect)
      : net_(net), least_effect_(least_effect), random_(seed) {}

  using Draw = std::optional<Fault> (FaultLibrary::*)();
  static std::vector<Draw> all() {
    return {&FaultLibrary::weight_of_one_diagonal, &FaultLibrary::rotation_off_by_one,
            &FaultLibrary::missing_rescale,        &FaultLibrary::wrong_scale_constant,
            &FaultLibrary::range_exceeded,         &FaultLibrary::bias_dropped,
            &FaultLibrary::maximum_as_average,     &FaultLibrary::flipped_limb_bit,
            &FaultLibrary::bootstrap_out_of_range};
  }

  std::optional<Fault> weight_of_one_diagonal() {
    return linear("a weight changed in one diagonal", Cause::bug, [&](slots::Linear& linear) {
      slots::LinearTerm& term = linear.terms[pick(linear.terms.size())];
      const layout::SparseRows rows = layout::SparseRows::of(*term.map.op);
      std::vector<double> weights = rows.weights();
      weights[pick(weights.size())] += largest_magnitude(weights);
      // The map keeps its diagonals, so that their plan and the keys stay valid.
      term.map.op = std::make_shared<layout::SparseRows>(rows.in_shape(), rows.out_shape(), rows.row_begin(),
                                                         rows.columns(), std::move(weights));
      return true;
    });
  }

  /// One diagonal of a map reads the slot next to the right one.
  std::optional<Fault> rotation_off_by_one() {
    return linear("a rotation off by one", Cause::bug, [&](slots::Linear& linear) {
      slots::LinearTerm& term = linear.terms[pick(linear.terms.size())];
      const layout::SparseRows rows = layout::SparseRows::of(*term.map.op);
      const layout::Layout &in = term.map.in, &out = term.map.out;
      std::map<std::pair<layout::Index, layout::Index>, layout::Index> element;
      for (layout::Index e = 0; e < layout::element_count(in.shape()); ++e) {
        const layout::Position at = in.position_of(e);
        element[{at.ciphertext, at.slot}] = e;
      }
      const layout::Index period = std::min(in.period(), out.period());
      const auto diagonal = [&](layout::Index row, layout::Index column) {
        const layout::Index d = in.position_of(column).slot - out.position_of(row).slot;
        return ((d % period) + period) % period;
      };
      const auto chosen_row = static_cast<layout::Index>(pick(rows.row_begin().size() - 1));
      layout::RowEntries right;
      rows.append_row(chosen_row, right);
      if (right.size() == 0) return false;
      const layout::Index wrong = diagonal(chosen_row, right.columns[0]);
      term.map.op = std::make_shared<layout::SparseRows>(
          rows.in_shape(), rows.out_shape(), [&](layout::Index row, layout::RowEntries& entries) {
            right.clear();
            rows.append_row(row, right);
            for (std::size_t k = 0; k < right.size(); ++k) {
              layout::Index column = right.columns[k];
              if (diagonal(row, column) == wrong) {
                const layout::Position at = in.position_of(column);
                const auto next = element.find({at.ciphertext, (at.slot + 1) % in.slots()});
                if (next == element.end()) continue;  // padding: zero
                column = next->second;
              }
              entries.add(column, right.weights[k]);
            }
          });
      term.schedule = runtime::schedule_of(term.map);
      return true;
    });
  }

  std::optional<Fault> wrong_scale_constant() {
    return linear("a wrong scale constant", Cause::scale, [&](slots::Linear& linear) {
      for (slots::LinearTerm& term : linear.terms)
        term.map.op = layout::scaled(term.map.op, layout::RepeatedReals(kWrongConstant));
      if (linear.bias) linear.bias = linear.bias->times(layout::RepeatedReals(kWrongConstant), 1);
      return true;
    });
  }

  std::optional<Fault> bias_dropped() {
    return linear("a bias dropped", Cause::bug, [](slots::Linear& linear) {
      if (!linear.bias) return false;
      linear.bias.reset();
      return true;
    });
  }

  /// The result stays multiplied by the prime that a rescale removes.
  std::optional<Fault> missing_rescale() {
    const auto places =
        where([&](const slots::Instruction& i) { return slots::depth(i.operation) > 0 && i.level >= 1; });
    return tampered("a missing rescale", Cause::scale, places,
                    [](runtime::CiphertextArray& array, const params::CkksParameters& p) {
                      for (scheme::ckks::Ciphertext& c : array)
                        multiply(c, p, p.q()[static_cast<std::size_t>(c.level) + 1]);
                    });
  }

  std::optional<Fault> flipped_limb_bit() {
    const auto places = where([](const slots::Instruction&) { return true; });
    const std::uint64_t word = random_(), bit = pick(30), limb = random_();
    return tampered(
        "a flipped limb bit", Cause::bug, places, [=](runtime::CiphertextArray& array, const params::CkksParameters&) {
          scheme::ckks::Ciphertext& c = array.front();
          c.c0.limb_span(limb % (static_cast<std::size_t>(c.level) + 1))[word % c.c0.n()] ^= std::uint64_t{1} << bit;
        });
  }

  /// Inputs drive the argument of one polynomial to 1.1, and no earlier argument beyond 1.
  std::optional<Fault> range_exceeded() {
    Fault fault{.name = "a range exceeded by 10 %", .expected = Cause::range};
    double factor = 1;
    for (int step = 0; step < 400; ++step, factor *= 1.02) {
      fault.input = net_.input;
      for (auto& tensor : fault.input)
        for (double& x : tensor) x *= factor;
      const slots::ClearProgram clear(net_.model.program);
      double exceeded = 0;  // by the first polynomial with an argument outside its interval
      clear.run(
          fault.input, [&](program::ValueId id, const slots::SlotArray&, std::span<const program::ArrayPtr> reads) {
            const auto& instruction = net_.model.program.value(id);
            const auto* polynomial = std::get_if<slots::Polynomial>(&instruction.operation);
            if (!polynomial || exceeded > 0) return;
            const double largest = largest_magnitude(
                slots::unpack_period(net_.model.program.value(polynomial->input).layout, slots::slots_of(reads[0])));
            if (largest <= 1) return;
            exceeded = largest;
            // An addend of a series with guards belongs to the function.
            const auto next = id + 1 < net_.model.program.instructions.size() ? id + 1 : id;
            const auto* added = std::get_if<slots::AddPlain>(&net_.model.program.value(next).operation);
            fault.at = added && added->input == id ? next : id;
            fault.node = instruction.node;
          });
      if (exceeded >= 1.1) return fault;
    }
    return std::nullopt;
  }

  /// Values grow beyond the calibrated ones, in the model and in the program. A bootstrap reads more than its sine
  /// carries.
  std::optional<Fault> bootstrap_out_of_range() {
    std::vector<program::ValueId> places;
    for (const program::ValueId id : where([](const slots::Instruction& instruction) {
           return std::holds_alternative<slots::Bootstrap>(instruction.operation);
         }))
      if (std::holds_alternative<slots::Linear>(net_.model.program.value(fed(id)).operation)) places.push_back(id);
    if (places.empty()) return std::nullopt;
    Fault fault{.name = "a bootstrap fed out-of-range values",
                .expected = Cause::range,
                .program = net_.model.program,
                .graph = net_.model.encrypted,
                .input = net_.input};
    fault.at = places[pick(places.size())];
    fault.node = net_.model.program.value(fault.at).node;
    const program::ValueId grown = fed(fault.at);
    const double growth = far_out(fault.at) / largest_magnitude(in_the_clear(net_.model.program, grown));
    const program::Meaning& meaning = net_.model.meanings[grown];
    auto& linear = std::get<slots::Linear>(fault.program->instructions[grown].operation);
    for (slots::LinearTerm& term : linear.terms)
      term.map.op = layout::scaled(term.map.op, layout::RepeatedReals(growth));
    std::vector<double> bias =
        linear.bias.value_or(layout::RepeatedReals(0)).expanded(layout::element_count(linear.terms[0].map.out.shape()));
    for (double& b : bias) b = growth * (b - meaning.offset) + meaning.offset;
    linear.bias = layout::RepeatedReals::of(bias);
    multiply_tensor(*fault.graph, meaning.tensor, growth);
    return fault;
  }

  /// The model computes maxima, and the program averages.
  std::optional<Fault> maximum_as_average() {
    Fault fault{.name = "a maximum computed as an average", .graph = net_.model.encrypted, .input = net_.input};
    std::vector<std::size_t> pools;
    for (std::size_t n = 0; n < net_.model.encrypted.nodes.size(); ++n)
      if (net_.model.encrypted.nodes[n].op == "AveragePool") pools.push_back(n);
    if (pools.empty()) return std::nullopt;
    graph::Node& pool = fault.graph->nodes[pools[pick(pools.size())]];
    pool.op = "MaxPool";
    pool.attributes.erase("count_include_pad");
    // The fault is found at the first value that is computed from the pool.
    std::vector<char> behind(net_.model.encrypted.tensors.size(), 0);
    behind[pool.outputs[0]] = 1;
    for (const graph::Node& node : net_.model.encrypted.nodes)
      for (const graph::TensorId read : node.inputs)
        if (read != graph::kNoTensor && behind[read])
          for (const graph::TensorId made : node.outputs) behind[made] = 1;
    for (program::ValueId id = 0; id < net_.model.program.instructions.size(); ++id)
      for (std::size_t t = 0; t < behind.size(); ++t)
        if (behind[t] && net_.model.meanings[id].tensor == net_.model.encrypted.tensors[t].name) {
          fault.at = id;
          fault.node = net_.model.program.value(id).node;
          return fault;
        }
    return std::nullopt;
  }

 private:
  static constexpr double kWrongConstant = 1.0625;
  static constexpr int kAttempts = 16;

  program::ValueId fed(program::ValueId bootstrap) const {
    return std::get<slots::Bootstrap>(net_.model.program.value(bootstrap).operation).inputs[0];
  }

  // The result of a folded bootstrap is invertible up to a quarter of its ratio. A linear bootstrap is off much
  // earlier.
  double far_out(program::ValueId bootstrap) const {
    const auto& schedule = std::get<slots::Bootstrap>(net_.model.program.value(bootstrap).operation).schedule;
    return schedule.form == params::BootstrapForm::folded ? 0.4 * schedule.ratio() : 16;
  }

  std::vector<double> in_the_clear(const slots::Program& program, program::ValueId wanted) const {
    std::vector<double> elements;
    slots::ClearProgram(program).run(
        net_.input, [&](program::ValueId id, const slots::SlotArray& value, std::span<const program::ArrayPtr>) {
          if (id == wanted) elements = slots::unpack_period(program.value(id).layout, value);
        });
    return elements;
  }

  static void multiply_tensor(graph::Graph& graph, const std::string& name, double factor) {
    const auto add_tensor = [&](const std::string& suffix, const graph::Shape& shape) {
      graph.tensors.push_back({name + suffix, shape, false, -1});
      return static_cast<graph::TensorId>(graph.tensors.size() - 1);
    };
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
      for (graph::TensorId& made : graph.nodes[n].outputs) {
        if (made == graph::kNoTensor || graph.tensors[made].name != name) continue;
        const graph::TensorId tensor = made, small = made = add_tensor(".small", graph.tensors[tensor].shape);
        const graph::TensorId constant = add_tensor(".growth", {1});
        graph.tensors[constant].constant = static_cast<std::int64_t>(graph.constants.size());
        graph.constants.push_back({{1}, {factor}, false});
        graph.nodes.insert(graph.nodes.begin() + static_cast<std::ptrdiff_t>(n) + 1,
                           {"Mul", name + ".grown", {small, constant}, {tensor}, {}});
        return;
      }
  }

  static void multiply(scheme::ckks::Ciphertext& c, const params::CkksParameters& parameters, std::uint64_t factor) {
    for (auto* half : {&c.c0, &c.c1})
      for (std::size_t limb = 0; limb <= static_cast<std::size_t>(c.level); ++limb) {
        const ring::Modulus q(parameters.q()[limb]);
        for (std::uint64_t& word : half->limb_span(limb)) word = q.mul(word, factor % q.value());
      }
  }

  std::size_t pick(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  template <class Wanted>
  std::vector<program::ValueId> where(const Wanted& wanted) const {
    std::vector<program::ValueId> places;
    for (program::ValueId id = 0; id < net_.model.program.instructions.size(); ++id) {
      const slots::Instruction& instruction = net_.model.program.value(id);
      if (!slots::arrives(net_.model.program, id) && !std::holds_alternative<slots::Output>(instruction.operation) &&
          !net_.model.meanings[id].tensor.empty() && wanted(instruction))
        places.push_back(id);
    }
    return places;
  }

  template <class Change>
  std::optional<Fault> linear(const char* name, Cause expected, const Change& change) {
    const auto places =
        where([](const slots::Instruction& i) { return std::holds_alternative<slots::Linear>(i.operation); });
    if (places.empty()) return std::nullopt;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      Fault fault{.name = name, .expected = expected, .program = net_.model.program, .input = net_.input};
      fault.at = places[pick(places.size())];
      fault.node = net_.model.program.value(fault.at).node;
      if (change(std::get<slots::Linear>(fault.program->instructions[fault.at].operation)) &&
          effect(fault) > least_effect_)
        return fault;
    }
    return std::nullopt;
  }

  /// Returns the change at the fault of a changed program, in units of the model.
  double effect(const Fault& fault) const {
    const std::vector<double> right = in_the_clear(net_.model.program, fault.at),
                              wrong = in_the_clear(*fault.program, fault.at);
    const std::vector<double>& factors = net_.model.meanings[fault.at].factors;
    double largest = 0;
    for (std::size_t e = 0; e < right.size(); ++e)
      largest = std::max(largest, std::abs((wrong[e] - right[e]) / factors[factors.size() == 1 ? 0 : e]));
    return largest;
  }

  template <class Tamper>
  std::optional<Fault> tampered(const char* name, Cause expected, const std::vector<program::ValueId>& places,
                                const Tamper& tamper) {
    if (places.empty()) return std::nullopt;
    Fault fault{.name = name, .expected = expected, .input = net_.input};
    fault.at = places[pick(places.size())];
    fault.node = net_.model.program.value(fault.at).node;
    fault.tamper = tamper;
    return fault;
  }

  const TestNetwork& net_;
  double least_effect_;
  std::mt19937 random_;
};

}  // namespace tacit::check
