#include "app/service/connection_lobby.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <system_error>

namespace tacit::app::service {
namespace {

constexpr int kLookMilliseconds = 50;  // how often late connections are looked for
constexpr std::size_t kEvents = 64;

int opened(int number) {
  if (number < 0) throw std::system_error(errno, std::generic_category(), "connections cannot be waited for");
  return number;
}

}  // namespace

ConnectionLobby::ConnectionLobby(std::size_t most, Actions actions)
    : most_(most),
      actions_(std::move(actions)),
      poll_(opened(::epoll_create1(EPOLL_CLOEXEC))),
      wake_(opened(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = wake_}};
  opened(::epoll_ctl(poll_, EPOLL_CTL_ADD, wake_, &event));
}

ConnectionLobby::~ConnectionLobby() {
  close();
  empty();
  ::close(wake_);
  ::close(poll_);
}

void ConnectionLobby::open() {
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) return;
  order_ = Order::look_after;
  thread_ = std::thread([this] { look_after_them(); });
  closed_ = false;
}

void ConnectionLobby::order(Order order) {
  order_ = order;
  ::eventfd_write(wake_, 1);
}

void ConnectionLobby::enter(std::shared_ptr<Connection> connection) {
  const std::lock_guard lock(mutex_);
  if (order_ == Order::empty) return;
  entering_.push_back(std::move(connection));
  ::eventfd_write(wake_, 1);
}

void ConnectionLobby::close() {
  std::unique_lock lock(mutex_);
  if (closed_) return;
  order(Order::close);
  closed_changed_.wait(lock, [this] { return closed_; });
}

void ConnectionLobby::empty() {
  {
    const std::lock_guard lock(mutex_);
    order(Order::empty);
  }
  if (thread_.joinable()) thread_.join();
}

void ConnectionLobby::look_after_them() {
  std::array<epoll_event, kEvents> events{};
  std::vector<std::shared_ptr<Connection>> entering;
  for (bool closed = false;;) {
    const int count = ::epoll_wait(poll_, events.data(), kEvents, guests_.empty() ? -1 : kLookMilliseconds);
    Order order{};
    eventfd_t ignored = 0;
    ::eventfd_read(wake_, &ignored);  // before a look at what it tells of: nothing that comes later is missed
    {
      const std::lock_guard lock(mutex_);
      std::swap(entering, entering_);
      order = order_;
    }
    try {
      if (order != Order::look_after) {
        std::erase_if(entering, [](const auto& connection) { return !connection->stream.is_leaving(); });
        for (auto guest = guests_.begin(); guest != guests_.end();)
          guest = (*guest)->stream.is_leaving() ? std::next(guest) : take(guest).second;
        if (!std::exchange(closed, true)) {
          const std::lock_guard lock(mutex_);
          closed_ = true;
          closed_changed_.notify_all();
        }
      }
      for (const std::shared_ptr<Connection>& connection : entering) admit(connection);
      for (int i = 0; i < count; ++i) {
        if (const auto found = by_number_.find(events[i].data.fd); found != by_number_.end()) attend(found->second);
      }
      end_late();
    } catch (const std::exception& error) {  // no memory: it costs a connection, not the service
      fmt::print(stderr, "tacit: a connection was given up: {}\n", error.what());
    }
    entering.clear();
    if (order == Order::empty && guests_.empty()) return;
  }
}

void ConnectionLobby::admit(const std::shared_ptr<Connection>& connection) {
  // Most requests are whole when their connection comes.
  const ConnectionStream::Step step = connection->stream.advance();
  if (step == ConnectionStream::Step::ready) return actions_.serve(connection);
  if (step == ConnectionStream::Step::ended) return;
  if (guests_.size() >= most_) make_room();
  guests_.push_back(connection);
  try {
    by_number_[connection->stream.number()] = std::prev(guests_.end());
    ++by_address_[connection->address];
  } catch (...) {
    by_number_.erase(connection->stream.number());
    guests_.pop_back();
    throw;
  }
  watch(*connection, EPOLL_CTL_ADD);
}

void ConnectionLobby::watch(const Connection& connection, int operation) const {
  epoll_event event{.events = connection.stream.events() == POLLOUT ? EPOLLOUT : EPOLLIN,
                    .data = {.fd = connection.stream.number()}};
  ::epoll_ctl(poll_, operation, connection.stream.number(), &event);
}

std::pair<std::shared_ptr<Connection>, ConnectionLobby::Guests::iterator> ConnectionLobby::take(
    Guests::iterator guest) {
  std::shared_ptr<Connection> connection = std::move(*guest);
  const auto address = by_address_.find(connection->address);
  if (--address->second == 0) by_address_.erase(address);
  by_number_.erase(connection->stream.number());
  watch(*connection, EPOLL_CTL_DEL);
  return {std::move(connection), guests_.erase(guest)};
}

void ConnectionLobby::attend(Guests::iterator guest) {
  ConnectionStream& stream = (*guest)->stream;
  const short before = stream.events();
  switch (stream.advance()) {
    case ConnectionStream::Step::waits:
      if (stream.events() != before) watch(**guest, EPOLL_CTL_MOD);
      return;
    case ConnectionStream::Step::ready: return actions_.serve(take(guest).first);
    case ConnectionStream::Step::ended: take(guest); return;
  }
}

ConnectionLobby::Guests::iterator ConnectionLobby::refuse(Guests::iterator guest, int status) {
  ConnectionStream& stream = (*guest)->stream;
  actions_.refuse(**guest, status);
  stream.begin_leaving();
  watch(**guest, EPOLL_CTL_MOD);
  return std::next(guest);
}

void ConnectionLobby::make_room() {
  const auto most = std::ranges::max_element(by_address_, {}, [](const auto& entry) { return entry.second; });
  const auto first = std::ranges::find_if(guests_, [&](const auto& guest) { return guest->address == most->first; });
  if ((*first)->stream.late_status() != 0) actions_.refuse(**first, 503);
  take(first);
}

void ConnectionLobby::end_late() {
  const auto now = ConnectionStream::Clock::now();
  for (auto guest = guests_.begin(); guest != guests_.end();) {
    if ((*guest)->stream.until() > now)
      ++guest;
    else if (const int status = (*guest)->stream.late_status())
      guest = refuse(guest, status);
    else
      guest = take(guest).second;
  }
}

}  // namespace tacit::app::service
