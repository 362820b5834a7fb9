#include "app/service/bounded_client.h"

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <functional>

namespace tacit::app::service {
namespace {

/// A socket of the library, with TLS over it or without. The library gave it time limits for reading and writing.
class BudgetedStream final : public httplib::Stream {
 public:
  BudgetedStream(socket_t socket, SSL* tls, AnswerBudget& budget) : socket_(socket), tls_(tls), budget_(budget) {}
  bool is_readable() const override { return !failed_; }
  bool is_writable() const override { return !failed_; }
  ssize_t read(char* out, std::size_t size) override {
    if (begin_ == end_ && !fill()) return failed_ ? -1 : 0;
    const std::size_t count = std::min(size, end_ - begin_);
    std::memcpy(out, buffer_.data() + begin_, count);
    begin_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* bytes, std::size_t size) override {
    const ssize_t count = repeat([&] {
      return tls_ != nullptr ? SSL_write(tls_, bytes, static_cast<int>(std::min<std::size_t>(size, INT_MAX)))
                             : ::send(socket_, bytes, size, MSG_NOSIGNAL);
    });
    failed_ = failed_ || count < 0;
    return count;
  }
  using httplib::Stream::write;
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  template <class Call>
  static ssize_t repeat(const Call& call) {
    ssize_t count = call();
    while (count < 0 && errno == EINTR) count = call();
    return count;
  }
  /// False at the end of what the server sends, and where it sends too much or too late.
  bool fill() {
    if (failed_) return false;
    const ssize_t count = repeat([&] {
      return tls_ != nullptr ? SSL_read(tls_, buffer_.data(), static_cast<int>(buffer_.size()))
                             : ::recv(socket_, buffer_.data(), buffer_.size(), 0);
    });
    budget_.exceeded = count > 0 && static_cast<std::uint64_t>(count) > budget_.left;
    failed_ = count < 0 || budget_.exceeded;
    if (failed_ || count == 0) return false;
    budget_.left -= static_cast<std::uint64_t>(count);
    begin_ = 0;
    end_ = static_cast<std::size_t>(count);
    return true;
  }

  socket_t socket_;
  SSL* tls_;
  AnswerBudget& budget_;
  bool failed_ = false;
  std::array<char, 16 << 10> buffer_{};
  std::size_t begin_ = 0, end_ = 0;
};

/// One of the library's clients over such streams.
template <class Client>
class Bounded final : public Client {
 public:
  Bounded(const ServerAddress& address, AnswerBudget& budget) : Client(address.host, address.port), budget_(budget) {}

 private:
  using Socket = typename Client::Socket;
  bool process_socket(const Socket& socket, std::function<bool(httplib::Stream&)> callback) override {
    BudgetedStream stream(socket.sock, socket.ssl, budget_);
    return callback(stream);
  }
  AnswerBudget& budget_;
};

}  // namespace

std::unique_ptr<httplib::ClientImpl> bounded_client(const ServerAddress& address, AnswerBudget& budget) {
  if (address.tls) return std::make_unique<Bounded<httplib::SSLClient>>(address, budget);
  return std::make_unique<Bounded<httplib::ClientImpl>>(address, budget);
}

}  // namespace tacit::app::service
