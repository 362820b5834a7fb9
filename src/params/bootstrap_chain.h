#pragma once

#include <vector>

#include "params/ckks_parameters.h"

namespace tacit::params {

/// Levels between the parts of a bootstrap, slots to coefficients first. A level is named by its highest prime.
struct BootstrapChain {
  int input = 0;          ///< slots to coefficients begins here and ends at level 0
  int output = 0;         ///< the highest level of a result: `output - input` products fit before the next bootstrap
  std::vector<int> sine;  ///< the sine begins at sine[0] and is at sine[i] after its i-th level; sine.back() == output
  int top = 0;            ///< a raised ciphertext, where coefficients to slots begins; ends at sine[0]
  /// Message primes q_(output + 1) … q_(output + skipped) of the set that a bootstrap to a lower level does without:
  /// the levels above `output` count without them (CkksParameters::without).
  int skipped = 0;
  bool operator==(const BootstrapChain&) const = default;
};

/// Levels of the sine that make a cosine of degree 30, and squarings that double its angle.
inline constexpr int kCosineDepth = 5, kDoubleAngles = 3;
/// Raised coefficients are t = m + q_0 I with |I| at most this.
inline constexpr int kOverflowBound = 16;

/// The whole chain, nothing skipped. Throws InputError naming the bound when the literal has no bootstrapping section
/// or its chain cannot carry one: too few primes, a sine of another shape, an ephemeral secret whose overflow would
/// exceed kOverflowBound with a probability above 2^-128 for all coefficients together.
BootstrapChain chain_of(const CkksLiteral& literal);

/// The highest level at which a message may be multiplied with a message: of a set that bootstraps `chain.output`, of a
/// leveled one its last.
int highest_message_level(const CkksLiteral& literal);
/// The highest level at which inputs may be encrypted. Above the message levels a level's prime may be far from the
/// scale, which linear maps allow for and products of messages do not: such levels carry linear maps of inputs. They
/// end where a level of the sine has several primes.
int highest_fresh_level(const CkksLiteral& literal);

/// The set whose bootstraps end at level `output` at the highest: without the message primes above it. Smaller keys, a
/// smaller modulus, cheaper bootstraps. chain.input < output <= chain.output (throws InputError).
CkksLiteral with_output_level(const CkksLiteral& literal, int output);

/// log2 of the probability that any of `coefficients` coefficients of a ciphertext raised under a ternary secret of
/// this weight overflows |I| <= bound. A coefficient of c0 + c1 s is the sum of one of c0 and `weight` of c1: I is the
/// rounded sum of `weight` + 1 uniform variables on (-1/2, 1/2), so that the tail is that of the Irwin-Hall
/// distribution (Bossuat, Troncoso-Pastoriza, Hubaux 2022, section 4). -infinity where it cannot.
double log2_overflow_probability(double coefficients, int weight, int bound);

}  // namespace tacit::params
