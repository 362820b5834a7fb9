#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "program/slots/program.h"

namespace tacit::check {

/// The reason that the encrypted value differs from the message, as far as the numbers show it.
enum class Cause {
  none,           ///< no difference
  range,          ///< a value left the interval of a polynomial or outgrew the modulus of its level
  noise,          ///< the error agrees with the noise model: epsilon is too strict for the parameters
  scale,          ///< all elements are off by one ratio
  approximation,  ///< the polynomial is carried out correctly, but differs from the exact function
  bug,            ///< none of these
  drift,          ///< end to end: carried from an operator that this run did not validate
  grid,           ///< an argument of a lookup lies between two entries of its table
};
const char* name(Cause cause);

/// The result of one validation. Elements are in the units of the comparison.
struct OperatorResult {
  std::string node;       ///< of the graph
  std::string operators;  ///< message function: operators of the model, or the instruction
  std::string source;     ///< origin of the value, for people
  program::Detail detail = program::Detail::network;
  program::ValueId value = 0;  ///< in the executed program
  layout::Index compared = 0;
  double tolerance = 0;  ///< 10^epsilon
  double worst_error = 0, mean_error = 0;
  int level = 0;
  double scale = 0;
  double range_share = 0;  ///< largest |value| in units of the capacity of its readers or of its modulus
  std::size_t input = 0;   ///< number of the validated input with the worst error
  bool failed = false;
  layout::Index failures = 0;           ///< elements off by more than the tolerance
  layout::Index index = 0;              ///< first failed element
  layout::Index block = 0, blocks = 1;  ///< ciphertext of that element, and number of ciphertexts of the value
  double encrypted = 0, message = 0;
  Cause cause = Cause::none;
  std::string out_of_range;  ///< cause `range`: the value, its reader, the reader's capacity, and the way out
  std::string origin;        ///< node that made the error: this one, or end to end the one that it was carried from
};

/// Compares the first `length` elements within result.tolerance, and fills in errors, failures and the first failure.
/// NaN and infinity count as infinite errors.
void judge_elements(std::span<const double> encrypted, std::span<const double> message, layout::Index length,
                    OperatorResult& result);

/// Returns a text like "validate failed at conv1[17] in block 3 of 8: 0.5 != 0.25". The block is left out if there is
/// one block. Values out of range follow after a semicolon. Blocks count from 0.
std::string failure_text(const OperatorResult& result);
/// Returns the precision of an error in bits: -log2(error), or 99 for no error.
double bits(double error);

/// The results of a whole run.
struct Report {
  std::vector<OperatorResult> operators;
  std::size_t inputs = 0;        ///< validated inputs
  double run_seconds = 0;        ///< encrypted run and validations together
  double validate_seconds = 0;   ///< of these, decryption, messages and comparison
  std::uint64_t peak_bytes = 0;  ///< most bytes of decrypted and message buffers held at once

  /// Merges the results of the same validations on another input: the worse of both by operator, and the means over
  /// both. `input` is the number of that input, from 0 on, in the order of the calls.
  void add(const Report& other, std::size_t input);
  /// Returns the first operator that failed; null if none did.
  const OperatorResult* first_failure() const;
};

/// Ends a run that stops at the first failure. `what()` is failure_text.
class ValidationFailed : public base::Error {
 public:
  explicit ValidationFailed(OperatorResult result) : Error(failure_text(result)), result_(std::move(result)) {}
  const OperatorResult& result() const { return result_; }

 private:
  OperatorResult result_;
};

}  // namespace tacit::check
