#pragma once

/// The parts of decrypted results that people without the key may see.

#include <optional>

namespace tacit {

/// The parts of decrypted results that others will see. Numbers for others are flooded with noise and rounded, so that
/// they say nothing about the secret key (IND-CPA-D; Li, Micciancio, Schultz, Sorrell 2022). Numbers on integers are
/// only rounded: they are refused if noise decides a part of them.
struct Disclosure {
  std::optional<int> bits{};     ///< numbers for others, as multiples of 2^-bits
  double statistical_bits = 30;  ///< s, 20 to 80: all shared results of n numbers diverge from noiseless ones by at
                                 ///< most n / (24 * 2^s) (Kullback, Leibler). On integers, noise changes any of them
                                 ///< with probability 2^-s at most
  double decryptions = 1024;     ///< 1 to 2^40: the most results under one key that are ever shared
  bool labels = false;           ///< labels for others, and no numbers
};

}  // namespace tacit
