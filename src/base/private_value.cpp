#include "base/private_value.h"

#include <fmt/format.h>

#include <atomic>

namespace tacit::base {
namespace {
std::atomic<bool> shown_to_all{false};
}

void show_private_values(bool shown) { shown_to_all = shown; }
bool private_values_shown() { return shown_to_all; }

std::string private_value(double value, int digits) {
  return private_values_shown() ? fmt::format("{:.{}g}", value, digits) : "a private value (--verbose shows it)";
}

std::string private_part(const std::string& part) { return private_values_shown() ? part : std::string(); }

}  // namespace tacit::base
