#include "app/service/question_quota.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/service/durable_file.h"
#include "app/service/refusal.h"
#include "base/private_file.h"
#include "session/bounded_file.h"

namespace tacit::app::service {
namespace {

constexpr std::time_t kDay = 24 * 60 * 60;
constexpr std::uintmax_t kMostCount = 4 << 10;

struct Count {
  std::time_t day = 0;
  std::uint64_t questions = 0;
};

/// The count in a file. A file that is missing or damaged counts nothing.
Count read_count(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {};
  const nlohmann::json json = nlohmann::json::parse(session::read_bounded(file, kMostCount), nullptr, false);
  const auto number = [&](const char* name) -> std::uint64_t {
    return json.is_object() && json.contains(name) && json[name].is_number_unsigned() ? json[name].get<std::uint64_t>()
                                                                                      : 0;
  };
  return {static_cast<std::time_t>(number("day")), number("questions")};
}

}  // namespace

QuestionQuota::QuestionQuota(const std::filesystem::path& state, std::uint64_t most)
    : folder_(state / "questions"), most_(most) {
  if (most_ > 0) base::make_private_folder(folder_, "folder of counts");
}

template <class Change>
void QuestionQuota::change_count(const std::string& client, const std::string& store, std::time_t now,
                                 const Change& change) {
  if (most_ == 0) return;
  const std::lock_guard lock(mutex_);
  const std::filesystem::path own = folder_ / client;
  std::filesystem::create_directories(own);
  const FileLock alone = FileLock::lock(own / "lock");
  const std::filesystem::path file = own / (store + ".json");
  const std::time_t today = now / kDay;
  Count count = read_count(file);
  if (count.day != today) count = {.day = today, .questions = 0};
  count.questions = change(count.questions);
  write_durably(file, nlohmann::json{{"day", today}, {"questions", count.questions}}.dump());
}

void QuestionQuota::take(const std::string& client, const std::string& store, std::uint64_t questions,
                         std::time_t now) {
  change_count(client, store, now, [&](std::uint64_t used) {
    if (questions > most_ || used > most_ - questions)
      throw Refusal(
          429,
          fmt::format(
              "a client may ask this store {} questions a day, {} are used, and this file asks {}; ask fewer, or "
              "wait until midnight UTC",
              most_, used, questions),
          static_cast<int>((now / kDay + 1) * kDay - now));
    return used + questions;
  });
}

void QuestionQuota::give_back(const std::string& client, const std::string& store, std::uint64_t questions,
                              std::time_t now) {
  change_count(client, store, now, [&](std::uint64_t used) { return used - std::min(used, questions); });
}

}  // namespace tacit::app::service
