#include "app/service/connection_stream.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

namespace tacit::app::service {
namespace {

constexpr std::chrono::milliseconds kLook{100};  // how often a slow body asks whether to give way
constexpr std::chrono::seconds kSlow{1};         // what has taken less is not slow
constexpr std::size_t kReadAtOnce = 16 << 10;
constexpr std::size_t kHeaderPiece = 4 << 10;
constexpr std::size_t kThrownAway = 64 << 20;
constexpr int kThrownAtOnce = 16;  // pieces; other connections come between
constexpr std::string_view kEndOfHeader = "\r\n\r\n";

}  // namespace

ConnectionStream::ConnectionStream(int socket, SSL_CTX* tls, const ConnectionLimits& limits)
    : socket_(socket), limits_(limits) {
  ::fcntl(socket_, F_SETFL, ::fcntl(socket_, F_GETFL, 0) | O_NONBLOCK);
  await_request();
  if (tls == nullptr) return;
  phase_ = Phase::handshake;
  until_ = Clock::now() + limits_.header;
  ssl_ = SSL_new(tls);
  if (ssl_ == nullptr || SSL_set_fd(ssl_, socket_) != 1) failed_ = true;
}

ConnectionStream::~ConnectionStream() {
  if (ssl_ != nullptr) SSL_free(ssl_);
  ::close(socket_);
}

template <class Call>
ConnectionStream::Tried ConnectionStream::attempt(short events, ssize_t& count, const Call& call) {
  wants_write_ = events == POLLOUT;
  for (;;) {
    ERR_clear_error();
    count = call();
    if (count > 0) return Tried::done;
    if (ssl_ != nullptr) {
      const int error = SSL_get_error(ssl_, static_cast<int>(count));
      count = 0;
      if (error == SSL_ERROR_ZERO_RETURN) return Tried::done;
      if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) break;
      wants_write_ = error == SSL_ERROR_WANT_WRITE;
      return Tried::later;
    }
    if (count == 0) return Tried::done;
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return Tried::later;
    break;
  }
  failed_ = true;
  count = -1;
  return Tried::failed;
}

bool ConnectionStream::must_give_way(Clock::time_point start) {
  if (gave_way_ || phase_ != Phase::body || !gives_way_ || Clock::now() - start < kSlow) return gave_way_;
  return gave_way_ = gives_way_();
}

bool ConnectionStream::wait(Clock::time_point start, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) return false;
    pollfd ready{.fd = socket_, .events = events(), .revents = 0};
    const int found = ::poll(&ready, 1, static_cast<int>(std::min(left, kLook).count()));
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) return false;
    if (must_give_way(start)) return false;
  }
}

template <class Call>
ssize_t ConnectionStream::repeat(short events, Clock::time_point start, Clock::time_point until, const Call& call) {
  for (ssize_t count = 0;;) {
    if (attempt(events, count, call) != Tried::later) return count;
    if (!wait(start, until)) return -1;
  }
}

ssize_t ConnectionStream::receive(char* out, std::size_t size) {
  return ssl_ != nullptr ? SSL_read(ssl_, out, static_cast<int>(std::min<std::size_t>(size, INT_MAX)))
                         : ::recv(socket_, out, size, 0);
}

ConnectionStream::Step ConnectionStream::advance() {
  if (failed_) return Step::ended;
  if (phase_ == Phase::leaving) return throw_away();
  if (phase_ == Phase::handshake)
    if (const Step step = shake_hands(); step != Step::ready) return step;
  for (;;) {
    const std::string_view here = buffered();
    if (!here.empty() && phase_ == Phase::idle) {
      phase_ = Phase::arriving;
      until_ = Clock::now() + limits_.header;
    }
    // The end of a header may lie across two pieces.
    if (here.find(kEndOfHeader, searched_ - std::min(searched_, kEndOfHeader.size() - 1)) != std::string_view::npos)
      return Step::ready;
    searched_ = here.size();
    if (here.size() >= limits_.header_bytes) return Step::ready;  // it is refused
    std::array<char, kHeaderPiece> piece;
    ssize_t count = 0;
    const Tried tried = attempt(POLLIN, count, [&] { return receive(piece.data(), piece.size()); });
    if (tried == Tried::later) return Step::waits;
    if (tried == Tried::failed) return Step::ended;
    if (count == 0) return here.empty() ? Step::ended : Step::ready;
    buffer_.append(piece.data(), static_cast<std::size_t>(count));
  }
}

ConnectionStream::Step ConnectionStream::shake_hands() {
  ssize_t done = 0;
  const Tried tried = attempt(POLLIN, done, [this] { return SSL_accept(ssl_); });
  if (tried == Tried::later) return Step::waits;
  if (tried == Tried::failed || done != 1) return Step::ended;
  await_request();
  return Step::ready;
}

ConnectionStream::Step ConnectionStream::throw_away() {
  std::array<char, kReadAtOnce> piece;
  for (int i = 0; i < kThrownAtOnce; ++i) {
    const ssize_t count = ::recv(socket_, piece.data(), piece.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return Step::waits;
    if (count <= 0) return Step::ended;
    thrown_away_ += static_cast<std::size_t>(count);
    if (thrown_away_ >= kThrownAway) return Step::ended;
  }
  return Step::waits;
}

void ConnectionStream::await_request() {
  phase_ = Phase::idle;
  until_ = Clock::now() + limits_.idle;
  buffer_ = std::string(buffered());  // an idle connection takes no memory for it
  begin_ = searched_ = 0;
}

void ConnectionStream::begin_leaving(std::chrono::milliseconds patience) {
  if (ssl_ != nullptr && !failed_) SSL_shutdown(ssl_);
  ::shutdown(socket_, SHUT_WR);
  phase_ = Phase::leaving;
  wants_write_ = false;
  until_ = Clock::now() + patience;
}

void ConnectionStream::try_write(std::string_view text) {
  ssize_t count = 0;
  if (failed_) return;
  attempt(POLLOUT, count, [&]() -> ssize_t {
    return ssl_ != nullptr ? SSL_write(ssl_, text.data(), static_cast<int>(text.size()))
                           : ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
  });
}

void ConnectionStream::begin_header() {
  phase_ = Phase::header;
  answer_start_ = Clock::now();
  until_ = answer_start_ + limits_.header;
  head_.clear();
  header_refusal_ = 0;
  gave_way_ = false;
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
  const bool body = phase_ == Phase::body;
  if (!body && head_.size() >= limits_.header_bytes) {
    header_refusal_ = 431;
    return -1;
  }
  if (body) {
    if (body_left_ == 0) return 0;
    if (must_give_way(body_start_)) return -1;
    size = static_cast<std::size_t>(std::min<std::uint64_t>(size, body_left_));
  }
  if (buffered().empty()) {
    begin_ = 0;
    buffer_.resize(kReadAtOnce);
    const ssize_t count = repeat(POLLIN, body_start_, body ? deadline(body_start_, body_read_) : until_,
                                 [this] { return receive(buffer_.data(), buffer_.size()); });
    buffer_.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count <= 0) {
      if (!body && count < 0 && !failed_ && !head_.empty()) header_refusal_ = 408;
      failed_ = failed_ || (body && !gave_way_);
      return count;
    }
  }
  const std::size_t count = std::min(size, buffered().size());
  std::memcpy(out, buffered().data(), count);
  begin_ += count;
  if (body) {
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
  const ssize_t count = repeat(POLLOUT, answer_start_, deadline(answer_start_, answer_written_), [&]() -> ssize_t {
    return ssl_ != nullptr ? SSL_write(ssl_, bytes, static_cast<int>(std::min<std::size_t>(size, INT_MAX)))
                           : ::send(socket_, bytes, size, MSG_NOSIGNAL);
  });
  failed_ = count < 0 || (count == 0 && size > 0);
  if (failed_) return -1;
  answer_written_ += static_cast<std::uint64_t>(count);
  return count;
}

}  // namespace tacit::app::service
