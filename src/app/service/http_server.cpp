#include "app/service/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <thread>

#include "app/service/refusal.h"
#include "app/service/request_head.h"
#include "base/error.h"
#include "base/private_file.h"

namespace tacit::app::service {
namespace {

constexpr int kBacklog = 512;
constexpr std::size_t kLongestPath = 512;
constexpr std::size_t kRequestsOfConnection = 1'000'000;
constexpr std::chrono::milliseconds kShare{100};  // for an answered request to give back its share
constexpr int kShareSeconds = 2;
constexpr const char* kNoRoom = "the server has no room for another connection";
constexpr const char* kGaveWay =
    "others wait, and you have the most connections, of which this one is slow; come back later";
constexpr const char* kNoShare = "as many requests of yours are being answered as may be at once";

/// What a request is refused for before it is looked at: of its form, or none.
std::optional<Refusal> refusal_of_form(const httplib::Request& request) {
  constexpr std::array<std::string_view, 5> kMethods{"GET", "HEAD", "PUT", "POST", "DELETE"};
  if (std::ranges::find(kMethods, request.method) == kMethods.end())
    return Refusal(405, "no address answers to this method");
  if (request.has_header("Content-Encoding")) return Refusal(415, "send the body as it is, without Content-Encoding");
  if (request.is_multipart_form_data()) return Refusal(415, "send the file itself as the body, not a form");
  if (request.path.size() > kLongestPath) return Refusal(414, "there is no address of this length");
  return {};
}

std::string reason_of(int status) {
  switch (status) {
    case 400: return "the request is not one of HTTP/1.1";
    case 404: return "there is nothing at this address";
    case 405: return "this address does not answer to this method";
    case 408: return "the request did not arrive in time";
    case 413: return "the body is larger than this address takes";
    case 414: return "there is no address of this length";
    case 416: return "there are no such bytes";
    case 431: return "the headers of the request are too long";
    case 500: return "internal error";
    default: return "the request cannot be served";
  }
}

std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

/// For a connection that the library has no request of.
std::string whole_answer(std::string_view status, std::string_view header, const std::string& sentence) {
  const std::string body = text_of({{"error", sentence}});
  return fmt::format(
      "HTTP/1.1 {}\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}", status,
      header, body.size(), body);
}

std::string last_tls_error() {
  std::string text(256, '\0');
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  return text.c_str();
}

/// Whether an answer says that the request's form was wrong, so that its end is in doubt.
bool is_of_form(int status) { return status == 400 || status == 411 || status == 415; }

/// Who connects: an address, of IPv6 the network of 64 bits that one customer has.
std::string address_of(socket_t socket) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return "address";
  const void* address = &reinterpret_cast<const sockaddr_in&>(peer).sin_addr;
  in6_addr six = reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr;
  int family = peer.ss_family;
  if (family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&six) != 0) {
    family = AF_INET;
    address = &six.s6_addr[12];
  } else if (family == AF_INET6) {
    std::fill_n(&six.s6_addr[8], 8, std::uint8_t{0});
    address = &six;
  }
  if (::inet_ntop(family, address, text.data(), text.size()) == nullptr) return "address";
  return std::string("address ") + text.data();
}

/// Gives every sentence of an answer the names of paths.
void name_paths(nlohmann::ordered_json& json, const PathNames& names) {
  for (auto& [key, value] : json.items())
    if (value.is_structured())
      name_paths(value, names);
    else if (key == "error" && value.is_string())
      value = names.named(value.get<std::string>());
}

/// The library's way to hand over a connection: the lobby takes it at once.
class Intake final : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> connection) override { connection(); }
  void shutdown() override {}
};

void refuse_for_disk(httplib::Response& response, const std::exception& error) {
  fmt::print(stderr, "tacit: {}\n", error.what());
  HttpServer::refuse(response, 503, "the server's disk is full, or cannot be used, at the moment", 30);
}

}  // namespace

struct HttpServer::Current {
  HttpServer& server;
  ConnectionStream& stream;
  std::string address;
  std::optional<ConnectionShares::Share> share;  // of the request that is being answered
  RequestFraming framing{};
  bool closing = false;
  bool without_share = false;

  /// Of a request whose address has no share left and which names no client, who may have one.
  std::optional<Refusal> refusal_of_share(const httplib::Request& request) {
    if (!share) share = server.shares_.take(address, kShare);
    if (share || request.has_header("Authorization")) return {};
    without_share = true;
    return Refusal(429, kNoShare, kShareSeconds);
  }
};
thread_local HttpServer::Current* HttpServer::current_ = nullptr;

void HttpServer::answer(httplib::Response& response, int status, const nlohmann::ordered_json& json) {
  response.status = status;
  if (current_ == nullptr) return response.set_content(text_of(json), "application/json");
  nlohmann::ordered_json named = json;
  name_paths(named, current_->server.names_);
  response.set_content(text_of(named), "application/json");
}

void HttpServer::belongs_to(const std::string& client) {
  if (current_ == nullptr) return;
  const std::string who = "client " + client;
  if (current_->share && current_->share->who() == who) return;
  if (auto share = current_->server.shares_.take(who, kShare)) {
    current_->share = std::move(share);
    return;
  }
  current_->without_share = true;
  throw Refusal(429, kNoShare, kShareSeconds);
}

void HttpServer::refuse(httplib::Response& response, int status, const std::string& sentence, int retry_after) {
  answer(response, status, {{"error", sentence}});
  if (retry_after > 0) response.set_header("Retry-After", std::to_string(retry_after));
  if (status == 401) response.set_header("WWW-Authenticate", "Bearer");
}

HttpServer::HttpServer(const std::optional<TlsFiles>& tls, const ConnectionLimits& limits,
                       const ConnectionBounds& bounds)
    : limits_(limits),
      bounds_(bounds),
      shares_(bounds.of_client),
      lobby_(bounds.served + bounds.waiting,
             {.serve = [this](const auto& connection) { pool_->enqueue([=, this] { serve_request(connection); }); },
              .refuse = refuse_late}) {
  if (tls) {
    tls_.reset(SSL_CTX_new(TLS_server_method()));
    if (!tls_ || SSL_CTX_set_min_proto_version(tls_.get(), TLS1_2_VERSION) != 1)
      throw base::InternalError("TLS cannot be set up: " + last_tls_error());
    SSL_CTX_set_mode(tls_.get(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    if (SSL_CTX_use_certificate_chain_file(tls_.get(), tls->certificate.c_str()) != 1)
      base::refuse("{}: no certificates in PEM can be read: {}", tls->certificate.string(), last_tls_error());
    base::require_private(tls->key, "private key");
    if (SSL_CTX_use_PrivateKey_file(tls_.get(), tls->key.c_str(), SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(tls_.get()) != 1)
      base::refuse("{}: no private key in PEM that belongs to the certificate can be read: {}", tls->key.string(),
                   last_tls_error());
  }
  new_task_queue = [] { return new Intake; };
  set_tcp_nodelay(true);
  set_payload_max_length(std::numeric_limits<std::size_t>::max());  // every handler bounds what it reads
  set_keep_alive_timeout(std::chrono::duration_cast<std::chrono::seconds>(limits_.idle).count());
  set_keep_alive_max_count(kRequestsOfConnection);
  add_handlers();
}

void HttpServer::add_handlers() {
  set_pre_routing_handler(HandlerWithResponse([this](const httplib::Request& request, httplib::Response& response) {
    std::optional<Refusal> refusal;
    if (current_ != nullptr) refusal = current_->framing.refusal;
    if (!refusal && current_ != nullptr) refusal = current_->refusal_of_share(request);
    if (!refusal && request.method == "OPTIONS" && !origins_.empty()) {
      answer_preflight(request, response);
      return HandlerResponse::Handled;
    }
    if (!refusal) refusal = refusal_of_form(request);
    if (!refusal) return HandlerResponse::Unhandled;
    refuse(response, refusal->status(), refusal->what(), refusal->retry_after());
    return HandlerResponse::Handled;
  }));
  set_post_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    if (!origins_.empty()) response.set_header("Vary", "Origin");
    if (const std::string origin = request.get_header_value("Origin"); origins_.allow(origin)) {
      response.set_header("Access-Control-Allow-Origin", origin);
      response.set_header("Access-Control-Expose-Headers", "Location, Retry-After");
    }
    if (current_ != nullptr) {
      // What is left of a body, or of a header that was given up, would be read as the next request.
      current_->closing = current_->stream.body_left() > 0 || !current_->stream.header_is_whole() ||
                          current_->framing.refusal || is_of_form(response.status) || current_->without_share;
      if (current_->closing) {
        response.headers.erase("Connection");
        response.headers.erase("Keep-Alive");
        response.set_header("Connection", "close");
      }
    }
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_header("Cache-Control", "no-store");
  });
  set_error_handler(HandlerWithResponse([](const httplib::Request&, httplib::Response& response) {
    // The library calls every header that it cannot read to its end malformed.
    if (current_ != nullptr && current_->stream.header_refusal() != 0)
      response.status = current_->stream.header_refusal();
    if (current_ != nullptr && current_->stream.gave_way()) refuse(response, 503, kGaveWay, kShareSeconds);
    if (response.body.empty()) refuse(response, response.status, reason_of(response.status));
    return HandlerResponse::Handled;
  }));
  set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Refusal& refusal) {
      refuse(response, refusal.status(), refusal.what(), refusal.retry_after());
    } catch (const std::bad_alloc&) {
      refuse(response, 503, "the server has too little memory for this at the moment", 30);
    } catch (const base::InputError& error) {  // what clients send is refused by Refusal: this is the state folder
      refuse_for_disk(response, error);
    } catch (const std::filesystem::filesystem_error& error) {
      refuse_for_disk(response, error);
    } catch (const std::exception& error) {
      fmt::print(stderr, "tacit: internal error: {}\n", error.what());
      refuse(response, 500, "internal error; the server's operator finds it in the log");
    }
  });
}

void HttpServer::answer_preflight(const httplib::Request& request, httplib::Response& response) const {
  const std::string origin = request.get_header_value("Origin");
  if (!request.has_header("Access-Control-Request-Method"))
    return refuse(response, 405, "this method is for the preflight of a browser alone");
  if (!origins_.allow(origin))
    return refuse(response, 403, "pages of this origin may not call this server; its operator names origins that may");
  response.status = 204;
  response.set_header("Access-Control-Allow-Methods", "GET, PUT, POST, DELETE");
  response.set_header("Access-Control-Allow-Headers", "Authorization, Content-Type, Content-Range");
  response.set_header("Access-Control-Max-Age", "600");
}

int HttpServer::bind(const std::string& host, int port) {
  const int bound = port == 0 ? bind_to_any_port(host) : bind_to_port(host, port) ? port : -1;
  if (bound < 0)
    base::refuse("--listen {}:{} cannot be had: another program has it, or the machine has no such address", host,
                 port);
  // The library lets five connections wait to be accepted; Linux takes a second call for a new number.
  ::listen(svr_sock_, kBacklog);
  return bound;
}

void HttpServer::serve() {
  pool_.emplace(bounds_.served, bounds_.waiting);
  const struct Ending {
    HttpServer& server;
    ~Ending() {
      server.lobby_.close();
      server.pool_->shutdown();  // what it answers may still leave by the lobby
      server.lobby_.empty();
    }
  } ending{*this};
  lobby_.open();
  listen_after_bind();
  ended_ = true;
}

void HttpServer::wait_until_serving() const {
  while (!is_running() && !ended_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void HttpServer::stop_serving() {
  stopping_ = true;
  stop();
}

/// The thread that accepts connections does this.
bool HttpServer::process_and_close_socket(socket_t socket) {
  std::shared_ptr<Connection> connection;
  try {
    connection = std::make_shared<Connection>(socket, tls_.get(), limits_, address_of(socket));
    lobby_.enter(connection);
    return true;
  } catch (const std::bad_alloc&) {  // it costs a connection, and not the loop of the thread
    if (!connection) ::close(socket);
    return false;
  }
}

void HttpServer::refuse_late(Connection& connection, int status) {
  connection.stream.try_write(status == 408 ? whole_answer("408 Request Timeout", "", reason_of(408))
                                            : whole_answer("503 Service Unavailable", "Retry-After: 2\r\n", kNoRoom));
}

void HttpServer::serve_request(const std::shared_ptr<Connection>& connection) {
  ConnectionStream& stream = connection->stream;
  if (ConnectionPool::turning_away()) {
    refuse_late(*connection, 503);
    stream.begin_leaving();
    return lobby_.enter(connection);
  }
  Current current{.server = *this, .stream = stream, .address = connection->address, .share = {}};
  stream.give_way_if(
      [&] { return ConnectionPool::waiting() > 0 && current.share && shares_.gives_way(current.share->who()); });
  current_ = &current;
  const struct Ending {
    ~Ending() { current_ = nullptr; }
  } ending;
  const bool going_on = answer_request(current);
  stream.give_way_if({});
  current.share.reset();
  if (!going_on) return;
  if (!stream.is_leaving()) stream.await_request();
  lobby_.enter(connection);
}

/// Returns false if the connection has ended.
bool HttpServer::answer_request(Current& current) {
  ConnectionStream& stream = current.stream;
  current.share = shares_.take(current.address);
  stream.begin_header();
  bool closed = false;
  const bool going_on = process_request(stream, stopping_, closed, [&](httplib::Request& request) {
    current.framing = framing_of(stream.head());
    stream.begin_body(current.framing.body_bytes);
    if (request.ranges.size() > 1) request.ranges.clear();  // the whole, in place of many overlapping parts
  });
  if (!stream.answered() && stream.header_refusal() != 0)
    stream.write(stream.header_refusal() == 408
                     ? whole_answer("408 Request Timeout", "", reason_of(408))
                     : whole_answer("431 Request Header Fields Too Large", "", reason_of(431)));
  if (current.closing || !stream.header_is_whole() || stream.body_left() > 0) {
    stream.begin_leaving();
    return true;
  }
  return going_on && !closed;
}

}  // namespace tacit::app::service
