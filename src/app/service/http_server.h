#pragma once

#include <httplib.h>
#include <openssl/ssl.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/service/allowed_origins.h"
#include "app/service/connection_lobby.h"
#include "app/service/connection_pool.h"
#include "app/service/connection_shares.h"
#include "app/service/connection_stream.h"
#include "app/service/path_names.h"

namespace tacit::app::service {

/// A certificate chain and its private key, in PEM.
struct TlsFiles {
  std::filesystem::path certificate, key;
};

/// Bounds of the number of connections at one time.
struct ConnectionBounds {
  std::size_t served = 128;   ///< one thread each, from the end of a request's header to the end of its answer
  std::size_t waiting = 128;  ///< requests that wait for a thread; further ones are refused and may return later
  /// Connections that serve requests of one client at one time, or of one address before its token is known.
  std::size_t of_client = 64;
};

/// The HTTP library's server over connections with a bounded total cost (connection_stream.h). Refusals of the library,
/// and all answers of 400 or more without a body, are JSON: {"error": "one sentence"}. A request must state its length,
/// and must have no encoding. A connection ends after an answer of 400, 411 or 415, because its next bytes may belong
/// to the refused request.
class HttpServer final : public httplib::Server {
 public:
  /// Throws InputError for certificates that cannot be used.
  HttpServer(const std::optional<TlsFiles>& tls, const ConnectionLimits& limits, const ConnectionBounds& bounds);

  /// Binds the address; port 0 picks a free port. Returns the port. Throws InputError if the address is not available.
  int bind(const std::string& host, int port);
  /// Serves until `stop_serving`.
  void serve();
  /// Returns when another thread is in `serve`. The library would forget a stop before that moment.
  void wait_until_serving() const;
  /// Ends `serve`. Callable from any thread, after `wait_until_serving`. Idle connections are closed, and requests in
  /// progress are answered.
  void stop_serving();

  /// Sets the names of the server's files in sentences for clients. Call it before `serve`.
  void call_paths(PathNames names) { names_ = std::move(names); }

  /// Lets pages of these origins call the server from a browser: it answers their preflights, and tells the browser
  /// that the page may read answers. Call it before `serve`.
  void allow_origins(AllowedOrigins origins) { origins_ = std::move(origins); }

  /// States, in a handler, that the request comes from this client. Throws Refusal 429 if the bound of its requests at
  /// one time is reached.
  static void belongs_to(const std::string& client);

  /// Sets the answer of a handler: JSON, or {"error": sentence}.
  static void answer(httplib::Response& response, int status, const nlohmann::ordered_json& json);
  static void refuse(httplib::Response& response, int status, const std::string& sentence, int retry_after = 0);

 private:
  /// The state of a connection for its thread.
  struct Current;
  static thread_local Current* current_;
  void add_handlers();
  /// Answers the question of a browser whether a page may send a request.
  void answer_preflight(const httplib::Request& request, httplib::Response& response) const;
  bool process_and_close_socket(socket_t socket) override;
  static void refuse_late(Connection& connection, int status);
  void serve_request(const std::shared_ptr<Connection>& connection);
  bool answer_request(Current& current);
  struct FreeTls {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  std::unique_ptr<SSL_CTX, FreeTls> tls_;
  ConnectionLimits limits_;
  ConnectionBounds bounds_;
  ConnectionShares shares_;
  std::optional<ConnectionPool> pool_;
  ConnectionLobby lobby_;
  PathNames names_;
  AllowedOrigins origins_;
  std::atomic<bool> stopping_{false}, ended_{false};
};

}  // namespace tacit::app::service
