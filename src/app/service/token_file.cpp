#include "app/service/token_file.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "app/service/durable_file.h"
#include "base/error.h"
#include "base/private_file.h"
#include "base/random.h"
#include "runtime/description.h"
#include "session/bounded_file.h"

namespace tacit::app::service {
namespace {

constexpr std::uintmax_t kMostBytes = 16 << 20;
constexpr std::string_view kPrefix = "tacit_";

bool is_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !name.empty() && name.size() <= 64 && name.find_first_not_of(kAllowed) == std::string_view::npos;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

base::Digest digest_of(std::string_view token) { return base::sha256(std::as_bytes(std::span(token))); }

}  // namespace

TokenFile::TokenFile(std::filesystem::path file) : file_(std::move(file)) {
  digests_ = read(file_);
  changed_ = std::filesystem::last_write_time(file_);
}

TokenFile::Digests TokenFile::read(const std::filesystem::path& file) {
  const std::string text = session::read_bounded(file, kMostBytes);
  base::require_private(file, "tokens of clients");
  Digests digests;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string name, digest, more;
    words >> name >> digest;
    base::Digest value{};
    if (!is_name(name) || digest.size() != 2 * value.size() || words >> more)
      base::refuse("{}, line {}: it is no name and SHA-256 of a token; tacit serve --add-client NAME writes such lines",
                   file.string(), number);
    runtime::from_hexadecimal(digest, value);
    digests[name] = value;
  }
  return digests;
}

std::optional<std::string> TokenFile::name_of(std::string_view authorization) const {
  constexpr std::string_view kScheme = "bearer ";
  const std::lock_guard lock(mutex_);
  std::error_code gone;
  const auto changed = std::filesystem::last_write_time(file_, gone);
  if (!gone && changed != changed_) {
    try {
      digests_ = read(file_);
    } catch (const base::InputError& error) {  // half written: who had access keeps it until the file is whole
      fmt::print(stderr, "tacit: {}\n", error.what());
    }
    changed_ = changed;
  }
  const std::string_view scheme = authorization.substr(0, kScheme.size());
  if (!std::ranges::equal(scheme, kScheme, {}, lower)) return {};
  const base::Digest digest = digest_of(authorization.substr(kScheme.size()));
  std::optional<std::string> found;
  for (const auto& [name, expected] : digests_)  // all of them, wherever the one is
    if (CRYPTO_memcmp(digest.data(), expected.data(), digest.size()) == 0) found = name;
  return found;
}

std::string TokenFile::add(const std::filesystem::path& file, const std::string& name) {
  if (!is_name(name)) base::refuse("'{}' is no name of a client: use up to 64 letters, digits, '-', '_' and '.'", name);
  Digests digests;
  if (std::filesystem::exists(file)) digests = read(file);
  const std::string token = std::string(kPrefix) + base::hexadecimal(base::system_seed());
  digests[name] = digest_of(token);
  std::string text = "# Who may use the service: a name and the SHA-256 of a token.\n";
  for (const auto& [who, digest] : digests) text += who + " " + base::hexadecimal(digest) + "\n";
  write_durably(file, text);
  return token;
}

}  // namespace tacit::app::service
