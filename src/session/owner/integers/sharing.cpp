#include "session/owner/integers/sharing.h"

#include <cmath>
#include <string>

#include "base/error.h"
#include "program/integers/sharing.h"
#include "session/sentence.h"

namespace tacit::session {

nlohmann::ordered_json shared_numbers_json(const integers::Program& program, const params::TfheParameters& parameters) {
  using Json = nlohmann::ordered_json;
  const double changed = integers::log2_changed_result(program, parameters);
  const auto refused = integers::why_not_shared(program);
  return {{"log2_failure_of_run", std::isfinite(changed) ? Json(changed) : Json(nullptr)},
          {"refused", refused ? Json(refused->sentence()) : Json(nullptr)}};
}

void require_shared(const nlohmann::ordered_json& shared_numbers, const params::Sharing& promise, bool has_labels) {
  params::check(promise);
  const char* const or_labels = has_labels ? ", or show others labels alone (decrypt --labels)" : "";
  if (const auto& refused = shared_numbers.at("refused"); !refused.is_null())
    base::refuse("numbers of results cannot be shared: {}{}", printable(refused.get<std::string>()), or_labels);
  const auto& changed = shared_numbers.at("log2_failure_of_run");
  const double most = integers::most_log2_changed(promise);
  if (!changed.is_null() && !(changed.get<double>() <= most))
    base::refuse(
        "noise changes a result with probability 2^{:.1f}, and {:g} shared results with {:g} statistical bits allow "
        "2^{:.1f}: compile for rarer failures (--failure), or promise fewer results (--share-decryptions){}",
        changed.get<double>(), promise.decryptions, promise.statistical_bits, most, or_labels);
}

}  // namespace tacit::session
