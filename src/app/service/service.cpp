#include "app/service/service.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "app/service/endpoints.h"
#include "app/service/job_runner.h"
#include "base/private_file.h"
#include "base/process_memory.h"

namespace tacit::app::service {
namespace {

constexpr std::chrono::seconds kTidy{60};
constexpr std::chrono::milliseconds kImpatience{200};

std::optional<base::SigningKey> signer_of(const std::filesystem::path& file) {
  if (file.empty()) return {};
  base::SigningKey key = base::SigningKey::from_pem(file);
  base::require_private(file, "signing key");
  return key;
}

/// The stacks of the threads that serve connections count in full, however little of them is used: they may take an
/// eighth of the memory, so that evaluations have the rest.
ConnectionBounds bounds_within(ConnectionBounds bounds, const base::MemoryBudget& memory) {
  constexpr std::size_t kFewest = 4;
  pthread_attr_t attributes;
  std::size_t stack = 0;
  if (!memory.limited() || pthread_getattr_default_np(&attributes) != 0) return bounds;
  pthread_attr_getstacksize(&attributes, &stack);
  pthread_attr_destroy(&attributes);
  if (stack > 0) bounds.served = std::min(bounds.served, std::max<std::size_t>(kFewest, memory.bytes / 8 / stack));
  return bounds;
}

/// However serving ends: nothing new begins, and the threads end once what runs has.
struct Ending {
  std::atomic<bool>& stopping;
  JobBook& jobs;
  HttpServer& server;
  ~Ending() {
    stopping = true;
    jobs.stop(false);
    server.stop_serving();
  }
};

}  // namespace

bool is_loopback(const std::string& host) {
  if (host == "localhost") return true;
  in_addr four{};
  if (::inet_pton(AF_INET, host.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six{};
  return ::inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six) != 0;
}

void serve(const ServiceOptions& options, const session::ParameterCheck& check, const HeldSignals& signals,
           base::Progress& progress, const std::function<void(const Serving&)>& ready) {
  const TokenFile tokens(options.tokens);
  std::optional<base::SigningKey> signer = signer_of(options.signing_key);
  const ConnectionBounds connections = bounds_within(options.connections, options.memory);
  HttpServer server(options.tls, options.limits, connections);
  Serving serving{.models = {}, .port = server.bind(options.host, options.port)};
  const ModelShelf models(options.models, options.memory, options.evaluations, check, progress);
  for (const auto& [id, model] : models.all()) serving.models.push_back(model->half->model().name);
  KeyBounds key_bounds = options.keys;
  if (key_bounds.in_memory == 0) key_bounds.in_memory = models.key_bytes_of(options.evaluations);
  KeyShelf keys(options.state, key_bounds);
  JobBook jobs(options.state, options.jobs);
  serving.unfinished_jobs = jobs.counts().queued;
  const Desk desk{.models = models,
                  .keys = keys,
                  .jobs = jobs,
                  .tokens = tokens,
                  .most_input_bytes = options.most_input_bytes,
                  .most_waiting = connections.served / 2};
  add_endpoints(server, desk);
  std::atomic<bool> stopping{false};
  // It waits from the start: at the end there may be no room for its stack. A second signal ends running jobs.
  const std::jthread impatience([&](const std::stop_token& ended) {
    while (!ended.stop_requested())
      if (!stopping)
        std::this_thread::sleep_for(kImpatience);
      else if (signals.wait(kImpatience))
        jobs.stop(true);
  });
  JobRunner runner(jobs, keys, models, std::move(signer), options.evaluations);
  const std::jthread listener([&] { server.serve(); });
  const Ending ending{stopping, jobs, server};
  server.wait_until_serving();
  ready(serving);
  for (auto tidied = std::chrono::steady_clock::now(); !signals.wait(std::chrono::seconds(1));) {
    if (std::chrono::steady_clock::now() - tidied < kTidy) continue;
    tidied = std::chrono::steady_clock::now();
    try {
      jobs.tidy();
      keys.tidy();
    } catch (const std::exception& error) {  // a full disk ends no service
      fmt::print(stderr, "tacit: {}\n", error.what());
    }
    base::release_kept_memory();  // the journal was read whole, and left holes between what stays
  }
}

}  // namespace tacit::app::service
