#pragma once

#include <tacit/tile.h>

#include "app/api/access.h"
#include "app/api/translate.h"
#include "params/requirement.h"
#include "program/tile_cost.h"
#include "runtime/encrypted_tiles.h"
#include "tensor/tile_tensor.h"

/// What stands behind the public classes of <tacit/tile.h>.
namespace tacit::tile {

using app::api::translate;
using detail::Access;

struct Shape::Impl {
  layout::TileShape value;
};
struct Session::Impl {
  tensor::EvaluatorPtr value;
  std::shared_ptr<program::CostTiles> costs;  ///< null unless it is a cost session
  /// Of an encrypted session, as far as it has them.
  std::shared_ptr<const scheme::ckks::SecretKey> secret{};
  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys{};
};
struct Tensor::Impl {
  tensor::TileTensor value;
};
struct Plain::Impl {
  tensor::PlainTensor value;
};

/// What a requirement asks for; sets without security only where they are allowed.
params::RequiredParameters required_parameters(std::string_view requirement, InsecureParameters insecure);

inline const layout::TileShape& open(const Shape& shape) { return Access::impl(shape).value; }
inline const tensor::EvaluatorPtr& open(const Session& session) { return Access::impl(session).value; }
inline const tensor::TileTensor& open(const Tensor& tensor) { return Access::impl(tensor).value; }
inline const tensor::PlainTensor& open(const Plain& plain) { return Access::impl(plain).value; }

}  // namespace tacit::tile
