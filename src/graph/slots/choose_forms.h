#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "graph/passes/network.h"
#include "layout/layout.h"

namespace tacit::graph::passes {

/// The forms of the contractions of a network, in the order of its values.
using ContractionForms = std::vector<Contraction::Form>;

/// Sets the forms, and the levels that contractions take with them on this number of slots.
void take_forms(Network& network, const ContractionForms& forms, layout::Index slots);

/// Chooses a form for every contraction by price. Contractions with equal extents and steps take the same form, except
/// that scores and weighted sums of attention are distinguished. One group after the other takes its cheapest form, as
/// long as the price of the network falls. `price` returns infinity for forms that cannot be computed. The result is
/// empty if it does so for all.
std::optional<ContractionForms> choose_forms(const Network& network, layout::Index slots,
                                             const std::function<double(const ContractionForms&)>& price);

}  // namespace tacit::graph::passes
