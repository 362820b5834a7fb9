#include <algorithm>

#include "base/error.h"
#include "mutate_bytes.h"
#include "scheme/ckks/serialize.h"
#include "target.h"
#include "tiny_set.h"

namespace tacit::fuzz {

using scheme::ckks::Context;

std::string_view target_name() { return "keys"; }

/// The first byte of an input says of which set, and whether a secret, a public or evaluation keys are wanted.
std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  std::uint8_t kind = 0;
  const auto add = [&](Bytes bytes) {
    bytes.insert(bytes.begin(), kind++);
    all.push_back(std::move(bytes));
  };
  for (const TinySet* set : {&tiny_set(), &tiny_bootstrapping_set()}) {
    add(serialize(*set->context, set->secret));
    add(serialize(*set->context, set->open));
    add(serialize(*set->context, set->evaluation));
  }
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) {
  if (from.empty()) return from;
  Bytes rest = mutate_bytes(Bytes(from.begin() + 1, from.end()), other, random);
  rest.insert(rest.begin(), random.one_in(16) ? static_cast<std::uint8_t>(random.word()) : from[0]);
  return rest;
}

/// What is accepted has one form.
void check(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) throw base::InputError("no kind");
  const Context& context = *(bytes[0] / 3 % 2 == 0 ? tiny_set() : tiny_bootstrapping_set()).context;
  const unsigned kind = bytes[0] % 3;
  bytes = bytes.subspan(1);
  const Bytes again = kind == 0   ? serialize(context, scheme::ckks::deserialize_secret_key(context, bytes))
                      : kind == 1 ? serialize(context, scheme::ckks::deserialize_public_key(context, bytes))
                                  : serialize(context, scheme::ckks::deserialize_evaluation_keys(context, bytes));
  require(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()), "a key has one form");
}

}  // namespace tacit::fuzz
