#include "scheme/tfhe/check.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/sha256.h"

namespace tacit::scheme::tfhe {

void check_parameters(const Context& context, const params::ParameterHash& hash, const char* operation,
                      const char* object) {
  if (hash == context.parameters().hash()) return;
  constexpr std::size_t kShown = 12;
  throw base::KeyMismatch(fmt::format("{}: the {} belong to another parameter set ({}) than '{}' ({})", operation,
                                      object, base::hexadecimal(hash).substr(0, kShown),
                                      context.parameters().literal().name,
                                      base::hexadecimal(context.parameters().hash()).substr(0, kShown)));
}

void check_looks_up(const Context& context, const char* operation) {
  if (context.parameters().looks_up()) return;
  base::refuse("{}: the parameter set '{}' is for sums alone, without keys for lookups; take one that looks up tables",
               operation, context.parameters().literal().name);
}

template <class Word>
void check(const Context& context, const LweBatch<Word>& ciphertexts, const char* operation) {
  check_parameters(context, ciphertexts.parameters(), operation, "ciphertexts");
  const std::size_t dimension = sizeof(Word) == sizeof(std::uint64_t) ? context.large() : context.small();
  if (ciphertexts.dimension() != dimension)
    base::refuse("{}: ciphertexts of dimension {}, but the parameter set '{}' has {}", operation,
                 ciphertexts.dimension(), context.parameters().literal().name, dimension);
}
template void check(const Context& context, const LweCiphertexts& ciphertexts, const char* operation);
template void check(const Context& context, const SmallLweCiphertexts& ciphertexts, const char* operation);

}  // namespace tacit::scheme::tfhe
