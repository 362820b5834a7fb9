#include "app/service/token_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <sstream>
#include <utility>

#include "app/service/durable_file.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/private_file.h"
#include "base/random.h"
#include "runtime/description.h"

namespace tacit::app::service {
namespace {

constexpr std::uintmax_t kMostBytes = 16 << 20;
constexpr std::chrono::seconds kHalfWritten{1};
constexpr std::string_view kPrefix = "tacit_";

bool is_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !name.empty() && name.size() <= 64 && name.find_first_not_of(kAllowed) == std::string_view::npos;
}

base::Digest digest_of(std::string_view token) { return base::sha256(std::as_bytes(std::span(token))); }

/// No file that could become whole in a moment.
class Unusable : public base::InputError {
 public:
  using base::InputError::InputError;
};

}  // namespace

TokenFile::TokenFile(std::filesystem::path file, std::function<Clock::time_point()> now)
    : file_(std::move(file)), now_(std::move(now)), content_(read(file_)) {}

TokenFile::Content TokenFile::read(const std::filesystem::path& path) {
  const base::FileDescriptor file(path, O_RDONLY | O_NONBLOCK);
  if (!file.is_open()) throw Unusable(path.string() + ": cannot read: " + std::strerror(errno));
  if (!file.is_regular()) throw Unusable(path.string() + ": this is no file");
  try {
    base::require_private(file.number(), path, "tokens of clients");
  } catch (const base::InputError& error) {
    throw Unusable(error.what());
  }
  const std::optional<FileIdentity> before = identity_of(file.number());
  if (file.size() > kMostBytes)
    base::refuse("{} has {} bytes; a file of tokens has at most {}", path.string(), file.size(), kMostBytes);
  std::string text(file.size(), '\0');
  file.read_all(path, 0, std::as_writable_bytes(std::span(text)));
  Content content{.digests = digests_in(text, path), .file = before.value_or(FileIdentity{})};
  if (identity_of(file.number()) != before) base::refuse("{} changed while it was read", path.string());
  return content;
}

TokenFile::Digests TokenFile::digests_in(const std::string& text, const std::filesystem::path& file) {
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

void TokenFile::refresh() const {
  const std::optional<FileIdentity> found = identity_of(file_);
  if (!failing_since_ && found == content_.file && !is_fresh(content_.file)) return;
  std::string failure;
  try {
    content_ = read(file_);
    failing_since_.reset();
  } catch (const Unusable& error) {
    failure = error.what();
    content_.digests.clear();
  } catch (const base::InputError& error) {
    failure = error.what();
    if (failing_since_ && now_() - *failing_since_ >= kHalfWritten) content_.digests.clear();
  }
  if (!failure.empty() && !failing_since_) failing_since_ = now_();
  if (!failure.empty() && failure != told_)
    fmt::print(stderr, "tacit: {}; clients are denied until it can be used\n", failure);
  told_ = failure;
}

std::optional<std::string> TokenFile::name_of(std::string_view authorization) const {
  constexpr std::string_view kScheme = "bearer ";
  const std::lock_guard lock(mutex_);
  refresh();
  const std::string_view scheme = authorization.substr(0, kScheme.size());
  if (!std::ranges::equal(scheme, kScheme, {}, base::lower)) return {};
  const base::Digest digest = digest_of(authorization.substr(kScheme.size()));
  std::optional<std::string> found;
  for (const auto& [name, expected] : content_.digests)  // all of them, wherever the one is
    if (CRYPTO_memcmp(digest.data(), expected.data(), digest.size()) == 0) found = name;
  return found;
}

std::string TokenFile::add(const std::filesystem::path& file, const std::string& name) {
  if (!is_name(name)) base::refuse("'{}' is no name of a client: use up to 64 letters, digits, '-', '_' and '.'", name);
  Digests digests;
  if (std::filesystem::exists(file)) digests = read(file).digests;
  const std::string token = std::string(kPrefix) + base::hexadecimal(base::system_seed());
  digests[name] = digest_of(token);
  std::string text = "# Who may use the service: a name and the SHA-256 of a token.\n";
  for (const auto& [who, digest] : digests) text += who + " " + base::hexadecimal(digest) + "\n";
  write_durably(file, text);
  return token;
}

}  // namespace tacit::app::service
