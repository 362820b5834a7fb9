#include "scheme/tfhe/lookup_table.h"

#include <bit>

#include "base/error.h"
#include "scheme/tfhe/check.h"

namespace tacit::scheme::tfhe {

LookupTable::LookupTable(const Context& context, std::span<const std::vector<Torus>> functions)
    : parameters_(context.parameters().hash()), functions_(functions.size()), polynomial_(context.polynomial()) {
  check_looks_up(context, "lookup table");
  const params::TfheLiteral& literal = context.parameters().literal();
  const std::size_t most = std::size_t{1} << literal.log_tables;
  if (functions.empty() || functions.size() > most)
    base::refuse("lookup table: {} functions, but the parameter set '{}' bootstraps 1 to {} at once", functions.size(),
                 literal.name, most);
  log_room_ = static_cast<unsigned>(std::bit_width(functions.size() - 1));
  const std::size_t extension = context.extension(), room = std::size_t{1} << log_room_;
  const std::size_t places = polynomial_ * extension / room, entries = functions[0].size();
  // A box has two coefficients at least, so that it has a middle.
  const std::size_t least = std::size_t{1} << literal.bits;
  for (const std::vector<Torus>& values : functions)
    if (!std::has_single_bit(values.size()) || values.size() < least || values.size() > places / 2 ||
        values.size() != entries)
      base::refuse("lookup table: {} values for messages of {} bits; expected {}, or a larger power of two up to {}",
                   values.size(), literal.bits, least, places / 2);
  const std::size_t box = places / entries;
  words_.resize(polynomial_ * extension);
  for (std::size_t i = 0; i < places; ++i) {
    // Half a box early, so that a message lies in the middle of its box; the last half box is message 2^bits.
    const std::size_t message = (i + box / 2) / box;
    for (std::size_t t = 0; t < room; ++t) {
      const std::vector<Torus>& values = functions[t < functions.size() ? t : 0];
      const std::size_t at = i * room + t;
      words_[at % extension * polynomial_ + at / extension] = message < entries ? values[message] : 0 - values[0];
    }
  }
}

LookupTable LookupTable::of(const Context& context, const std::function<std::int64_t(std::int64_t)>& function) {
  const int bits = context.parameters().bits();
  std::vector<Torus> values;
  for (std::int64_t message = 0; message < std::int64_t{1} << bits; ++message)
    values.push_back(encode(function(message), bits));
  return LookupTable(context, {&values, 1});
}

}  // namespace tacit::scheme::tfhe
