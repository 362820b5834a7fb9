#pragma once

#include <vector>

namespace tacit::params {

/// Returns the even Chebyshev coefficients c_0, 0, c_2, … of cos(2 pi range x / 2^double_angles) on [-1, 1]. The fit is
/// for arguments u = range x within `width` of the points I - 1/4 with |I| <= overflow only. There the largest error
/// after the angle is doubled, divided by its tolerance, is as small as the degree allows. The tolerance is 1 for |I|
/// <= likely, and 4 times larger for each overflow beyond: rare overflows may have larger errors. The method is
/// weighted least squares with Lawson's weights, in long double (Lawson 1961; Ellacott, Williams 1976). `degree` is
/// even, range
/// >= overflow + 1/4 + width, and 0 <= likely <= overflow.
std::vector<double> fit_cosine(int degree, int double_angles, int overflow, int likely, double range, double width);

/// Returns the Chebyshev coefficients of cos(2 pi range x / 2^double_angles) on [-1, 1], up to `degree`: even. With
/// `sines`, the odd coefficients between them are those of the sine of the same angle. The series is cut off and not
/// fitted, because all arguments count alike. Its coefficients fall faster than a factorial.
std::vector<double> turn_series(int degree, int double_angles, double range, bool sines);

}  // namespace tacit::params
