#pragma once

namespace tacit::graph::quant {

/// How an argument is rounded to the boxes of a table that has fewer boxes than the argument has integers.
enum class Rounding {
  approximate,  ///< by the table, at no cost: noise may move an argument to the box next to the nearest
  exact,        ///< bit by bit, one bootstrap per bit: the decrypted result equals the clear reading
};

}  // namespace tacit::graph::quant
