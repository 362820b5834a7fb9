#include "runtime/integers/ranked_integers.h"

namespace tacit::runtime {

IntegerKeys::IntegerKeys(const scheme::tfhe::ContextPtr& context, scheme::tfhe::SeededEvaluationKeys seeded,
                         bool keep_seeded)
    : evaluator(context, seeded) {
  if (keep_seeded) sent = std::move(seeded);
}

RunsOnIntegers::Shared RunsOnIntegers::share(Communicator& ranks, const scheme::tfhe::ContextPtr& context,
                                             std::shared_ptr<const Keys> keys) {
  std::vector<std::byte> bytes;
  if (ranks.rank() == 0) {
    if (!keys->sent) throw base::InternalError("rank 0 kept no keys to send");
    scheme::tfhe::serialize(*context, *keys->sent, [&](std::span<const std::uint8_t> piece) {
      const auto view = std::as_bytes(piece);
      bytes.insert(bytes.end(), view.begin(), view.end());
    });
  }
  ranks.broadcast(bytes);
  if (ranks.rank() != 0)
    keys =
        std::make_shared<const Keys>(context,
                                     scheme::tfhe::deserialize_evaluation_keys(
                                         *context, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}),
                                     false);
  return {std::move(keys), ranks.on_this_machine()->size()};
}

std::shared_ptr<const PreparedIntegers> RunsOnIntegers::prepare(scheme::tfhe::ContextPtr context, Program program,
                                                                const PrepareOptions& options) {
  options.memory.require("keys, tables and ciphertexts of program '" + program.name + "' need",
                         memory_need(program, context->parameters()));
  return std::make_shared<const Prepared>(std::move(context), std::move(program), options.ranks);
}

}  // namespace tacit::runtime
