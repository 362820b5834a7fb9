#pragma once

#include <httplib.h>
#include <openssl/ssl.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

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

/// A socket, with or without TLS, as the stream of the HTTP library. Owns the socket. Not thread safe.
class ConnectionStream final : public httplib::Stream {
 public:
  /// `tls` is null for a socket without TLS.
  ConnectionStream(int socket, SSL_CTX* tls, const ConnectionLimits& limits);
  ~ConnectionStream() override;
  ConnectionStream(const ConnectionStream&) = delete;
  ConnectionStream& operator=(const ConnectionStream&) = delete;

  /// Carries out the handshake of TLS, within `most` or the limit of a header. Returns false if the peer did not finish
  /// it, and true without TLS.
  bool open(std::optional<std::chrono::milliseconds> most = {});
  /// Waits for the first byte of a request, and calls `go_on` several times a second. Returns false if no byte will
  /// come.
  bool wait_for_request(const std::function<bool()>& go_on);
  /// `begin_header` starts the reading of a header, within `most` or the limit. `begin_body` starts a body of `bytes`
  /// bytes.
  void begin_header(std::optional<std::chrono::milliseconds> most = {});
  void begin_body(std::uint64_t bytes);
  /// The bytes of the header read so far.
  const std::string& head() const { return head_; }
  bool header_is_whole() const { return phase_ == Phase::body; }
  /// The bytes of the body that are not read yet.
  std::uint64_t body_left() const { return body_left_; }
  /// The status that answers a failed reading of a header. 0: nothing failed, or the peer closed the connection.
  int header_refusal() const { return header_refusal_; }
  /// True if anything was written since the header began.
  bool answered() const { return answer_written_ > 0; }
  /// Ends the connection so that an answer arrives even while the peer still sends. Bytes of the peer are discarded for
  /// at most `patience`.
  static constexpr std::chrono::milliseconds kGentleClose{2'000};
  void close_gently(std::chrono::milliseconds patience = kGentleClose);

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

 private:
  using Clock = std::chrono::steady_clock;
  enum class Phase { idle, header, body };
  Clock::time_point deadline(Clock::time_point start, std::uint64_t bytes) const;
  /// Waits until the socket is ready for `events`. Returns false if it is not ready by `until`.
  bool wait(short events, Clock::time_point until) const;
  /// Repeats one call of the operating system or of OpenSSL until it makes progress. Returns 0 at the end, and -1 if it
  /// failed or is late.
  template <class Call>
  ssize_t repeat(short events, Clock::time_point until, const Call& call);

  int socket_;
  SSL* ssl_ = nullptr;
  ConnectionLimits limits_;
  Phase phase_ = Phase::idle;
  Clock::time_point header_end_{}, body_start_{}, answer_start_{};
  std::uint64_t body_left_ = 0, body_read_ = 0, answer_written_ = 0;
  std::string head_;
  int header_refusal_ = 0;
  bool failed_ = false;
  std::array<char, 16 << 10> buffer_{};
  std::size_t buffer_begin_ = 0, buffer_end_ = 0;
};

}  // namespace tacit::app::service
