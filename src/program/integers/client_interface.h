#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "layout/repeated_reals.h"
#include "program/integers/clear_program.h"

namespace tacit::integers {

/// How integers stand for the elements of a tensor: element e is scale[e] v + offset[e]. One scale and one offset for
/// all elements, or one each. Scales are positive.
struct Quantiser {
  layout::RepeatedReals scale{1}, offset{0};
  std::int64_t lowest = 0, highest = 0;  ///< of v
};

/// A grid of an input that is only compared. The integer of element e is how many of its borders lie below the value,
/// so that a value on a border belongs to the interval that ends there. Every element has as many borders.
struct Borders {
  std::vector<double> rising;         ///< of element 0, then of element 1, and so on
  std::vector<std::int64_t> missing;  ///< by element: the integer of NaN
  bool single = false;                ///< values are rounded to single precision before they are compared

  bool present() const { return !rising.empty(); }
  /// Borders of one element.
  std::span<const double> of(std::size_t element) const {
    const std::size_t count = rising.size() / missing.size();
    return std::span(rising).subspan(element * count, count);
  }
};

/// What a client must know to feed one input of a program on integers.
struct ClientInput {
  std::string name;
  layout::Shape shape;
  int step = 0;
  Quantiser quantiser;
  bool saturates = false;  ///< values beyond the quantiser's range count as its ends; otherwise they are refused
  Borders borders{};       ///< where there are some they make the integers, and the scale and the offset do not
};

/// What a client must know to read one output.
struct ClientOutput {
  std::string name;
  layout::Shape shape;
  int step = 0;
  Quantiser quantiser;
};

/// The client's half of a model on integers.
struct ClientInterface {
  std::vector<ClientInput> inputs;
  std::vector<ClientOutput> outputs;
};

/// The integers of a tensor. Throws InputError naming the input, the element, the value and the accepted interval for a
/// wrong size, NaN unless it has borders, and, unless it saturates, a value more than half a step outside the interval.
Integers quantise(const ClientInput& input, std::span<const double> tensor);
/// The elements that lie more than half a step outside the interval: none where the input has borders. Of an input that
/// saturates they count as its ends.
std::vector<std::size_t> elements_beyond(const ClientInput& input, std::span<const double> tensor);
/// The tensor of decrypted integers. Throws InputError naming the output and the element for one outside the interval
/// of the output: the network met an input unlike those that it was calibrated on.
std::vector<double> dequantise(const ClientOutput& output, std::span<const std::int64_t> decrypted);

/// As bytes: little-endian, versioned. Interfaces without borders are written in the version before borders. Reading
/// takes untrusted bytes of either version and throws InputError naming the byte.
std::vector<std::uint8_t> to_bytes(const ClientInterface& interface);
ClientInterface client_interface_from_bytes(std::span<const std::uint8_t> bytes);

}  // namespace tacit::integers
