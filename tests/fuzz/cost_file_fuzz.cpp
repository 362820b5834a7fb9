#include "memory_file.h"
#include "mutate_bytes.h"
#include "session/cost_file.h"
#include "target.h"

namespace tacit::fuzz {

std::string_view target_name() { return "cost_file"; }

std::vector<Bytes> seeds() {
  params::CostTable other;
  other.machine = "\xC3\xBC \"quoted\"";
  other.ntt_ns = 1e-3;
  return {bytes_of(params::to_json(params::CostTable{})), bytes_of(params::to_json(other))};
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_text(from, other, random); }

/// A file of prices says the same when it is written again, and every price is within its bound.
void check(std::span<const std::uint8_t> bytes) {
  const MemoryFile file(std::as_bytes(bytes));
  const params::CostTable table = session::read_costs(file.path());
  require(params::cost_table_from_json(params::to_json(table)) == table, "a cost table reads as it was written");
  for (const params::CostField& field : params::cost_fields())
    require(table.*field.value > 0 && table.*field.value <= field.most, "a price is within its bound");
}

}  // namespace tacit::fuzz
