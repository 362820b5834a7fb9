#include "app/remote_service.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/error.h"
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
}

struct RemoteService::Connection {
  httplib::Client client;
  std::string url;

  explicit Connection(const std::string& address) : client(address), url(address) {}

  [[noreturn]] void refuse(const std::string& what, const httplib::Result& result) const {
    if (!result) base::refuse("{}: {}: {}", url, what, httplib::to_string(result.error()));
    const nlohmann::json json = nlohmann::json::parse(result->body, nullptr, false);
    base::refuse(
        "{}: {}: {}", url, what,
        json.is_object() ? json.value("error", std::string("refused")) : fmt::format("status {}", result->status));
  }
  nlohmann::json json(const std::string& what, const httplib::Result& result) const {
    if (!result || result->status >= 300) refuse(what, result);
    nlohmann::json json = nlohmann::json::parse(result->body, nullptr, false);
    if (!json.is_object()) base::refuse("{}: {}: its answer is no JSON", url, what);
    return json;
  }
};

RemoteService::RemoteService(const ServerOptions& options) {
  if (!options.url.starts_with("https://") && !options.url.starts_with("http://"))
    base::refuse("--server {} is no address; give one like https://host:8443", options.url);
  connection_ = std::make_unique<Connection>(options.url);
  httplib::Client& client = connection_->client;
  if (!client.is_valid()) base::refuse("--server {} is no address", options.url);
  client.set_bearer_token_auth(token_in(options.token));
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);
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
  bool begun = false;
  for (int tries = 0;; ++tries) {
    const nlohmann::json state = connection_->json("keys", connection_->client.Get(address));
    if (state.value("root", std::string()) == root) break;
    std::uint64_t offset = 0;
    if (state.contains("upload") && state["upload"].value("total", std::uint64_t{0}) == total)
      offset = state["upload"].value("received", std::uint64_t{0});
    if (offset >= total) offset = 0;
    if (offset > last) tries = 0;
    last = offset;
    if (!begun) progress.begin("uploading keys", total - offset);
    begun = true;
    const httplib::Result sent =
        connection_->client.Put(address, {{"Content-Range", fmt::format("bytes {}-{}/{}", offset, total - 1, total)}},
                                total - offset, provider_of(file, offset, progress), "application/octet-stream");
    if (sent && sent->status < 300) break;
    const bool again = !sent || sent->status == 409 || sent->status == 503;
    if (!again || tries >= kTries) connection_->refuse("uploading keys", sent);
    std::this_thread::sleep_for(std::chrono::seconds(std::min(tries + 1, 5)));
  }
  if (begun) progress.end();
}

RemoteService::Evaluation RemoteService::evaluate(const std::filesystem::path& input,
                                                  const std::filesystem::path& output,
                                                  const std::filesystem::path& receipt, base::Progress& progress) {
  runtime::refuse_secret_key(input, "a server");
  const runtime::Binding binding = binding_of(input, runtime::ArtefactKind::ciphertexts);
  const base::Digest question = runtime::ArtefactReader(input, runtime::ArtefactKind::ciphertexts, std::nullopt).root();
  const std::uint64_t bytes = std::filesystem::file_size(input);
  std::ifstream file(input, std::ios::binary);
  progress.begin("sending inputs", bytes);
  nlohmann::json job = connection_->json(
      "evaluation",
      connection_->client.Post(fmt::format("/v1/models/{}/evaluations?wait=1", base::hexadecimal(binding.model)), {},
                               bytes, provider_of(file, 0, progress), "application/octet-stream"));
  progress.end();
  const std::string id = job.value("job", std::string());
  const std::string address = "/v1/jobs/" + id;
  progress.begin("waiting for the server", 0);
  while (job.value("state", std::string()) == "queued" || job.value("state", std::string()) == "running") {
    progress.advance(0);
    job = connection_->json("job " + id, connection_->client.Get(address + "?wait=1"));
  }
  progress.end();
  if (job.value("state", std::string()) != "done")
    base::refuse("{}: job {} failed: {}", connection_->url, id, job.value("error", std::string()));
  Evaluation done{
      .job = id, .receipt = {}, .inputs = job.value("inputs", std::uint64_t{0}), .seconds = job.value("seconds", 0.0)};
  const httplib::Result stated = connection_->client.Get(address + "/receipt");
  if (!stated || stated->status != 200) connection_->refuse("receipt", stated);
  done.receipt = runtime::parse_receipt(stated->body, "the receipt of " + connection_->url);
  session::WrittenFiles written;
  written.add(output);
  {
    std::ofstream results(output, std::ios::binary);
    const httplib::Result got = connection_->client.Get(address + "/result", [&](const char* data, std::size_t size) {
      return static_cast<bool>(results.write(data, static_cast<std::streamsize>(size)));
    });
    results.close();
    if (!results) base::refuse("{} cannot be written", output.string());
    if (!got || got->status != 200) connection_->refuse("results", got);
  }
  const runtime::ArtefactReader found(output, runtime::ArtefactKind::ciphertexts, std::nullopt);
  if (done.receipt.model_id != binding.model || done.receipt.input != question || done.receipt.output != found.root())
    base::refuse("{}: the receipt of job {} is not of these inputs and results; nothing is kept", connection_->url, id);
  runtime::save(done.receipt, receipt);
  written.keep();
  // What was fetched need not lie at the server.
  static_cast<void>(connection_->client.Delete(address));
  return done;
}

}  // namespace tacit::app
