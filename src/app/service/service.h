#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/service/allowed_origins.h"
#include "app/service/group_board.h"
#include "app/service/held_signals.h"
#include "app/service/http_server.h"
#include "app/service/job_book.h"
#include "app/service/key_shelf.h"
#include "base/memory_budget.h"
#include "search/score_noise.h"
#include "session/server_half.h"

namespace tacit::app::service {

/// The options of a service.
struct ServiceOptions {
  /// Folders that compile wrote, server halves in them, or stores.
  std::vector<std::filesystem::path> models;
  search::AnswerBits answer_bits = search::kFineAnswer;  ///< of answers of stores
  std::uint64_t questions_of_client = 0;                 ///< to each store in a day; 0: no limit
  std::string host;
  int port = 0;  ///< 0: a free one
  std::optional<TlsFiles> tls;
  AllowedOrigins origins{};           ///< pages of other origins than the server's that may call it from a browser
  std::filesystem::path state;        ///< keys, jobs and the journal; made if it is not there
  std::filesystem::path tokens;       ///< file of the users
  std::filesystem::path signing_key;  ///< empty: receipts are not signed
  int evaluations = 2;                ///< evaluations that run at once
  base::MemoryBudget memory{};
  std::uint64_t most_input_bytes = 256ull << 20;
  KeyBounds keys{};  ///< in_memory 0: room for the keys of `evaluations` clients
  JobBounds jobs{};
  GroupBounds groups{};
  ConnectionLimits limits{};
  ConnectionBounds connections{.of_client = 0};  ///< of_client 0: half of `served`
};

/// The facts of a service that answers requests.
struct Serving {
  std::vector<std::string> models;  ///< names
  int port = 0;
  std::size_t unfinished_jobs = 0;  ///< from earlier starts
};

/// Serves until SIGTERM or SIGINT. Then running jobs are finished, and waiting jobs stay in the journal for the next
/// start. A second signal stops the running jobs too, which are queued again. `signals` must be made before any other
/// thread of the process. `ready` is called when requests are answered. Throws InputError for options that cannot be
/// served.
void serve(const ServiceOptions& options, const session::ParameterCheck& check, const HeldSignals& signals,
           base::Progress& progress, const std::function<void(const Serving&)>& ready);

}  // namespace tacit::app::service
