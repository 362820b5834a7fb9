#pragma once

#include <httplib.h>

#include <cstdint>
#include <memory>

#include "app/service/server_address.h"

namespace tacit::app::service {

/// The bytes that a server may still send, including headers and framing. Without this bound the HTTP library would
/// read headers without end.
struct AnswerBudget {
  std::uint64_t left = 0;
  bool exceeded = false;  ///< the server sent more, and the reading ended
};

/// Returns the HTTP library's client. Its reading ends with the budget. `budget` must outlive it.
std::unique_ptr<httplib::ClientImpl> bounded_client(const ServerAddress& address, AnswerBudget& budget);

}  // namespace tacit::app::service
