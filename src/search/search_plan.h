#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/score_noise.h"
#include "search/store_shape.h"

namespace tacit::search {

/// The sizes of a search and its time on this machine, before any key exists.
struct SearchPlan {
  std::uint64_t question_bytes = 0, key_bytes = 0, answer_bytes = 0;
  std::uint64_t expanded_bytes = 0;  ///< memory of one expanded question
  std::uint64_t store_bytes = 0;     ///< of the vectors as int8 numbers
  double score_deviation = 0;        ///< of a score, in its unit (client.h)
  double expansion_seconds = 0, product_seconds = 0;
  int threads = 1;
  int security_bits = 0;
  double log_qp = 0;
};

/// Measures the expansion and the product of a few dimensions on this machine, which takes some milliseconds, and
/// multiplies. Disk and other work on the machine are not part of the times.
SearchPlan plan_search(const StoreShape& shape, AnswerBits bits);
/// Returns the same for fetching one record of the payload.
SearchPlan plan_fetch(const StoreShape& shape, AnswerBits bits);

/// Returns sentences about what each party learns. They are a duty of every plan: scores show a store.
std::vector<std::string> leakage_of(const StoreShape& shape);

}  // namespace tacit::search
