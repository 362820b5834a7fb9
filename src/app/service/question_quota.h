#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <string>

namespace tacit::app::service {

/// The number of questions that each client has asked each store today. A day ends at midnight UTC. The counts are
/// files in the state folder, so that a restart keeps them and several processes share them. Thread safe.
class QuestionQuota {
 public:
  /// `most` is the number of questions of a client to a store in a day; 0: no limit, and nothing is counted.
  QuestionQuota(const std::filesystem::path& state, std::uint64_t most);
  /// Counts `questions` of a client to a store. Throws Refusal 429 and counts none if fewer are left today. `now` is a
  /// time of the system's clock.
  void take(const std::string& client, const std::string& store, std::uint64_t questions,
            std::time_t now = std::time(nullptr));
  /// Takes back what `take` counted on the same day, for questions that were refused after it.
  void give_back(const std::string& client, const std::string& store, std::uint64_t questions,
                 std::time_t now = std::time(nullptr));

 private:
  /// Replaces the count of today in its file by change(count). If `change` throws, the count stays.
  template <class Change>
  void change_count(const std::string& client, const std::string& store, std::time_t now, const Change& change);

  const std::filesystem::path folder_;
  const std::uint64_t most_;
  std::mutex mutex_;
};

}  // namespace tacit::app::service
