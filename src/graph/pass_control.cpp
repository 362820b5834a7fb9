#include "graph/pass_control.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "base/error.h"

namespace tacit::graph {

std::span<const OptionalPass> optional_passes() {
  static constexpr std::array kPasses{
      OptionalPass{"relu-behind-pools", "moves a Relu that only a maximum reads behind it, where fewer elements are"},
      OptionalPass{"fold", "composes neighbouring linear operators, so that a chain of them costs one level"},
      OptionalPass{"batch-products", "multiplies side by side what is multiplied one by one"},
      OptionalPass{"propagate-sharding", "offers what follows from annotated shardings to operators around them"},
      OptionalPass{"optimise-sharding", "composes reshards with the linear maps around them"},
      OptionalPass{"stretch", "gives every element of a function that scales (Relu) an interval of its own"},
      OptionalPass{"sharper-degrees", "tries a level more in every series of a network that bootstraps"},
      OptionalPass{"tight-grids", "lays feature maps without guards around them, and reads slices"},
      OptionalPass{"guarded-grids", "lays feature maps with free rows and columns around them"},
      OptionalPass{"place-by-price", "refreshes values before levels run out where that is cheaper"},
      OptionalPass{"fewer-keys", "shares rotation keys where that costs little time"},
      OptionalPass{"lower-bootstraps", "ends bootstraps at the level that what follows needs"},
      OptionalPass{"pair-bootstraps", "bootstraps two values together"},
  };
  return kPasses;
}

const PassControl& PassControl::all() {
  static const PassControl kAll;
  return kAll;
}

void check(const PassControl& passes) {
  const auto known = optional_passes() | std::views::transform(&OptionalPass::name);
  for (const std::string& name : passes.skipped)
    if (std::ranges::find(known, name) == known.end())
      base::refuse("there is no pass '{}' that may be left out; those that may: {}", name, fmt::join(known, ", "));
}

}  // namespace tacit::graph
