#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "check/network_messages.h"
#include "check/result.h"
#include "graph/graph.h"
#include "program/slots/clear_program.h"
#include "program/slots/noise_model.h"
#include "runtime/slots/encrypted_evaluator.h"
#include "runtime/slots/observer.h"

namespace tacit::check {

/// The operands of message functions, and the effect of a failure.
struct Mode {
  bool end_to_end = false;  ///< messages of the operands (drift shows), instead of decrypted operands
  bool fail_fast = false;   ///< throw ValidationFailed at the first failure
};

/// Watches an encrypted run with the secret key and carries out its `validate` instructions. Decrypted numbers and
/// messages are wiped and freed after each comparison. An end-to-end run keeps the messages that later validations read
/// until then. For one run; not thread safe.
class Validator final : public runtime::Observer {
 public:
  /// `intended` is the correct program with its validations: messages follow it even if the run does not. It has the
  /// values of the executed program. `graph` may be null if no validation is of network detail. `inputs` are those of
  /// the run, one tensor for each Input. All references must outlive the validator. Throws InputError for a validation
  /// that needs a missing graph or tensor, and KeyMismatch for a key of another set.
  Validator(scheme::ckks::ContextPtr context, const scheme::ckks::SecretKey& secret, const slots::Program& intended,
            const graph::Graph* graph, Mode mode, std::vector<std::vector<double>> inputs);
  ~Validator() override;

  void carried_out(program::ValueId id, const slots::Instruction& instruction,
                   std::span<const program::ArrayPtr> operands, const program::ArrayPtr& result) override;
  /// Carries out one validation. operands[0] is the value, and the others are the arguments.
  void validate(program::ValueId id, std::span<const program::ArrayPtr> operands);

  const Report& report() const { return report_; }

 private:
  using Slots = slots::SlotArray;
  /// Both sides of a comparison, in the units of the comparison and in units of the value.
  struct Sides;
  /// The operator that made the larger part of a value's error, end to end, and the cause.
  struct Origin {
    std::string node;
    Cause cause = Cause::none;
    std::string out_of_range{};
  };

  Slots decrypted(const program::ArrayPtr& array) const;
  void compare_with_network(const program::Validate& validate, std::span<const program::ArrayPtr> operands,
                            Sides& sides);
  void compare_with_reading(const program::Validate& validate, std::span<const program::ArrayPtr> operands,
                            Sides& sides);
  /// Returns the position of this Input among the inputs.
  std::size_t input_index(program::ValueId id) const;
  void read_clear(program::ValueId id);
  void judge(const program::Validate& validate, const Sides& sides);
  Origin own_cause(const program::Validate& validate, const Sides& sides) const;
  Origin carried_from(const program::Validate& validate, const Sides& sides) const;
  std::vector<double> message_of_argument(const program::Validate& validate, std::size_t argument) const;
  void forget_messages(program::ValueId id, const program::Validate& validate);
  double range_share(program::ValueId value, std::span<const double> elements) const;

  std::shared_ptr<runtime::EncryptedEvaluator> owner_;  // holds the key that decrypts
  const slots::Program& intended_;
  std::unique_ptr<const NetworkMessages> network_;
  Mode mode_;
  std::vector<std::vector<double>> inputs_;
  slots::ClearEvaluator clear_;
  slots::KeptWeights weights_;
  slots::NoiseModel noise_;
  std::vector<program::ValueId> last_uses_;
  std::vector<char> on_unit_interval_;                      // by value: something reads it on [-1, 1]
  std::map<std::string, std::vector<double>> messages_;     // end to end: tensors by name
  std::map<std::string, program::ValueId> last_readers_;    // by such a tensor: the last validation that reads it
  std::map<program::ValueId, program::ArrayPtr> readings_;  // end to end: clear slots by value
  std::map<program::ValueId, Origin> origins_;              // of the errors of validated values; used end to end
  bool needs_readings_ = false;
  Report report_;
};

}  // namespace tacit::check
