#pragma once

#include <array>
#include <cstdint>
#include <utility>

/// The S-box of AES as a circuit. The inverse in GF(2^8) is computed in a tower of quadratic extensions (Rijmen 2000):
/// - GF(4) = GF(2)[w] / (w^2 + w + 1)
/// - GF(16) = GF(4)[z] / (z^2 + z + w)
/// - GF(256) = GF(16)[y] / (y^2 + y + kNu)
/// The upper half of an element's bits is the coefficient of the generator.
namespace tacit::base::tower {

/// A linear map of 8 bits: bit j of row i says that input j is added to output i.
using Map = std::array<std::uint8_t, 8>;

constexpr unsigned times4(unsigned a, unsigned b) {
  const unsigned low = a & b & 1, high = (a >> 1) & (b >> 1) & 1;
  const unsigned cross = ((a >> 1) ^ a) & ((b >> 1) ^ b) & 1;
  return (cross ^ low) << 1 | (low ^ high);
}
constexpr unsigned times16(unsigned a, unsigned b) {
  constexpr unsigned kW = 2;
  const unsigned low = times4(a & 3, b & 3), high = times4(a >> 2, b >> 2);
  const unsigned cross = times4((a >> 2) ^ (a & 3), (b >> 2) ^ (b & 3));
  return (cross ^ low) << 2 | (low ^ times4(kW, high));
}

/// An element of GF(16) for which y^2 + y + kNu is irreducible: its trace is 1.
constexpr unsigned smallest_of_trace_one() {
  for (unsigned nu = 1; nu < 16; ++nu) {
    unsigned trace = 0, power = nu;
    for (int i = 0; i < 4; ++i) {
      trace ^= power;
      power = times16(power, power);
    }
    if (trace == 1) return nu;
  }
  return 0;
}
inline constexpr unsigned kNu = smallest_of_trace_one();

constexpr unsigned times256(unsigned a, unsigned b) {
  const unsigned low = times16(a & 15, b & 15), high = times16(a >> 4, b >> 4);
  const unsigned cross = times16((a >> 4) ^ (a & 15), (b >> 4) ^ (b & 15));
  return (cross ^ low) << 4 | (low ^ times16(kNu, high));
}

/// The image of AES's x: a root of x^8 + x^4 + x^3 + x + 1.
constexpr unsigned root_of_aes() {
  for (unsigned r = 2; r < 256; ++r) {
    unsigned power = 1, sum = 0;
    for (int i = 0; i <= 8; ++i) {
      if (0x11B >> i & 1) sum ^= power;
      power = times256(power, r);
    }
    if (sum == 0) return r;
  }
  return 0;
}

/// The map whose column j is columns[j].
constexpr Map map_of(const std::array<unsigned, 8>& columns) {
  Map map{};
  for (unsigned i = 0; i < 8; ++i)
    for (unsigned j = 0; j < 8; ++j) map[i] = static_cast<std::uint8_t>(map[i] | (columns[j] >> i & 1) << j);
  return map;
}
constexpr unsigned image(const Map& map, unsigned element) {
  unsigned result = 0;
  for (unsigned i = 0; i < 8; ++i) {
    unsigned parity = map[i] & element;
    parity ^= parity >> 4;
    parity ^= parity >> 2;
    parity ^= parity >> 1;
    result |= (parity & 1) << i;
  }
  return result;
}

/// Returns the map from AES's field to the tower.
constexpr Map to_tower() {
  std::array<unsigned, 8> columns{};
  const unsigned root = root_of_aes();
  unsigned power = 1;
  for (unsigned& column : columns) {
    column = power;
    power = times256(power, root);
  }
  return map_of(columns);
}
inline constexpr Map kToTower = to_tower();

/// Returns the map from the tower to AES's field, followed by the linear part of the S-box: b_i + b_(i+4) + b_(i+5) +
/// b_(i+6) + b_(i+7).
constexpr Map to_aes_and_affine() {
  std::array<unsigned, 8> columns{};
  for (unsigned element = 0; element < 256; ++element) {
    const unsigned there = image(kToTower, element);
    for (unsigned j = 0; j < 8; ++j) {
      if (there != 1u << j) continue;
      for (unsigned i = 0; i < 8; ++i)
        columns[j] |= ((element >> i ^ element >> (i + 4) % 8 ^ element >> (i + 5) % 8 ^ element >> (i + 6) % 8 ^
                        element >> (i + 7) % 8) &
                       1)
                      << i;
    }
  }
  return map_of(columns);
}

inline constexpr Map kToAes = to_aes_and_affine();
inline constexpr unsigned kAffineConstant = 0x63;

/// Returns the map of an element of GF(16) to kNu times its square.
constexpr Map nu_times_square() {
  std::array<unsigned, 8> columns{};
  for (unsigned j = 0; j < 4; ++j) columns[j] = times16(kNu, times16(1u << j, 1u << j));
  return map_of(columns);
}
/// Returns the map of an element of GF(16) to its square.
constexpr Map square() {
  std::array<unsigned, 8> columns{};
  for (unsigned j = 0; j < 4; ++j) columns[j] = times16(1u << j, 1u << j);
  return map_of(columns);
}

/// Bit-sliced elements: one plane of bits per coefficient. V has &, ^ and ~.
template <class V, std::size_t Bits>
using Planes = std::array<V, Bits>;

template <Map M, std::size_t Out, class V, std::size_t In>
[[gnu::always_inline]] inline Planes<V, Out> apply(const Planes<V, In>& in) {
  const auto row = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    V sum{};
    [&]<std::size_t... J>(std::index_sequence<J...>) {
      (
          [&] {
            if constexpr ((M[I] >> J & 1) != 0) sum = sum ^ in[J];
          }(),
          ...);
    }
    (std::make_index_sequence<In>{});
    return sum;
  };
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return Planes<V, Out>{row(std::integral_constant<std::size_t, I>{})...};
  }
  (std::make_index_sequence<Out>{});
}

template <class V>
[[gnu::always_inline]] inline Planes<V, 2> times(const Planes<V, 2>& a, const Planes<V, 2>& b) {
  const V low = a[0] & b[0];
  return {low ^ (a[1] & b[1]), ((a[0] ^ a[1]) & (b[0] ^ b[1])) ^ low};
}
template <class V, std::size_t Bits>
[[gnu::always_inline]] inline Planes<V, Bits> plus(const Planes<V, Bits>& a, const Planes<V, Bits>& b) {
  Planes<V, Bits> sum;
  for (std::size_t i = 0; i < Bits; ++i) sum[i] = a[i] ^ b[i];
  return sum;
}
template <class V>
[[gnu::always_inline]] inline Planes<V, 2> times_w(const Planes<V, 2>& a) {
  return {a[1], a[0] ^ a[1]};
}
template <class V>
[[gnu::always_inline]] inline Planes<V, 4> times(const Planes<V, 4>& a, const Planes<V, 4>& b) {
  const Planes<V, 2> a0{a[0], a[1]}, a1{a[2], a[3]}, b0{b[0], b[1]}, b1{b[2], b[3]};
  const Planes<V, 2> low = times(a0, b0), high = times_w(times(a1, b1));
  const Planes<V, 2> cross = times(plus(a0, a1), plus(b0, b1));
  return {low[0] ^ high[0], low[1] ^ high[1], cross[0] ^ low[0], cross[1] ^ low[1]};
}
template <class V>
[[gnu::always_inline]] inline Planes<V, 4> inverse(const Planes<V, 4>& a) {
  const Planes<V, 2> a0{a[0], a[1]}, a1{a[2], a[3]};
  const Planes<V, 2> square0{a0[0] ^ a0[1], a0[1]}, square1{a1[0] ^ a1[1], a1[1]};
  const Planes<V, 2> norm = plus(plus(times_w(square1), square0), times(a0, a1));
  const Planes<V, 2> inverted{norm[0] ^ norm[1], norm[1]};  // in GF(4) the inverse is the square
  const Planes<V, 2> high = times(a1, inverted), low = times(plus(a0, a1), inverted);
  return {low[0], low[1], high[0], high[1]};
}

/// Applies the S-box to every lane, in place.
template <class V>
[[gnu::always_inline]] inline void substitute(V* bits) {
  const Planes<V, 8> given{bits[0], bits[1], bits[2], bits[3], bits[4], bits[5], bits[6], bits[7]};
  const Planes<V, 8> t = apply<kToTower, 8>(given);
  const Planes<V, 4> low{t[0], t[1], t[2], t[3]}, high{t[4], t[5], t[6], t[7]};
  const Planes<V, 4> norm = plus(plus(apply<nu_times_square(), 4>(high), apply<square(), 4>(low)), times(high, low));
  const Planes<V, 4> inverted = inverse(norm);
  const Planes<V, 4> out1 = times(high, inverted), out0 = times(plus(high, low), inverted);
  const Planes<V, 8> result =
      apply<kToAes, 8>(Planes<V, 8>{out0[0], out0[1], out0[2], out0[3], out1[0], out1[1], out1[2], out1[3]});
  for (unsigned i = 0; i < 8; ++i) bits[i] = (kAffineConstant >> i & 1) != 0 ? ~result[i] : result[i];
}

}  // namespace tacit::base::tower
