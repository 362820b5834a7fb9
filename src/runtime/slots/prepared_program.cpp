#include "runtime/slots/prepared_program.h"

#include <mutex>
#include <optional>
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

struct PreparedProgram::Impl {
  scheme::ckks::ContextPtr context;
  slots::Program program;
  PrepareOptions options;
  MemoryUse memory{};
  std::mutex mutex{};  // of what follows, until it is encoded
  std::optional<Bootstrappers> bootstrappers{};
  std::shared_ptr<EncryptedEvaluator> encoder{};
  std::unique_ptr<PlacedEvaluator> share_encoder{};
  std::optional<EncodedWeights> weights{};

  [[noreturn]] void refuse(const std::string& what) const {
    throw base::InputError("program '" + program.name + "': " + what);
  }

  void check() const {
    slots::verify(program);
    slots::require_runnable(program, context->parameters());
    Bootstrappers::check(program, context->parameters());
  }

  void encode() {
    const base::MemoryBudget& budget = options.memory;
    const std::uint64_t taken = memory.keys + memory.values;
    if (taken >= budget.available()) refuse(budget.shortfall("keys and ciphertexts need", static_cast<double>(taken)));
    base::Progress& progress = options.progress != nullptr ? *options.progress : base::Progress::silent();
    bootstrappers.emplace(context, program, progress);
    memory.transforms = bootstrappers->bytes();
    encoder = EncryptedEvaluator::make(context, nullptr, &*bootstrappers);
    if (options.ranks != nullptr) share_encoder = PlacedEvaluator::make(*encoder, *options.ranks);
    weights.emplace(program, context, share_encoder ? static_cast<slots::Evaluator&>(*share_encoder) : *encoder);
    try {
      weights->encode(budget, taken + memory.transforms, memory.keys + memory.transforms, progress);
    } catch (...) {
      weights.reset();
      throw;
    }
    memory.weights = weights->total_bytes();
    memory.held_weights = weights->held_bytes();
    memory.largest_unheld = weights->largest_unheld_bytes();
  }
};

PreparedProgram::PreparedProgram(scheme::ckks::ContextPtr context, slots::Program program,
                                 const PrepareOptions& options)
    : impl_(new Impl{std::move(context), std::move(program), options}) {
  impl_->check();
  const params::Account account(impl_->context->parameters().literal());
  const auto clients = static_cast<std::uint64_t>(options.clients);
  const std::uint64_t needed = static_cast<std::uint64_t>(
      params::key_bytes(impl_->context->parameters().literal(), slots::key_manifest(impl_->program)));
  impl_->memory.keys = clients * (options.key_bytes > 0 ? options.key_bytes : needed);
  impl_->memory.values = clients * static_cast<std::uint64_t>(slots::value_bytes(
                                       impl_->program, account, base::thread_limit(),
                                       layout::Placement(options.ranks == nullptr ? 1 : options.ranks->size())));
}

PreparedProgram::~PreparedProgram() = default;

const scheme::ckks::ContextPtr& PreparedProgram::context() const { return impl_->context; }
const slots::Program& PreparedProgram::program() const { return impl_->program; }

void PreparedProgram::encode() const {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->weights) impl_->encode();
}

MemoryUse PreparedProgram::memory() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->memory;
}

Communicator* PreparedProgram::ranks() const { return impl_->options.ranks; }
slots::Weights& PreparedProgram::weights() const { return *impl_->weights; }
const Bootstrappers& PreparedProgram::bootstrappers() const { return *impl_->bootstrappers; }

}  // namespace tacit::runtime
