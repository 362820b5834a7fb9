#include "scheme/rlwe/key_switch.h"

#include <array>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "ring/limb.h"
#include "scheme/rlwe/inner_product.h"
#include "scheme/rlwe/scratch.h"

namespace tacit::scheme::rlwe {

namespace limb = ring::limb;

void switch_key(const ModulusChain& chain, const Digits& digits, const SwitchingKey& key,
                const std::array<Combination, 2>& add, Divisor divisor, const RunSink& sink) {
  const auto product = [&](std::size_t row) { return InnerProduct(chain, digits, key, add, row); };
  divide(chain, digits.level(), 2, product, divisor, sink);
}

void switch_keys(const ModulusChain& chain, const Digits& digits, std::span<const SwitchingKey* const> keys,
                 Divisor divisor, const RunSink& sink) {
  const auto products = [&](std::size_t row) -> BlockProducer {
    std::vector<InnerProduct> list;
    for (const SwitchingKey* key : keys) list.emplace_back(chain, digits, *key, std::array<Combination, 2>{}, row);
    return
        [list = std::move(list)](std::size_t block, std::uint64_t* const* room, const std::uint64_t** values) mutable {
          for (std::size_t i = 0; i < list.size(); ++i) list[i](block, room + 2 * i, values + 2 * i);
        };
  };
  divide(chain, digits.level(), 2 * keys.size(), products, divisor, sink);
}

void rescale(const ModulusChain& chain, int level, std::span<const Combination> combinations, const RunSink& sink) {
  const std::size_t n = chain.n();
  const auto top = static_cast<std::size_t>(level);
  std::vector<ring::CoefficientPoly> last;
  for (std::size_t k = 0; k < combinations.size(); ++k) last.emplace_back(n, 1);
  base::parallel_for(0, combinations.size(), [&](std::size_t k) {
    evaluate_row(chain, combinations[k], top, last[k].limb(0));
    chain.ntt(top).inverse(last[k].limb(0));
  });
  base::parallel_for(0, top * combinations.size(), [&](std::size_t task) {
    const std::size_t row = task / combinations.size(), k = task % combinations.size();
    const ring::Modulus& q = chain.modulus(row);
    ScratchRows scratch(n, 2);
    limb::switch_modulus_centered(scratch[1], last[k].limb(0), n, chain.modulus(top), q);
    chain.ntt(row).forward(scratch[1]);
    evaluate_row(chain, combinations[k], row, scratch[0]);
    limb::sub_multiply_scalar(scratch[0], scratch[0], scratch[1], chain.rescale_factor(level, row), n, q);
    sink({k, row, 0, {scratch[0], n}});
  });
}

}  // namespace tacit::scheme::rlwe
