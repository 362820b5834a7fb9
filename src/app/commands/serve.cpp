#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/service/loopback.h"
#include "app/service/service.h"
#include "app/service/token_file.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "session/sentence.h"

namespace tacit::app::commands {
namespace {

struct ServeOptions {
  service::ServiceOptions service;
  std::string listen = "127.0.0.1:8443";
  service::TlsFiles tls;
  bool insecure_http = false;
  std::vector<std::string> origins;
  std::string add_client;
  std::string most_input = "256MiB", key_memory, keys_of_client = "64GiB", keys_on_disk = "512GiB",
              queue_memory = "4GiB", results_of_job = "4GiB", results_on_disk = "256GiB", groups_on_disk = "64GiB";
  double keep_hours = 24;
  double header_seconds = 10;
  bool coarse = false;
  InsecureOption insecure;
  ComputeOptions compute;
};

/// "HOST:PORT" or "[::1]:PORT".
void read_address(const std::string& text, service::ServiceOptions& options) {
  const auto colon = text.rfind(':');
  const std::string_view digits = colon == std::string::npos ? "" : std::string_view(text).substr(colon + 1);
  const auto port = base::parse_number<int>(digits);
  if (!port || *port < 0 || *port > 65535 || colon == 0)
    base::refuse("--listen {} is no address; give HOST:PORT, like 127.0.0.1:8443", text);
  options.host = text.substr(0, colon);
  if (options.host.size() > 2 && options.host.front() == '[' && options.host.back() == ']')
    options.host = options.host.substr(1, options.host.size() - 2);
  options.port = *port;
}

void add_client(const ServeOptions& options) {
  const std::string token = service::TokenFile::add(options.service.tokens, options.add_client);
  print_report(options.compute.json, {{"client", options.add_client}, {"token", token}}, token + "\n");
}

service::ServiceOptions service_of(const ServeOptions& options) {
  service::ServiceOptions service = options.service;
  if (service.models.empty()) throw base::InputError("serve: name a folder that compile wrote, or a store");
  if (service.state.empty()) throw base::InputError("serve: name a folder for keys and jobs (--state)");
  read_address(options.listen, service);
  if (!options.tls.certificate.empty())
    service.tls = options.tls;
  else if (!options.insecure_http)
    throw base::InputError(
        "serve: give a certificate and its key (--tls-cert, --tls-key), or --insecure-http for this machine alone: "
        "tokens would travel for everybody to read");
  else if (!service::is_loopback(service.host))
    base::refuse(
        "--insecure-http serves this machine alone, and {} is reached from others: tokens would travel for everybody "
        "to read; listen at 127.0.0.1, or give --tls-cert and --tls-key",
        service.host);
  service.origins = service::AllowedOrigins(options.origins);
  if (options.coarse) service.answer_bits = search::kCoarseAnswer;
  service.memory = options.compute.memory_budget();
  service.most_input_bytes = base::parse_byte_size(options.most_input);
  service.keys.of_client = base::parse_byte_size(options.keys_of_client);
  service.keys.on_disk = base::parse_byte_size(options.keys_on_disk);
  if (!options.key_memory.empty()) service.keys.in_memory = base::parse_byte_size(options.key_memory);
  service.jobs.queued_bytes = base::parse_byte_size(options.queue_memory);
  service.jobs.result_bytes = base::parse_byte_size(options.results_of_job);
  service.jobs.all_result_bytes = base::parse_byte_size(options.results_on_disk);
  service.jobs.keep_seconds = static_cast<std::int64_t>(options.keep_hours * 3600);
  service.groups.keep_seconds = service.jobs.keep_seconds;
  service.groups.on_disk = base::parse_byte_size(options.groups_on_disk);
  service.limits.header = std::chrono::milliseconds(static_cast<std::int64_t>(options.header_seconds * 1000));
  return service;
}

int serve(const ServeOptions& options) {
  if (!options.add_client.empty()) {
    add_client(options);
    return kSuccess;
  }
  options.compute.apply();
  const service::ServiceOptions service = service_of(options);
  const service::HeldSignals signals;  // before any thread
  ProgressBar bar;
  service::serve(
      service, [&](const params::ParameterIdentity& set) { options.insecure.require_permitted(set); }, signals, bar,
      [&](const service::Serving& serving) {
        const std::string url = fmt::format(
            "{}://{}:{}", service.tls ? "https" : "http",
            service.host.find(':') == std::string::npos ? service.host : "[" + service.host + "]", serving.port);
        print_report(
            options.compute.json,
            {{"url", url}, {"models", serving.models}, {"unfinished_jobs", serving.unfinished_jobs}},
            fmt::format("  serving {} at {}, {} from before\n", session::counted(serving.models.size(), "model"), url,
                        session::counted(serving.unfinished_jobs, "job")));
        std::fflush(stdout);
      });
  return kSuccess;
}

}  // namespace

void add_serve(CLI::App& app, int& status) {
  auto [command, options] = add_command(app, status, "serve", "Evaluate for many clients, over HTTPS", serve,
                                        "Example:\n"
                                        "  tacit serve --tokens tokens --add-client anna\n"
                                        "  tacit serve lenet --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key "
                                        "key.pem --state state --tokens tokens\n"
                                        "  tacit serve store --questions-of-client 1000 --insecure-http --state state "
                                        "--tokens tokens\n");
  command.add_option("model", options.service.models, "Folders that compile wrote, or stores");
  command.add_option("--listen", options.listen, "Address and port; port 0 takes a free one")->capture_default_str();
  auto* const certificate = command.add_option("--tls-cert", options.tls.certificate, "Certificate chain in PEM");
  auto* const key = command.add_option("--tls-key", options.tls.key, "Its private key in PEM, readable by you alone");
  certificate->needs(key);
  key->needs(certificate);
  command.add_flag("--insecure-http", options.insecure_http, "Without TLS; at an address of this machine alone")
      ->excludes(certificate);
  command
      .add_option("--allow-origin", options.origins,
                  "Let pages of this origin call the service from a browser, like https://example.org; may be given "
                  "several times")
      ->allow_extra_args(false);
  command.add_option("--state", options.service.state, "Folder for keys, jobs and the journal");
  command.add_option("--tokens", options.service.tokens, "File of clients and the SHA-256 of their tokens")->required();
  command.add_option(
      "--add-client", options.add_client,
      "Print a new token for this name, put its SHA-256 into --tokens, and end; 'operator' sees /metrics");
  command.add_option("--sign", options.service.signing_key, "Sign receipts with this private key of Ed25519 (PEM)");
  add_bounded(command, "--evaluations", options.service.evaluations, "Evaluations that run at once", 1, 1024);
  auto* const bounds = command.add_option_group("Bounds");
  add_bounded(*bounds, "--connections", options.service.connections.served, "Connections that are served at once", 1,
              10000);
  bounds
      ->add_option("--connections-of-client", options.service.connections.of_client,
                   "Of them for one client, or for one address before its token is known; without it half")
      ->check(CLI::Range(1, 10000));
  add_bounded(*bounds, "--header-seconds", options.header_seconds, "For a request's headers to arrive", 0.1, 600.0);
  bounds->add_option("--most-input", options.most_input, "Bytes of inputs in one job")->capture_default_str();
  add_bounded(*bounds, "--runs-of-job", options.service.jobs.runs,
              "Runs of the model in one job; a run takes as many inputs as the plan's batch", 1, 1000000);
  bounds->add_option("--results-of-job", options.results_of_job, "Bytes of results of one job")->capture_default_str();
  bounds
      ->add_option("--results-on-disk", options.results_on_disk,
                   "Of all jobs that are not deleted; a client has half of what others leave at most")
      ->capture_default_str();
  add_bounded(*bounds, "--queue", options.service.jobs.queued,
              "Jobs that wait or run; a client has half of what others leave at most", 1, 1000000);
  bounds
      ->add_option("--queue-bytes", options.queue_memory,
                   "Bytes of their inputs on disk; a client has half of what others leave at most")
      ->capture_default_str();
  add_bounded(*bounds, "--jobs-of-client", options.service.jobs.of_client, "Jobs of one client, finished ones included",
              1, 1000000);
  add_bounded(*bounds, "--keep-hours", options.keep_hours,
              "Finished jobs are deleted after this, and groups so long after their deadline", 0.0, 1e6);
  bounds->add_option("--keys-of-client", options.keys_of_client, "Bytes of keys on disk, of one client")
      ->capture_default_str();
  bounds
      ->add_option("--keys-on-disk", options.keys_on_disk,
                   "Of all, and as much again of uploads under way; keys that were used longest ago give way")
      ->capture_default_str();
  bounds->add_option("--key-memory", options.key_memory,
                     "Keys that stay loaded; without it those of as many clients as are evaluated for at once");
  add_bounded(*bounds, "--groups-of-client", options.service.groups.of_client,
              "Groups of owners that one client has posted", 1, 1000000);
  bounds
      ->add_option("--groups-on-disk", options.groups_on_disk,
                   "Bytes of all files that owners of groups exchange; a client has half of what others leave at most")
      ->capture_default_str();
  auto* const stores = command.add_option_group("Stores", "What clients may learn of a store by its scores");
  stores
      ->add_option("--questions-of-client", options.service.questions_of_client,
                   "Questions of one client to one store in a day (UTC); without it any number")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1000000000}));
  stores->add_flag("--coarse", options.coarse, "Answer with 29 bits a score instead of 33");
  options.insecure.add_to(command);
  options.compute.add_to(command);
}

}  // namespace tacit::app::commands
