#pragma once

#include <vector>

namespace tacit::params {

/// Even Chebyshev coefficients c_0, 0, c_2, … of cos(2 pi range x / 2^double_angles) on [-1, 1], for arguments u =
/// range x within `width` of the points I - 1/4, |I| <= overflow, only: there the largest error after the angle is
/// doubled is as small as the degree allows. Weighted least squares with Lawson's weights (Lawson 1961; Ellacott,
/// Williams 1976), in long double. degree even; range >= overflow + 1/4 + width.
std::vector<double> fit_cosine(int degree, int double_angles, int overflow, double range, double width);

}  // namespace tacit::params
