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

/// Who may use a service: a file with a line for each, a name and the SHA-256 of a token, which nobody can turn back
/// into one. A token is 256 random bits, so that its digest needs no salt. Names are 1 to 64 letters, digits, '-', '_'
/// and '.'. The file is read again when it changes, so that clients come and go without a restart. Nobody has access
/// while the file is absent or others may read or change it. Where it holds lines that are none, who had access keeps
/// it for a second, in which an editor may finish the file. A file that cannot be used is tried at every request.
/// Thread safe.
class TokenFile {
 public:
  /// Whoever has this name sees the metrics, and is no client.
  static constexpr std::string_view kOperator = "operator";

  using Clock = std::chrono::steady_clock;
  /// Throws InputError for a file that cannot be read, or that others may change, and for lines that are none.
  explicit TokenFile(std::filesystem::path file, std::function<Clock::time_point()> now = Clock::now);

  /// The name that belongs to the value of an Authorization header, "Bearer TOKEN"; none where there is none. The
  /// scheme's case does not matter (RFC 7235). Takes the same time whatever the token is.
  std::optional<std::string> name_of(std::string_view authorization) const;

  /// Adds a line for `name`, in place of the one that it had, to a file of mode 0600, and returns the token, which
  /// exists nowhere else. Throws InputError for what is no name.
  static std::string add(const std::filesystem::path& file, const std::string& name);

 private:
  using Digests = std::map<std::string, base::Digest>;
  /// What was read, and of which state of the file.
  struct Content {
    Digests digests;
    FileIdentity file;
  };
  static Digests digests_in(const std::string& text, const std::filesystem::path& file);
  static Content read(const std::filesystem::path& file);
  void refresh() const;

  std::filesystem::path file_;
  std::function<Clock::time_point()> now_;
  mutable std::mutex mutex_;  // of what follows
  mutable Content content_;
  mutable std::optional<Clock::time_point> failing_since_;
  mutable std::string told_;  ///< to the operator, of the last failure
};

}  // namespace tacit::app::service
