#include "scheme/ckks/context.h"

namespace tacit::scheme::ckks {

Context::Context(params::CkksParameters parameters)
    : parameters_(std::move(parameters)),
      chain_(parameters_.n(), parameters_.q(), parameters_.p(), parameters_.digits(),
             parameters_.real_slots() ? ring::Kind::conjugate_invariant : ring::Kind::negacyclic),
      embedding_(parameters_.slots()) {
  if (!parameters_.literal().bootstrap) return;
  const std::size_t digit[] = {1};
  ephemeral_chain_.emplace(parameters_.n(), std::span(parameters_.q()).first(1), std::span(parameters_.p()).first(1),
                           digit);
  if (auto low = parameters_.low()) low_ = make(std::move(*low));
}

std::shared_ptr<const Context> Context::make(params::CkksParameters parameters) {
  return std::shared_ptr<const Context>(new Context(std::move(parameters)));
}

}  // namespace tacit::scheme::ckks
