#include "merkle/variant.h"

#include <fmt/format.h>

#include "base/error.h"

namespace tacit::merkle {
namespace {

constexpr Scheme kSchemes[] = {{Variant::c, Mode::bound},
                               {Variant::a, Mode::bound},
                               {Variant::c, Mode::strict},
                               {Variant::a, Mode::strict}};

}  // namespace

std::string scheme_name(Scheme scheme) {
  return fmt::format("rescue-prime-{}.1{}", scheme.variant == Variant::a ? 'a' : 'c',
                     scheme.mode == Mode::strict ? "-strict" : "");
}

Scheme scheme_from_name(std::string_view name) {
  std::string known;
  for (const Scheme scheme : kSchemes) {
    if (scheme_name(scheme) == name) return scheme;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", scheme_name(scheme));
  }
  throw base::InputError(fmt::format("'{}' is no hash; choose one of {}", name, known));
}

bool scheme_from_numbers(std::uint32_t variant, std::uint32_t mode, Scheme& scheme) {
  for (const Scheme known : kSchemes)
    if (static_cast<std::uint32_t>(known.variant) == variant && static_cast<std::uint32_t>(known.mode) == mode) {
      scheme = known;
      return true;
    }
  return false;
}

}  // namespace tacit::merkle
