#include "app/service/held_signals.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <csignal>

namespace tacit::app::service {
namespace {

using namespace std::chrono_literals;

/// How long a wait for a signal that does not come takes.
std::chrono::steady_clock::duration waited(const HeldSignals& signals, std::chrono::milliseconds at_most) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(signals.wait(at_most));
  return std::chrono::steady_clock::now() - begin;
}

TEST(HeldSignals, AreWaitedForSoManyMilliseconds) {
  const HeldSignals signals;
  EXPECT_GE(waited(signals, 150ms), 150ms);
  EXPECT_LT(waited(signals, 1ms), 100s) << "not for ever";
  EXPECT_FALSE(signals.wait(0ms));
}

TEST(HeldSignals, EndNoProcessAndAreHeardLater) {
  const HeldSignals signals;
  for (const int signal : {SIGTERM, SIGINT}) {
    ASSERT_EQ(::pthread_kill(::pthread_self(), signal), 0);
    EXPECT_TRUE(signals.wait(100s)) << signal;
    EXPECT_FALSE(signals.wait(0ms)) << "heard once";
  }
}

}  // namespace
}  // namespace tacit::app::service
