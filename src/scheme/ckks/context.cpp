#include "scheme/ckks/context.h"

#include <numeric>
#include <vector>

#include "params/key_switch_primes.h"

namespace tacit::scheme::ckks {
namespace {

std::vector<std::size_t> counted(std::size_t first, std::size_t last) {
  std::vector<std::size_t> result(last - first);
  std::iota(result.begin(), result.end(), first);
  return result;
}

/// All ciphertext primes as one digit, and the first special one.
rlwe::ModulusChain raising(const rlwe::ModulusChain& chain, const params::CkksParameters& parameters) {
  const std::size_t primes = parameters.q().size();
  const params::Gadget gadget = params::raising_gadget_of(parameters.literal());
  return {chain,         counted(0, primes),    counted(primes, primes + 1),
          gadget.digits, gadget.special_primes, rlwe::ModulusChain::Decomposes::small};
}

}  // namespace

Context::Context(params::CkksParameters parameters)
    : parameters_(std::move(parameters)),
      chain_(parameters_.n(), parameters_.q(), parameters_.p(), parameters_.gadget().digits,
             parameters_.gadget().special_primes,
             parameters_.real_slots() ? ring::Kind::conjugate_invariant : ring::Kind::negacyclic),
      raising_chain_(raising(chain_, parameters_)),
      embedding_(parameters_.slots()) {
  const std::size_t primes = parameters_.q().size(), all = primes + parameters_.p().size();
  if (parameters_.product_gadget().digits != parameters_.gadget().digits)
    product_chain_.emplace(chain_, counted(0, primes), counted(primes, all), parameters_.product_gadget().digits,
                           parameters_.product_gadget().special_primes);
  if (!parameters_.literal().bootstrap) return;
  const std::size_t one[] = {1};
  ephemeral_chain_.emplace(parameters_.n(), std::span(parameters_.q()).first(1), std::span(parameters_.p()).first(1),
                           one, one);
}

const rlwe::ModulusChain& Context::rotation_chain(const params::RotationPrimes& rotation) const {
  if (!rotation.top) return chain_;
  const int top = *rotation.top;
  const auto chain_of = [this](const ChainPtr& arranged) -> const rlwe::ModulusChain& {
    return arranged ? *arranged : chain_;
  };
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = rotation_chains_.find(top); known != rotation_chains_.end()) return chain_of(known->second);
  }
  // Made outside of the lock, for making it runs in parallel; whoever is second takes what the first has made.
  const params::CkksParameters arranged = parameters_.for_rotations(top);
  const std::size_t kept = arranged.q().size(), primes = parameters_.q().size(), all = primes + parameters_.p().size();
  ChainPtr made;
  // What is borrowed comes last in q and is followed by the special primes.
  if (kept < primes)
    made = std::make_unique<const rlwe::ModulusChain>(chain_, counted(0, kept), counted(all - arranged.p().size(), all),
                                                      arranged.gadget().digits, arranged.gadget().special_primes);
  const std::lock_guard lock(mutex_);
  return chain_of(rotation_chains_.try_emplace(top, std::move(made)).first->second);
}

std::shared_ptr<const Context> Context::make(params::CkksParameters parameters) {
  return std::shared_ptr<const Context>(new Context(std::move(parameters)));
}

}  // namespace tacit::scheme::ckks
