#pragma once

#include "base/random.h"

namespace tacit::base {

/// Zeroises the elements of a container of numbers, or of containers of numbers.
template <class Container>
void wipe(Container& container) noexcept {
  if constexpr (requires { container.data()->data(); }) {
    for (auto& inner : container) wipe(inner);
  } else {
    zeroise(container.data(), container.size() * sizeof(*container.data()));
  }
}

/// Wipes a container when its scope ends, by a return or by an exception. The container outlives this object.
template <class Container>
class WipedAtExit {
 public:
  explicit WipedAtExit(Container& container) : container_(container) {}
  ~WipedAtExit() { wipe(container_); }
  WipedAtExit(const WipedAtExit&) = delete;
  WipedAtExit& operator=(const WipedAtExit&) = delete;

 private:
  Container& container_;
};

}  // namespace tacit::base
