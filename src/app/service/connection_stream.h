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

/// What one connection may cost. Times bound whole headers and bodies, not single reads: a client that sends a byte now
/// and then does not hold a thread.
struct ConnectionLimits {
  std::chrono::milliseconds header{10'000};  ///< a TLS handshake; a request's line and headers
  std::chrono::milliseconds idle{15'000};    ///< between requests
  std::chrono::milliseconds grace{20'000};   ///< of a body, beside what its bytes may take
  std::uint64_t slowest = 16 << 10;          ///< bytes a second of a body, either way
  std::size_t header_bytes = 32 << 10;
};

/// A socket, with TLS over it or without, as the stream of the HTTP library. Owns the socket. Not thread safe.
class ConnectionStream final : public httplib::Stream {
 public:
  /// `tls` null: without TLS.
  ConnectionStream(int socket, SSL_CTX* tls, const ConnectionLimits& limits);
  ~ConnectionStream() override;
  ConnectionStream(const ConnectionStream&) = delete;
  ConnectionStream& operator=(const ConnectionStream&) = delete;

  /// The handshake of TLS, within `most` or the limit of a header; true without TLS. False: the peer did not finish it.
  bool open(std::optional<std::chrono::milliseconds> most = {});
  /// Waits for the first byte of a request; `go_on` is asked several times a second. False: none will come.
  bool wait_for_request(const std::function<bool()>& go_on);
  /// From here on a header is read, within `most` or the limit; from there on a body of so many bytes.
  void begin_header(std::optional<std::chrono::milliseconds> most = {});
  void begin_body(std::uint64_t bytes);
  /// The bytes of the header that were read.
  const std::string& head() const { return head_; }
  bool header_is_whole() const { return phase_ == Phase::body; }
  /// Bytes of the body that nobody has read.
  std::uint64_t body_left() const { return body_left_; }
  /// What ended the reading of a header, for an answer; 0: nothing did, or the peer went away.
  int header_refusal() const { return header_refusal_; }
  /// Whether anything was written since the header began.
  bool answered() const { return answer_written_ > 0; }
  /// Ends the connection such that an answer arrives even while the peer still sends: what it sends is thrown away for
  /// at most `patience`.
  static constexpr std::chrono::milliseconds kGentleClose{2'000};
  void close_gently(std::chrono::milliseconds patience = kGentleClose);

  bool is_readable() const override { return !failed_; }
  bool is_writable() const override { return !failed_; }
  ssize_t read(char* out, std::size_t size) override;
  ssize_t write(const char* bytes, std::size_t size) override;
  using httplib::Stream::write;
  /// None: nobody asks who the peer is, only what token it has.
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  /// None: the library would refuse large numbers, which only matter to select().
  socket_t socket() const override { return -1; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Phase { idle, header, body };
  Clock::time_point deadline(Clock::time_point start, std::uint64_t bytes) const;
  /// Waits until the socket is ready for `events`. False: not before `until`.
  bool wait(short events, Clock::time_point until) const;
  /// One call of the operating system or of OpenSSL, repeated until it does something. 0: the end; -1: failed or late.
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
