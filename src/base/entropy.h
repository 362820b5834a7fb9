#pragma once

#include <cstdint>
#include <span>

namespace tacit::base {

/// The two generators of the operating system's entropy. Published bytes never come from the generator of secrets.
enum class Entropy { secret, published };

/// Fills the bytes. Returns false if the system gives no entropy. All randomness of the library begins here.
bool draw_entropy(std::span<std::uint8_t> bytes, Entropy use) noexcept;

}  // namespace tacit::base
