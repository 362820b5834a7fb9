#pragma once

#include <signal.h>

#include <chrono>

namespace tacit::app::service {

/// From construction on, SIGTERM and SIGINT wait to be fetched: in this thread and in those that it starts afterwards.
/// A thread that was started before would still die of them, and the process with it.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// Whether one came within the time. From any thread; each signal is fetched once.
  bool wait(std::chrono::milliseconds at_most) const;

 private:
  sigset_t signals_{}, before_{};
};

}  // namespace tacit::app::service
