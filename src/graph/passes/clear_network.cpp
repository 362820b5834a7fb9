#include "graph/passes/clear_network.h"

#include "base/error.h"
#include "graph/passes/operator_rows.h"
#include "program/client_interface.h"

namespace tacit::graph::passes {
namespace {

std::vector<double> evaluate_affine(const Affine& affine, const std::vector<std::vector<double>>& values) {
  std::vector<double> result = affine.bias;
  for (const AffineTerm& term : affine.terms) {
    const std::vector<double> part = apply(*term.op, values[term.input]);
    if (result.empty()) result.assign(part.size(), 0.0);
    for (std::size_t i = 0; i < part.size(); ++i) result[i] += part[i];
  }
  return result;
}

std::vector<double> evaluate_series(const Function& function, const std::vector<double>& input) {
  std::vector<double> result(input.size());
  for (std::size_t i = 0; i < input.size(); ++i)
    result[i] = approximate::evaluate(function.coefficients, (2 * input[i] - function.lowest - function.highest) /
                                                                 (function.highest - function.lowest));
  return result;
}

}  // namespace

std::vector<std::vector<double>> evaluate(const Network& network, const std::vector<Tensor>& inputs, bool by_series) {
  std::vector<std::vector<double>> values;
  for (const Value& value : network.values) {
    if (const auto* input = std::get_if<Private>(&value.operation)) {
      if (input->input >= inputs.size() || inputs[input->input].shape != value.shape)
        throw base::InputError("calibration data: a sample does not have one tensor of the model's shape for '" +
                               value.node + "'");
      values.push_back(program::in_units(input->units, inputs[input->input].data));
    } else if (const auto* affine = std::get_if<Affine>(&value.operation)) {
      values.push_back(evaluate_affine(*affine, values));
    } else if (const auto* function = std::get_if<Function>(&value.operation)) {
      values.push_back(by_series && !function->coefficients.empty()
                           ? evaluate_series(*function, values[function->input])
                           : function->function(values[function->input]));
    } else {
      const auto& product = std::get<Product>(value.operation);
      std::vector<double> result = values[product.left];
      for (std::size_t i = 0; i < result.size(); ++i) result[i] *= values[product.right][i];
      values.push_back(std::move(result));
    }
  }
  return values;
}

}  // namespace tacit::graph::passes
