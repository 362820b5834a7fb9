#include "scheme/tfhe/secret_key.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "base/wipe.h"

namespace tacit::scheme::tfhe {
namespace {

void draw_bits(base::SecretVector<std::uint8_t>& bits, base::Csprng& random) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (i % 64 == 0) word = random.next();
    bits[i] = static_cast<std::uint8_t>(word >> (i % 64) & 1);
  }
  base::zeroise(&word, sizeof word);
}

}  // namespace

std::shared_ptr<SecretKey::Data> SecretKey::make_spectra(const Context& context, std::shared_ptr<Data> data) {
  const std::size_t n = context.polynomial(), k = context.glwe();
  data->parameters = context.parameters().hash();
  data->spectra.resize(context.fft().matrix_doubles(k, 1));
  base::SecretVector<std::uint64_t> words(n);
  base::SecretVector<double> spectrum(n);
  for (std::size_t i = 0; i < k; ++i) {
    std::copy_n(data->large.begin() + static_cast<std::ptrdiff_t>(i * n), n, words.begin());
    context.fft().words_to_spectrum(words, spectrum);
    context.fft().store(spectrum, i, 0, k, 1, data->spectra);
  }
  return data;
}

SecretKey SecretKey::generate(const Context& context) {
  auto data = std::make_shared<Data>();
  data->small.resize(context.small());
  data->large.resize(context.large());
  base::Csprng random = base::Csprng::from_system();
  draw_bits(data->small, random);
  draw_bits(data->large, random);
  SecretKey key;
  key.data_ = make_spectra(context, std::move(data));
  return key;
}

SecretKey::SecretKey(const Context& context, std::span<const std::uint8_t> small, std::span<const std::uint8_t> large) {
  const auto binary = [](std::uint8_t bit) { return bit <= 1; };
  if (small.size() != context.small() || large.size() != context.large() || !std::ranges::all_of(small, binary) ||
      !std::ranges::all_of(large, binary))
    throw base::InputError("secret key: expected " + std::to_string(context.small()) + " and " +
                           std::to_string(context.large()) + " words of 0 or 1");
  auto data = std::make_shared<Data>();
  data->small.assign(small.begin(), small.end());
  data->large.assign(large.begin(), large.end());
  data_ = make_spectra(context, std::move(data));
}

}  // namespace tacit::scheme::tfhe
