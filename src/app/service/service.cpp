#include "app/service/service.h"

#include <arpa/inet.h>
#include <fmt/format.h>

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

std::optional<base::SigningKey> signer_of(const std::filesystem::path& file) {
  if (file.empty()) return {};
  base::SigningKey key = base::SigningKey::from_pem(file);
  base::require_private(file, "signing key");
  return key;
}

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
  HttpServer server(options.tls, options.limits, options.connections);
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
                  .most_waiting = options.connections.served / 2};
  add_endpoints(server, desk);
  JobRunner runner(jobs, keys, models, std::move(signer), options.evaluations);
  std::thread listener([&] { server.serve(); });
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
  jobs.stop(false);
  server.stop_serving();
  std::atomic<bool> stopped{false};
  std::thread impatience([&] {
    while (!stopped)
      if (signals.wait(std::chrono::milliseconds(200))) jobs.stop(true);
  });
  listener.join();
  runner.join();
  stopped = true;
  impatience.join();
}

}  // namespace tacit::app::service
