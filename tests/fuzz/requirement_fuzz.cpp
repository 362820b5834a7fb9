#include "base/error.h"
#include "mutate_bytes.h"
#include "params/requirement.h"
#include "target.h"

namespace tacit::fuzz {

using params::Requirement;

std::string_view target_name() { return "requirement"; }

std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  for (const char* text : {"slots 16384, depth 8, fraction 40 bits, integer 20 bits, security 128",
                           "slots 4096, depth 2, fraction 30 bits, integer 10 bits, security 192", "depth 3",
                           "slots 16, depth 4, fraction 25 bits, integer 2 bits, security 0"})
    all.push_back(bytes_of(text));
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_text(from, other, random); }

/// A requirement says the same when it is written again, and what it is met by is a set with what it asks for.
void check(std::span<const std::uint8_t> bytes) {
  const Requirement requirement = Requirement::parse(text_of(bytes));
  require(Requirement::parse(requirement.to_string()) == requirement, "a requirement reads as it was written");
  const params::RequiredParameters met = parameters_for(requirement);
  try {
    const auto parameters = params::CkksParameters::check(met.literal);
    require(parameters.security_bits() >= requirement.security_bits, "the set is as secure as was asked for");
    require(parameters.slots() == static_cast<std::size_t>(requirement.slots), "the set has the slots");
    require(parameters.max_level() - met.base_level == requirement.depth, "the set has the depth");
  } catch (const base::InputError&) {
    require(false, "what meets a requirement is a parameter set");
  }
}

}  // namespace tacit::fuzz
