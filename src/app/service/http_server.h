#pragma once

#include <httplib.h>
#include <openssl/ssl.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/service/connection_stream.h"

namespace tacit::app::service {

/// Certificate chain and private key, in PEM.
struct TlsFiles {
  std::filesystem::path certificate, key;
};

/// How many connections there are at once.
struct ConnectionBounds {
  std::size_t served = 128;   ///< each has a thread
  std::size_t waiting = 128;  ///< for one; what comes beyond is told to come back
};

/// The HTTP library's server over connections whose whole cost is bounded (connection_stream.h). What it refuses by
/// itself, and every answer of 400 or more without a body, is JSON: {"error": "one sentence"}. A request states its
/// length, and comes without an encoding.
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

  /// The answer of a handler: JSON, or {"error": sentence}.
  static void answer(httplib::Response& response, int status, const nlohmann::ordered_json& json);
  static void refuse(httplib::Response& response, int status, const std::string& sentence, int retry_after = 0);

 private:
  bool process_and_close_socket(socket_t socket) override;
  struct FreeTls {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  std::unique_ptr<SSL_CTX, FreeTls> tls_;
  ConnectionLimits limits_;
  ConnectionBounds bounds_;
  std::atomic<bool> stopping_{false}, ended_{false};
};

}  // namespace tacit::app::service
