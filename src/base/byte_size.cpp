#include "base/byte_size.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "base/error.h"

namespace tacit::base {

std::uint64_t parse_byte_size(std::string_view text) {
  const auto fail = [&]() -> std::uint64_t { base::refuse("'{}' is not a size in bytes; write 16GiB or 500MB", text); };
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc()) return fail();
  std::string unit;
  for (const char* c = end; c != text.data() + text.size(); ++c)
    if (*c != ' ') unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
  double factor = 1;
  if (!unit.empty() && unit != "b") {
    const std::size_t power = std::string_view("kmgt").find(unit[0]);
    if (power == std::string_view::npos) return fail();
    const std::string_view rest = std::string_view(unit).substr(1);
    if (rest != "" && rest != "b" && rest != "ib") return fail();
    factor = std::pow(rest == "ib" ? 1024.0 : 1000.0, static_cast<double>(power + 1));
  }
  const double bytes = value * factor;
  if (!(bytes >= 1 && bytes < 0x1p60)) return fail();
  return static_cast<std::uint64_t>(bytes);
}

std::string byte_size_text(double bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return unit == 0 ? fmt::format("{:.0f} B", bytes)
                   : fmt::format("{:.{}f} {}", bytes, bytes < 100 ? 1 : 0, kUnits[unit]);
}

}  // namespace tacit::base
