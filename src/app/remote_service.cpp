#include "app/remote_service.h"

#include <fmt/format.h>
#include <httplib.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>

#include "app/service/bounded_client.h"
#include "app/service/loopback.h"
#include "app/service/server_address.h"
#include "app/service/server_answer.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "base/private_file.h"
#include "runtime/artefact.h"
#include "runtime/description.h"
#include "session/bounded_file.h"
#include "session/output_files.h"

namespace tacit::app {
namespace {

constexpr std::uintmax_t kMostToken = 4 << 10;
constexpr int kTries = 8;  // without a byte of progress
constexpr std::chrono::seconds kConnect{20}, kRead{600};
constexpr std::size_t kPiece = 1 << 20;
/// In all, for a server that asks its client to come back later.
constexpr std::chrono::seconds kMostWaiting{300};
/// Where a server names a moment and not a number of seconds.
constexpr std::chrono::seconds kUsualWait{5};
// Of one answer with its headers, beside the body of a file: a body in JSON may come in chunks of one byte.
constexpr std::uint64_t kMostSent = 4 << 20;

std::string token_in(const std::filesystem::path& file) {
  if (file.empty()) throw base::InputError("--server needs the file with your token (--token)");
  std::string token = session::read_bounded(file, kMostToken);
  base::require_private(file, "token");
  token.erase(std::remove_if(token.begin(), token.end(), [](unsigned char c) { return std::isspace(c) != 0; }),
              token.end());
  if (token.empty()) throw base::InputError(file.string() + " holds no token");
  return token;
}

runtime::Binding binding_of(const std::filesystem::path& file, runtime::ArtefactKind kind) {
  runtime::Binding binding;
  const runtime::ArtefactReader reader(file, kind, std::nullopt);
  runtime::parsing(file, [&] { binding = runtime::binding_from_json(runtime::about(reader)); });
  return binding;
}

/// Says why no answer came, and what to check.
std::string no_answer(httplib::Error error) {
  const auto told = [&](const char* what, const char* way_out) {
    return fmt::format("{} ({}); {}", what, httplib::to_string(error), way_out);
  };
  switch (error) {
    case httplib::Error::Connection:
    case httplib::Error::ConnectionTimeout:
    case httplib::Error::BindIPAddress:
      return told("the server cannot be reached",
                  "check the address and the port, that the server runs, and that no firewall is in the way");
    case httplib::Error::SSLServerVerification:
    case httplib::Error::SSLLoadingCerts:
      return told("the server's certificate is not trusted",
                  "give the certificates of its authority by --ca FILE, and check the name in the address");
    case httplib::Error::SSLConnection:
      return told("TLS cannot be set up with the server",
                  "check that it has TLS, and begin the address with http:// where it has none");
    default:
      return told("the connection broke before an answer came",
                  "check whether the address is to begin with https://, and run the command again");
  }
}

/// The time that an answer asks its client to wait, if it does.
std::optional<std::chrono::seconds> told_to_wait(const httplib::Response& response) {
  if ((response.status != 429 && response.status != 503) || !response.has_header("Retry-After")) return std::nullopt;
  const auto seconds = base::parse_number<std::uint32_t>(response.get_header_value("Retry-After"));
  return seconds ? std::max(std::chrono::seconds(1), std::chrono::seconds(*seconds)) : kUsualWait;
}

/// Keeps a connection that the server closed from ending the process: OpenSSL writes to it without MSG_NOSIGNAL. A
/// closed pipe at standard output still ends the command.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutPipeSignal() {
    constexpr timespec kNow{};
    while (::sigtimedwait(&pipe_, nullptr, &kNow) == SIGPIPE) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  sigset_t pipe_{}, before_{};
};

/// Hands out a file from `begin` on.
httplib::ContentProvider provider_of(std::ifstream& file, std::uint64_t begin, base::Progress& progress) {
  return [&file, begin, &progress](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
    std::vector<char> piece(std::min(length, kPiece));
    file.clear();
    file.seekg(static_cast<std::streamoff>(begin + offset));
    if (!file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || !sink.write(piece.data(), piece.size()))
      return false;
    progress.advance(piece.size());
    return true;
  };
}

}  // namespace

void ServerOptions::add_to(CLI::App& command, const std::string& description) {
  auto* const group = command.add_option_group("Server");
  auto* const server = group->add_option("--server", url, description);
  group->add_option("--token", token, "File with your token for the server, readable by you alone")->needs(server);
  group->add_option("--ca", authority, "Certificates to trust (PEM), in place of the system's")->needs(server);
  group
      ->add_flag("--insecure-http", insecure_http,
                 "Allow http:// to another machine: everybody on the way reads the token and what is sent")
      ->needs(server);
}

/// An answer whose body was read whole, or into a file.
struct RemoteService::Answer {
  int status = 0;    ///< 0: none came
  std::string body;  ///< empty where it went into a file
  std::string failure;
  std::optional<std::chrono::seconds> again{};  ///< the server asks to try again after this time
};

struct RemoteService::Connection {
  std::string url;
  service::AnswerBudget budget;
  std::chrono::seconds waited{0};
  std::unique_ptr<httplib::ClientImpl> client;

  Connection(std::string named, const service::ServerAddress& address)
      : url(std::move(named)), client(service::bounded_client(address, budget)) {}
  ~Connection() {
    const WithoutPipeSignal no_signal;  // TLS says goodbye
    client.reset();
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  std::string at(const std::string& what) const { return fmt::format("{}: {}", url, what); }

  [[noreturn]] void refuse(const std::string& what, const Answer& answer) const {
    base::refuse("{}: {}", at(what),
                 answer.status == 0 ? answer.failure : service::read_refusal(answer.body, answer.status));
  }

  /// Waits as the answer asks, or refuses if that takes more than kMostWaiting in all.
  void wait(const std::string& what, const Answer& answer, base::Progress& progress) {
    const std::chrono::seconds asked = *answer.again;
    const std::string sentence = service::read_refusal(answer.body, answer.status);
    if (waited + asked > kMostWaiting)
      base::refuse(
          "{}: {}; the command waits for {} s in all and has waited for {} s, and the server asks for {} s more: run "
          "it again later, or ask the server's operator",
          at(what), sentence, kMostWaiting.count(), waited.count(), asked.count());
    progress.begin(fmt::format("trying again in {} s, because the server said: {}", asked.count(), sentence),
                   static_cast<std::uint64_t>(asked.count()));
    for (std::chrono::seconds slept{0}; slept < asked; ++slept) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      progress.advance(1);
    }
    progress.end();
    waited += asked;
  }

  /// Sends a request in a stage of its own, again while the server asks to come back later.
  template <class Send>
  Answer patiently(const std::string& what, const char* stage, std::uint64_t total, base::Progress& progress,
                   const Send& send) {
    for (;;) {
      progress.begin(stage, total);
      Answer answer = send();
      progress.end();
      if (!answer.again) return answer;
      wait(what, answer, progress);
    }
  }

  /// Sends a request and reads its answer. `file` takes the body of a 200, of as many bytes as the answer states.
  Answer ask(const std::string& what, httplib::Request request, std::ofstream* file = nullptr,
             const std::filesystem::path& path = {}) {
    Answer answer;
    std::optional<std::string> complaint;
    std::uint64_t received = 0, most = service::kMostServerAnswer;
    request.response_handler = [&](const httplib::Response& response) {
      answer.status = response.status;
      answer.again = told_to_wait(response);
      if (file == nullptr || response.status != 200) return true;
      const auto length = base::parse_number<std::uint64_t>(response.get_header_value("Content-Length"));
      if (!length) complaint = "its answer does not state its length";
      std::error_code unknown;
      const std::filesystem::space_info space =
          std::filesystem::space(std::filesystem::absolute(path).parent_path(), unknown);
      if (length && !unknown && *length > space.available)
        complaint =
            fmt::format("its answer has {} bytes, and {} are free for {}", *length, space.available, path.string());
      most = length.value_or(0);
      budget.left += most;
      return !complaint;
    };
    request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
      received += size;
      if (received > most) {
        complaint = fmt::format("its answer is longer than {} bytes; ask the server's operator", most);
        return false;
      }
      if (file == nullptr || answer.status != 200) {
        answer.body.append(data, size);
        return true;
      }
      if (!file->write(data, static_cast<std::streamsize>(size))) complaint = "";
      return !complaint;
    };
    budget = {.left = kMostSent, .exceeded = false};
    const httplib::Result result = [&] {
      const WithoutPipeSignal no_signal;
      return client->send(request);
    }();
    if (budget.exceeded && !complaint) complaint = "what it sends has no end; ask the server's operator";
    if (complaint && complaint->empty()) base::refuse("{} cannot be written", path.string());
    if (complaint) base::refuse("{}: {}", at(what), *complaint);
    if (!result) return {.status = 0, .body = {}, .failure = no_answer(result.error())};
    answer.status = result->status;
    return answer;
  }

  static httplib::Request request(const char* method, const std::string& address) {
    httplib::Request request;
    request.method = method;
    request.path = address;
    return request;
  }
  Answer get(const std::string& what, const std::string& address) { return ask(what, request("GET", address)); }
  /// Sends a file from `begin` on.
  Answer send(const std::string& what, const char* method, const std::string& address, std::ifstream& file,
              std::uint64_t begin, std::uint64_t total, base::Progress& progress) {
    httplib::Request sent = request(method, address);
    sent.set_header("Content-Type", "application/octet-stream");
    if (sent.method == "PUT") sent.set_header("Content-Range", fmt::format("bytes {}-{}/{}", begin, total - 1, total));
    sent.content_length_ = total - begin;
    sent.content_provider_ = provider_of(file, begin, progress);
    return ask(what, std::move(sent));
  }

  /// Posts a whole file. Returns the body of the answer.
  std::string post_file(const std::string& what, const std::string& address, const std::filesystem::path& path,
                        base::Progress& progress) {
    const std::uint64_t bytes = std::filesystem::file_size(path);
    std::ifstream file(path, std::ios::binary);
    return body(what, patiently(what, "sending a file", bytes, progress,
                                [&] { return send(what, "POST", address, file, 0, bytes, progress); }));
  }

  /// The body of an answer below 300.
  std::string body(const std::string& what, const Answer& answer) const {
    if (answer.status == 0 || answer.status >= 300) refuse(what, answer);
    return answer.body;
  }
  service::KeyAnswer keys(const Answer& answer) const {
    return service::read_key_answer(body("keys", answer), at("keys"));
  }
  service::JobAnswer job(const std::string& what, const Answer& answer) const {
    return service::read_job_answer(body(what, answer), at(what));
  }
};

namespace {

/// Refuses to send a token, keys and inputs for everybody on the way to read.
service::ServerAddress address_of(const ServerOptions& options) {
  const std::optional<service::ServerAddress> address = service::parse_server_address(options.url);
  if (!address) base::refuse("--server {} is no address; give one like https://host:8443", options.url);
  if (!address->tls && !options.insecure_http && !service::is_loopback(address->host))
    base::refuse(
        "--server {}: without TLS everybody on the way to {} reads the token and what is sent; use https://, or give "
        "--insecure-http if you accept that",
        options.url, address->host);
  return *address;
}

}  // namespace

RemoteService::RemoteService(const ServerOptions& options) {
  connection_ = std::make_unique<Connection>(options.url, address_of(options));
  httplib::ClientImpl& client = *connection_->client;
  if (!client.is_valid()) base::refuse("--server {}: TLS cannot be set up", options.url);
  client.set_bearer_token_auth(token_in(options.token));
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);
  client.set_decompress(false);
  client.set_connection_timeout(kConnect);
  client.set_read_timeout(kRead);
  client.set_write_timeout(kRead);
  if (!options.authority.empty()) client.set_ca_cert_path(options.authority.string());
}

RemoteService::~RemoteService() = default;

void RemoteService::upload_keys(const std::filesystem::path& keys, base::Progress& progress) {
  runtime::refuse_secret_key(keys, "a server");
  const runtime::Binding binding = binding_of(keys, runtime::ArtefactKind::evaluation_keys);
  const std::string root =
      base::hexadecimal(runtime::ArtefactReader(keys, runtime::ArtefactKind::evaluation_keys, std::nullopt).root());
  const std::string address = fmt::format("/v1/models/{}/keys", base::hexadecimal(binding.model));
  const std::uint64_t total = std::filesystem::file_size(keys);
  std::ifstream file(keys, std::ios::binary);
  std::uint64_t last = 0;
  const auto ask_for_state = [&] { return connection_->get("keys", address); };
  for (int tries = 0;; ++tries) {
    const service::KeyAnswer state =
        connection_->keys(connection_->patiently("keys", "asking for keys", 0, progress, ask_for_state));
    if (state.root == root) break;
    std::uint64_t offset = state.total == total ? state.received : 0;
    if (offset >= total) offset = 0;
    if (offset > last) tries = 0;
    last = offset;
    progress.begin("uploading keys", total - offset);
    const Answer sent = connection_->send("uploading keys", "PUT", address, file, offset, total, progress);
    progress.end();
    if (sent.status > 0 && sent.status < 300) break;
    if (sent.again) {
      connection_->wait("uploading keys", sent, progress);
      tries = 0;
      continue;
    }
    const bool again = sent.status == 0 || sent.status == 409 || sent.status == 429 || sent.status == 503;
    if (!again || tries >= kTries) connection_->refuse("uploading keys", sent);
    std::this_thread::sleep_for(std::chrono::seconds(std::min(tries + 1, 5)));
  }
}

RemoteService::Evaluation RemoteService::evaluate(const Files& files, base::Progress& progress) {
  const std::filesystem::path &input = files.input, &output = files.output;
  runtime::refuse_secret_key(input, "a server");
  const runtime::Binding binding = binding_of(input, files.input_kind);
  const base::Digest question = runtime::ArtefactReader(input, files.input_kind, std::nullopt).root();
  const std::uint64_t bytes = std::filesystem::file_size(input);
  std::ifstream file(input, std::ios::binary);
  const std::string asked = fmt::format("/v1/models/{}/evaluations?wait=1", base::hexadecimal(binding.model));
  const auto send_inputs = [&] { return connection_->send("evaluation", "POST", asked, file, 0, bytes, progress); };
  service::JobAnswer job = connection_->job(
      "evaluation", connection_->patiently("evaluation", "sending inputs", bytes, progress, send_inputs));
  const std::string id = job.id, name = "job " + id, address = "/v1/jobs/" + id;
  const auto poll = [&] {
    // One stage for as long as the job waits.
    Answer answer = connection_->get(name, address + "?wait=1");
    for (; answer.status >= 200 && answer.status < 300; answer = connection_->get(name, address + "?wait=1")) {
      job = connection_->job(name, answer);
      if (job.state != service::JobAnswer::State::waiting) break;
      progress.advance(0);
    }
    return answer;
  };
  if (job.state == service::JobAnswer::State::waiting)
    job = connection_->job(name, connection_->patiently(name, "waiting for the server", 0, progress, poll));
  if (job.state == service::JobAnswer::State::failed)
    base::refuse("{}: job {} failed: {}", connection_->url, id, job.error);
  Evaluation done{.job = id, .receipt = {}, .inputs = job.inputs, .seconds = job.seconds};
  const Answer stated = connection_->patiently("receipt", "fetching the receipt", 0, progress,
                                               [&] { return connection_->get("receipt", address + "/receipt"); });
  if (stated.status != 200) connection_->refuse("receipt", stated);
  done.receipt = runtime::parse_receipt(stated.body, "the receipt of " + connection_->url);
  session::WrittenFiles written;
  written.add(output);
  {
    std::ofstream results(output, std::ios::binary);
    const Answer got = connection_->patiently("results", "fetching results", 0, progress, [&] {
      return connection_->ask("results", Connection::request("GET", address + "/result"), &results, output);
    });
    results.close();
    if (!results) base::refuse("{} cannot be written", output.string());
    if (got.status != 200) connection_->refuse("results", got);
  }
  base::Digest root{};
  try {
    root = runtime::ArtefactReader(output, files.output_kind, std::nullopt).root();
  } catch (const base::InputError& error) {
    base::refuse("{}: results: {}; nothing is kept", connection_->url, error.what());
  }
  if (done.receipt.model_id != binding.model || done.receipt.input != question || done.receipt.output != root)
    throw base::KeyMismatch(
        fmt::format("{}: the receipt of job {} is not of these inputs and results; nothing is kept: ask the server "
                    "again, or do not trust it",
                    connection_->url, id));
  runtime::save(done.receipt, files.receipt);
  written.keep();
  // What was fetched need not lie at the server.
  try {
    static_cast<void>(connection_->ask(name, Connection::request("DELETE", address)));
  } catch (const base::InputError&) {  // the results are here
  }
  return done;
}

service::GroupAnswer RemoteService::post_group(const std::filesystem::path& group, int hours,
                                               base::Progress& progress) {
  const runtime::Binding binding = binding_of(group, runtime::ArtefactKind::owner_group);
  const std::string address = fmt::format("/v1/models/{}/groups?hours={}", base::hexadecimal(binding.model), hours);
  return service::read_group_answer(connection_->post_file("group", address, group, progress),
                                    connection_->at("group"));
}

std::string RemoteService::post_group_file(const std::string& group, const std::filesystem::path& file,
                                           base::Progress& progress) {
  runtime::refuse_secret_key(file, "a server");
  return service::read_posted_answer(
      connection_->post_file("file of a group", fmt::format("/v1/groups/{}/files", group), file, progress),
      connection_->at("file of a group"));
}

service::GroupAnswer RemoteService::group(const std::string& id) {
  return service::read_group_answer(connection_->body("group", connection_->get("group", "/v1/groups/" + id)),
                                    connection_->at("group"));
}

std::vector<service::GroupAnswer> RemoteService::groups() {
  return service::read_groups_answer(connection_->body("groups", connection_->get("groups", "/v1/groups")),
                                     connection_->at("groups"));
}

void RemoteService::fetch_group_file(const std::string& group, const std::string& name, const std::filesystem::path& to,
                                     base::Progress& progress) {
  session::WrittenFiles written;
  written.add(to);
  std::ofstream file(to, std::ios::binary);
  const Answer got = connection_->patiently(name, "fetching a file", 0, progress, [&] {
    return connection_->ask(name, Connection::request("GET", fmt::format("/v1/groups/{}/files/{}", group, name)), &file,
                            to);
  });
  file.close();
  if (!file) base::refuse("{} cannot be written", to.string());
  if (got.status != 200) connection_->refuse(name, got);
  try {
    if (name.starts_with("receipt."))
      static_cast<void>(runtime::load_receipt(to));
    else
      runtime::ArtefactReader(to, runtime::artefact_kind(to), std::nullopt).verify();
  } catch (const base::InputError& error) {
    base::refuse("{}: {}; it is not kept", connection_->at(name), error.what());
  }
  written.keep();
}

}  // namespace tacit::app
