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
  std::vector<double> values;  ///< row-major, in the model's units; of a batch, those of the samples side by side
  double noise = 0;            ///< estimated deviation of the ciphertext's noise in `values`, in their units
  double added = 0;            ///< deviation of the Gaussian that `values` carry on top of it
};

/// The owner of the data: packs, encodes and encrypts what one run takes, decrypts and checks its result. What it
/// holds of a message on the way is wiped; the caller's tensors and the results are the caller's. Thread safe.
class Client {
 public:
  /// Throws KeyMismatch if the key is of other parameters than the model's.
  Client(std::shared_ptr<const ClientModel> model, scheme::ckks::ContextPtr context,
         std::shared_ptr<const scheme::ckks::SecretKey> secret);
  /// Encrypts only.
  Client(std::shared_ptr<const ClientModel> model, scheme::ckks::ContextPtr context,
         const scheme::ckks::PublicKey& key);

  const ClientModel& model() const { return *model_; }
  const scheme::ckks::ContextPtr& context() const { return context_; }

  /// What one run takes: 1 to `batch` samples, side by side; a place without a sample repeats the last one. Tensor i of
  /// a sample is input i of the client interface, row-major: what the client's own part of the model made. Throws
  /// InputError naming the input, the element index, the value and the accepted interval for a wrong size, NaN,
  /// infinity or a value outside the interval; of several samples it names the sample by its place.
  std::vector<CiphertextArray> encrypt(std::span<const std::vector<std::vector<double>>> samples) const;

  /// `outputs` are the program's outputs in order. Adds noise as large as the estimated noise (half a bit; see
  /// scheme::ckks::DecodingNoise). For `sharing` it floods the noise and rounds, see params/sharing.h. Throws
  /// InputError:
  /// - for a result that is no real vector of the layout within the noise (a wrong key, a damaged ciphertext);
  /// - for one in the clear, one that overflowed the modulus, and one that left the calibrated bounds;
  /// - for more bits to share than the flood leaves, naming the most.
  std::vector<DecryptedOutput> decrypt(std::span<const CiphertextArray> outputs,
                                       const std::optional<params::Sharing>& sharing = {}) const;

 private:
  void check() const;
  DecryptedOutput decrypt_one(const program::ClientOutput& output, const CiphertextArray& array,
                              const std::optional<params::Sharing>& sharing) const;

  std::shared_ptr<const ClientModel> model_;
  scheme::ckks::ContextPtr context_;
  scheme::ckks::Encoder encoder_;
  scheme::ckks::Encryptor encryptor_;
  std::optional<scheme::ckks::Decryptor> decryptor_;
};

}  // namespace tacit::runtime
