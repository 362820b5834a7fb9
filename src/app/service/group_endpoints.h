#pragma once

#include "app/service/endpoints.h"

namespace tacit::app::service {

/// Adds the addresses of groups of owners below /v1/groups, and /v1/models/MODEL/groups. `desk` must outlive the
/// server.
void add_group_addresses(HttpServer& server, const Desk& desk);

}  // namespace tacit::app::service
