#include "app/service/client_shares.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/service/refusal.h"
#include "base/byte_size.h"

namespace tacit::app::service {
namespace {

constexpr int kShareRetrySeconds = 5;

std::string text_of(std::uint64_t bytes) { return base::byte_size_text(static_cast<double>(bytes)); }

/// What one client may have of `bound` where others have some of it.
std::uint64_t share_beside(std::uint64_t others, std::uint64_t bound) {
  return bound > others ? (bound - others) / 2 : 0;
}

}  // namespace

ClientShares::Share& ClientShares::Share::operator+=(const Share& more) {
  kept += more.kept;
  jobs += more.jobs;
  bytes += more.bytes;
  results += more.results;
  return *this;
}

ClientShares::Share& ClientShares::Share::operator-=(const Share& less) {
  kept -= less.kept;
  jobs -= less.jobs;
  bytes -= less.bytes;
  results -= less.results;
  return *this;
}

void ClientShares::require(const std::string& client, const Share& more) const {
  const Share own = of(client);
  if (more.kept > 0 && own.kept >= bounds_.of_client)
    throw Refusal(429,
                  fmt::format("you have {} jobs here, which is the most: fetch and delete finished ones", own.kept),
                  kShareRetrySeconds);
  if (more.bytes > bounds_.queued_bytes / 2)
    throw Refusal(413,
                  fmt::format("{} of inputs are more than the {} that one client may have in the queue; send fewer",
                              text_of(more.bytes), text_of(bounds_.queued_bytes / 2)));
  if (more.results > bounds_.all_result_bytes / 2)
    throw Refusal(413,
                  fmt::format("{} of results are more than the {} that one client may have here; send fewer inputs",
                              text_of(more.results), text_of(bounds_.all_result_bytes / 2)));
  // Sums of what files have cannot overflow; what is declared can.
  if (all_.jobs + more.jobs > bounds_.queued || all_.bytes + more.bytes > bounds_.queued_bytes)
    throw Refusal(503, fmt::format("the queue is full: {} jobs wait; come back later", all_.jobs), kShareRetrySeconds);
  // One job is no share of a queue of one.
  if (more.jobs > 0 &&
      own.jobs + more.jobs > std::max<std::uint64_t>(1, share_beside(all_.jobs - own.jobs, bounds_.queued)))
    throw Refusal(429, fmt::format("{} of your jobs wait, which is your share of the queue; come back later", own.jobs),
                  kShareRetrySeconds);
  if (more.bytes > 0 && own.bytes + more.bytes > share_beside(all_.bytes - own.bytes, bounds_.queued_bytes))
    throw Refusal(
        429,
        fmt::format("{} of your inputs wait, which is your share of the queue; come back later", text_of(own.bytes)),
        kShareRetrySeconds);
  if (all_.results + more.results > bounds_.all_result_bytes)
    throw Refusal(503, "the server has no room for more results at the moment; come back later", kShareRetrySeconds);
  if (more.results > 0 &&
      own.results + more.results > share_beside(all_.results - own.results, bounds_.all_result_bytes))
    throw Refusal(429,
                  fmt::format("your jobs have up to {} of results, which is your share: fetch and delete finished ones",
                              text_of(own.results)),
                  kShareRetrySeconds);
}

void ClientShares::add(const std::string& client, const Share& more) {
  clients_[client] += more;
  all_ += more;
}

void ClientShares::remove(const std::string& client, const Share& less) {
  const auto found = clients_.find(client);
  if (found == clients_.end()) return;
  found->second -= less;
  all_ -= less;
  if (found->second == Share{}) clients_.erase(found);
}

ClientShares::Share ClientShares::of(const std::string& client) const {
  const auto found = clients_.find(client);
  return found == clients_.end() ? Share{} : found->second;
}

}  // namespace tacit::app::service
