#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tacit::app::service {

/// Bounds of what waits and of what is kept.
struct JobBounds {
  std::size_t queued = 1000;                ///< jobs that are not finished, of all clients
  std::uint64_t queued_bytes = 4ull << 30;  ///< of their inputs
  std::size_t of_client = 1000;             ///< jobs of one client, finished ones that it has not deleted included
  std::int64_t keep_seconds = 24 * 3600;    ///< finished jobs are deleted after this
  std::size_t runs = 10000;                 ///< of the model, in one job
  std::uint64_t result_bytes = 4ull << 30;  ///< of one job
  std::uint64_t all_result_bytes = 256ull << 30;  ///< of all jobs that are not deleted
};

/// What each client has of the queue and of the disk. A client may have half of what the others leave, so that there is
/// always room for another one. Not thread safe.
class ClientShares {
 public:
  explicit ClientShares(const JobBounds& bounds) : bounds_(bounds) {}

  struct Share {
    std::size_t kept = 0;       ///< jobs and places, finished ones included
    std::size_t jobs = 0;       ///< of those, that are not finished
    std::uint64_t bytes = 0;    ///< of inputs that wait or arrive
    std::uint64_t results = 0;  ///< of results, at most
    Share& operator+=(const Share& more);
    Share& operator-=(const Share& less);
    bool operator==(const Share&) const = default;
  };

  /// Throws Refusal unless the client may have so much more: 413 for what no client may have, 429 where it has its
  /// share, 503 where there is no more.
  void require(const std::string& client, const Share& more) const;
  void add(const std::string& client, const Share& more);
  void remove(const std::string& client, const Share& less);
  Share of(const std::string& client) const;
  const Share& all() const { return all_; }

 private:
  const JobBounds bounds_;
  std::map<std::string, Share> clients_;  // those that have something
  Share all_;
};

}  // namespace tacit::app::service
