#include "params/owner_parts.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace tacit::params {
namespace {

/// Replaces an ascending choice of numbers below `all` by the next one. False after the last.
bool next_choice(std::vector<int>& choice, int all) {
  for (std::size_t i = choice.size(); i-- > 0;) {
    if (choice[i] == all - static_cast<int>(choice.size() - i)) continue;
    std::iota(choice.begin() + static_cast<std::ptrdiff_t>(i), choice.end(), choice[i] + 1);
    return true;
  }
  return false;
}

}  // namespace

OwnerParts::OwnerParts(int owners, int threshold) : owners_(owners), threshold_(threshold) {
  if (threshold > owners)
    base::refuse("a group of {} owners cannot need {} of them to decrypt; give a threshold from 2 to {}", owners,
                 threshold, owners);
  if (threshold < 2)
    base::refuse(
        "a threshold of {} would let every owner decrypt alone; give a threshold from 2 to the number of owners, which "
        "is {}",
        threshold, owners);
  std::vector<int> absent(static_cast<std::size_t>(threshold) - 1);
  std::iota(absent.begin(), absent.end(), 0);
  do {
    if (absent_.size() == static_cast<std::size_t>(kMostParts))
      base::refuse(
          "a key of which {} of {} owners decrypt has more than {} parts; use fewer owners, or a threshold nearer to 2 "
          "or to {}",
          threshold, owners, kMostParts, owners);
    absent_.push_back(absent);
  } while (next_choice(absent, owners));
  // Whoever leads the fewest parts leads the next, the last of equals: everybody leads about as many.
  std::vector<int> led(static_cast<std::size_t>(owners));
  for (std::size_t part = 0; part < absent_.size(); ++part) {
    int best = -1;
    for (int owner = owners; owner-- > 0;)
      if (holds(owner, part) &&
          (best < 0 || led[static_cast<std::size_t>(owner)] < led[static_cast<std::size_t>(best)]))
        best = owner;
    ++led[static_cast<std::size_t>(best)];
    leader_.push_back(best);
  }
}

bool OwnerParts::holds(int owner, std::size_t part) const { return !std::ranges::binary_search(absent_[part], owner); }

std::vector<std::size_t> OwnerParts::held_by(int owner) const {
  std::vector<std::size_t> held;
  for (std::size_t part = 0; part < parts(); ++part)
    if (holds(owner, part)) held.push_back(part);
  return held;
}

std::vector<std::size_t> OwnerParts::led_by(int owner) const {
  std::vector<std::size_t> led;
  for (std::size_t part = 0; part < parts(); ++part)
    if (leader(part) == owner) led.push_back(part);
  return led;
}

std::vector<std::size_t> OwnerParts::given(int leader, int other) const {
  std::vector<std::size_t> given = led_by(leader);
  std::erase_if(given, [&](std::size_t part) { return !holds(other, part); });
  return given;
}

}  // namespace tacit::params
