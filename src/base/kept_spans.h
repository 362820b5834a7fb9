#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace tacit::base {

/// Spans of mapped memory that nobody uses: neighbours are joined, and a request takes the smallest that is large
/// enough, of which the rest stays. Sizes are multiples of a page. Not thread safe.
class KeptSpans {
 public:
  std::size_t bytes() const { return bytes_; }
  /// The beginning of `size` bytes; 0 where no span is large enough. Does not throw.
  std::uintptr_t take(std::size_t size) noexcept;
  /// Throws std::bad_alloc without a change where there is no room to remember the span.
  void keep(std::uintptr_t begin, std::size_t size);
  /// Gives back to the system what is more than `bound`, what was kept longest first.
  void trim(std::size_t bound) noexcept;

 private:
  struct Span {
    std::size_t size;
    std::uint64_t age;  ///< the greater, the later it was kept
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
