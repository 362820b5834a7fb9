#pragma once

/// TFHE: exact sums and table lookups on encrypted integers (Chillotti, Gama, Georgieva, Izabachène 2020), without a
/// model.
///
/// A ciphertext holds one integer of 1 to 8 bits, with a bit of padding above it. Sums with whole weights are cheap and
/// let the noise grow. A lookup evaluates any function of the integer, takes milliseconds, and starts over with fresh
/// noise. Objects hold many ciphertexts, for a lookup of many reads its key once.
///
/// Trust: the party that evaluates is honest but curious, and one party owns the secret key. Results are exact but for
/// the stated probability of failure, so that they tell nothing of the key.
///
/// All objects are immutable once built, cheap to copy (they share their content) and safe to use from many threads at
/// once. Errors: InputError (a wrong argument, a sum too noisy for what follows), KeyMismatch (objects of different
/// parameter sets, or of different secret keys), Cancelled, InternalError.

#include <tacit/error.h>
#include <tacit/handle.h>
#include <tacit/insecure.h>
#include <tacit/progress.h>

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

/// What lookups are asked to do.
struct Requirement {
  int bits = 4;                ///< 1 to 8: a table takes integers in [0, 2^bits)
  double norm2 = 4;            ///< of the weights between results of lookups and the next lookup, as a root of squares
  int tables = 1;              ///< functions of one integer that a lookup evaluates together: a power of two
  double log2_failure = -128;  ///< of the probability that a lookup gives a wrong result
};

/// A checked parameter set. Every set is at 128-bit security (SECURITY.md), unless its literal says "insecure" and the
/// caller allowed that, for tests.
class TACIT_API Parameters : public detail::Handle<const struct ParametersImpl> {
 public:
  /// One of the sets that ship with the library, "T1" to "T8" by bits, at a failure of 2^-128; "T4-64" and "T4-40" fail
  /// more often and are faster. Throws InputError with the known names.
  static Parameters named(std::string_view name);
  static std::vector<std::string> names();
  /// The cheapest set for a requirement. Throws InputError, with the nearest that can be had, where there is none.
  static Parameters choose(const Requirement& requirement);
  /// Throws InputError that names the bound that was broken, and for a literal with "insecure": true unless `insecure`
  /// allows it.
  static Parameters from_json(std::string_view literal, InsecureParameters insecure = InsecureParameters::refuse);

  std::string to_json() const;
  std::string name() const;
  int bits() const;
  /// The largest 2-norm of weights that a lookup takes at its stated failure.
  double norm2() const;
  /// Functions that a lookup evaluates together at most.
  int tables() const;
  /// log2 of the modelled probability that a lookup at this 2-norm fails.
  double log2_failure() const;
  /// 128; 0 for an insecure set.
  int security_bits() const;
  /// Bytes of the evaluation keys in memory, and of a ciphertext.
  double key_bytes() const;
  double ciphertext_bytes() const;

 private:
  using Handle::Handle;
};

/// Encrypted integers, in order. They know how noisy they are: an operation that would fail more often than the
/// parameters promise is refused.
class TACIT_API Ciphertexts : public detail::Handle<const detail::IntegerBatch> {
 public:
  std::size_t size() const;
  /// Those at `positions`, in that order, repeated or not. Throws InputError for a position that is none.
  Ciphertexts select(std::span<const std::size_t> positions) const;
  /// Of one set and key; those of `a` come first.
  static Ciphertexts join(const Ciphertexts& a, const Ciphertexts& b);
  /// Those of `encrypt` take 8 bytes each and a seed, others ciphertext_bytes(). Throws InputError naming the path.
  void save(const std::filesystem::path& path) const;
  /// Untrusted files are checked before use: damage gives InputError, another parameter set KeyMismatch. What was
  /// computed counts as noisy as a lookup may take.
  static Ciphertexts load(const Parameters& parameters, const std::filesystem::path& path);

 private:
  using Handle::Handle;
};

/// Lets a server look tables up, without decrypting. May be given to the server.
class TACIT_API EvaluationKeys : public detail::Handle<const struct EvaluationKeysImpl> {
 public:
  void save(const std::filesystem::path& path) const;
  /// Refuses a secret key by a sentence of its own.
  static EvaluationKeys load(const Parameters& parameters, const std::filesystem::path& path);

 private:
  using Handle::Handle;
};

/// Encrypts and decrypts. Stays with its owner; wiped from memory when the last copy goes.
class TACIT_API SecretKey : public detail::Handle<const struct SecretKeyImpl> {
 public:
  /// A fresh one from the operating system's entropy.
  explicit SecretKey(const Parameters& parameters);
  /// In the clear, in a file that only its owner may read (mode 0600). Throws InputError for a file that exists.
  void save(const std::filesystem::path& path) const;
  static SecretKey load(const Parameters& parameters, const std::filesystem::path& path);

  /// Seconds, and what Parameters::key_bytes says of memory. Throws InputError where that is not free.
  EvaluationKeys evaluation_keys(Progress& progress = Progress::silent()) const;

  /// Integers in [0, 2^bits). Throws InputError naming the first that is not.
  Ciphertexts encrypt(std::span<const std::int64_t> integers) const;
  /// In [0, 2^(bits + 1)): a sum that left [0, 2^bits) is seen as such. Throws InputError for sums too noisy to
  /// decrypt, KeyMismatch for another key's.
  std::vector<std::int64_t> decrypt(const Ciphertexts& ciphertexts) const;

 private:
  using Handle::Handle;
};

/// A function from [0, 2^bits) to integers modulo 2^(bits + 1), or several that share a lookup.
class TACIT_API Table : public detail::Handle<const struct TableImpl> {
 public:
  using Function = std::function<std::int64_t(std::int64_t)>;
  Table(const Parameters& parameters, const Function& function);
  /// Throws InputError for more functions than the set has tables.
  Table(const Parameters& parameters, std::span<const Function> functions);
  /// How many functions.
  std::size_t functions() const;
};

/// Sums and lookups with the keys of one client. Uses all threads that set_threads (<tacit/model.h>) allows.
/// Sums must stay in [0, 2^bits) where they are looked up: an argument in [2^bits, 2^(bits + 1)) gives minus the result
/// of what lies 2^bits below it.
class TACIT_API Evaluator : public detail::Handle<const struct EvaluatorImpl> {
 public:
  explicit Evaluator(const EvaluationKeys& keys);

  /// Result r is the sum of weights[r * a.size() + i] times integer i, plus offsets[r]: as many results as offsets.
  /// Throws InputError for another number of weights, and for a weight or an offset of 2^31 or more.
  Ciphertexts sums(const Ciphertexts& a, std::span<const std::int64_t> weights,
                   std::span<const std::int64_t> offsets) const;
  /// One by one, of equal size.
  Ciphertexts add(const Ciphertexts& a, const Ciphertexts& b) const;
  Ciphertexts sub(const Ciphertexts& a, const Ciphertexts& b) const;

  /// Every integer through one table, or integer i through tables[i], all of which have as many functions. Results are
  /// those of one integer after those of the other. Throws InputError for sums noisier than the parameters allow,
  /// naming the 2-norm.
  Ciphertexts lookup(const Ciphertexts& a, const Table& table, Progress& progress = Progress::silent()) const;
  Ciphertexts lookup(const Ciphertexts& a, std::span<const Table> tables,
                     Progress& progress = Progress::silent()) const;
};

}  // namespace tacit::tfhe
