#pragma once

#include <array>
#include <cstdint>

namespace tacit::ring {

/// The largest value of the rounded Gaussian, floor(6 * 3.19).
inline constexpr int kGaussianTail = 19;

/// Entry k is floor(2^64 P(x < k + 1 - 19)) for the Gaussian of deviation 3.19 (kNoiseSigma), rounded to integers and
/// restricted to [-19, 19]. The entries are literals: functions of `long double` differ between machines, and equal
/// seeds give equal keys on all of them. tests/bits/gaussian_table_test.py computes the table in 100 digits.
inline constexpr std::array<std::uint64_t, 2 * kGaussianTail> kGaussianTable = {
    0x0000000c31558fe0, 0x000000563e19eaef, 0x000001ee28913475, 0x000009e4584a91a7, 0x00002df9b8e38030,
    0x0000c24ffad3a73c, 0x0002eb72233bf9fa, 0x000a3a5cc08b5b1e, 0x0020a68e39b6b41d, 0x005f0de1c5aabb8f,
    0x00fc97cbe0867f83, 0x02655b2b54838942, 0x0552c30ec79ee596, 0x0ad6e407c8e18133, 0x1444a9664229a463,
    0x22e35a9603c1b334, 0x3773a5313702924c, 0x51b07af089472659, 0x700ebe1cfdcbe92d, 0x8ff141e3023416d2,
    0xae4f850f76b8d9a6, 0xc88c5acec8fd6db3, 0xdd1ca569fc3e4ccb, 0xebbb5699bdd65b9c, 0xf5291bf8371e7ecc,
    0xfaad3cf138611a69, 0xfd9aa4d4ab7c76bd, 0xff0368341f79807c, 0xffa0f21e3a554470, 0xffdf5971c6494be2,
    0xfff5c5a33f74a4e1, 0xfffd148ddcc40605, 0xffff3db0052c58c3, 0xffffd206471c7fcf, 0xfffff61ba7b56e58,
    0xfffffe11d76ecb8a, 0xffffffa9c1e61510, 0xfffffff3ceaa701f,
};

}  // namespace tacit::ring
