#include "base/cipher/own_ed25519.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/cipher/own_sha512.h"

// Edwards curve -x^2 + y^2 = 1 + d x^2 y^2 modulo p = 2^255 - 19 (RFC 8032, section 5.1).
namespace tacit::base {
namespace {

__extension__ using Product = unsigned __int128;
using Bytes32 = std::array<std::uint8_t, 32>;

/// A number modulo p in five limbs of 51 bits, each below 2^52 between operations.
class Field {
 public:
  constexpr Field() = default;
  constexpr explicit Field(std::uint64_t small) : limbs_{small, 0, 0, 0, 0} {}
  /// Takes the lower 255 bits.
  static Field from(const Bytes32& bytes) {
    Field result;
    for (std::size_t bit = 0; bit < 255; ++bit)
      result.limbs_[bit / 51] |= static_cast<std::uint64_t>(bytes[bit / 8] >> (bit % 8) & 1) << (bit % 51);
    return result;
  }
  /// Returns the smallest representative, little-endian.
  Bytes32 bytes() const {
    Field x = carried().carried();
    // x < 2^255 + 19 c for a small c: it is reduced once more if x + 19 reaches 2^255.
    std::uint64_t over = (x.limbs_[0] + 19) >> 51;
    for (std::size_t i = 1; i < 5; ++i) over = (x.limbs_[i] + over) >> 51;
    x.limbs_[0] += 19 * over;
    for (std::size_t i = 0; i < 4; ++i) {
      x.limbs_[i + 1] += x.limbs_[i] >> 51;
      x.limbs_[i] &= kMask;
    }
    x.limbs_[4] &= kMask;
    Bytes32 result{};
    for (std::size_t bit = 0; bit < 255; ++bit)
      result[bit / 8] =
          static_cast<std::uint8_t>(result[bit / 8] | (x.limbs_[bit / 51] >> (bit % 51) & 1) << (bit % 8));
    return result;
  }

  friend Field operator+(const Field& a, const Field& b) {
    Field result;
    for (std::size_t i = 0; i < 5; ++i) result.limbs_[i] = a.limbs_[i] + b.limbs_[i];
    return result.carried();
  }
  friend Field operator-(const Field& a, const Field& b) {
    // 4 p keeps every limb positive.
    constexpr std::uint64_t kFirst = 4 * (kMask - 18), kOther = 4 * kMask;
    Field result;
    for (std::size_t i = 0; i < 5; ++i) result.limbs_[i] = a.limbs_[i] + (i == 0 ? kFirst : kOther) - b.limbs_[i];
    return result.carried();
  }
  friend Field operator*(const Field& a, const Field& b) {
    std::array<Product, 5> sums{};
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 5; ++j)
        sums[(i + j) % 5] += static_cast<Product>(a.limbs_[i]) * (i + j < 5 ? b.limbs_[j] : 19 * b.limbs_[j]);
    Field result;
    Product carry = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      sums[i] += carry;
      result.limbs_[i] = static_cast<std::uint64_t>(sums[i]) & kMask;
      carry = sums[i] >> 51;
    }
    // The carry is below 2^62, and 19 times it below 2^67.
    const Product first = result.limbs_[0] + 19 * carry;
    result.limbs_[0] = static_cast<std::uint64_t>(first) & kMask;
    result.limbs_[1] += static_cast<std::uint64_t>(first >> 51);
    return result;
  }
  friend bool operator==(const Field& a, const Field& b) { return a.bytes() == b.bytes(); }

  bool is_odd() const { return (bytes()[0] & 1) != 0; }
  Field negative() const { return Field() - *this; }
  /// Returns the power with an exponent 2^bits - lacking.
  Field power(int bits, std::uint64_t lacking) const {
    // Bit i of 2^bits - lacking, where lacking is below 2^63: all bits above the lower 64 are 1.
    Field result(1);
    const std::uint64_t lower = 0 - lacking;
    for (int i = bits - 1; i >= 0; --i) {
      result = result * result;
      if (i >= 64 || (lower >> i & 1) != 0) result = result * *this;
    }
    return result;
  }
  Field inverse() const { return power(255, 21); }

 private:
  static constexpr std::uint64_t kMask = (std::uint64_t{1} << 51) - 1;
  Field carried() const {
    Field result;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const std::uint64_t limb = limbs_[i] + carry;
      result.limbs_[i] = limb & kMask;
      carry = limb >> 51;
    }
    result.limbs_[0] += 19 * carry;
    return result;
  }
  std::array<std::uint64_t, 5> limbs_{};
};

/// A point in extended coordinates: x = X / Z, y = Y / Z, x y = T / Z (Hisil, Wong, Carter, Dawson 2008).
struct Point {
  Field x, y{1}, z{1}, t;
};

const Field& curve_d() {
  static const Field d = Field(121665).negative() * Field(121666).inverse();
  return d;
}

/// Adds any two points, equal ones included.
Point add(const Point& p, const Point& q) {
  static const Field twice_d = curve_d() + curve_d();
  const Field a = (p.y - p.x) * (q.y - q.x), b = (p.y + p.x) * (q.y + q.x);
  const Field c = p.t * q.t * twice_d, z = p.z * q.z, d = z + z;
  const Field e = b - a, f = d - c, g = d + c, h = b + a;
  return {.x = e * f, .y = g * h, .z = f * g, .t = e * h};
}

Point times(const Bytes32& scalar, const Point& point) {
  Point result;
  for (int bit = 255; bit >= 0; --bit) {
    result = add(result, result);
    if ((scalar[static_cast<std::size_t>(bit) / 8] >> (bit % 8) & 1) != 0) result = add(result, point);
  }
  return result;
}

Bytes32 encoded(const Point& point) {
  const Field inverse = point.z.inverse();
  Bytes32 bytes = (point.y * inverse).bytes();
  if ((point.x * inverse).is_odd()) bytes[31] = static_cast<std::uint8_t>(bytes[31] | 0x80);
  return bytes;
}

/// Returns none for bytes that are no point.
std::optional<Point> decoded(const Bytes32& bytes) {
  const Field y = Field::from(bytes), one(1);
  const Field u = y * y - one, v = curve_d() * y * y + one;
  // A root of u / v: u v^3 (u v^7)^((p - 5) / 8), or that times the root of -1, which is 2^((p - 1) / 4).
  const Field v3 = v * v * v;
  Field x = u * v3 * (u * v3 * v3 * v).power(252, 3);
  if (v * x * x != u) {
    static const Field root = Field(2).power(253, 5);
    x = x * root;
  }
  if (v * x * x != u) return {};
  const bool odd = (bytes[31] & 0x80) != 0;
  if (x == Field() && odd) return {};
  if (x.is_odd() != odd) x = x.negative();
  return Point{.x = x, .y = y, .z = one, .t = x * y};
}

/// The order of the base point, 2^252 + 27742317777372353535851937790883648493, little-endian.
constexpr Bytes32 kOrder{0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7,
                         0xa2, 0xde, 0xf9, 0xde, 0x14, 0,    0,    0,    0,    0,    0,
                         0,    0,    0,    0,    0,    0,    0,    0,    0,    0x10};

bool is_below_order(const Bytes32& scalar) {
  return std::lexicographical_compare(scalar.rbegin(), scalar.rend(), kOrder.rbegin(), kOrder.rend());
}

/// Returns a number of 64 bytes modulo the order, bit by bit.
Bytes32 modulo_order(const std::array<std::uint8_t, 64>& number) {
  Bytes32 rest{};
  for (int bit = 511; bit >= 0; --bit) {
    unsigned carry = number[static_cast<std::size_t>(bit) / 8] >> (bit % 8) & 1;
    for (std::uint8_t& byte : rest) {
      const unsigned doubled = 2u * byte + carry;
      byte = static_cast<std::uint8_t>(doubled);
      carry = doubled >> 8;
    }
    if (is_below_order(rest)) continue;
    unsigned borrow = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const unsigned difference = 0x100u + rest[i] - kOrder[i] - borrow;
      rest[i] = static_cast<std::uint8_t>(difference);
      borrow = 1 - (difference >> 8);
    }
  }
  return rest;
}

}  // namespace

bool own_verifies(const SignerId& signer, std::span<const std::byte> message, const Signature& signature) {
  Bytes32 r, s;
  std::copy_n(signature.begin(), 32, r.begin());
  std::copy_n(signature.begin() + 32, 32, s.begin());
  if (!is_below_order(s)) return false;
  const std::optional<Point> key = decoded(signer);
  if (!key) return false;
  const std::array<std::span<const std::byte>, 3> hashed{std::as_bytes(std::span(r)), std::as_bytes(std::span(signer)),
                                                         message};
  const Bytes32 k = modulo_order(own_sha512(hashed));
  static const Point base = [] {
    Bytes32 four_fifths;
    four_fifths.fill(0x66);
    four_fifths[0] = 0x58;
    return *decoded(four_fifths);
  }();
  const Point minus_key{.x = key->x.negative(), .y = key->y, .z = key->z, .t = key->t.negative()};
  return encoded(add(times(s, base), times(k, minus_key))) == r;
}

}  // namespace tacit::base
