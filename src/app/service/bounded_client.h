#pragma once

#include <httplib.h>

#include <cstdint>
#include <memory>

#include "app/service/server_address.h"

namespace tacit::app::service {

/// Bytes that a server may still send, headers and framing included. Without it the HTTP library reads headers for
/// ever.
struct AnswerBudget {
  std::uint64_t left = 0;
  bool exceeded = false;  ///< more came, and the reading ended
};

/// The HTTP library's client, whose reading ends with the budget. `budget` must outlive it.
std::unique_ptr<httplib::ClientImpl> bounded_client(const ServerAddress& address, AnswerBudget& budget);

}  // namespace tacit::app::service
