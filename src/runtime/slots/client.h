#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "params/sharing.h"
#include "runtime/compiled_model.h"
#include "runtime/slots/ciphertext_file.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/decryptor.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"
#include "scheme/ckks/keys.h"

namespace tacit::runtime {

/// One decrypted output.
struct DecryptedOutput {
  std::string name;
  layout::Shape shape;
  std::vector<double> values;  ///< row-major, in the model's units; for a batch, values of the samples side by side
  double noise = 0;            ///< estimated deviation of the ciphertext's noise in `values`, in their units
  double added = 0;            ///< deviation of the Gaussian that was added to `values`
};

/// The form of encrypted inputs: as small as the model allows, or whole, so that each input decrypts by itself.
enum class QuestionForm { thin, whole };

/// The owner of the data: packs, encodes and encrypts the inputs of one run, decrypts and checks its results.
/// Intermediate copies of a message are wiped. The given tensors and the results belong to the caller. Thread safe.
class Client {
 public:
  /// Throws KeyMismatch if the key has other parameters than the model.
  Client(std::shared_ptr<const ClientModel> model, scheme::ckks::ContextPtr context,
         std::shared_ptr<const scheme::ckks::SecretKey> secret);
  /// Makes a client that only encrypts.
  Client(std::shared_ptr<const ClientModel> model, scheme::ckks::ContextPtr context,
         const scheme::ckks::PublicKey& key);

  const ClientModel& model() const { return *model_; }
  const scheme::ckks::ContextPtr& context() const { return context_; }

  /// Encrypts the inputs of one run: 1 to `batch` samples, side by side. A place without a sample repeats the last one.
  /// Tensor i of a sample is input i of the client interface, row-major: a result of the client's own part of the
  /// model. Throws InputError for a wrong size, NaN, infinity or a value outside the accepted interval. The error names
  /// the input, the element index, the value and the interval. For several samples it names the sample by its place.
  /// Programs take both forms, with equal results up to noise.
  std::vector<CiphertextArray> encrypt(std::span<const std::vector<std::vector<double>>> samples,
                                       QuestionForm form = QuestionForm::thin) const;

  /// Decrypts `outputs`, the program's outputs in order. Adds noise as large as the estimated noise (half a bit; see
  /// scheme::ckks::DecodingNoise). For `sharing` it floods the noise and rounds, see params/sharing.h. Throws
  /// InputError
  /// - for a result that is no real vector of the layout within the noise (a wrong key, a damaged ciphertext);
  /// - for a result in the clear, one that overflowed the modulus, and one outside the calibrated bounds;
  /// - for more bits to share than the flood leaves, naming the most.
  std::vector<DecryptedOutput> decrypt(std::span<const CiphertextArray> outputs,
                                       const std::optional<params::Sharing>& sharing = {}) const;
  /// From then on, `decrypt` takes results that several owners flooded. Their noise is that of the floods, and
  /// `decrypt` adds a quarter of it. Throws KeyMismatch unless the model's key has as many parts.
  void expect(const OwnersResults& owners);

 private:
  void check() const;
  DecryptedOutput decrypt_one(const program::ClientOutput& output, const CiphertextArray& array,
                              const std::optional<params::Sharing>& sharing) const;

  std::shared_ptr<const ClientModel> model_;
  scheme::ckks::ContextPtr context_;
  scheme::ckks::Encoder encoder_;
  scheme::ckks::Encryptor encryptor_;
  std::optional<scheme::ckks::Decryptor> decryptor_;
  std::optional<OwnersResults> owners_;
};

}  // namespace tacit::runtime
