#include "app/service/allowed_origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/service/loopback.h"
#include "app/service/server_address.h"
#include "base/error.h"

namespace tacit::app::service {
namespace {

/// Returns an address as a browser writes its origin.
std::string origin_of(const ServerAddress& address) {
  std::string host = address.host;
  for (char& letter : host)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  const std::string origin = (address.tls ? "https://" : "http://") + host;
  return address.port == (address.tls ? 443 : 80) ? origin : fmt::format("{}:{}", origin, address.port);
}

void check(const std::string& origin) {
  if (origin == "*" || origin == "null")
    base::refuse(
        "--allow-origin {}: every page could call the service; name the origin of one page, like https://example.org",
        origin);
  const std::optional<ServerAddress> address = parse_server_address(origin);
  if (!address)
    base::refuse("--allow-origin {} is no origin; give SCHEME://HOST or SCHEME://HOST:PORT, like https://example.org",
                 origin);
  if (!address->tls && !is_loopback(address->host))
    base::refuse("--allow-origin {}: others could replace a page that comes without TLS; give an origin of https://",
                 origin);
  if (origin_of(*address) != origin)
    base::refuse("--allow-origin {}: browsers write this origin as {}; give that", origin, origin_of(*address));
}

}  // namespace

AllowedOrigins::AllowedOrigins(std::vector<std::string> origins) : origins_(std::move(origins)) {
  for (const std::string& origin : origins_) check(origin);
}

bool AllowedOrigins::allow(std::string_view origin) const {
  return std::ranges::find(origins_, origin) != origins_.end();
}

}  // namespace tacit::app::service
