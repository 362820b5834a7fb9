#pragma once

namespace tacit::graph::quant {

/// How an argument gets to the boxes of a table that has fewer than it has integers.
enum class Rounding {
  approximate,  ///< by the table: for nothing, and noise may take an argument to the box beside the nearest
  exact,        ///< bit by bit, a bootstrap each: what is decrypted equals the clear reading
};

}  // namespace tacit::graph::quant
