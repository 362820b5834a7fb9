#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "base/progress.h"
#include "runtime/binding.h"
#include "runtime/receipt.h"

namespace tacit::app {

/// Options of the commands that can be clients of `tacit serve`.
struct ServerOptions {
  std::string url;                  ///< empty: no server
  std::filesystem::path token;      ///< file
  std::filesystem::path authority;  ///< certificates to trust, in PEM; empty: the system's
  bool insecure_http = false;       ///< permits http:// to another machine

  /// `description` of --server.
  void add_to(CLI::App& command, const std::string& description);
};

/// A server that `tacit serve` runs, as its client sees it. What a server says is not believed: results are held to
/// what was sent, answers in JSON to their types and to a size. Not thread safe.
class RemoteService {
 public:
  /// Throws InputError for an address or a token that is none, and for http:// to another machine that was not
  /// permitted.
  explicit RemoteService(const ServerOptions& options);
  ~RemoteService();
  RemoteService(const RemoteService&) = delete;
  RemoteService& operator=(const RemoteService&) = delete;

  /// Uploads evaluation keys for the model that they name, unless the server has them; goes on where an upload broke
  /// off. Throws InputError for a secret key, before a byte of it is sent, and with the server's sentence where it
  /// refuses.
  void upload_keys(const std::filesystem::path& keys, base::Progress& progress);

  /// What was computed elsewhere.
  struct Evaluation {
    std::string job;
    runtime::Receipt receipt;
    std::uint64_t inputs = 0;
    double seconds = 0;  ///< an input, by the server's clock
  };
  /// Sends inputs, waits, and writes results and receipt. The results are the artefact that the receipt names, and the
  /// receipt names these inputs. Throws InputError, also where they are not.
  Evaluation evaluate(const std::filesystem::path& input, const std::filesystem::path& output,
                      const std::filesystem::path& receipt, base::Progress& progress);

 private:
  struct Answer;
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace tacit::app
