#include "runtime/integers/integer_client.h"

#include "base/error.h"
#include "base/secret_memory.h"
#include "base/wipe.h"

namespace tacit::runtime {

using scheme::tfhe::FreshLweCiphertexts;
using scheme::tfhe::LweCiphertexts;
using scheme::tfhe::Torus;

std::int64_t integer_of(Torus phase, int step) {
  const Torus half = step == 0 ? 0 : Torus{1} << (step - 1);
  return static_cast<std::int64_t>(phase + half) >> step;
}

IntegerClient::IntegerClient(integers::ClientInterface interface, scheme::tfhe::ContextPtr context,
                             const scheme::tfhe::SecretKey& secret)
    : interface_(std::move(interface)),
      encryptor_(scheme::tfhe::Encryptor(context, secret)),
      decryptor_(std::in_place, context, secret) {}

IntegerClient::IntegerClient(integers::ClientInterface interface, scheme::tfhe::ContextPtr context,
                             const scheme::tfhe::PublicKey& key)
    : interface_(std::move(interface)), encryptor_(scheme::tfhe::PublicEncryptor(std::move(context), key)) {}

std::vector<FreshLweCiphertexts> IntegerClient::encrypt(std::span<const std::vector<double>> tensors) const {
  if (tensors.size() != interface_.inputs.size())
    base::refuse("{} tensors were given for {} inputs", tensors.size(), interface_.inputs.size());
  std::vector<FreshLweCiphertexts> ciphertexts;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const integers::ClientInput& input = interface_.inputs[i];
    integers::Integers integers = integers::quantise(input, tensors[i]);
    base::SecretVector<Torus> messages(integers.size());
    for (std::size_t e = 0; e < integers.size(); ++e) messages[e] = static_cast<Torus>(integers[e]) << input.step;
    base::wipe(integers);
    if (const auto* with_secret = std::get_if<scheme::tfhe::Encryptor>(&encryptor_))
      ciphertexts.push_back(with_secret->encrypt_seeded(messages));
    else
      ciphertexts.push_back(std::get<scheme::tfhe::PublicEncryptor>(encryptor_).encrypt(messages));
  }
  return ciphertexts;
}

std::vector<std::vector<double>> IntegerClient::decrypt(std::span<const LweCiphertexts> outputs) const {
  if (!decryptor_) throw base::InputError("this client holds no secret key and can only encrypt");
  if (outputs.size() != interface_.outputs.size())
    base::refuse("{} results were given for {} outputs", outputs.size(), interface_.outputs.size());
  std::vector<std::vector<double>> tensors;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const integers::ClientOutput& output = interface_.outputs[o];
    if (static_cast<layout::Index>(outputs[o].count()) != output.integers())
      base::refuse("output '{}' has {} ciphertexts; expected {}", output.name, outputs[o].count(), output.integers());
    std::vector<Torus> phases = decryptor_->phases(outputs[o]);
    integers::Integers integers;
    for (const Torus phase : phases) integers.push_back(integer_of(phase, output.step));
    base::wipe(phases);
    tensors.push_back(integers::dequantise(output, integers));
    base::wipe(integers);
  }
  return tensors;
}

}  // namespace tacit::runtime
