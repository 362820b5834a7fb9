#include "app/service/server_address.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tacit::app::service {
namespace {

std::string read(const char* url) {
  const std::optional<ServerAddress> address = parse_server_address(url);
  return address ? fmt::format("{} {} {}", address->tls ? "TLS" : "plain", address->host, address->port) : "none";
}

TEST(ServerAddress, IsASchemeAHostAndAPort) {
  EXPECT_EQ(read("https://host"), "TLS host 443");
  EXPECT_EQ(read("http://host/"), "plain host 80");
  EXPECT_EQ(read("http://127.0.0.1:8443"), "plain 127.0.0.1 8443");
  EXPECT_EQ(read("https://[::1]:65535/"), "TLS ::1 65535");
  EXPECT_EQ(read("http://[::1]"), "plain ::1 80");
  for (const char* url : {"",
                          "host:1",
                          "ftp://host",
                          "HTTP://host",
                          "http://",
                          "http:///",
                          "https://:1",
                          "http://[]",
                          "http://[::1",
                          "http://[::1]x",
                          "http://a@host",
                          "http://127.0.0.1@host:80",
                          "http://host:",
                          "http://host:0",
                          "http://host:65536",
                          "http://host:x",
                          "http://host:1/x",
                          "http://host/x",
                          "http://host?x",
                          "http://host\\x",
                          "http://ho st",
                          "http://::1"})
    EXPECT_EQ(read(url), "none") << url;
}

}  // namespace
}  // namespace tacit::app::service
