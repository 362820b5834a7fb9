#pragma once

#include <httplib.h>
#include <openssl/ssl.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/service/connection_shares.h"
#include "app/service/connection_stream.h"
#include "app/service/path_names.h"

namespace tacit::app::service {

/// Certificate chain and private key, in PEM.
struct TlsFiles {
  std::filesystem::path certificate, key;
};

/// How many connections there are at once.
struct ConnectionBounds {
  std::size_t served = 128;   ///< each has a thread
  std::size_t waiting = 128;  ///< for one; what comes beyond is told to come back
  /// That serve requests of one client at once, or of one address before its token is known.
  std::size_t of_client = 64;
};

/// The HTTP library's server over connections whose whole cost is bounded (connection_stream.h). What it refuses by
/// itself, and every answer of 400 or more without a body, is JSON: {"error": "one sentence"}. A request states its
/// length, and comes without an encoding. A connection ends with a request that was answered with 400, 411 or 415: its
/// next bytes may be a rest of it.
class HttpServer final : public httplib::Server {
 public:
  /// Throws InputError for certificates that do not serve.
  HttpServer(const std::optional<TlsFiles>& tls, const ConnectionLimits& limits, const ConnectionBounds& bounds);

  /// Takes the address; port 0: a free one. Returns the port. Throws InputError where it is not to be had.
  int bind(const std::string& host, int port);
  /// Serves until `stop_serving`.
  void serve();
  /// Returns when another thread is in `serve`: the library forgets a stop that comes before.
  void wait_until_serving() const;
  /// From any thread, after `wait_until_serving`. Idle connections are closed, requests that are being answered go on.
  void stop_serving();

  /// What sentences for clients call the server's files. Before `serve`.
  void call_paths(PathNames names) { names_ = std::move(names); }

  /// Of a handler: the request comes from this client. Throws Refusal 429 where as many of the client's are being
  /// answered as may be at once.
  static void belongs_to(const std::string& client);

  /// The answer of a handler: JSON, or {"error": sentence}.
  static void answer(httplib::Response& response, int status, const nlohmann::ordered_json& json);
  static void refuse(httplib::Response& response, int status, const std::string& sentence, int retry_after = 0);

 private:
  /// What the thread that serves a connection knows of it.
  struct Current;
  static thread_local Current* current_;
  void add_handlers();
  bool process_and_close_socket(socket_t socket) override;
  void serve_requests(Current& current);
  struct FreeTls {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  std::unique_ptr<SSL_CTX, FreeTls> tls_;
  ConnectionLimits limits_;
  ConnectionBounds bounds_;
  ConnectionShares shares_;
  PathNames names_;
  std::atomic<bool> stopping_{false}, ended_{false};
};

}  // namespace tacit::app::service
