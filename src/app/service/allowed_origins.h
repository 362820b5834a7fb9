#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tacit::app::service {

/// The origins of pages that may call the service from a browser (CORS, the Fetch standard). Immutable, thread safe.
class AllowedOrigins {
 public:
  AllowedOrigins() = default;
  /// Takes origins as browsers send them: SCHEME://HOST or SCHEME://HOST:PORT in lower case, without the default port.
  /// Throws InputError that names the option --allow-origin and the origin for everything else, "*" and "null"
  /// included.
  explicit AllowedOrigins(std::vector<std::string> origins);

  bool empty() const { return origins_.empty(); }
  /// Returns true if the text of a header `Origin` is one of the origins, letter by letter.
  bool allow(std::string_view origin) const;

 private:
  std::vector<std::string> origins_;
};

}  // namespace tacit::app::service
