// Numbers in, numbers out: parameters, keys, encryption, decryption, and what precision is left.

#include <tacit/ckks.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  namespace ckks = tacit::ckks;

  // A parameter set fixes how many numbers a ciphertext holds, how many products it can take, and the security.
  const auto parameters = ckks::Parameters::named("N13-d4");
  std::printf("%s: %zu slots, %d levels, log2(QP) = %.1f, %d-bit security\n", parameters.name().c_str(),
              parameters.slots(), parameters.max_level(), parameters.log_qp(), parameters.security_bits());

  const ckks::Context context(parameters);
  const ckks::KeyGenerator generator(context);
  const auto secret = generator.secret_key();
  const auto open = generator.public_key(secret);

  std::vector<double> message(parameters.slots());
  for (std::size_t i = 0; i < message.size(); ++i) message[i] = std::sin(0.01 * static_cast<double>(i));

  // Anyone can encrypt with the public key; only the secret key decrypts.
  const ckks::Ciphertext hidden = ckks::Encryptor(context, open).encrypt(message);
  const std::vector<double> back = ckks::Decryptor(context, secret).decrypt(hidden);

  double worst = 0;
  for (std::size_t i = 0; i < message.size(); ++i) worst = std::max(worst, std::abs(back[i] - message[i]));
  std::printf("level %d, scale 2^%.0f, largest error %.1e\n", hidden.level(), std::log2(hidden.scale()), worst);
  return worst < 1e-4 ? 0 : 1;
}
