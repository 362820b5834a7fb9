#pragma once

#include <vector>

#include "params/ckks_parameters.h"

namespace tacit::params {

/// The levels between the parts of a bootstrap, slots to coefficients first. A level is named by its highest prime.
struct BootstrapChain {
  int input = 0;          ///< slots to coefficients begins here and ends at level 0
  int output = 0;         ///< the highest level of a result: `output - input` products fit before the next bootstrap
  std::vector<int> sine;  ///< the sine begins at sine[0] and is at sine[i] after its i-th level; sine.back() == output
  int top = 0;  ///< level of a raised ciphertext, where coefficients to slots begins; that transform ends at sine[0]
  /// A bootstrap to a lower level skips the message primes q_(output + 1) … q_(output + skipped) of the set. Levels
  /// above `output` are counted without these primes (CkksParameters::without).
  int skipped = 0;
  bool operator==(const BootstrapChain&) const = default;
};

/// The levels of the cosine of degree 30 in the sine, and the number of squarings that double its angle.
inline constexpr int kCosineDepth = 5, kDoubleAngles = 3;
/// Raised coefficients are t = m + q_0 I with |I| at most this.
inline constexpr int kOverflowBound = 16;
/// The smallest ratio of a bootstrap is 2^kLeastLogRatio: the modulus is raised at z q_0 / ratio. The message then
/// takes the largest share of q_0.
inline constexpr int kLeastLogRatio = 6;
/// A bootstrap loses no precision for |z| up to this.
inline constexpr double kMessageReach = 1.4142135623730951;

/// Returns the whole chain, without skipped primes. Throws InputError naming the bound if the literal has no
/// bootstrapping section, or if its chain cannot bootstrap:
/// - It has too few primes.
/// - Its sine has another shape.
/// - The overflow of the ephemeral secret exceeds kOverflowBound with a probability above 2^-128 for all coefficients
///   together.
BootstrapChain chain_of(const CkksLiteral& literal);
/// Returns the same, or the bound that is broken.
base::Feasible<BootstrapChain> possible_chain(const CkksLiteral& literal);

/// Returns the highest level at which two messages may be multiplied. It is `chain.output` for a set that bootstraps,
/// and the last level of a leveled set.
int highest_message_level(const CkksLiteral& literal);
/// Returns the highest level at which inputs may be encrypted. Above the message levels, a prime may be far from the
/// scale. Linear maps allow for that, and products of messages do not: such levels serve linear maps of inputs. They
/// end below the first level of the sine with several primes.
int highest_fresh_level(const CkksLiteral& literal);

/// Returns the set without the message primes above level `output`, at which its bootstraps end. It has smaller keys, a
/// smaller modulus and cheaper bootstraps. Throws InputError unless chain.input < output <= chain.output.
CkksLiteral with_output_level(const CkksLiteral& literal, int output);

/// Returns log2 of the probability that |I| > `bound` for any of `coefficients` coefficients of a raised ciphertext.
/// The secret is ternary with this weight. A coefficient of c0 + c1 s is the sum of one coefficient of c0 and `weight`
/// of c1. I is therefore the rounded sum of `weight` + 1 uniform variables on (-1/2, 1/2). Its tail is that of the
/// Irwin-Hall distribution (Bossuat, Troncoso-Pastoriza, Hubaux 2022, section 4). The result is -infinity if I cannot
/// overflow.
double log2_overflow_probability(double coefficients, int weight, int bound);

}  // namespace tacit::params
