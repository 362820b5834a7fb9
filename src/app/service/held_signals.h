#pragma once

#include <signal.h>

#include <chrono>

namespace tacit::app::service {

/// Holds SIGTERM and SIGINT back until they are fetched, in this thread and in threads that it starts later. An older
/// thread would still end the process at a signal.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// Returns true if a signal came within `at_most`. Callable from any thread. Each signal is fetched once.
  bool wait(std::chrono::milliseconds at_most) const;

 private:
  sigset_t signals_{}, before_{};
};

}  // namespace tacit::app::service
