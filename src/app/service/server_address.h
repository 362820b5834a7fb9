#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tacit::app::service {

/// The address of a server.
struct ServerAddress {
  bool tls = false;
  std::string host;  ///< a name, or an address without brackets
  int port = 0;
};

/// Parses "https://host", "http://127.0.0.1:8443" or "https://[::1]:8443/". Returns none for everything else.
std::optional<ServerAddress> parse_server_address(std::string_view url);

}  // namespace tacit::app::service
