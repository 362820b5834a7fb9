#include "app/service/service.h"

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

/// Of a thread. 0 where the system does not tell.
std::size_t stack_bytes() {
  pthread_attr_t attributes;
  std::size_t bytes = 0;
  if (pthread_getattr_default_np(&attributes) != 0) return 0;
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}

/// A budget that was asked for counts the stacks of threads in full, however little of them is used. Those that serve
/// connections take an eighth of it at most, but there may be four. What they take is not to be had for models.
void share_memory(base::MemoryBudget& memory, ConnectionBounds& connections) {
  constexpr std::size_t kFewest = 4;
  const std::size_t stack = stack_bytes();
  if (!memory.limited() || memory.source != base::MemoryBudget::Source::asked || stack == 0) return;
  connections.served = std::min(connections.served, std::max<std::size_t>(kFewest, memory.bytes / 8 / stack));
  memory.reserved += connections.served * stack;
}

PathNames names_of(const ServiceOptions& options) {
  PathNames names;
  names.add(options.state, "the server's files");
  names.add(options.state / "keys", "your keys at this server");
  names.add(options.state / "jobs", "the job's files");
  names.add(options.state / "groups", "the files of groups");
  names.add(options.tokens, "the server's tokens");
  for (const std::filesystem::path& model : options.models) names.add(model, "the server's model");
  return names;
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

void serve(const ServiceOptions& options, const session::ParameterCheck& check, const HeldSignals& signals,
           base::Progress& progress, const std::function<void(const Serving&)>& ready) {
  const TokenFile tokens(options.tokens);
  std::optional<base::SigningKey> signer = signer_of(options.signing_key);
  ConnectionBounds connections = options.connections;
  base::MemoryBudget memory = options.memory;
  share_memory(memory, connections);
  if (connections.of_client == 0) connections.of_client = (connections.served + 1) / 2;
  base::make_private_folder(options.state, "state folder");
  HttpServer server(options.tls, options.limits, connections);
  server.call_paths(names_of(options));
  server.allow_origins(options.origins);
  Serving serving{.models = {}, .port = server.bind(options.host, options.port)};
  const ModelShelf models(options.models, memory, options.evaluations, options.answer_bits, check, progress);
  for (const auto& [id, model] : models.all()) serving.models.push_back(model->half->model().name);
  KeyBounds key_bounds = options.keys;
  if (key_bounds.in_memory == 0) key_bounds.in_memory = models.key_bytes_of(options.evaluations);
  KeyShelf keys(options.state, key_bounds);
  JobBook jobs(options.state, options.jobs);
  QuestionQuota questions(options.state, options.questions_of_client);
  GroupBoard groups(options.state, options.groups);
  serving.unfinished_jobs = jobs.counts().queued;
  const Desk desk{.models = models,
                  .keys = keys,
                  .jobs = jobs,
                  .tokens = tokens,
                  .questions = questions,
                  .groups = groups,
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
  std::jthread listener;
  const Ending ending{stopping, jobs, server};
  listener = std::jthread([&] {
    // What the library has no memory for ends its loop, and no service.
    while (!stopping) {
      try {
        server.serve();
        return;
      } catch (const std::exception& error) {
        fmt::print(stderr, "tacit: {}\n", error.what());
        std::this_thread::sleep_for(kImpatience);
      }
    }
  });
  server.wait_until_serving();
  ready(serving);
  for (auto tidied = std::chrono::steady_clock::now(); !signals.wait(std::chrono::seconds(1));) {
    if (std::chrono::steady_clock::now() - tidied < kTidy) continue;
    tidied = std::chrono::steady_clock::now();
    try {
      jobs.tidy();
      keys.tidy();
      groups.tidy();
    } catch (const std::exception& error) {  // a full disk ends no service
      fmt::print(stderr, "tacit: {}\n", error.what());
    }
    base::release_kept_memory();  // reading the journal left holes between what stays
  }
}

}  // namespace tacit::app::service
