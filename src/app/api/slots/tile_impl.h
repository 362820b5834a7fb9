#pragma once

#include <tacit/tile.h>

#include "app/api/access.h"
#include "params/requirement.h"
#include "runtime/binding.h"
#include "runtime/slots/ciphertext_file.h"
#include "runtime/slots/encrypted_evaluator.h"
#include "tensor/tile_tensor.h"

/// The implementations of the public classes of <tacit/tile.h>.
namespace tacit::tile {

using detail::Access;

/// Tile arithmetic on ciphertexts, with the binding that files of keys or tiles carry.
class EncryptedSession final : public tensor::Session {
 public:
  /// Works with the keys that are given; `secret` or `keys` may be null. Throws as runtime::EncryptedEvaluator and
  /// tensor::TileLevels do.
  EncryptedSession(const scheme::ckks::ContextPtr& context, int base_level, const scheme::ckks::SecretKey* secret,
                   std::shared_ptr<const scheme::ckks::EvaluationKeys> keys, const runtime::Binding& binding);
  const scheme::ckks::ContextPtr& context() const { return reading_->context(); }
  /// The parameter set, model and secret key that the session is bound to.
  const runtime::Binding& binding() const { return binding_; }
  runtime::CiphertextArray ciphertexts(const program::View& a) const;
  /// Takes tiles from a file into the session. Throws InputError unless there is a tile, and all tiles are at one level
  /// of this session and at its scale.
  program::ArrayPtr array_of(runtime::CiphertextArray tiles) const;

 private:
  EncryptedSession(std::shared_ptr<runtime::EncryptedEvaluator> reading, int base_level,
                   const runtime::Binding& binding);
  std::shared_ptr<runtime::EncryptedEvaluator> reading_;
  runtime::Binding binding_;
};

struct ShapeImpl {
  layout::TileShape value;
};
struct SessionImpl {
  tensor::SessionPtr value;
  std::shared_ptr<tensor::CostSession> costs{};  ///< null unless it is a cost session
  /// The keys of an encrypted session; null if it lacks them.
  std::shared_ptr<const scheme::ckks::SecretKey> secret{};
  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys{};
};
struct TensorImpl {
  tensor::TileTensor value;
};
struct PlainImpl {
  tensor::PlainTensor value;
};

/// Finds parameters that meet the requirement. Sets without security are refused unless `insecure` allows them.
params::RequiredParameters required_parameters(std::string_view requirement, InsecureParameters insecure);

inline const layout::TileShape& open(const Shape& shape) { return Access::impl(shape).value; }
inline const tensor::SessionPtr& open(const Session& session) { return Access::impl(session).value; }
inline const tensor::TileTensor& open(const Tensor& tensor) { return Access::impl(tensor).value; }
inline const tensor::PlainTensor& open(const Plain& plain) { return Access::impl(plain).value; }

}  // namespace tacit::tile
