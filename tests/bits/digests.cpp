// Prints digests of what follows from fixed seeds: samples, keys, coefficients, results. A line `exact NAME DIGEST` is
// the same on every machine, a line `real NAME DIGEST` for all instruction sets and compilers of one machine, whose
// library has the functions of doubles.
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "base/aligned.h"
#include "base/random.h"
#include "base/sha256.h"
#include "params/ckks_parameters.h"
#include "params/noise.h"
#include "ring/embedding.h"
#include "ring/ntt.h"
#include "ring/sampler.h"
#include "ring/uniform_row.h"
#include "scheme/ckks/integer_polynomial.h"

namespace {

using namespace tacit;

constexpr std::size_t kN = 4096;
using Words = base::AlignedVector<std::uint64_t>;

base::Seed seed(std::uint8_t value) {
  base::Seed result{};
  result[0] = value;
  return result;
}

template <class Container>
void print(const char* kind, const std::string& name, const Container& values) {
  const std::string digest = base::hexadecimal(base::sha256(std::as_bytes(std::span(values))));
  std::printf("%s %s %s\n", kind, name.c_str(), digest.c_str());
}

std::vector<std::int8_t> sampled(std::uint8_t of, void (*sampler)(std::span<std::int8_t>, base::Csprng&)) {
  base::Csprng random(seed(of));
  std::vector<std::int8_t> result(kN);
  sampler(result, random);
  return result;
}

Words transformed(const std::vector<std::int8_t>& coefficients, const ring::NttTables& ntt) {
  Words result(kN);
  for (std::size_t i = 0; i < kN; ++i) result[i] = ntt.modulus().reduce_signed(coefficients[i]);
  ntt.forward(result.data());
  return result;
}

/// b = -a s + e, as keys have it.
Words key_of(const ring::NttTables& ntt, const Words& a, const std::vector<std::int8_t>& secret,
             const std::vector<std::int8_t>& error) {
  const ring::Modulus& q = ntt.modulus();
  const Words s = transformed(secret, ntt), e = transformed(error, ntt);
  Words b(kN);
  for (std::size_t i = 0; i < kN; ++i) b[i] = q.sub(e[i], q.mul(a[i], s[i]));
  return b;
}

/// Slots of a message on their way to coefficients, through encryption and decryption under the key, and back.
void print_message(const ring::NttTables& ntt, const Words& a, const Words& b, const std::vector<std::int8_t>& secret) {
  const ring::Modulus& q = ntt.modulus();
  const ring::Embedding embedding(kN / 2);
  std::vector<std::complex<double>> slots(kN / 2);
  for (std::size_t i = 0; i < slots.size(); ++i)
    slots[i] = std::complex(static_cast<double>(i % 97) / 97, static_cast<double>(i % 31) / 31 - 0.5);
  embedding.slots_to_coefficients(slots);
  std::vector<double> coefficients;
  for (const auto part : {0, 1})
    for (const std::complex<double>& slot : slots)
      coefficients.push_back((part == 0 ? slot.real() : slot.imag()) * 0x1p30);
  print("real", "coefficients", coefficients);
  const scheme::ckks::IntegerPolynomial integers(coefficients);
  Words message(kN);
  integers.reduce(message, q);
  ntt.forward(message.data());
  const Words s = transformed(secret, ntt);
  Words decrypted(kN);
  for (std::size_t i = 0; i < kN; ++i) decrypted[i] = q.add(q.add(b[i], message[i]), q.mul(a[i], s[i]));
  print("real", "ciphertext", decrypted);
  ntt.inverse(decrypted.data());
  const std::uint64_t* limbs[] = {decrypted.data()};
  const std::vector<ring::Modulus> primes = {q};
  std::vector<double> values(kN);
  scheme::ckks::centred_to_double(limbs, primes, values);
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = std::complex(values[i], values[i + kN / 2]) / 0x1p30;
  embedding.coefficients_to_slots(slots);
  print("real", "result", slots);
}

void print_noise() {
  for (const std::string& name : params::named_literals()) {
    const params::CkksParameters parameters = params::CkksParameters::check(params::named_literal(name));
    const double scale = std::exp2(40);
    std::vector<double> numbers = {
        params::encode_noise(parameters, scale), params::symmetric_encryption_noise(parameters, scale),
        params::public_encryption_noise(parameters, scale), params::rounding_noise(parameters, scale)};
    for (int level = 0; level < 3; ++level) {
      numbers.push_back(params::key_switch_noise(parameters, level, scale));
      if (level > 0) numbers.push_back(params::multiply_noise(parameters, level, scale));
    }
    print("real", "noise " + name, numbers);
  }
}

}  // namespace

int main() {
  const std::vector<std::int8_t> secret = sampled(1, ring::sample_ternary), error = sampled(2, ring::sample_gaussian);
  std::vector<std::int8_t> sparse(kN);
  base::Csprng random(seed(3));
  ring::sample_sparse(sparse, 64, random);
  print("exact", "ternary", secret);
  print("exact", "gaussian", error);
  print("exact", "sparse", sparse);
  const ring::Modulus q((std::uint64_t{1} << 49) - 622591);  // 1 mod 2^15
  const ring::NttTables ntt(q, kN);
  Words a(kN);
  ring::UniformRow(seed(4), 7, q).fill(0, a);
  print("exact", "uniform", a);
  const Words b = key_of(ntt, a, secret, error);
  print("exact", "key", b);
  print_message(ntt, a, b, secret);
  print_noise();
  return 0;
}
