#pragma once

#include <httplib.h>
#include <openssl/ssl.h>
#include <poll.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace tacit::app::service {

/// Bounds of the cost of one connection. Times bound whole headers and bodies, not single reads. A client that sends
/// single bytes slowly therefore does not hold a thread.
struct ConnectionLimits {
  std::chrono::milliseconds header{10'000};  ///< for a TLS handshake, or a request's line and headers
  std::chrono::milliseconds idle{15'000};    ///< between requests
  std::chrono::milliseconds grace{20'000};   ///< for a body, in addition to the time of its bytes
  std::uint64_t slowest = 16 << 10;          ///< bytes per second of a body, in either direction
  std::size_t header_bytes = 32 << 10;
};

/// A socket, with or without TLS, as the stream of the HTTP library. Owns the socket.
///
/// A connection has no thread until the whole header of a request is there. Until then `advance` takes what has come,
/// without waiting. A thread then calls `begin_header`, and reads and writes with waiting. Not thread safe.
class ConnectionStream final : public httplib::Stream {
 public:
  /// `tls` is null for a socket without TLS.
  ConnectionStream(int socket, SSL_CTX* tls, const ConnectionLimits& limits);
  ~ConnectionStream() override;
  ConnectionStream(const ConnectionStream&) = delete;
  ConnectionStream& operator=(const ConnectionStream&) = delete;

  using Clock = std::chrono::steady_clock;
  enum class Step {
    waits,  ///< for `events` of the socket, until `until`
    ready,  ///< the header is whole, or no more of it will be read: a thread may begin
    ended   ///< no request will come
  };
  /// Takes what has come: of the handshake of TLS, of a header, or of what is thrown away after the last answer.
  Step advance();
  /// The events of poll() after which `advance` has something to do.
  short events() const { return wants_write_ ? POLLOUT : POLLIN; }
  Clock::time_point until() const { return until_; }
  /// The status that answers a connection that `until` has passed. 0: nothing was asked.
  int late_status() const { return phase_ == Phase::arriving && !buffered().empty() ? 408 : 0; }
  /// Waits for the next request, if an answer has ended.
  void await_request();
  /// Ends the connection so that an answer arrives even while the peer still sends: `advance` throws away what comes,
  /// for at most `patience`.
  void begin_leaving(std::chrono::milliseconds patience = kPatience);
  static constexpr std::chrono::milliseconds kPatience{2'000};
  bool is_leaving() const { return phase_ == Phase::leaving; }
  /// Writes as much as there is room for, without waiting.
  void try_write(std::string_view text);

  /// `begin_header` starts the reading of a header. `begin_body` starts a body of `bytes` bytes.
  void begin_header();
  void begin_body(std::uint64_t bytes);
  /// Sets what a slow body asks several times a second: whether it gives way to others. It is then read no further.
  void give_way_if(std::function<bool()> asked) { gives_way_ = std::move(asked); }
  bool gave_way() const { return gave_way_; }
  /// The bytes of the header read so far.
  const std::string& head() const { return head_; }
  bool header_is_whole() const { return phase_ == Phase::body; }
  /// The bytes of the body that are not read yet.
  std::uint64_t body_left() const { return body_left_; }
  /// The status that answers a failed reading of a header. 0: nothing failed, or the peer closed the connection.
  int header_refusal() const { return header_refusal_; }
  /// True if anything was written since the header began.
  bool answered() const { return answer_written_ > 0; }

  bool is_readable() const override { return !failed_; }
  bool is_writable() const override { return !failed_; }
  ssize_t read(char* out, std::size_t size) override;
  ssize_t write(const char* bytes, std::size_t size) override;
  using httplib::Stream::write;
  /// Does nothing: the service needs the peer's token, and not its address.
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  /// Returns -1. The library would refuse large numbers, which matter only to select().
  socket_t socket() const override { return -1; }
  int number() const { return socket_; }

 private:
  enum class Phase { handshake, idle, arriving, header, body, leaving };
  enum class Tried { done, later, failed };
  Clock::time_point deadline(Clock::time_point start, std::uint64_t bytes) const;
  /// One call of the operating system or of OpenSSL, whose result is `count`. `later`: it would wait.
  template <class Call>
  Tried attempt(short events, ssize_t& count, const Call& call);
  /// Repeats a call until it makes progress. Returns 0 at the end, and -1 if it failed or is late.
  template <class Call>
  ssize_t repeat(short events, Clock::time_point start, Clock::time_point until, const Call& call);
  /// Waits until the socket is ready for what `attempt` said. Returns false if it is not ready by `until`.
  bool wait(Clock::time_point start, Clock::time_point until);
  bool must_give_way(Clock::time_point start);
  ssize_t receive(char* out, std::size_t size);
  Step shake_hands();
  Step throw_away();
  std::string_view buffered() const { return std::string_view(buffer_).substr(begin_); }

  int socket_;
  SSL* ssl_ = nullptr;
  ConnectionLimits limits_;
  Phase phase_ = Phase::idle;
  Clock::time_point until_{}, body_start_{}, answer_start_{};
  std::uint64_t body_left_ = 0, body_read_ = 0, answer_written_ = 0;
  std::size_t thrown_away_ = 0;
  std::string head_;
  int header_refusal_ = 0;
  bool failed_ = false, wants_write_ = false, gave_way_ = false;
  std::function<bool()> gives_way_;
  std::string buffer_;  // read, and from begin_ on not yet taken
  std::size_t begin_ = 0, searched_ = 0;
};

}  // namespace tacit::app::service
