#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tacit::params {

/// What one word of the elementary operations takes, in nanoseconds, where so many threads share an operation's words:
/// one core by default. The default is of the machine that it names (docs/bench.md holds its predictions against
/// measurements), but for embeddings and fresh memory, which are of one core of an Intel Xeon at 3.75 GHz; `tacit bench
/// cost` measures another's.
struct CostTable {
  std::string machine = "AMD EPYC (Zen 5), AVX-512 IFMA, 4.1 GHz";  ///< that was measured, for people
  double ntt_ns = 0.072;     ///< per word and butterfly stage: a limb of N words takes ntt_ns * N * log2 N
  double mac_ns = 0.07;      ///< per word of a multiply-accumulate in the caches: base conversions, sums of products
  double key_ns = 0.26;      ///< per word of a product with a key, half of which is expanded from a seed
  double product_ns = 0.24;  ///< per word of a product with an encoded diagonal or another ciphertext, from memory
  double far_ns = 0.34;      ///< more for each word of an operand of a long sum that comes from memory
  double embed_ns = 1.2;     ///< per slot and stage of an embedding, which weights are encoded by
  double touch_ns = 1.5;     ///< more for each word of memory that the system has just handed out and clears
  double threads = 1;        ///< that share the words of every operation
  double cache_mib = 26;     ///< of the largest cache: what is used again after more than that comes from memory
  bool operator==(const CostTable&) const = default;
};

/// One price of a table.
struct CostField {
  std::string_view name, unit, meaning;
  double most = 0;  ///< what a file may say is above 0 and at most this
  double CostTable::*value = nullptr;
};
/// In the order of the struct.
std::span<const CostField> cost_fields();

/// {"machine": text, "ntt_ns": number, ...}
std::string to_json(const CostTable& table);
/// Throws InputError, naming the field and its bound, on text that is no JSON object, on missing and unknown fields, on
/// prices that are not above 0 and at most CostField::most, and on names of machines beyond 200 bytes.
CostTable cost_table_from_json(std::string_view json);

}  // namespace tacit::params
