#include "mutate_bytes.h"
#include "params/tfhe_parameters.h"
#include "params/tfhe_security.h"
#include "target.h"

namespace tacit::fuzz {

using params::TfheLiteral;
using params::TfheParameters;

std::string_view target_name() { return "tfhe_literal"; }

std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  for (const std::string& name : params::named_tfhe_literals())
    all.push_back(bytes_of(to_json(params::named_tfhe_literal(name))));
  TfheLiteral literal = params::named_tfhe_literal("T1");
  literal.name = "\"q\"";
  literal.lwe_dimension = 16;
  literal.insecure = true;
  all.push_back(bytes_of(to_json(literal)));
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_text(from, other, random); }

/// Text is a literal that says the same when it is written again, and a set within its bounds, or refused.
void check(std::span<const std::uint8_t> bytes) {
  const TfheLiteral literal = params::tfhe_literal_from_json(text_of(bytes));
  require(params::tfhe_literal_from_json(to_json(literal)) == literal, "a literal reads as it was written");
  const TfheParameters parameters = TfheParameters::check(literal);
  require(parameters.log2_failure() <= literal.log2_failure, "a set fails as seldom as it says");
  if (!literal.insecure)
    require(literal.lwe_noise_bits >= params::least_noise_bits(parameters.lwe().value, 32) &&
                literal.glwe_noise_bits >= params::least_noise_bits(parameters.large_lwe().value, 64),
            "what is not marked insecure has the noise that its dimensions ask for");
}

}  // namespace tacit::fuzz
