#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/service/connection_stream.h"

namespace tacit::app::service {

/// A connection and who made it.
struct Connection {
  Connection(int socket, SSL_CTX* tls, const ConnectionLimits& limits, std::string who)
      : stream(socket, tls, limits), address(std::move(who)) {}
  ConnectionStream stream;
  std::string address;
};

/// The place of connections that no request of theirs is answered for: they are idle, their header is arriving, or they
/// leave after their last answer. One thread looks after all of them, so that a client who says nothing, or speaks
/// slowly, takes no thread from others. Thread safe.
class ConnectionLobby {
 public:
  struct Actions {
    /// Receives a connection with a whole header.
    std::function<void(std::shared_ptr<Connection>)> serve;
    /// Answers, without waiting, a connection that ends for this status: 408 if it is late, and 503 if it gives way.
    std::function<void(Connection&, int status)> refuse;
  };
  /// If there are more than `most` connections, the address with the most gives way: the connection that came first.
  ConnectionLobby(std::size_t most, Actions actions);
  ~ConnectionLobby();
  ConnectionLobby(const ConnectionLobby&) = delete;
  ConnectionLobby& operator=(const ConnectionLobby&) = delete;

  /// Begins to look after connections. Throws std::system_error if there is no room for a thread.
  void open();
  /// Takes a connection. A closed lobby keeps only those that leave.
  void enter(std::shared_ptr<Connection> connection);
  /// Ends the connections that wait. After the return no connection is served.
  void close();
  /// Returns when those that leave have left. Call it after `close`, when nothing enters any more.
  void empty();

 private:
  using Guests = std::list<std::shared_ptr<Connection>>;  // in the order in which they came
  enum class Order { look_after, close, empty };
  void look_after_them();
  void admit(const std::shared_ptr<Connection>& connection);
  void attend(Guests::iterator guest);
  /// Returns the connection, and the next guest.
  std::pair<std::shared_ptr<Connection>, Guests::iterator> take(Guests::iterator guest);
  /// Answers with a status and lets the connection leave. Returns the next guest.
  Guests::iterator refuse(Guests::iterator guest, int status);
  void watch(const Connection& connection, int operation) const;
  void make_room();
  void end_late();
  void order(Order order);

  const std::size_t most_;
  const Actions actions_;
  const int poll_, wake_;  // of epoll and of an eventfd
  std::thread thread_;
  // Of the thread:
  Guests guests_;
  std::map<int, Guests::iterator> by_number_;
  std::map<std::string, std::size_t> by_address_;
  std::mutex mutex_;  // of the members below
  std::condition_variable closed_changed_;
  std::vector<std::shared_ptr<Connection>> entering_;
  Order order_ = Order::empty;
  bool closed_ = true;
};

}  // namespace tacit::app::service
