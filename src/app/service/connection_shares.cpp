#include "app/service/connection_shares.h"

#include <algorithm>

namespace tacit::app::service {
namespace {
constexpr std::chrono::milliseconds kBetween{20};  // two connections that give way: the first has ended by then
}  // namespace

std::optional<ConnectionShares::Share> ConnectionShares::take(const std::string& who,
                                                              std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  const auto is_free = [&] {
    const auto found = taken_.find(who);
    return found == taken_.end() || found->second < most_;
  };
  if (!is_free() && (patience.count() == 0 || !given_back_.wait_for(lock, patience, is_free))) return {};
  ++taken_[who];
  return Share(this, who);
}

bool ConnectionShares::gives_way(const std::string& who) {
  const std::lock_guard lock(mutex_);
  const auto found = taken_.find(who);
  const auto now = std::chrono::steady_clock::now();
  if (found == taken_.end() || found->second < 2 || now - gave_way_ < kBetween) return false;
  if (std::ranges::any_of(taken_, [&](const auto& other) { return other.second > found->second; })) return false;
  gave_way_ = now;
  return true;
}

void ConnectionShares::give_back(const std::string& who) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = taken_.find(who);
    if (--found->second == 0) taken_.erase(found);
  }
  given_back_.notify_all();
}

}  // namespace tacit::app::service
