#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "program/slots/program.h"

namespace tacit::check {

/// Why the encrypted value differs from the message, as far as the numbers tell.
enum class Cause {
  none,           ///< it does not
  range,          ///< a value left the interval of a polynomial or outgrew the modulus of its level
  noise,          ///< the error is what the noise model predicts: epsilon asks for more than the parameters give
  scale,          ///< all elements are off by one ratio
  approximation,  ///< the polynomial is carried out as it should be and is off from the exact function
  bug,            ///< none of these
  drift,          ///< end to end: carried on from an operator that this run did not look at
};
const char* name(Cause cause);

/// What one validation found. Elements are in the units that were compared.
struct OperatorResult {
  std::string node;       ///< of the graph
  std::string operators;  ///< the message function: operators of the model, or the instruction
  std::string source;     ///< where the value came from, for people
  program::Detail detail = program::Detail::network;
  program::ValueId value = 0;  ///< in the program that was run
  layout::Index compared = 0;
  double tolerance = 0;  ///< 10^epsilon
  double worst_error = 0, mean_error = 0;
  int level = 0;
  double scale = 0;
  double range_share =
      0;  ///< largest |value| in units of what its readers (polynomials, bootstraps) or its modulus carry
  std::size_t input = 0;  ///< of those validated: where the worst error was
  bool failed = false;
  layout::Index failures = 0;           ///< elements off by more than the tolerance
  layout::Index index = 0;              ///< the first of them
  layout::Index block = 0, blocks = 1;  ///< the ciphertext that it lies in, and how many the value has
  double encrypted = 0, message = 0;
  Cause cause = Cause::none;
  std::string
      out_of_range;    ///< cause `range` of its own: the value, who reads it, what carries how much, and the way out
  std::string origin;  ///< the node that made the error: this one, or end to end the one it was carried on from
};

/// Fills in what a comparison of the first `length` elements within result.tolerance says: errors, failures, the first
/// of them. What is no number is infinitely far off.
void judge_elements(std::span<const double> encrypted, std::span<const double> message, layout::Index length,
                    OperatorResult& result);

/// "validate failed at conv1[17] in block 3 of 8: 0.5 != 0.25", without a block where there is one, and behind a
/// semicolon what is out of range. Blocks count from 0.
std::string failure_text(const OperatorResult& result);
/// Precision of an error in bits: -log2; 99 for none.
double bits(double error);

/// What a whole run found.
struct Report {
  std::vector<OperatorResult> operators;
  double run_seconds = 0;        ///< encrypted run and validations together
  double validate_seconds = 0;   ///< of these, decryption, messages and comparison
  std::uint64_t peak_bytes = 0;  ///< of decrypted and message buffers held at once

  /// Takes in what the same validations found on another input: the worse of both by operator, means over both. `input`
  /// is its number, from 0 on, in the order of the calls.
  void add(const Report& other, std::size_t input);
  /// The first operator that failed; null if none did.
  const OperatorResult* first_failure() const;
};

/// A run that was to stop at the first failure does so now. `what()` is failure_text.
class ValidationFailed : public base::Error {
 public:
  explicit ValidationFailed(OperatorResult result) : Error(failure_text(result)), result_(std::move(result)) {}
  const OperatorResult& result() const { return result_; }

 private:
  OperatorResult result_;
};

}  // namespace tacit::check
