#include "program/validation.h"

#include <algorithm>
#include <iterator>

namespace tacit::program {

namespace {

constexpr const char* kDetails[]{"nn", "vector", "instruction"};

}  // namespace

const char* name(Detail detail) { return kDetails[static_cast<std::size_t>(detail)]; }

std::optional<Detail> detail_named(std::string_view text) {
  const auto* const found = std::ranges::find(kDetails, text);
  return found == std::end(kDetails) ? std::nullopt : std::optional(static_cast<Detail>(found - kDetails));
}

}  // namespace tacit::program
