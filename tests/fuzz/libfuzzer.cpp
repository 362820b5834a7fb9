// A fuzz target for libFuzzer: the target's own mutations beside the fuzzer's, and its seeds now and then.
#include <algorithm>

#include "base/error.h"
#include "mutate_bytes.h"
#include "target.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

const std::vector<tacit::fuzz::Bytes>& all_seeds() {
  static const std::vector<tacit::fuzz::Bytes> kept = tacit::fuzz::seeds();
  return kept;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    tacit::fuzz::check({data, size});
  } catch (const tacit::base::InputError&) {
  } catch (const tacit::base::KeyMismatch&) {
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
  using namespace tacit::fuzz;
  Random random(seed);
  if (random.one_in(4)) return LLVMFuzzerMutate(data, size, most);
  const Bytes from = random.one_in(16) || size < 4 ? random.pick(all_seeds()) : Bytes(data, data + size);
  const Bytes mutation = mutate(from, random.pick(all_seeds()), random);
  const std::size_t kept = std::min(mutation.size(), most);
  std::copy_n(mutation.begin(), kept, data);
  return kept;
}
