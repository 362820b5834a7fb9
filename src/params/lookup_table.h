#pragma once

#include <complex>
#include <span>
#include <vector>

#include "params/bootstrap_schedule.h"

namespace tacit::params {

/// The entries that a table may have in a form. Half: 2 to 32. Whole: 2 to 256.
inline constexpr int kFewestEntries = 2, kMostHalfEntries = 32, kMostEntries = 256;
constexpr int most_entries(BootstrapForm form) { return form == BootstrapForm::half ? kMostHalfEntries : kMostEntries; }

/// Returns the argument of an entry: entry m of p is at (2 m + 1) / p - 1, the middle of the m-th of p equal parts of
/// [-1, 1].
double entry_argument(int entry, int entries);

/// Returns the series of a table. It is Fejer's positive kernel (Fejer 1904) on the circle of the arguments. So the
/// function is a blend of entries between them, and has slope 0 at every entry. The result has one of two forms:
/// - half: the real Chebyshev coefficients of a series in sin(pi x / 2), of degree 2 p - 1.
/// - whole: the coefficients c_k of Re(sum of c_k v^k) with v = exp(i pi x), of degree p - 1.
std::vector<std::complex<double>> table_series(BootstrapForm form, std::span<const double> table);

/// Returns the function that a lookup of the table computes, at any argument x. It is table[m] at the argument of entry
/// m, and stays between the smallest and the largest entry. For an argument that is e of the distance between two
/// entries away from an entry, it differs from the entry by at most 3.29 e^2 times the range of the table. In half form
/// arguments beyond [-1, 1] are mirrored at its ends. In whole form they count modulo 2.
double look_up(BootstrapForm form, std::span<const std::complex<double>> series, double x);

}  // namespace tacit::params
