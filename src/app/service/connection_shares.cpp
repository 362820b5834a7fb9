#include "app/service/connection_shares.h"

namespace tacit::app::service {

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

void ConnectionShares::give_back(const std::string& who) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = taken_.find(who);
    if (--found->second == 0) taken_.erase(found);
  }
  given_back_.notify_all();
}

}  // namespace tacit::app::service
