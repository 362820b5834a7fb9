#include "app/api/bytes.h"

#include "base/error.h"

namespace tacit {

using detail::Access;

std::shared_ptr<const detail::SourceImpl> Source::of_file(std::filesystem::path path) {
  return std::make_shared<const detail::SourceImpl>(detail::SourceImpl{std::move(path)});
}

Source Source::memory(std::span<const std::byte> bytes, std::string name, std::shared_ptr<const void> owner) {
  return Access::make<Source>(runtime::Source::memory(bytes, std::move(name), std::move(owner)));
}

Source Source::stream(const Next& next, std::uint64_t most_bytes, std::optional<std::uint64_t> bytes,
                      std::string name) {
  return Access::make<Source>(runtime::Source::stream(next, {most_bytes, bytes}, std::move(name)));
}

std::shared_ptr<const detail::SinkImpl> Sink::to_file(std::filesystem::path path) {
  return std::make_shared<const detail::SinkImpl>(detail::SinkImpl{std::move(path)});
}

Sink Sink::memory(Room room) { return Access::make<Sink>(runtime::Sink::memory(std::move(room))); }
Sink Sink::memory(std::vector<std::byte>& bytes) { return Access::make<Sink>(runtime::Sink::memory(bytes)); }

Sink Sink::stream(Piece piece, Begin begin) {
  runtime::Sink::Begin of_facts;
  if (begin)
    of_facts = [begin = std::move(begin)](const runtime::SinkFacts& facts) {
      return begin({facts.bytes, base::hexadecimal(facts.root)});
    };
  return Access::make<Sink>(runtime::Sink::stream(std::move(piece), std::move(of_facts)));
}

void require_new(const Sink& secret_key) {
  const std::filesystem::path& file = open(secret_key).file();
  if (!file.empty() && std::filesystem::exists(file))
    base::refuse("{} exists, and data encrypted under a lost key is lost; choose another name", file.string());
}

}  // namespace tacit
