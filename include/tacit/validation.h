#pragma once

/// Checks that every encrypted operator computes the operator of the model. For the owner of model and keys: never run
/// it on a server.

#include <tacit/error.h>
#include <tacit/model.h>
#include <tacit/progress.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tacit {

/// Options of validate(). On integers (Scheme::tfhe) sums and lookups are compared exactly, within the effects of
/// noise. There only `memory_bytes` and `progress` may differ from the defaults, and other settings are refused.
struct ValidationOptions {
  /// The operators to compare:
  /// - "nn": operators of the model,
  /// - "vector": instructions on tensors,
  /// - "instruction": instructions on slots.
  /// A pattern over the names of nodes may follow after a colon, like "nn:conv*". A recorded computation has no
  /// operators: use "vector" or "instruction".
  std::string operators = "nn";
  double epsilon = -4;             ///< elements may differ by 10^epsilon
  bool strict = false;             ///< approximated functions may have no more error than other operators
  bool end_to_end = false;         ///< compare with a run in the clear, so that drift shows
  bool fail_fast = false;          ///< stop at the first failure
  std::uint64_t memory_bytes = 0;  ///< bound of keys, weights and values; 0: the free memory
  Progress* progress = nullptr;
  std::filesystem::path secret{};      ///< on slots: your secret key for this model; empty: fresh keys
  std::filesystem::path evaluation{};  ///< the evaluation keys that belong to `secret`
};

/// The result of comparing one operator, over all inputs.
struct ValidatedOperator {
  std::string node;                                       ///< node of the model
  std::string operators;                                  ///< the operators of the comparison
  double worst_error = 0, mean_error = 0, tolerance = 0;  ///< on slots
  bool failed = false;
  std::int64_t index = 0;             ///< position of the first wrong element
  double encrypted = 0, message = 0;  ///< that element, and its correct value; on slots
  /// The likely cause of the error:
  /// - on slots "none", "noise", "range", "scale", "approximation", "bug", "drift" or "grid",
  /// - on integers "none", "overflow of the message space", "noise beyond the budget", "wrong lookup" or "wrong sum".
  std::string cause;
  std::string origin;      ///< the node that made the error; on slots
  std::int64_t moved = 0;  ///< on integers: lookups that used the neighbour of their own box, which rounding allows
  double noise_share = 0;  ///< on integers: the largest noise of a result, as a share of the allowed noise
};

struct Validation {
  std::vector<ValidatedOperator> operators;  ///< in program order
  bool failed = false;
  std::string text;  ///< a table for people
  std::string json;  ///< the whole result, as `tacit validate --json` prints it
};

/// Makes keys, runs every sample encrypted and compares each operator with the operator on the decrypted message.
/// Throws InputError
/// - for a model that was read from files, which do not state the source model,
/// - for inputs that `Client::encrypt` refuses,
/// - for a pattern that no node has,
/// - for one file of keys without the other.
/// Throws KeyMismatch for keys of another model.
TACIT_API Validation validate(const CompiledModel& model, std::span<const Tensors> samples,
                              const ValidationOptions& options = {});

/// What a program on slots does to levels, scales and ranges.
struct DryRun {
  bool failed = false;  ///< true if a value leaves its range or its level
  std::string text;     ///< a table for people
  std::string json;     ///< as `tacit validate --dry --json` prints it
};
/// Follows the program of a model without keys and inputs. Throws InputError for a model on integers, and for one that
/// was read from files.
TACIT_API DryRun dry_run(const CompiledModel& model);

}  // namespace tacit
