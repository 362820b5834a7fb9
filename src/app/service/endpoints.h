#pragma once

#include "app/service/http_server.h"
#include "app/service/job_book.h"
#include "app/service/key_shelf.h"
#include "app/service/model_shelf.h"
#include "app/service/token_file.h"

namespace tacit::app::service {

/// What requests are answered from.
struct Desk {
  const ModelShelf& models;
  KeyShelf& keys;
  JobBook& jobs;
  const TokenFile& tokens;
  std::uint64_t most_input_bytes = 0;  ///< of a file of inputs
  std::size_t most_waiting = 0;        ///< requests that may wait for their job at once
};

/// Gives the server its addresses; openapi.json describes them. `desk` and what it names must outlive the server.
void add_endpoints(HttpServer& server, const Desk& desk);

}  // namespace tacit::app::service
