#include "params/interconnect.h"

#include <charconv>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>

#include "base/error.h"

namespace tacit::params {
namespace {

/// A number above 0 with one of the units; 0 for anything else.
double quantity(std::string_view text, std::initializer_list<std::pair<std::string_view, double>> units) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return 0;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const auto& [name, factor] : units)
    if (unit == name && std::isfinite(value * factor)) return value * factor;
  return 0;
}

}  // namespace

Interconnect Interconnect::parse(std::string_view text) {
  const std::size_t comma = text.find(',');
  Interconnect network;
  if (comma != std::string_view::npos) {
    network.bits_per_second = quantity(text.substr(0, comma), {{"kb", 1e3}, {"Mb", 1e6}, {"Gb", 1e9}, {"Tb", 1e12}});
    network.latency_seconds = quantity(text.substr(comma + 1), {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}});
  }
  if (!(network.bits_per_second > 0 && network.latency_seconds > 0))
    throw base::InputError("'" + std::string(text.substr(0, 50)) +
                           "' is no network; write bits a second and a latency above 0, as in 10Gb,20us");
  return network;
}

}  // namespace tacit::params
