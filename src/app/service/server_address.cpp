#include "app/service/server_address.h"

#include "base/parse_number.h"

namespace tacit::app::service {

std::optional<ServerAddress> parse_server_address(std::string_view url) {
  constexpr std::string_view kSecure = "https://", kPlain = "http://";
  constexpr std::string_view kNoHost = "@/?#[] \t\r\n\\";
  ServerAddress address{.tls = url.starts_with(kSecure), .host = {}, .port = 80};
  if (!address.tls && !url.starts_with(kPlain)) return {};
  if (address.tls) address.port = 443;
  url.remove_prefix(address.tls ? kSecure.size() : kPlain.size());
  if (url.ends_with('/')) url.remove_suffix(1);
  const bool brackets = url.starts_with('[');
  const auto end = brackets ? url.find(']') : url.find(':');
  if (brackets && end == std::string_view::npos) return {};
  address.host = url.substr(brackets ? 1 : 0, brackets ? end - 1 : end);
  if (address.host.empty() || address.host.find_first_of(kNoHost) != std::string::npos) return {};
  url.remove_prefix(end == std::string_view::npos ? url.size() : brackets ? end + 1 : end);
  if (url.empty()) return address;
  if (!url.starts_with(':')) return {};
  const auto port = base::parse_number<int>(url.substr(1));
  if (!port || *port < 1 || *port > 65535) return {};
  address.port = *port;
  return address;
}

}  // namespace tacit::app::service
