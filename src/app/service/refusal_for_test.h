#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "app/service/refusal.h"
#include "base/refusal_for_test.h"

namespace tacit::app::service {

/// Returns the refusal that `body` throws; none if it throws none.
template <class Body>
std::optional<Refusal> refused(Body&& body) {
  try {
    body();
  } catch (const Refusal& refusal) {
    return refusal;
  }
  return std::nullopt;
}

/// Returns "status sentence" of a refusal.
template <class Body>
std::string refusal(Body&& body) {
  const std::optional<Refusal> found = refused(body);
  return found ? fmt::format("{} {}", found->status(), found->what()) : base::kNotRefused;
}

}  // namespace tacit::app::service
