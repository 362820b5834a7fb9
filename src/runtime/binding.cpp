#include "runtime/binding.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/error.h"
#include "base/random.h"

namespace tacit::runtime {
namespace {

template <class Id>
std::string eight_digits(const Id& id) {
  return base::hexadecimal(std::span(id).template first<4>());
}

template <class Id>
void require_equal(const Id& expected, const std::string& expected_name, const Id& actual,
                   const std::string& actual_name, const char* what, const char* advice) {
  if (expected == actual) return;
  throw base::KeyMismatch(actual_name + " and " + expected_name + " do not belong together: " + what + " " +
                          eight_digits(actual) + " against " + eight_digits(expected) + "; " + advice);
}

}  // namespace

ModelId model_id(const params::ParameterHash& parameters, const base::Digest& server_half,
                 const base::Digest& client_half) {
  constexpr std::string_view kDomain = "tacit model 3";
  return base::Sha256()
      .update(std::as_bytes(std::span(kDomain)))
      .update(std::as_bytes(std::span(parameters)))
      .update(std::as_bytes(std::span(server_half)))
      .update(std::as_bytes(std::span(client_half)))
      .finish();
}

KeySetId new_key_set_id() {
  const base::Seed seed = base::public_seed();
  KeySetId id;
  std::copy_n(seed.begin(), id.size(), id.begin());
  return id;
}

void require_same_model(const Binding& expected, const std::string& expected_name, const Binding& actual,
                        const std::string& actual_name, const char* way_out) {
  require_equal(expected.parameters, expected_name, actual.parameters, actual_name, "parameter set", way_out);
  require_equal(expected.model, expected_name, actual.model, actual_name, "model", way_out);
}

void require_same_keys(const Binding& expected, const std::string& expected_name, const Binding& actual,
                       const std::string& actual_name, const char* way_out) {
  require_same_model(expected, expected_name, actual, actual_name, way_out);
  require_equal(expected.key_set, expected_name, actual.key_set, actual_name, "key set",
                "use the keys that one key generation made");
}

}  // namespace tacit::runtime
