#include "graph/passes/emit.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/passes/operators.h"
#include "layout/diagonals.h"

namespace tacit::graph::passes {
namespace {

using layout::Layout;

params::LinearSchedule schedule_of(const layout::LinearMap& map) {
  const layout::DiagonalSet set = layout::diagonal_set(map);
  params::LinearSchedule schedule;
  for (const layout::Index d : set.diagonals) schedule.steps.push_back({d, d, 0});
  schedule.folds = set.folds;
  return schedule;
}

class Emitter {
 public:
  Emitter(const Network& network, const std::vector<Layout>& layouts, const std::string& model)
      : network_(network), layouts_(layouts), model_(model) {}

  program::Program run(const std::vector<std::string>& input_names, const std::vector<std::string>& output_names) {
    program_.name = model_;
    program_.slots = layouts_.at(0).slots();
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      const Value& value = network_.values[id];
      if (const auto* input = std::get_if<Private>(&value.operation)) {
        names_.push_back(add(value, program::Input{input_names.at(input->input)}, layouts_[id]));
      } else if (const auto* affine = std::get_if<Affine>(&value.operation)) {
        names_.push_back(emit_affine(*affine, value, layouts_[id]));
      } else if (const auto* function = std::get_if<Function>(&value.operation)) {
        const int degree = static_cast<int>(function->coefficients.size()) - 1;
        names_.push_back(add(value,
                             program::Polynomial{names_[function->input], function->coefficients,
                                                 params::PolynomialSchedule::choose(degree)},
                             layouts_[id]));
      } else {
        const auto& product = std::get<Product>(value.operation);
        names_.push_back(add(value, program::Multiply{names_[product.left], names_[product.right]}, layouts_[id]));
      }
    }
    for (std::size_t o = 0; o < network_.outputs.size(); ++o) {
      const ValueId id = network_.outputs[o];
      add(network_.values[id], program::Output{names_[id], output_names.at(o)},
          program_.instructions[names_[id]].layout);
    }
    return std::move(program_);
  }

 private:
  program::ValueId add(const Value& value, program::Operation operation, Layout layout) {
    program_.instructions.push_back({std::move(operation), std::move(layout), value.node,
                                     fmt::format("{}: {} '{}'", model_, value.op, value.node), value.range.bound(), -1,
                                     0});
    return static_cast<program::ValueId>(program_.instructions.size() - 1);
  }

  program::ValueId emit_affine(const Affine& affine, const Value& value, const Layout& layout) {
    program::Linear linear;
    for (const AffineTerm& term : affine.terms) {
      layout::LinearMap map{program_.instructions[names_[term.input]].layout, layout, term.op};
      params::LinearSchedule schedule = schedule_of(map);
      linear.terms.push_back({names_[term.input], std::move(map), std::move(schedule)});
    }
    linear.bias = affine.bias;
    return add(value, std::move(linear), layout);
  }

  const Network& network_;
  const std::vector<Layout>& layouts_;
  const std::string& model_;
  program::Program program_;
  std::vector<program::ValueId> names_;  // of the network's values
};

}  // namespace

program::Program emit(const Network& network, const std::vector<Layout>& layouts,
                      const std::vector<std::string>& input_names, const std::vector<std::string>& output_names,
                      const std::string& model) {
  return Emitter(network, layouts, model).run(input_names, output_names);
}

}  // namespace tacit::graph::passes
