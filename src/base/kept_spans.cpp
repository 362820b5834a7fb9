#include "base/kept_spans.h"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>

namespace tacit::base {

// Nodes of the sets are moved, not made anew, so that shrinking needs no memory.
void KeptSpans::resize(ByAddress::iterator span, std::uintptr_t begin, std::size_t size) noexcept {
  auto of_address = by_address_.extract(span);
  auto of_size = by_size_.extract({of_address.mapped().size, of_address.key()});
  auto of_age = by_age_.extract({of_address.mapped().age, of_address.key()});
  bytes_ += size - of_address.mapped().size;
  of_address.key() = begin;
  of_address.mapped().size = size;
  of_size.value() = {size, begin};
  of_age.value().second = begin;
  by_address_.insert(std::move(of_address));
  by_size_.insert(std::move(of_size));
  by_age_.insert(std::move(of_age));
}

void KeptSpans::erase(ByAddress::iterator span) noexcept {
  bytes_ -= span->second.size;
  by_size_.erase({span->second.size, span->first});
  by_age_.erase({span->second.age, span->first});
  by_address_.erase(span);
}

std::uintptr_t KeptSpans::take(std::size_t size) noexcept {
  const auto found = by_size_.lower_bound({size, 0});
  if (found == by_size_.end()) return 0;
  const auto [whole, begin] = *found;
  const auto span = by_address_.find(begin);
  if (whole == size)
    erase(span);
  else
    resize(span, begin + size, whole - size);
  return begin;
}

void KeptSpans::keep(std::uintptr_t begin, std::size_t size) {
  const auto next = by_address_.lower_bound(begin);
  const auto before = next == by_address_.begin() ? by_address_.end() : std::prev(next);
  const bool joins_next = next != by_address_.end() && next->first == begin + size;
  const bool joins_before = before != by_address_.end() && before->first + before->second.size == begin;
  const std::uint64_t age = ++clock_;
  if (!joins_next && !joins_before) {
    const auto span = by_address_.emplace(begin, Span{size, age}).first;
    try {
      by_size_.emplace(size, begin);
      by_age_.emplace(age, begin);
    } catch (...) {
      by_size_.erase({size, begin});
      by_address_.erase(span);
      throw;
    }
    bytes_ += size;
    return;
  }
  if (joins_before) {
    begin = before->first;
    size += before->second.size;
  }
  if (joins_next) size += next->second.size;
  if (joins_before && joins_next) erase(before);
  const auto joined = joins_next ? next : before;
  resize(joined, begin, size);
  const auto span = by_address_.find(begin);
  auto of_age = by_age_.extract({span->second.age, begin});
  of_age.value().first = span->second.age = age;
  by_age_.insert(std::move(of_age));
}

void KeptSpans::trim(std::size_t bound) noexcept {
  while (bytes_ > bound) {
    const auto span = by_address_.find(by_age_.begin()->second);
    const auto [begin, held] = *span;
    const std::size_t given = std::min(held.size, (bytes_ - bound + kPage - 1) / kPage * kPage);
    // The kernel refuses where a process has too many mappings; the pages go all the same.
    void* const memory = reinterpret_cast<void*>(begin + held.size - given);
    if (munmap(memory, given) != 0) madvise(memory, given, MADV_DONTNEED);
    if (given == held.size)
      erase(span);
    else
      resize(span, begin, held.size - given);
  }
}

}  // namespace tacit::base
