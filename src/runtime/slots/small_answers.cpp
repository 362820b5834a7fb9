#include "runtime/slots/small_answers.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "scheme/ckks/subring.h"

namespace tacit::runtime {
namespace {

/// The coefficients that are left show the noise, as large as it is, to whoever decrypts.
constexpr int kLogFewestCoefficients = 10;

}  // namespace

int answer_gap(const params::CkksParameters& parameters, const layout::Layout& layout) {
  const auto copies = static_cast<std::uint64_t>(layout.slots() / layout.period());
  const int of_copies = static_cast<int>(std::bit_width(copies)) - 2;  // two copies are left
  return std::max(0, std::min(of_copies, parameters.log_n() - kLogFewestCoefficients));
}

CiphertextArray small_answer(const scheme::ckks::Context& context, const layout::Layout& layout,
                             CiphertextArray results) {
  const int log_gap = answer_gap(context.parameters(), layout);
  if (log_gap > 0)
    for (scheme::ckks::Ciphertext& one : results) one = scheme::ckks::thinned(context, std::move(one), log_gap);
  return results;
}

}  // namespace tacit::runtime
