#include "scheme/tfhe/bootstrap_key.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "scheme/tfhe/check.h"
#include "scheme/tfhe/glwe_rows.h"

namespace tacit::scheme::tfhe {
namespace {

std::size_t rows_of_bit(const Context& context) {
  return (context.glwe() + 1) * static_cast<std::size_t>(context.parameters().bootstrap().levels);
}

}  // namespace

std::size_t SeededBootstrapKey::rows(const Context& context) { return context.small() * rows_of_bit(context); }

std::size_t SeededBootstrapKey::words_of_bit(const Context& context) {
  return rows_of_bit(context) * context.polynomial();
}

void SeededBootstrapKey::make_bodies(const Context& context, const SecretKey& secret, const base::Seed& seed,
                                     std::size_t bit, std::span<Torus> bodies, base::Csprng& noise) {
  const std::size_t n = context.polynomial(), k = context.glwe(), per_bit = rows_of_bit(context);
  const auto levels = static_cast<std::size_t>(context.parameters().bootstrap().levels);
  const DigitsOf digits(context.parameters().bootstrap());
  GlweRows glwe(context, seed);
  for (std::size_t row = 0; row < per_bit; ++row) {
    const std::span<Torus> body = bodies.subspan(row * n, n);
    std::ranges::fill(body, 0);
    const std::size_t component = row / levels;
    // All ones for a bit of 1: no branch depends on a secret.
    const Torus weight = digits.weight(row % levels) & (Torus{0} - Torus{secret.small()[bit]});
    if (component == k) {
      body[0] = weight;
    } else {
      const std::span<const std::uint8_t> factor = secret.large().subspan(component * n, n);
      for (std::size_t j = 0; j < n; ++j) body[j] = 0 - (weight & (Torus{0} - Torus{factor[j]}));
    }
    glwe.encrypt(secret, bit * per_bit + row, body, noise);
  }
}

SeededBootstrapKey SeededBootstrapKey::generate(const Context& context, const SecretKey& secret,
                                                base::Progress& progress) {
  check_parameters(context, secret.parameters(), "make a bootstrapping key", "secret key's bits");
  SeededBootstrapKey key{.seed = base::public_seed(), .bodies = {}, .parameters = context.parameters().hash()};
  const std::size_t words = words_of_bit(context);
  key.bodies.resize(context.small() * words);
  progress.begin("generating the bootstrapping key", context.small());
  base::parallel_for(0, context.small(), [&](std::size_t bit) {
    base::Csprng noise = base::Csprng::from_system();
    make_bodies(context, secret, key.seed, bit, std::span(key.bodies).subspan(bit * words, words), noise);
    progress.advance();
  });
  progress.end();
  return key;
}

BootstrapKey::BootstrapKey(const Context& context, const SeededBootstrapKey& seeded) : parameters_(seeded.parameters) {
  check_parameters(context, seeded.parameters, "bootstrapping key", "words of the key");
  const std::size_t n = context.polynomial(), k = context.glwe(), per_bit = rows_of_bit(context);
  if (seeded.bodies.size() != SeededBootstrapKey::rows(context) * n)
    base::refuse("bootstrapping key: {} words, but the parameter set has {}", seeded.bodies.size(),
                 SeededBootstrapKey::rows(context) * n);
  matrix_ = context.fft().matrix_doubles(per_bit, k + 1);
  matrices_.resize(context.small() * matrix_);
  base::parallel_for(0, context.small(), [&](std::size_t i) {
    GlweRows(context, seeded.seed)
        .store(i * per_bit, per_bit, seeded.bodies, {matrices_.data() + i * matrix_, matrix_});
  });
}

}  // namespace tacit::scheme::tfhe
