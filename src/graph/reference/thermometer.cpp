#include "graph/thermometer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

/// Returns the borders of a node. Refuses those that are no grid of `elements` elements.
integers::Borders borders_of(const Call& call, std::size_t elements) {
  integers::Borders borders{reals_attribute(call.node, "borders"), integers_attribute(call.node, "missing"),
                            flag_attribute(call.node, "single")};
  if (elements == 0 || borders.missing.size() != elements || !borders.present() ||
      borders.rising.size() % elements != 0)
    call.refuse(
        fmt::format("its grid of {} borders does not fit {} features: the grid was changed; compile the model "
                    "again, or ask its owner for the client's file",
                    borders.rising.size(), elements));
  for (std::size_t e = 0; e < elements; ++e) {
    const std::span<const double> of = borders.of(e);
    const bool rises = std::ranges::is_sorted(of) && std::ranges::none_of(of, [](double x) { return std::isnan(x); });
    if (!rises || borders.missing[e] < 0 || std::cmp_greater(borders.missing[e], of.size() + 1))
      call.refuse(
          fmt::format("the grid of feature {} does not rise, or its missing values have no place on it: the "
                      "grid was changed; compile the model again, or ask its owner for the client's file",
                      e));
  }
  return borders;
}

/// Returns the bits of a node's elements. Refuses a digit that `borders` do not hold.
BoxBits bits_of(const Call& call, std::size_t borders) {
  const std::int64_t digit = integer_attribute(call.node, "digit", 0);
  if (digit != 0 && (digit < 2 || std::cmp_greater(digit, borders)))
    call.refuse(fmt::format(
        "its grid of {} borders has digits of {} boxes: the grid was changed; compile the model again, or ask "
        "its owner for the client's file",
        borders, digit));
  return {borders, static_cast<std::size_t>(digit)};
}

std::vector<Tensor> thermometer(const Call& call) {
  const Tensor& x = call.input(0);
  const integers::Borders borders = borders_of(call, x.data.size());
  const auto boxes = integers::between_borders(borders, x.data);
  const BoxBits of_element = bits_of(call, borders_of_bits(borders));
  Tensor bits{{1, static_cast<std::int64_t>(x.data.size() * of_element.count())}, {}, false};
  bits.data.reserve(x.data.size() * of_element.count());
  for (const std::int64_t box : boxes) of_element.append(static_cast<std::size_t>(box), bits.data);
  return {std::move(bits)};
}

std::vector<Tensor> grid_points(const Call& call) {
  const std::vector<double> points = reals_attribute(call.node, "points");
  const Shape shape = integers_attribute(call.node, "shape");
  const std::vector<double>& bits = call.input(0).data;
  const auto elements = static_cast<std::size_t>(element_count(shape));
  const bool fits = elements != 0 && !points.empty() && points.size() % elements == 0;
  const BoxBits of_element = bits_of(call, fits ? points.size() / elements - 1 : 0);
  const std::size_t count = of_element.count();
  if (!fits || bits.size() != elements * count)
    call.refuse(fmt::format("its grid of {} points does not fit {} bits", points.size(), bits.size()));
  Tensor features{shape, {}, false};
  for (std::size_t e = 0; e < elements; ++e) {
    const std::size_t box = of_element.box_of(std::span(bits).subspan(e * count, count));
    features.data.push_back(points[e * (of_element.borders + 1) + box]);
  }
  return {std::move(features)};
}

constexpr AttributeDeclaration kThermometer[] = {reals("borders"), integers("missing"), flag("single"),
                                                 integer("digit", 0)};
constexpr AttributeDeclaration kGridPoints[] = {reals("points"), integers("shape"), integer("digit", 0)};
constexpr Declaration kThermometerOperators[] = {
    {kThermometerOp, thermometer, 0, "x", Class::client, kThermometer},
    {kGridPointsOp, grid_points, 0, "bits", Class::client, kGridPoints},
};

}  // namespace

std::span<const Declaration> thermometer_operators() { return kThermometerOperators; }

}  // namespace tacit::graph::reference
