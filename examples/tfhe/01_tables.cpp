// Any function of an encrypted integer: encrypt, look a table up, decrypt.

#include <tacit/tfhe.h>

#include <cstdio>
#include <vector>

int main() {
  namespace tfhe = tacit::tfhe;

  // Bits fix what a table takes; the set fixes how noisy an argument may be, the security, and how rarely a lookup
  // fails.
  const auto parameters = tfhe::Parameters::named("T4");
  std::printf("%s: %d bits, 2-norm %.0f, fails with 2^%.0f, %d-bit security, keys of %.0f MB\n",
              parameters.name().c_str(), parameters.bits(), parameters.norm2(), parameters.log2_failure(),
              parameters.security_bits(), parameters.key_bytes() / 1e6);

  const tfhe::SecretKey secret(parameters);
  const tfhe::Evaluator server(secret.evaluation_keys());

  std::vector<std::int64_t> hours;
  for (std::int64_t h = 0; h < 16; ++h) hours.push_back(h);
  const tfhe::Ciphertexts hidden = secret.encrypt(hours);

  // The server sees neither arguments nor results.
  const tfhe::Table prime(parameters,
                          [](std::int64_t n) { return n == 2 || n == 3 || n == 5 || n == 7 || n == 11 || n == 13; });
  const std::vector<std::int64_t> answers = secret.decrypt(server.lookup(hidden, prime));

  std::int64_t count = 0;
  for (const std::int64_t answer : answers) count += answer;
  for (std::size_t n = 0; n < answers.size(); ++n)
    if (answers[n] == 1) std::printf("%zu ", n);
  std::printf("are prime\n");
  return count == 6 ? 0 : 1;
}
