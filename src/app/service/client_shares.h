#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tacit::app::service {

/// Bounds of waiting and of stored jobs.
struct JobBounds {
  std::size_t queued = 1000;                ///< unfinished jobs of all clients
  std::uint64_t queued_bytes = 4ull << 30;  ///< bytes of their inputs
  std::size_t of_client = 1000;             ///< jobs of one client, including finished ones that it has not deleted
  std::int64_t keep_seconds = 24 * 3600;    ///< finished jobs are deleted after this
  std::size_t runs = 10000;                 ///< runs of the model in one job
  std::uint64_t result_bytes = 4ull << 30;  ///< bytes of results of one job
  std::uint64_t all_result_bytes = 256ull << 30;  ///< bytes of results of all jobs that are not deleted
};

/// The share of each client in the queue and on the disk. A client may have half of the room that the others leave, so
/// that there is always room for another one. Not thread safe.
class ClientShares {
 public:
  explicit ClientShares(const JobBounds& bounds) : bounds_(bounds) {}

  struct Share {
    std::size_t kept = 0;       ///< jobs and places, including finished ones
    std::size_t jobs = 0;       ///< unfinished ones of those
    std::uint64_t bytes = 0;    ///< bytes of inputs that wait or arrive
    std::uint64_t results = 0;  ///< most bytes of results
    Share& operator+=(const Share& more);
    Share& operator-=(const Share& less);
    bool operator==(const Share&) const = default;
  };

  /// Throws Refusal unless the client may have `more` in addition:
  /// - 413 if no client may have that much;
  /// - 429 if the client has its share already;
  /// - 503 if the room is used up.
  void require(const std::string& client, const Share& more) const;
  void add(const std::string& client, const Share& more);
  void remove(const std::string& client, const Share& less);
  Share of(const std::string& client) const;
  const Share& all() const { return all_; }

 private:
  const JobBounds bounds_;
  std::map<std::string, Share> clients_;  // clients that have something
  Share all_;
};

}  // namespace tacit::app::service
