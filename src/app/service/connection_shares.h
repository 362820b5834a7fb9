#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace tacit::app::service {

/// Bounds the connections that serve requests of one client at the same time. Connections without a known token are
/// counted by address. An idle connection has no share, because it makes room for others. Thread safe.
class ConnectionShares {
 public:
  explicit ConnectionShares(std::size_t most) : most_(most) {}

  /// One connection of `who`, which ends with the object. Movable.
  class Share {
   public:
    Share(Share&& other) noexcept : shares_(std::exchange(other.shares_, nullptr)), who_(std::move(other.who_)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(shares_, other.shares_);
      std::swap(who_, other.who_);
      return *this;
    }
    ~Share() {
      if (shares_ != nullptr) shares_->give_back(who_);
    }
    const std::string& who() const { return who_; }

   private:
    friend class ConnectionShares;
    Share(ConnectionShares* shares, std::string who) : shares_(shares), who_(std::move(who)) {}
    ConnectionShares* shares_;
    std::string who_;
  };

  /// Takes a share for `who`. None if `who` has `most` connections and none of them ends within `patience`.
  std::optional<Share> take(const std::string& who, std::chrono::milliseconds patience = {});
  /// Returns true if a slow connection of `who` ends for the sake of others: `who` has several connections, and nobody
  /// has more. One after another, so that others get room and `who` keeps what is left.
  bool gives_way(const std::string& who);

 private:
  void give_back(const std::string& who);
  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::map<std::string, std::size_t> taken_;
  std::chrono::steady_clock::time_point gave_way_{};
};

}  // namespace tacit::app::service
