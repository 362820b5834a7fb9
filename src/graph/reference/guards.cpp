#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "base/private_value.h"
#include "graph/client_guards.h"
#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

/// The error of every element; null where none is given.
const Tensor* errors_of(const Call& call) {
  if (!call.has(1)) return nullptr;
  if (call.input(1).data.size() != call.input(0).data.size()) call.refuse("it needs one error per number");
  return &call.input(1);
}

std::vector<Tensor> within(const Call& call) {
  const double lowest = real_attribute(call.node, "lowest"), highest = real_attribute(call.node, "highest");
  const bool nan = integer_attribute(call.node, "nan") != 0;
  const Tensor* errors = errors_of(call);
  Tensor result = call.input(0);
  for (std::size_t e = 0; e < result.data.size(); ++e) {
    double& x = result.data[e];
    const double beyond = std::max(lowest - x, x - highest);
    if (nan && errors != nullptr && std::abs(beyond) <= errors->data[e])
      base::refuse(
          "tensor '{}': element {} is {}, and its error is {:.2g}: noise decides whether {} has a result there, which "
          "the model asks for; ask for more precise results (--bits, --precision, --scheme ckks)",
          call.node.name, e, base::private_value(x), errors->data[e], text_attribute(call.node, "source"));
    if (!(beyond > 0)) continue;
    if (nan) {
      x = std::nan("");
      continue;
    }
    if (errors != nullptr && !(beyond <= errors->data[e]))
      base::refuse(
          "tensor '{}': element {} is {}, and {} takes numbers from {:g} to {:g}: it lies farther outside than the "
          "error of the decrypted numbers explains ({:.2g}); the model has no finite answer for this input, or the "
          "input is unlike those that it was made for",
          call.node.name, e, base::private_value(x), text_attribute(call.node, "source"), lowest, highest,
          errors->data[e]);
    x = std::clamp(x, lowest, highest);
  }
  return {std::move(result)};
}

[[noreturn]] void refuse_zero(const Call& call, std::size_t element, double x, double error) {
  const std::string source = text_attribute(call.node, "source");
  if (!std::isfinite(x) || !std::isfinite(error))
    base::refuse(
        "tensor '{}': element {} is too large for a number of 64 bits, and so {} has no finite result; write the model "
        "so that nothing overflows, as Softplus in place of the logarithm of an exponential",
        call.node.name, element, source);
  if (error == 0)
    base::refuse(
        "tensor '{}': element {} is {}, and {} has no finite result there; what comes before it ran out of digits, as "
        "a Softmax does (LogSoftmax keeps them)",
        call.node.name, element, base::private_value(x), source);
  base::refuse(
      "tensor '{}': element {} is {}, and its error is {:.2g}: it cannot be told from 0, and {} would show noise; make "
      "the numbers larger, add a constant in front of {}, or ask for more precise results (--bits, --scheme ckks)",
      call.node.name, element, base::private_value(x), error, source, source);
}

std::vector<Tensor> off_zero(const Call& call) {
  const Tensor* errors = errors_of(call);
  const Tensor& x = call.input(0);
  if (errors == nullptr) return {x};
  AxisView lines{static_cast<std::int64_t>(x.data.size()), 1, 1};
  if (has_attribute(call.node, "axis") && !x.shape.empty())
    lines = axis_view(x.shape, normal_axis(call.node, integer_attribute(call.node, "axis"), x.shape.size()));
  for (std::int64_t outer = 0; outer < lines.outer; ++outer)
    for (std::int64_t inner = 0; inner < lines.inner; ++inner) {
      const auto at = [&](std::int64_t k) {
        return static_cast<std::size_t>((outer * lines.extent + k) * lines.inner + inner);
      };
      bool told = lines.extent == 0;
      for (std::int64_t k = 0; k < lines.extent; ++k) told = told || !(std::abs(x.data[at(k)]) <= errors->data[at(k)]);
      if (!told) refuse_zero(call, at(0), x.data[at(0)], errors->data[at(0)]);
    }
  return {x};
}

std::vector<Tensor> settled(const Call& call) {
  const Tensor* errors = errors_of(call);
  const Tensor& x = call.input(0);
  const double most = real_attribute(call.node, "most");
  for (std::size_t e = 0; errors != nullptr && e < x.data.size(); ++e)
    if (!(errors->data[e] <= most))
      base::refuse(
          "output '{}': element {} is {}, and moves by {:.2g} where the decrypted numbers move by their errors; the "
          "samples that the model was compiled with make it move by {:.2g} at most: noise decides this answer. Ask for "
          "more precise results (--bits, --scheme ckks), or calibrate with rows like this one",
          text_attribute(call.node, "source"), e, base::private_value(x.data[e]), errors->data[e], most);
  return {x};
}

std::vector<Tensor> one_of(const Call& call) {
  const std::vector<double> values = reals_attribute(call.node, "values");
  const Tensor& x = call.input(0);
  for (std::size_t e = 0; e < x.data.size(); ++e)
    if (std::ranges::find(values, x.data[e]) == values.end())
      base::refuse(
          "input '{}': element {} is {}, and the mask of {} holds {:g} alone: no calibration sample has other numbers "
          "there, and an encrypted answer would be wrong; give such a mask, or calibrate with samples that have this "
          "one",
          call.node.name, e, base::private_value(x.data[e]), text_attribute(call.node, "source"),
          fmt::join(values, ", "));
  return {x};
}

std::vector<Tensor> shows(const Call& call) {
  const std::vector<double> values = reals_attribute(call.node, "values");
  const std::vector<std::int64_t> at = integers_attribute(call.node, "at");
  const Tensor& x = call.input(0);
  const std::int64_t width = x.shape.empty() ? 1 : x.shape.back();
  if (std::ranges::any_of(at, [&](std::int64_t k) { return k < 0 || k >= width; }))
    call.refuse("its positions are outside a line of its input");
  for (std::size_t first = 0; first < x.data.size(); first += static_cast<std::size_t>(width)) {
    const auto is_shown = [&](std::int64_t k) {
      return std::ranges::find(values, x.data[first + static_cast<std::size_t>(k)]) != values.end();
    };
    if (std::ranges::none_of(at, is_shown))
      base::refuse(
          "input '{}': line {} of the mask hides all {} elements that a row of {} reads; no calibration sample does, "
          "and an encrypted answer would be wrong; show one of them, or leave this input out",
          call.node.name, first / static_cast<std::size_t>(width), at.size(), text_attribute(call.node, "source"));
  }
  return {x};
}

constexpr AttributeDeclaration kWithin[] = {real("lowest", -HUGE_VAL), real("highest", HUGE_VAL), text("source", ""),
                                            reals("errors"), integer("nan", 0)};
constexpr AttributeDeclaration kOffZero[] = {text("source", ""), reals("errors"), integer("axis", 0)};

constexpr AttributeDeclaration kSettled[] = {text("source", ""), reals("errors"), real("most", HUGE_VAL)};

constexpr AttributeDeclaration kOneOf[] = {text("source", ""), reals("values")};

constexpr AttributeDeclaration kShows[] = {text("source", ""), reals("values"), integers("at")};

constexpr Declaration kGuardsOperators[] = {
    {kOneOfOp, one_of, 0, "x", Class::movement, kOneOf, kKeepsOrder},
    {kShowsOp, shows, 0, "x", Class::movement, kShows, kKeepsOrder},
    {kWithinOp, within, 0, "x error?", Class::movement, kWithin, kKeepsOrder},
    {kSettledOp, settled, 0, "x error?", Class::movement, kSettled, kKeepsOrder},
    {kOffZeroOp, off_zero, 0, "x error?", Class::movement, kOffZero, kKeepsOrder},
};

}  // namespace

std::span<const Declaration> guard_operators() { return kGuardsOperators; }

}  // namespace tacit::graph::reference
