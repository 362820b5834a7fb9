#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "app/service/file_identity.h"
#include "base/sha256.h"

namespace tacit::app::service {

/// The users of a service: a file with a line per user. A line has a name and the SHA-256 of a token, which cannot be
/// turned back into the token. A token is 256 random bits, so its digest needs no salt. Names are 1 to 64 letters,
/// digits, '-', '_' and '.'.
///
/// The file is read again when it changes, so that users come and go without a restart. Nobody has access while the
/// file is absent, or while others may read or change it. If the file has invalid lines, earlier users keep access for
/// a second, in which an editor may finish the file. A file that cannot be used is tried at every request. Thread safe.
class TokenFile {
 public:
  /// The user with this name sees the metrics, and is no client.
  static constexpr std::string_view kOperator = "operator";

  using Clock = std::chrono::steady_clock;
  /// Throws InputError for a file that cannot be read or that others may change, and for invalid lines.
  explicit TokenFile(std::filesystem::path file, std::function<Clock::time_point()> now = Clock::now);

  /// Returns the name that belongs to the value of an Authorization header, "Bearer TOKEN". Returns none for an unknown
  /// token. Upper and lower case of the scheme are equal (RFC 7235). Takes the same time for every token.
  std::optional<std::string> name_of(std::string_view authorization) const;

  /// Adds a line for `name`, or replaces its older line, in a file of mode 0600. Returns the token, which is stored
  /// nowhere else. Throws InputError for an invalid name.
  static std::string add(const std::filesystem::path& file, const std::string& name);

 private:
  using Digests = std::map<std::string, base::Digest>;
  /// The content of the file, and the state of the file at that time.
  struct Content {
    Digests digests;
    FileIdentity file;
  };
  static Digests digests_in(const std::string& text, const std::filesystem::path& file);
  static Content read(const std::filesystem::path& file);
  void refresh() const;

  std::filesystem::path file_;
  std::function<Clock::time_point()> now_;
  mutable std::mutex mutex_;  // protects the members below
  mutable Content content_;
  mutable std::optional<Clock::time_point> failing_since_;
  mutable std::string told_;  ///< the last failure that the operator was told
};

}  // namespace tacit::app::service
