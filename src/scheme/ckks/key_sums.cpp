#include "scheme/ckks/key_sums.h"

#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "ring/limb.h"
#include "scheme/ckks/check.h"

namespace tacit::scheme::ckks {
namespace {

[[noreturn]] void refuse_other_half() {
  throw base::InputError("parts of keys: their uniform halves differ, so they are not of one group");
}

rlwe::SwitchingKey sum_of(const rlwe::ModulusChain& chain, const rlwe::SwitchingKey& x, const rlwe::SwitchingKey& y) {
  if (!x.seeded() || !y.seeded() || x.seed() != y.seed()) refuse_other_half();
  if (x.level() != y.level()) throw base::InputError("parts of keys: they reach different levels");
  const int level = x.level();
  const std::size_t rows = chain.extended_rows(level);
  std::vector<ring::NttPoly> b;
  for (std::size_t digit = 0; digit < x.digits(); ++digit) b.emplace_back(chain.n(), rows);
  base::parallel_for(0, b.size() * rows, [&](std::size_t task) {
    const std::size_t digit = task / rows, row = task % rows;
    ring::limb::add(b[digit].limb(row), x.b()[digit].limb(row), y.b()[digit].limb(row), chain.n(),
                    chain.modulus(chain.prime_of(level, row)));
  });
  return {chain, level, x.seed(), std::move(b)};
}

}  // namespace

void add(const Context& context, PublicKey& sum, const PublicKey& part) {
  check_parameters(context, sum.parameters, "add keys", "public key");
  check_parameters(context, part.parameters, "add keys", "public key");
  if (sum.seed != part.seed) refuse_other_half();
  const rlwe::ModulusChain& chain = context.chain();
  base::parallel_for(0, sum.b.limbs(), [&](std::size_t row) {
    ring::limb::add(sum.b.limb(row), sum.b.limb(row), part.b.limb(row), chain.n(), chain.modulus(row));
  });
}

void add(const Context& context, EvaluationKeys& sum, const EvaluationKeys& part) {
  check_parameters(context, sum.parameters, "add keys", "evaluation keys");
  check_parameters(context, part.parameters, "add keys", "evaluation keys");
  if (sum.relinearisation || sum.raise.to_ephemeral || sum.manifest() != part.manifest())
    throw base::InputError("parts of keys: they are not the same keys");
  const auto added = [](const rlwe::ModulusChain& chain, const GaloisKey& x, const GaloisKey& y) {
    return GaloisKey{sum_of(chain, x.key, y.key), x.automorphism};
  };
  if (sum.conjugation) sum.conjugation = added(context.chain(), *sum.conjugation, *part.conjugation);
  const rlwe::ModulusChain& rotating = context.rotation_chain(sum.rotation_primes);
  for (auto& [steps, key] : sum.rotations) key = added(rotating, key, part.rotations.at(steps));
}

}  // namespace tacit::scheme::ckks
