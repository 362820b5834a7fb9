#include "artefact_parts.h"
#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "memory_file.h"
#include "runtime/slots/ciphertext_file.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"
#include "tiny_set.h"

namespace tacit::fuzz {

using runtime::CiphertextArray;
using runtime::CiphertextReader;
using runtime::CiphertextRole;

namespace {
constexpr CiphertextRole kRoles[] = {CiphertextRole::inputs, CiphertextRole::results, CiphertextRole::vectors,
                                     CiphertextRole::tiles, CiphertextRole::some_inputs};
}

std::string_view target_name() { return "ciphertext_file"; }

std::vector<Bytes> seeds() {
  const TinySet& set = tiny_set();
  const scheme::ckks::Encryptor encryptor(set.context, set.secret);
  const scheme::ckks::Encoder encoder(set.context);
  const auto one = [&] { return encryptor.encrypt(encoder.encode(std::vector<double>{0.25}, 1, 0x1p30)); };
  const base::TemporaryFolder folder;
  const auto path = folder.path() / "ciphertexts";
  std::vector<Bytes> all;
  for (const CiphertextRole role : kRoles) {
    runtime::Binding binding;
    binding.parameters = set.context->parameters().hash();
    std::optional<runtime::BatchedInputs> batched;
    if (role == CiphertextRole::inputs) batched = {5, 3};
    runtime::CiphertextWriter writer(path, set.context, role, binding, {"a", "{b 8|8}"}, batched);
    for (int sample = 0; sample < 2; ++sample) {
      const std::vector<CiphertextArray> arrays{{one(), one()}, {one()}};
      if (role == CiphertextRole::results)
        writer.add(arrays, runtime::digest_of(*set.context, arrays));
      else
        writer.add(arrays);
    }
    writer.finish();
    const std::vector<char> bytes = base::read_file(path);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_artefact(from, other, random); }

/// A file has one role. Its samples have an array for every name, and are those that their digests name.
void check(std::span<const std::uint8_t> bytes) {
  const auto& context = tiny_set().context;
  const MemoryFile file(std::as_bytes(bytes));
  std::size_t roles = 0;
  for (const CiphertextRole role : kRoles) {
    try {
      const CiphertextReader reader(file.path(), context, role);
      ++roles;
      const std::vector<base::Digest> digests = reader.digests();
      require(digests.size() == reader.samples(), "every sample has a digest");
      std::size_t inputs = 0;
      for (std::size_t i = 0; i < reader.samples(); ++i) {
        require(reader.batched().of(i) >= 1 && reader.batched().of(i) <= reader.batched().batch,
                "a sample holds between one input and a batch");
        inputs += reader.batched().of(i);
      }
      require(inputs == reader.batched().inputs, "the samples hold all inputs");
      if (role == CiphertextRole::results)
        require(reader.questions().size() == reader.samples(), "every result names its question");
      for (std::size_t i = 0; i < reader.samples(); ++i) {
        const std::vector<CiphertextArray> sample = reader.read(i);
        require(sample.size() == reader.names().size(), "a sample has an array for every name");
        require(runtime::digest_of(*context, sample) == digests[i], "a digest is that of the sample that was read");
      }
    } catch (const base::InputError&) {
      if (role == CiphertextRole::some_inputs && roles == 0) throw;
    }
  }
  require(roles == 1, "ciphertexts have one role");
}

}  // namespace tacit::fuzz
