#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace tacit::base {

/// Bytes of a page of memory.
inline constexpr std::size_t kPage = std::size_t{4} << 10;

/// Spans of mapped memory that nobody uses. Neighbours are joined. A request takes the smallest span that is large
/// enough and leaves the rest of it. Sizes are multiples of a page. Not thread safe.
class KeptSpans {
 public:
  std::size_t bytes() const { return bytes_; }
  /// Returns the beginning of `size` bytes, or 0 if no span is large enough. Does not throw.
  std::uintptr_t take(std::size_t size) noexcept;
  /// Keeps a span. Without room to remember it, this throws std::bad_alloc and changes nothing.
  void keep(std::uintptr_t begin, std::size_t size);
  /// Returns spans to the system until at most `bound` bytes are kept. The oldest spans go first.
  void trim(std::size_t bound) noexcept;

 private:
  struct Span {
    std::size_t size;
    std::uint64_t age;  ///< a larger number was kept later
  };
  using ByAddress = std::map<std::uintptr_t, Span>;
  void resize(ByAddress::iterator span, std::uintptr_t begin, std::size_t size) noexcept;
  void erase(ByAddress::iterator span) noexcept;

  ByAddress by_address_;
  std::set<std::pair<std::size_t, std::uintptr_t>> by_size_;
  std::set<std::pair<std::uint64_t, std::uintptr_t>> by_age_;
  std::size_t bytes_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace tacit::base
