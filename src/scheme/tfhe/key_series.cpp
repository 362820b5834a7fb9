#include "scheme/tfhe/key_series.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/aligned.h"
#include "base/parallel.h"
#include "scheme/tfhe/bootstrap_key.h"
#include "scheme/tfhe/check.h"
#include "scheme/tfhe/key_switch_key.h"

namespace tacit::scheme::tfhe {
namespace {

constexpr std::size_t kRowsOfTask = 64;                          // that one task makes
constexpr std::size_t kSeriesPieceBytes = std::size_t{2} << 20;  // of bodies of the bootstrapping key in memory
enum : std::size_t { kKeySwitchNoise, kBootstrapNoise, kNoises };

}  // namespace

KeySeries::KeySeries(ContextPtr context, const SecretKey& secret)
    : context_(std::move(context)),
      secret_(secret),
      key_switch_seed_(base::public_seed()),
      bootstrap_seed_(base::public_seed()) {
  check_parameters(*context_, secret.parameters(), "make evaluation keys", "secret key's bits");
  noise_.resize(kNoises);
  for (base::Seed& seed : noise_) {
    base::Seed drawn = base::system_seed();
    seed = drawn;
    base::zeroise(drawn.data(), drawn.size());
  }
}

void KeySeries::key_switch_bodies(const std::function<void(std::span<const std::uint32_t>)>& give) const {
  std::vector<std::uint32_t> bodies(SeededKeySwitchKey::rows(*context_));
  base::parallel_for(0, (bodies.size() + kRowsOfTask - 1) / kRowsOfTask, [&](std::size_t task) {
    base::Csprng noise(noise_[kKeySwitchNoise], task);
    const std::size_t first = task * kRowsOfTask;
    SeededKeySwitchKey::make_bodies(*context_, secret_, key_switch_seed_, first,
                                    std::span(bodies).subspan(first, std::min(kRowsOfTask, bodies.size() - first)),
                                    noise);
  });
  give(bodies);
}

void KeySeries::bootstrap_bodies(const std::function<void(std::span<const Torus>)>& give,
                                 base::Progress& progress) const {
  const std::size_t words = SeededBootstrapKey::words_of_bit(*context_), bits = context_->small();
  const std::size_t together =
      std::max<std::size_t>(1, kSeriesPieceBytes / std::max<std::size_t>(1, words * sizeof(Torus)));
  base::AlignedVector<Torus> bodies(std::min(bits, together) * words);
  for (std::size_t first = 0; first < bits; first += together) {
    const std::size_t count = std::min(together, bits - first);
    base::parallel_for(0, count, [&](std::size_t k) {
      base::Csprng noise(noise_[kBootstrapNoise], first + k);
      SeededBootstrapKey::make_bodies(*context_, secret_, bootstrap_seed_, first + k,
                                      std::span(bodies).subspan(k * words, words), noise);
    });
    give(std::span(bodies).first(count * words));
    progress.advance(count);
  }
}

}  // namespace tacit::scheme::tfhe
