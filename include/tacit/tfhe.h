#pragma once

/// TFHE: exact sums and table lookups on encrypted integers (Chillotti, Gama, Georgieva, Izabachène 2020), without a
/// model.
///
/// A ciphertext holds one integer of 1 to 8 bits, with a bit of padding above it. Sums with whole weights are cheap and
/// let the noise grow. A lookup evaluates any function of the integer, takes milliseconds, and starts over with fresh
/// noise. Objects hold many ciphertexts, because a lookup of many reads its key once.
///
/// Trust: the party that evaluates is honest but curious, and one party owns the secret key. Results are exact except
/// with the stated probability of failure, so they say nothing about the key.
///
/// All objects are immutable once built, cheap to copy (they share their content) and safe to use from many threads at
/// once. Errors: InputError (a wrong argument, a sum too noisy for the next operation), KeyMismatch (objects of
/// different parameter sets, or of different secret keys), Cancelled, InternalError.

#include <tacit/error.h>
#include <tacit/handle.h>
#include <tacit/insecure.h>
#include <tacit/progress.h>
#include <tacit/sink.h>
#include <tacit/source.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::detail {
struct IntegerBatch;
}  // namespace tacit::detail

namespace tacit::tfhe {

/// The lookups that a parameter set must support.
struct Requirement {
  int bits = 4;                ///< 1 to 8: a table takes integers in [0, 2^bits)
  double norm2 = 4;            ///< 2-norm of the weights between results of lookups and the next lookup
  int tables = 1;              ///< functions of one integer that a lookup evaluates together: a power of two
  double log2_failure = -128;  ///< log2 of the probability that a lookup gives a wrong result
};

/// A checked parameter set. Every set has 128-bit security (SECURITY.md). The exceptions are sets for tests: their
/// literal says "insecure", and the caller must allow them.
class TACIT_API Parameters : public detail::Handle<const struct ParametersImpl> {
 public:
  /// Returns a set that ships with the library. The names "T1" to "T8" say the bits.
  /// These sets fail with probability 2^-128. "T4-64" and "T4-40" fail more often and are faster.
  /// Throws InputError with the known names.
  static Parameters named(std::string_view name);
  static std::vector<std::string> names();
  /// Returns the cheapest set for a requirement. If no set meets it, throws InputError naming the nearest one.
  static Parameters choose(const Requirement& requirement);
  /// Throws InputError naming the broken bound. Throws it also for a literal with "insecure": true, unless `insecure`
  /// allows that.
  static Parameters from_json(std::string_view literal, InsecureParameters insecure = InsecureParameters::refuse);

  std::string to_json() const;
  std::string name() const;
  int bits() const;
  /// The largest 2-norm of weights at which a lookup keeps its stated probability of failure.
  double norm2() const;
  /// The largest number of functions that a lookup evaluates together.
  int tables() const;
  /// log2 of the modelled probability that a lookup at this 2-norm fails.
  double log2_failure() const;
  /// 128; 0 for an insecure set.
  int security_bits() const;
  /// The bytes of the evaluation keys in memory.
  double key_bytes() const;
  double ciphertext_bytes() const;

 private:
  using Handle::Handle;
};

/// Encrypted integers, in order. They record their noise. An operation that would fail more often than the parameters
/// promise is refused.
class TACIT_API Ciphertexts : public detail::Handle<const detail::IntegerBatch> {
 public:
  std::size_t size() const;
  /// Returns the integers at `positions`, in that order. Positions may repeat. Throws InputError for a position out of
  /// range.
  Ciphertexts select(std::span<const std::size_t> positions) const;
  /// Returns the integers of `a`, then those of `b`. Both belong to one parameter set and one key.
  static Ciphertexts join(const Ciphertexts& a, const Ciphertexts& b);
  /// Writes the ciphertexts. Those from `encrypt` use 8 bytes each and a seed, and others use ciphertext_bytes().
  /// Throws InputError naming the place.
  void save(const Sink& sink) const;
  /// Reads ciphertexts and checks them before use, because they may come from anyone. Throws InputError for damage, and
  /// KeyMismatch for another parameter set. Computed ciphertexts count as having the most noise that a lookup may take.
  static Ciphertexts load(const Parameters& parameters, const Source& source);

 private:
  using Handle::Handle;
};

/// Keys that let a server look tables up, without decrypting. They may be given to the server.
class TACIT_API EvaluationKeys : public detail::Handle<const struct EvaluationKeysImpl> {
 public:
  void save(const Sink& sink) const;
  /// Reads keys. Refuses a secret key, and says so.
  static EvaluationKeys load(const Parameters& parameters, const Source& source);

 private:
  using Handle::Handle;
};

/// The key that encrypts and decrypts. It stays with its owner, and is wiped from memory when the last copy is
/// destroyed.
class TACIT_API SecretKey : public detail::Handle<const struct SecretKeyImpl> {
 public:
  /// Makes a fresh key from the operating system's entropy.
  explicit SecretKey(const Parameters& parameters);
  /// Writes the key in the clear. A file has mode 0600: only its owner may read it. Throws InputError for an existing
  /// file. Wipe memory that holds the bytes.
  void save(const Sink& sink) const;
  static SecretKey load(const Parameters& parameters, const Source& source);

  /// Makes the keys in seconds. Uses the memory that Parameters::key_bytes states, and throws InputError if it is not
  /// free.
  EvaluationKeys evaluation_keys(Progress& progress = Progress::silent()) const;

  /// Encrypts integers in [0, 2^bits). Throws InputError naming the first one out of range.
  Ciphertexts encrypt(std::span<const std::int64_t> integers) const;
  /// Returns integers in [0, 2^(bits + 1)), so that a sum beyond [0, 2^bits) is visible. Throws InputError for sums
  /// with too much noise, and KeyMismatch for ciphertexts of another key.
  std::vector<std::int64_t> decrypt(const Ciphertexts& ciphertexts) const;

 private:
  using Handle::Handle;
};

/// A function from [0, 2^bits) to integers modulo 2^(bits + 1), or several functions that share a lookup.
class TACIT_API Table : public detail::Handle<const struct TableImpl> {
 public:
  using Function = std::function<std::int64_t(std::int64_t)>;
  Table(const Parameters& parameters, const Function& function);
  /// Throws InputError for more functions than the set has tables.
  Table(const Parameters& parameters, std::span<const Function> functions);
  /// The number of functions.
  std::size_t functions() const;
};

/// Sums and lookups with the keys of one client. Uses all threads that set_threads (<tacit/model.h>) allows. The
/// argument x of a lookup must be in [0, 2^bits). For x in [2^bits, 2^(bits + 1)) the result is minus the result for x
/// - 2^bits.
class TACIT_API Evaluator : public detail::Handle<const struct EvaluatorImpl> {
 public:
  explicit Evaluator(const EvaluationKeys& keys);

  /// Result r is the sum over i of weights[r * a.size() + i] times integer i, plus offsets[r]. There are as many
  /// results as offsets. Throws InputError for another number of weights, and for a weight or an offset of 2^31 or
  /// more.
  Ciphertexts sums(const Ciphertexts& a, std::span<const std::int64_t> weights,
                   std::span<const std::int64_t> offsets) const;
  /// Element-wise sum and difference of operands of equal size.
  Ciphertexts add(const Ciphertexts& a, const Ciphertexts& b) const;
  Ciphertexts sub(const Ciphertexts& a, const Ciphertexts& b) const;

  /// Looks every integer up in one table, or integer i in tables[i]. All tables have equally many functions. The
  /// results of one integer are consecutive. Throws InputError for sums noisier than the parameters allow, naming the
  /// 2-norm.
  Ciphertexts lookup(const Ciphertexts& a, const Table& table, Progress& progress = Progress::silent()) const;
  Ciphertexts lookup(const Ciphertexts& a, std::span<const Table> tables,
                     Progress& progress = Progress::silent()) const;
};

}  // namespace tacit::tfhe
