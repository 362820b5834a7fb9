#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tacit::params {

/// The price of one word of each elementary operation, in nanoseconds. `threads` threads share the words of an
/// operation; the default is one core. The default prices were measured on two machines:
/// - embed_ns and touch_ns on one core of an Intel Xeon at 3.75 GHz
/// - all others on the machine that `machine` names
///
/// docs/bench.md compares predictions with measurements. `tacit bench cost` measures another machine.
struct CostTable {
  std::string machine = "AMD EPYC (Zen 5), AVX-512 IFMA, 4.1 GHz";  ///< the measured machine, for people
  double ntt_ns = 0.072;     ///< per word and butterfly stage: a limb of N words takes ntt_ns * N * log2 N
  double mac_ns = 0.07;      ///< per word of a multiply-accumulate in the caches: base conversions, sums of products
  double key_ns = 0.26;      ///< per word of a product with a key, half of which is expanded from a seed
  double product_ns = 0.24;  ///< per word of a product with an encoded diagonal or another ciphertext, from memory
  double far_ns = 0.34;      ///< more for each word of an operand of a long sum that comes from memory
  double embed_ns = 1.2;     ///< per slot and stage of an embedding, which weights are encoded by
  double touch_ns = 1.5;     ///< more for each word of memory that the system has just handed out and clears
  double threads = 1;        ///< number of threads that share the words of every operation
  double cache_mib =
      26;  ///< size of the largest cache: data that is used again after more traffic than this comes from memory
  bool operator==(const CostTable&) const = default;
};

/// One price of a table.
struct CostField {
  std::string_view name, unit, meaning;
  double most = 0;  ///< largest price that a file may give; the least is above 0
  double CostTable::*value = nullptr;
};
/// Returns the prices in the order of the struct.
std::span<const CostField> cost_fields();

/// Writes {"machine": text, "ntt_ns": number, ...}.
std::string to_json(const CostTable& table);
/// Reads a table. Throws InputError, naming the field and its bound, in these cases:
/// - The text is not a JSON object.
/// - A field is missing or unknown.
/// - A price is not above 0, or exceeds CostField::most.
/// - The name of the machine exceeds 200 bytes.
CostTable cost_table_from_json(std::string_view json);

}  // namespace tacit::params
