#pragma once

/// Is every encrypted operator the operator of the model? For whoever owns model and keys: never on a server.

#include <tacit/error.h>
#include <tacit/model.h>
#include <tacit/progress.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tacit {

/// On integers (Scheme::tfhe) sums and lookups are compared exactly, with what noise may do: only `memory_bytes` and
/// `progress` are heeded, and other values than the defaults are refused.
struct ValidationOptions {
  /// "nn" (operators of the model), "vector" (instructions on tensors) or "instruction" (on slots); behind a colon a
  /// pattern over the names of nodes, like "nn:conv*". A recorded computation has no operators: "vector" or
  /// "instruction".
  std::string operators = "nn";
  double epsilon = -4;      ///< elements may differ by 10^epsilon
  bool strict = false;      ///< approximated functions are allowed no more error than other operators
  bool end_to_end = false;  ///< compare with a run in the clear, so that drift shows, not with decrypted operands
  bool fail_fast = false;   ///< stop at the first failure
  std::uint64_t memory_bytes = 0;  ///< bound of keys, weights and values; 0: what is free
  Progress* progress = nullptr;
};

/// What comparing one operator found, over all inputs.
struct ValidatedOperator {
  std::string node;                                       ///< of the model
  std::string operators;                                  ///< what it was compared with
  double worst_error = 0, mean_error = 0, tolerance = 0;  ///< on slots
  bool failed = false;
  std::int64_t index = 0;             ///< of the first element that is off
  double encrypted = 0, message = 0;  ///< it, and what it should be; on slots
  /// On slots "none", "noise", "range", "scale", "approximation", "bug" or "drift"; on integers "none", "overflow of
  /// the message space", "noise beyond the budget", "wrong lookup" or "wrong sum".
  std::string cause;
  std::string origin;      ///< the node that made the error; on slots
  std::int64_t moved = 0;  ///< on integers: lookups that took the box beside their own, which rounding allows
  double noise_share = 0;  ///< on integers: the largest noise of a result, as a share of what it may have
};

struct Validation {
  std::vector<ValidatedOperator> operators;  ///< in program order
  bool failed = false;
  std::string text;  ///< a table for people
  std::string json;  ///< all of it as `tacit validate --json` prints it
};

/// Makes keys, runs every sample encrypted and compares each operator with the operator on the decrypted message.
/// Throws InputError for a model that was read from files (it does not say what it was compiled from), for inputs that
/// `Client::encrypt` refuses, and for a pattern that no node has.
TACIT_API Validation validate(const CompiledModel& model, std::span<const Tensors> samples,
                              const ValidationOptions& options = {});

}  // namespace tacit
