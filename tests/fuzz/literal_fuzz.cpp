#include "mutate_bytes.h"
#include "params/ckks_parameters.h"
#include "target.h"

namespace tacit::fuzz {

using params::CkksLiteral;
using params::CkksParameters;

std::string_view target_name() { return "literal"; }

std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  for (const auto& names : {params::named_literals(), params::bootstrapping_literals()})
    for (const std::string& name : names) all.push_back(bytes_of(to_json(params::named_literal(name))));
  all.push_back(bytes_of(to_json(CkksLiteral{
      .name = "\"q\"", .log_n = 4, .q_bits = {40, 30}, .p_bits = {50}, .log_scale = 30, .insecure = true})));
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_text(from, other, random); }

/// Text is a literal that says the same when it is written again, and a set within its security bound, or refused.
void check(std::span<const std::uint8_t> bytes) {
  const CkksLiteral literal = params::literal_from_json(text_of(bytes));
  require(params::literal_from_json(to_json(literal)) == literal, "a literal reads as it was written");
  const CkksParameters parameters = CkksParameters::check(literal);
  require(parameters.q().size() == literal.q_bits.size() && parameters.p().size() == literal.p_bits.size(),
          "a set has the primes of its literal");
  if (!literal.insecure)
    require(parameters.security_bits() >= 128 &&
                parameters.log_qp() <= params::max_log_qp(parameters.log_n(), parameters.security_bits()),
            "what is not marked insecure lies within the table");
}

}  // namespace tacit::fuzz
