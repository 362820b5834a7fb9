#pragma once

#include <span>

namespace tacit::slots {

/// Replaces every x by the sum of coefficients[k] T_k(x), by Clenshaw's recurrence (1955). |x| <= 1 gives a bounded
/// result. Without coefficients the result is 0. The result of a point does not depend on its neighbours.
void chebyshev_series_in_place(std::span<const double> coefficients, std::span<double> points);

}  // namespace tacit::slots
