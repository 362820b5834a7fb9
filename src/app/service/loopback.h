#pragma once

#include <string>

namespace tacit::app::service {

/// Whether an address reaches this machine alone: requests to it may come without TLS.
bool is_loopback(const std::string& host);

}  // namespace tacit::app::service
