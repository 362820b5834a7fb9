#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/service/held_signals.h"
#include "app/service/http_server.h"
#include "app/service/job_book.h"
#include "app/service/key_shelf.h"
#include "base/memory_budget.h"
#include "session/server_half.h"

namespace tacit::app::service {

/// What a service is made of.
struct ServiceOptions {
  std::vector<std::filesystem::path> models;  ///< folders that compile wrote, or server halves in them
  std::string host;
  int port = 0;  ///< 0: a free one
  std::optional<TlsFiles> tls;
  std::filesystem::path state;        ///< keys, jobs and the journal; made if it is not there
  std::filesystem::path tokens;       ///< who may use it
  std::filesystem::path signing_key;  ///< empty: nobody signs receipts
  int evaluations = 2;                ///< that run at once
  base::MemoryBudget memory{};
  std::uint64_t most_input_bytes = 256ull << 20;
  KeyBounds keys{};  ///< in_memory 0: those of as many clients as are evaluated for at once
  JobBounds jobs{};
  ConnectionLimits limits{};
  ConnectionBounds connections{.of_client = 0};  ///< of_client 0: half of those that are served
};

/// What is served, and at which port, once it is.
struct Serving {
  std::vector<std::string> models;  ///< names
  int port = 0;
  std::size_t unfinished_jobs = 0;  ///< of before
};

/// Serves until SIGTERM or SIGINT: then what runs is finished, what waits stays in the journal for the next start. A
/// second signal stops what runs too, which is queued again. `signals` exist before any thread of the process does.
/// `ready` is called when requests are answered. Throws InputError for what cannot be served.
void serve(const ServiceOptions& options, const session::ParameterCheck& check, const HeldSignals& signals,
           base::Progress& progress, const std::function<void(const Serving&)>& ready);

}  // namespace tacit::app::service
