#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/service/server_answer.h"
#include "base/progress.h"
#include "runtime/artefact.h"
#include "runtime/binding.h"
#include "runtime/receipt.h"

namespace tacit::app {

/// Options of the commands that can be clients of `tacit serve`.
struct ServerOptions {
  std::string url;                  ///< empty: no server
  std::filesystem::path token;      ///< file
  std::filesystem::path authority;  ///< certificates to trust, in PEM; empty: those of the system
  bool insecure_http = false;       ///< permits http:// to another machine

  /// Adds the options. `description` is that of --server.
  void add_to(CLI::App& command, const std::string& description);
};

/// A server that `tacit serve` runs, as its client sees it. The client checks the server's statements: results against
/// the inputs that were sent, and answers in JSON against their types and a maximal size. If the server is full and
/// says when to come back (429 or 503 with Retry-After), it waits as told, for five minutes in all, and says so by the
/// progress. Not thread safe.
class RemoteService {
 public:
  /// Throws InputError for an invalid address or token, and for http:// to another machine that was not permitted.
  explicit RemoteService(const ServerOptions& options);
  ~RemoteService();
  RemoteService(const RemoteService&) = delete;
  RemoteService& operator=(const RemoteService&) = delete;

  /// Uploads evaluation keys for the model that they name, unless the server has them. Continues an interrupted upload.
  /// Throws InputError for a secret key, before any byte of it is sent. Throws it with the server's sentence for a
  /// refusal.
  void upload_keys(const std::filesystem::path& keys, base::Progress& progress);

  /// The result of an evaluation at the server.
  struct Evaluation {
    std::string job;
    runtime::Receipt receipt;
    std::uint64_t inputs = 0;
    double seconds = 0;  ///< per input, by the server's clock
  };
  /// The files of an evaluation, and their kinds: inputs of a model, or questions to a store.
  struct Files {
    std::filesystem::path input, output, receipt;
    runtime::ArtefactKind input_kind = runtime::ArtefactKind::ciphertexts;
    runtime::ArtefactKind output_kind = runtime::ArtefactKind::ciphertexts;
  };
  /// Sends inputs, waits, and writes results and receipt. Throws KeyMismatch unless the receipt names these inputs and
  /// the results.
  Evaluation evaluate(const Files& files, base::Progress& progress);

  /// Groups of owners. Every call throws InputError with the server's sentence for a refusal.
  /// Posts a group for so many hours. Returns the group at the server.
  service::GroupAnswer post_group(const std::filesystem::path& group, int hours, base::Progress& progress);
  /// Posts what an owner sends for the group with this id. Throws InputError for a secret key, before any byte of it is
  /// sent. Returns the name of the file at the server.
  std::string post_group_file(const std::string& group, const std::filesystem::path& file, base::Progress& progress);
  /// Return one group, or all groups of this client.
  service::GroupAnswer group(const std::string& id);
  std::vector<service::GroupAnswer> groups();
  /// Fetches a file of a group, or the group itself ("group"). A damaged file is not kept.
  void fetch_group_file(const std::string& group, const std::string& name, const std::filesystem::path& to,
                        base::Progress& progress);

 private:
  struct Answer;
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace tacit::app
