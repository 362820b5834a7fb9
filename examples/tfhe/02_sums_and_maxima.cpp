// Sums between lookups, and parameters made for them: the larger of two numbers, and how a set refuses what is too
// noisy.

#include <tacit/tfhe.h>

#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
  namespace tfhe = tacit::tfhe;

  // b + max(a - b, 0): a difference of numbers of 3 bits takes 4, and two results of lookups meet in the sum.
  const auto parameters = tfhe::Parameters::choose({.bits = 4, .norm2 = 3, .log2_failure = -64});
  const tfhe::SecretKey secret(parameters);
  const tfhe::Evaluator server(secret.evaluation_keys());

  const std::vector<std::int64_t> a{0, 3, 7, 5, 2}, b{4, 3, 1, 6, 0};
  const tfhe::Ciphertexts left = secret.encrypt(a), right = secret.encrypt(b);

  // A difference is brought into 0 to 15 by an offset of 8, which the table takes off again.
  const std::vector<std::int64_t> eights(a.size(), 8), ones = [&] {
    std::vector<std::int64_t> diagonal(a.size() * a.size(), 0);
    for (std::size_t i = 0; i < a.size(); ++i) diagonal[i * (a.size() + 1)] = 1;
    return diagonal;
  }();
  const tfhe::Ciphertexts difference = server.sums(server.sub(left, right), ones, eights);
  const tfhe::Table excess(parameters, [](std::int64_t d) { return std::max<std::int64_t>(d - 8, 0); });
  const tfhe::Ciphertexts larger = server.add(server.lookup(difference, excess), right);

  const std::vector<std::int64_t> found = secret.decrypt(larger);
  bool right_answers = true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::printf("max(%lld, %lld) = %lld\n", static_cast<long long>(a[i]), static_cast<long long>(b[i]),
                static_cast<long long>(found[i]));
    right_answers = right_answers && found[i] == std::max(a[i], b[i]);
  }

  // Weights of 2-norm 40 would make lookups fail more often than the set promises.
  bool refused = false;
  try {
    const tfhe::Table same(parameters, [](std::int64_t n) { return n; });
    const std::vector<std::int64_t> forties(a.size() * a.size(), 40), none(a.size(), 0);
    server.lookup(server.sums(server.lookup(left, same), forties, none), same);
  } catch (const tacit::InputError& error) {
    std::printf("refused: %s\n", error.what());
    refused = true;
  }
  return right_answers && refused ? 0 : 1;
}
