#include "app/service/held_signals.h"

#include <pthread.h>

namespace tacit::app::service {

HeldSignals::HeldSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

HeldSignals::~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool HeldSignals::wait(std::chrono::milliseconds at_most) const {
  const timespec time{.tv_sec = at_most.count() / 1000, .tv_nsec = at_most.count() % 1000 * 1'000'000};
  return sigtimedwait(&signals_, nullptr, &time) > 0;
}

}  // namespace tacit::app::service
