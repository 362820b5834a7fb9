#include "runtime/slots/prepared_program.h"

#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "program/slots/key_manifest.h"
#include "program/slots/memory_plan.h"
#include "program/slots/runnable.h"
#include "runtime/slots/bootstrappers.h"
#include "runtime/slots/encoded_weights.h"
#include "runtime/slots/placed_evaluator.h"

namespace tacit::runtime {

/// What encodes, and what it made.
struct PreparedProgram::Encoded {
  Encoded(const PreparedProgram& of, base::Progress& progress)
      : bootstrappers(of.context_, of.program_, progress),
        encoder(EncryptedEvaluator::make(of.context_, nullptr, &bootstrappers)),
        share_encoder(of.ranks() != nullptr ? PlacedEvaluator::make(*encoder, *of.ranks()) : nullptr),
        weights(of.program_, of.context_, share_encoder ? static_cast<slots::Evaluator&>(*share_encoder) : *encoder) {}

  Bootstrappers bootstrappers;
  std::shared_ptr<EncryptedEvaluator> encoder;
  std::unique_ptr<PlacedEvaluator> share_encoder;
  EncodedWeights weights;
};

PreparedProgram::PreparedProgram(scheme::ckks::ContextPtr context, slots::Program program,
                                 const PrepareOptions& options)
    : context_(std::move(context)), program_(std::move(program)), options_(options) {
  const params::CkksParameters& parameters = context_->parameters();
  slots::verify(program_);
  slots::require_runnable(program_, parameters);
  Bootstrappers::check(program_, parameters);
  const params::Account account(parameters.literal());
  const auto clients = static_cast<std::uint64_t>(options.clients);
  const auto needed =
      static_cast<std::uint64_t>(params::key_bytes(parameters.literal(), slots::key_manifest(program_)));
  memory_.keys = clients * (options.key_bytes > 0 ? options.key_bytes : needed);
  memory_.values = clients * static_cast<std::uint64_t>(slots::value_bytes(
                                 program_, account, base::thread_limit(),
                                 layout::Placement(options.ranks == nullptr ? 1 : options.ranks->size())));
}

PreparedProgram::~PreparedProgram() = default;

void PreparedProgram::encode() const {
  const std::lock_guard lock(mutex_);
  if (encoded_) return;
  const std::uint64_t taken = memory_.keys + memory_.values;
  if (taken >= options_.memory.available())
    throw base::InputError("program '" + program_.name +
                           "': " + options_.memory.shortfall("keys and ciphertexts need", static_cast<double>(taken)));
  base::Progress& progress = options_.progress != nullptr ? *options_.progress : base::Progress::silent();
  auto encoded = std::make_unique<Encoded>(*this, progress);
  MemoryUse used = memory_;
  used.transforms = encoded->bootstrappers.bytes();
  encoded->weights.encode(options_.memory, taken + used.transforms, used.keys + used.transforms, progress);
  used.weights = encoded->weights.total_bytes();
  used.held_weights = encoded->weights.held_bytes();
  used.largest_unheld = encoded->weights.largest_unheld_bytes();
  memory_ = used;
  encoded_ = std::move(encoded);
}

MemoryUse PreparedProgram::memory() const {
  const std::lock_guard lock(mutex_);
  return memory_;
}

slots::Weights& PreparedProgram::weights() const { return encoded_->weights; }
const Bootstrappers& PreparedProgram::bootstrappers() const { return encoded_->bootstrappers; }

}  // namespace tacit::runtime
