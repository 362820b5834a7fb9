#include "app/service/loopback.h"

#include <gtest/gtest.h>

namespace tacit::app::service {
namespace {

TEST(Loopback, IsWhatReachesThisMachineAlone) {
  for (const char* host : {"localhost", "127.0.0.1", "127.255.0.9", "::1"}) EXPECT_TRUE(is_loopback(host)) << host;
  for (const char* host : {"0.0.0.0", "126.0.0.1", "128.0.0.1", "10.0.0.1", "::", "::2", "fe80::1", "example.org", ""})
    EXPECT_FALSE(is_loopback(host)) << host;
}

}  // namespace
}  // namespace tacit::app::service
