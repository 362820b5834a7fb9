#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "layout/repeated_reals.h"
#include "program/integers/clear_program.h"

namespace tacit::integers {

/// Defines the integers of the elements of a tensor: element e is scale[e] v + offset[e]. There is one scale and one
/// offset for all elements, or one per element. Scales are positive.
struct Quantiser {
  layout::RepeatedReals scale{1}, offset{0};
  std::int64_t lowest = 0, highest = 0;  ///< range of v
};

/// The borders of an input that is only compared. The integer of element e is the number of its borders below the
/// value. A value on a border thus belongs to the interval that ends there. Every element has as many borders.
struct Borders {
  std::vector<double> rising;         ///< of element 0, then of element 1, and so on
  std::vector<std::int64_t> missing;  ///< by element: the integer of NaN
  bool single = false;                ///< values are rounded to single precision before they are compared

  bool present() const { return !rising.empty(); }
  /// Returns the borders of one element.
  std::span<const double> of(std::size_t element) const {
    const std::size_t count = rising.size() / missing.size();
    return std::span(rising).subspan(element * count, count);
  }
};

/// The data for feeding one input of a program on integers.
struct ClientInput {
  std::string name;
  layout::Shape shape;
  int step = 0;
  Quantiser quantiser;
  bool saturates = false;  ///< values beyond the quantiser's range count as its ends; otherwise they are refused
  Borders borders{};       ///< if there are any, they make the integers instead of the scale and the offset
};

/// The data for reading one output.
struct ClientOutput {
  std::string name;
  layout::Shape shape;
  int step = 0;
  Quantiser quantiser;
  /// The decrypted integers of an element, side by side. The element is the sum of the reals that they represent.
  std::uint32_t addends = 1;

  /// Returns the number of integers that are decrypted.
  layout::Index integers() const { return layout::element_count(shape) * static_cast<layout::Index>(addends); }
};

/// The client's half of a model on integers.
struct ClientInterface {
  std::vector<ClientInput> inputs;
  std::vector<ClientOutput> outputs;
};

/// Returns the number of borders below each element. An element on a border is not beyond it. NaN is as `borders` say.
/// `borders` must be those of as many elements.
Integers between_borders(const Borders& borders, std::span<const double> tensor);
/// Returns the integers of a tensor. Throws InputError naming the input, the element, the value and the accepted
/// interval. It refuses a wrong size, NaN without borders, and a value more than half a step outside the interval. An
/// input that saturates takes the last of these.
Integers quantise(const ClientInput& input, std::span<const double> tensor);
/// Returns the elements that are more than half a step outside the interval. There are none if the input has borders.
/// An input that saturates counts them as its ends.
std::vector<std::size_t> elements_beyond(const ClientInput& input, std::span<const double> tensor);
/// Returns the tensor of decrypted integers. Throws InputError naming the output and the element for an integer outside
/// the interval of the output. The network then met an input unlike those of its calibration.
std::vector<double> dequantise(const ClientOutput& output, std::span<const std::int64_t> decrypted);
/// Returns the same tensor for integers of any size, without a check.
std::vector<double> reals_of(const ClientOutput& output, std::span<const std::int64_t> decrypted);

/// Convert an interface to bytes and back. The bytes are little-endian and versioned. Interfaces without borders are
/// written in the version before borders. Reading takes untrusted bytes of either version and throws InputError naming
/// the byte.
std::vector<std::uint8_t> to_bytes(const ClientInterface& interface);
ClientInterface client_interface_from_bytes(std::span<const std::uint8_t> bytes);

}  // namespace tacit::integers
