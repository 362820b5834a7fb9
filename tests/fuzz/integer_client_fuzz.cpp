#include <cmath>

#include "base/error.h"
#include "mutate_bytes.h"
#include "program/integers/client_interface.h"
#include "target.h"

namespace tacit::fuzz {

using layout::RepeatedReals;

std::string_view target_name() { return "integer_client"; }

std::vector<Bytes> seeds() {
  integers::ClientInterface interface;
  interface.inputs.push_back({"x", {1, 4}, 57, {RepeatedReals(0.5), RepeatedReals(-1), 0, 63}, true});
  interface.inputs.push_back(
      {"maps", {1, 2, 2, 2}, 47, {RepeatedReals({0.5, 2}, 4), RepeatedReals({-1, 3}, 4), 0, 65535}, false});
  interface.outputs.push_back({"y", {1, 3}, 55, {RepeatedReals(0.25), RepeatedReals({1, 2, 3}, 1), -100, 100}});
  return {integers::to_bytes(interface), integers::to_bytes(integers::ClientInterface{})};
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_bytes(from, other, random); }

/// An interface has one form; what it quantises lies in its interval, and what it reads is a number.
void check(std::span<const std::uint8_t> bytes) {
  const integers::ClientInterface interface = integers::client_interface_from_bytes(bytes);
  const Bytes again = integers::to_bytes(interface);
  require(integers::to_bytes(integers::client_interface_from_bytes(again)) == again,
          "an interface reads as it was written");
  constexpr layout::Index kFewNumbers = 1 << 14;
  for (const integers::ClientInput& input : interface.inputs) {
    const layout::Index elements = layout::element_count(input.shape);
    if (elements > kFewNumbers) return;
    try {
      for (const std::int64_t integer :
           integers::quantise(input, std::vector<double>(static_cast<std::size_t>(elements), 0.5)))
        require(integer >= input.quantiser.lowest && integer <= input.quantiser.highest, "an integer of the interval");
    } catch (const base::InputError&) {  // outside
    }
  }
  for (const integers::ClientOutput& output : interface.outputs) {
    const layout::Index elements = layout::element_count(output.shape);
    if (elements > kFewNumbers) return;
    const integers::Integers decrypted(static_cast<std::size_t>(elements), output.quantiser.lowest);
    require(integers::dequantise(output, decrypted).size() == decrypted.size(), "every element has a number");
  }
}

}  // namespace tacit::fuzz
