#pragma once

#include <string>

namespace tacit::app::service {

/// True if an address reaches only this machine. Requests to it may come without TLS.
bool is_loopback(const std::string& host);

}  // namespace tacit::app::service
