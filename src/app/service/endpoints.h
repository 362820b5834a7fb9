#pragma once

#include "app/service/group_board.h"
#include "app/service/http_server.h"
#include "app/service/job_book.h"
#include "app/service/key_shelf.h"
#include "app/service/model_shelf.h"
#include "app/service/question_quota.h"
#include "app/service/token_file.h"

namespace tacit::app::service {

/// The objects from which requests are answered.
struct Desk {
  const ModelShelf& models;
  KeyShelf& keys;
  JobBook& jobs;
  const TokenFile& tokens;
  QuestionQuota& questions;
  GroupBoard& groups;
  std::uint64_t most_input_bytes = 0;  ///< most bytes of a file of inputs
  std::size_t most_waiting = 0;        ///< requests that may wait for jobs at the same time
};

/// Adds the addresses of the service to the server; openapi.json describes them. `desk` and its objects must outlive
/// the server.
void add_endpoints(HttpServer& server, const Desk& desk);

}  // namespace tacit::app::service
