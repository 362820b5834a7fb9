#include "app/service/connection_stream.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

namespace tacit::app::service {
namespace {

constexpr std::chrono::milliseconds kLook{100};  // how often a waiting connection asks whether to go on
constexpr std::size_t kThrownAway = 64 << 20;

}  // namespace

ConnectionStream::ConnectionStream(int socket, SSL_CTX* tls, const ConnectionLimits& limits)
    : socket_(socket), limits_(limits) {
  ::fcntl(socket_, F_SETFL, ::fcntl(socket_, F_GETFL, 0) | O_NONBLOCK);
  if (tls == nullptr) return;
  ssl_ = SSL_new(tls);
  if (ssl_ == nullptr || SSL_set_fd(ssl_, socket_) != 1) failed_ = true;
}

ConnectionStream::~ConnectionStream() {
  if (ssl_ != nullptr) SSL_free(ssl_);
  ::close(socket_);
}

bool ConnectionStream::wait(short events, Clock::time_point until) const {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd ready{.fd = socket_, .events = events, .revents = 0};
    const int found = ::poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left, INT_MAX)));
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) return false;
  }
}

template <class Call>
ssize_t ConnectionStream::repeat(short events, Clock::time_point until, const Call& call) {
  for (;;) {
    ERR_clear_error();
    const ssize_t result = call();
    if (result > 0) return result;
    if (ssl_ != nullptr) {
      const int error = SSL_get_error(ssl_, static_cast<int>(result));
      if (error == SSL_ERROR_ZERO_RETURN) return 0;
      if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) break;
      events = error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
    } else {
      if (result == 0) return 0;
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) break;
    }
    if (!wait(events, until)) return -1;
  }
  failed_ = true;
  return -1;
}

bool ConnectionStream::open(std::optional<std::chrono::milliseconds> most) {
  if (failed_ || ssl_ == nullptr) return !failed_;
  failed_ = repeat(POLLIN, Clock::now() + most.value_or(limits_.header), [this] { return SSL_accept(ssl_); }) != 1;
  return !failed_;
}

bool ConnectionStream::wait_for_request(const std::function<bool()>& go_on) {
  phase_ = Phase::idle;
  const Clock::time_point until = Clock::now() + limits_.idle;
  while (!failed_ && Clock::now() < until) {
    if (buffer_begin_ < buffer_end_ || (ssl_ != nullptr && SSL_pending(ssl_) > 0)) return true;
    if (wait(POLLIN, std::min(until, Clock::now() + kLook))) return true;
    if (!go_on()) return false;
  }
  return false;
}

void ConnectionStream::begin_header(std::optional<std::chrono::milliseconds> most) {
  phase_ = Phase::header;
  answer_start_ = Clock::now();
  header_end_ = answer_start_ + most.value_or(limits_.header);
  head_.clear();
  header_refusal_ = 0;
  body_left_ = body_read_ = answer_written_ = 0;
}

void ConnectionStream::begin_body(std::uint64_t bytes) {
  phase_ = Phase::body;
  body_start_ = Clock::now();
  body_left_ = bytes;
}

ConnectionStream::Clock::time_point ConnectionStream::deadline(Clock::time_point start, std::uint64_t bytes) const {
  return start + limits_.grace + std::chrono::milliseconds(bytes * 1000 / limits_.slowest);
}

ssize_t ConnectionStream::read(char* out, std::size_t size) {
  if (failed_ || size == 0) return -1;
  if (phase_ == Phase::header && head_.size() >= limits_.header_bytes) {
    header_refusal_ = 431;
    return -1;
  }
  if (phase_ == Phase::body) {
    if (body_left_ == 0) return 0;
    size = static_cast<std::size_t>(std::min<std::uint64_t>(size, body_left_));
  }
  if (buffer_begin_ == buffer_end_) {
    const bool body = phase_ == Phase::body;
    const ssize_t count = repeat(POLLIN, body ? deadline(body_start_, body_read_) : header_end_, [this]() -> ssize_t {
      return ssl_ != nullptr ? SSL_read(ssl_, buffer_.data(), static_cast<int>(buffer_.size()))
                             : ::recv(socket_, buffer_.data(), buffer_.size(), 0);
    });
    if (count <= 0) {
      if (!body && count < 0 && !failed_ && !head_.empty()) header_refusal_ = 408;
      failed_ = failed_ || body;
      return count;
    }
    buffer_begin_ = 0;
    buffer_end_ = static_cast<std::size_t>(count);
  }
  const std::size_t count = std::min(size, buffer_end_ - buffer_begin_);
  std::memcpy(out, buffer_.data() + buffer_begin_, count);
  buffer_begin_ += count;
  if (phase_ == Phase::body) {
    body_left_ -= count;
    body_read_ += count;
    answer_start_ = Clock::now();
  } else {
    head_.append(out, count);
  }
  return static_cast<ssize_t>(count);
}

ssize_t ConnectionStream::write(const char* bytes, std::size_t size) {
  if (failed_) return -1;
  // An answer may be long in the making: its time counts from its first byte.
  if (answer_written_ == 0) answer_start_ = Clock::now();
  const ssize_t count = repeat(POLLOUT, deadline(answer_start_, answer_written_), [&]() -> ssize_t {
    return ssl_ != nullptr ? SSL_write(ssl_, bytes, static_cast<int>(std::min<std::size_t>(size, INT_MAX)))
                           : ::send(socket_, bytes, size, MSG_NOSIGNAL);
  });
  failed_ = count < 0 || (count == 0 && size > 0);
  if (failed_) return -1;
  answer_written_ += static_cast<std::uint64_t>(count);
  return count;
}

void ConnectionStream::close_gently(std::chrono::milliseconds patience) {
  if (ssl_ != nullptr && !failed_) SSL_shutdown(ssl_);
  ::shutdown(socket_, SHUT_WR);
  const Clock::time_point until = Clock::now() + patience;
  std::size_t thrown_away = 0;
  while (thrown_away < kThrownAway && wait(POLLIN, until)) {
    const ssize_t count = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
    if (count <= 0) return;
    thrown_away += static_cast<std::size_t>(count);
  }
}

}  // namespace tacit::app::service
