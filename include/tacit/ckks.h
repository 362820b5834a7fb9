#pragma once

/// CKKS: approximate arithmetic on encrypted vectors (Cheon, Kim, Kim, Song 2017), leveled, without a model.
///
/// A ciphertext holds `slots` complex numbers (half the ring degree), each multiplied by a *scale* and rounded. It has
/// a *level*: how many more products it can take. A product multiplies the scales and the rescale that follows divides
/// by one prime and costs one level; every scale is tracked exactly.
///
/// Trust: the party that evaluates is honest but curious, and one party owns the secret key. A decrypted vector carries
/// noise that depends on the key: show it to others by Decryptor::decrypt_for_sharing (Li, Micciancio 2021).
///
/// All objects are immutable once built, cheap to copy (they share their content) and safe to use from many threads at
/// once. Errors: InputError (a wrong argument), KeyMismatch (objects of different parameter sets, or of different
/// secret keys), InternalError.

#include <tacit/error.h>
#include <tacit/handle.h>
#include <tacit/insecure.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tacit::ckks {

/// A checked parameter set. Every set is at 128-bit security or better by the 2024 guideline (Bossuat et al., ePrint
/// 2024/463, table 5.2), unless its literal says "insecure" and the caller allowed that, for tests.
class TACIT_API Parameters : public detail::Handle<const struct ParametersImpl> {
 public:
  /// One of the sets that ship with the library, "N14-d7": ring degree 2^14 (8192 slots), 7 levels.
  /// Throws InputError with the known names.
  static Parameters named(std::string_view name);
  /// Names of all sets that ship, from the smallest.
  static std::vector<std::string> names();
  /// {"name": "mine", "log_n": 13, "q_bits": [50, 40, 40], "p_bits": [50], "log_scale": 40}: bits of the ciphertext
  /// primes from the last one to go, bits of the special primes, log2 of the scale. Throws InputError that names the
  /// bound that was broken and what would satisfy it, and for a literal with "insecure": true unless `insecure` allows
  /// it.
  static Parameters from_json(std::string_view literal, InsecureParameters insecure = InsecureParameters::refuse);

  std::string to_json() const;
  std::string name() const;
  int log_n() const;
  /// Numbers in one ciphertext: 2^(log_n - 1), or 2^log_n real ones for a literal with "real_slots": true.
  std::size_t slots() const;
  /// Level of a fresh ciphertext: products it can take in sequence.
  int max_level() const;
  /// The scale that values are encoded at unless told otherwise.
  double scale() const;
  /// log2 of the product of all primes: what the security bound is about.
  double log_qp() const;
  /// 128, 192 or 256; 0 for an insecure set.
  int security_bits() const;

 private:
  using Handle::Handle;
};

/// Tables for one parameter set; what every other object is made from. Takes up to a second for the largest sets.
class TACIT_API Context : public detail::Handle<const struct ContextImpl> {
 public:
  explicit Context(const Parameters& parameters);
  const Parameters& parameters() const;
};

/// Numbers encoded for one level and scale, not encrypted.
class TACIT_API Plaintext : public detail::Handle<const struct PlaintextImpl> {
 public:
  int level() const;
  double scale() const;

 private:
  using Handle::Handle;
};

/// An encrypted vector of `slots` numbers.
class TACIT_API Ciphertext : public detail::Handle<const struct CiphertextImpl> {
 public:
  /// Products that it can still take, 0 to max_level.
  int level() const;
  /// What its numbers are multiplied by.
  double scale() const;
  /// Writes a file. Throws InputError naming the path.
  void save(const std::filesystem::path& path) const;
  /// Untrusted files are checked before use: damage gives InputError, another parameter set KeyMismatch.
  static Ciphertext load(const Context& context, const std::filesystem::path& path);

 private:
  using Handle::Handle;
};

/// Decrypts. Stays with its owner; wiped from memory when the last copy goes.
class TACIT_API SecretKey : public detail::Handle<const struct SecretKeyImpl> {
 public:
  /// In the clear, in a file that only its owner may read (mode 0600): whoever reads it reads everything.
  void save(const std::filesystem::path& path) const;
  static SecretKey load(const Context& context, const std::filesystem::path& path);

 private:
  using Handle::Handle;
};

/// Encrypts. May be given to anyone.
class TACIT_API PublicKey : public detail::Handle<const struct PublicKeyImpl> {
 public:
  void save(const std::filesystem::path& path) const;
  static PublicKey load(const Context& context, const std::filesystem::path& path);

 private:
  using Handle::Handle;
};

/// Lets a server multiply, rotate and conjugate, without decrypting. May be given to the server.
class TACIT_API EvaluationKeys : public detail::Handle<const struct EvaluationKeysImpl> {
 public:
  void save(const std::filesystem::path& path) const;
  /// Refuses a secret key by a sentence of its own.
  static EvaluationKeys load(const Context& context, const std::filesystem::path& path);

 private:
  using Handle::Handle;
};

/// What the evaluation keys should be able to do. Each rotation costs a key, megabytes at the larger sets: ask for what
/// the computation uses (LinearTransform::rotations says).
struct KeyRequest {
  bool multiply = true;
  bool conjugate = false;
  /// Steps of rotations, any sign.
  std::vector<std::int64_t> rotations{};
  /// Everything that Evaluator::bootstrap needs, gigabytes at the larger sets, whatever `level` says.
  bool bootstrap = false;
  /// The highest level at which the keys are used; a lower one makes smaller keys. None: the top level.
  std::optional<int> level{};
};

class TACIT_API KeyGenerator {
 public:
  explicit KeyGenerator(Context context);
  /// A fresh key from the operating system's entropy.
  SecretKey secret_key() const;
  PublicKey public_key(const SecretKey& secret) const;
  EvaluationKeys evaluation_keys(const SecretKey& secret, const KeyRequest& request = {}) const;

 private:
  Context context_;
};

/// Numbers to plaintexts and back.
class TACIT_API Encoder {
 public:
  explicit Encoder(Context context);
  /// At most `slots` values; the slots that are left are zero. Level and scale: the top level and the set's scale,
  /// unless given. Throws InputError for NaN, infinity, or values that outgrow the modulus of the level.
  Plaintext encode(std::span<const double> values, std::optional<int> level = {},
                   std::optional<double> scale = {}) const;
  Plaintext encode(std::span<const std::complex<double>> values, std::optional<int> level = {},
                   std::optional<double> scale = {}) const;
  /// All `slots` values; `decode` gives the real parts.
  std::vector<double> decode(const Plaintext& plaintext) const;
  std::vector<std::complex<double>> decode_complex(const Plaintext& plaintext) const;

 private:
  Context context_;
};

/// Encrypts with the public key, or with the secret key (half the size on disk, less noise).
class TACIT_API Encryptor : public detail::Handle<const struct EncryptorImpl> {
 public:
  Encryptor(const Context& context, const PublicKey& key);
  Encryptor(const Context& context, const SecretKey& key);
  /// At the level and scale of the plaintext.
  Ciphertext encrypt(const Plaintext& plaintext) const;
  /// Encodes at the top level and the set's scale, then encrypts. At most `slots` values.
  Ciphertext encrypt(std::span<const double> values) const;
};

/// What is promised about decryptions that others see.
struct Sharing {
  double statistical_bits = 30;  ///< 20 to 80, s: all vectors of n numbers that are shared diverge from noiseless ones
                                 ///< by at most n / (24 * 2^s) (Kullback, Leibler)
  double decryptions = 1024;     ///< 1 to 2^40: so many vectors under one key are ever shared. A Decryptor counts its
                                 ///< own, and refuses more; those of other Decryptors of the key are yours to count.
  double noise = 0;              ///< deviation of the ciphertext's noise, where it is known to be above the estimate.
                                 ///< Sets of real slots do not show it: state it. State it, too, where it differs much
                                 ///< from slot to slot, as behind a mask of a few large weights.
};

/// Decrypts, and adds noise: the exact digits of one decryption give the secret key to whoever has the ciphertext (Li,
/// Micciancio 2021). The noise is drawn from the key and the ciphertext, so that a second decryption has the same; a
/// ciphertext that was computed from it is another one, and another decryption.
class TACIT_API Decryptor : public detail::Handle<const struct DecryptorImpl> {
 public:
  Decryptor(const Context& context, const SecretKey& key);
  /// For the owner of the key, and for those who may know all about the message but have no ciphertext. All `slots`
  /// values of a real message. Their imaginary parts tell the noise of the ciphertext; as much is added, which costs
  /// half a bit. The imaginary parts of a message that is not real are taken for noise. Sets of real slots show none;
  /// what one key switch makes is added.
  std::vector<double> decrypt(const Ciphertext& ciphertext) const;
  /// Of a complex message, whose noise nothing tells: state the deviation of the noise to add, in each part. Throws
  /// InputError for less than a fresh ciphertext has.
  std::vector<std::complex<double>> decrypt_complex(const Ciphertext& ciphertext, double deviation) const;
  /// For others, ciphertext or not: floods the noise with a Gaussian that is 2^(s / 2) sqrt(12 t) times wider (s
  /// statistical bits, t decryptions: 22 bits by default; Li, Micciancio, Schultz, Sorrell 2022), and rounds to
  /// multiples of 2^-bits, of which the flood is a quarter at the most. Throws InputError, naming the most bits that
  /// can be shared, for more.
  std::vector<double> decrypt_for_sharing(const Ciphertext& ciphertext, int bits, const Sharing& sharing = {}) const;
};

/// A matrix to multiply encrypted vectors by, prepared for one input level. One level, whatever the matrix: generalised
/// diagonals with baby steps and giant steps over hoisted rotations (Halevi, Shoup 2018; Bossuat, Mouchet,
/// Troncoso-Pastoriza, Hubaux 2021, section 4). The lower the level, the less time and memory.
class TACIT_API LinearTransform : public detail::Handle<const struct LinearTransformImpl> {
 public:
  /// y = M x for a dense matrix, `entries` row-major, rows and columns at most `slots`. The result is in slots
  /// 0 … rows - 1, the others are zero; slots of x from `columns` on do not matter.
  /// `input_level`, at least 1: the level that x is brought down to; none: the top level.
  static LinearTransform from_matrix(const Context& context, std::size_t rows, std::size_t columns,
                                     std::span<const double> entries, std::optional<int> input_level = {});
  /// y[i] = sum over k of diagonals[k][i] * x[(i + k) mod slots], k of any sign. A diagonal has `slots` entries, or a
  /// smaller power of two of them, repeated: that takes less memory.
  static LinearTransform from_diagonals(const Context& context,
                                        const std::map<std::int64_t, std::vector<double>>& diagonals,
                                        std::optional<int> input_level = {});
  /// The rotation steps to ask keys for, at `input_level`.
  std::vector<std::int64_t> rotations() const;
  int input_level() const;

 private:
  using Handle::Handle;
};

/// A way to bring ciphertexts that have used up their levels back to a high one, for sets that can (S8, S11, S14, S15
/// with that many levels between bootstraps at N = 2^16, N15-S5 with five), prepared for one parameter set: slots to
/// coefficients first, and a sparse secret that exists only around the raising of the modulus (Bossuat,
/// Troncoso-Pastoriza, Hubaux 2022). Slots must lie in [-1, 1], and are real. Takes seconds and hundreds of megabytes
/// to prepare.
class TACIT_API Bootstrapping : public detail::Handle<const struct BootstrappingImpl> {
 public:
  enum class Form {
    linear,  ///< the slots themselves, to more than 16 bits in the worst slot
    folded,  ///< `result` of the slots, a sine that bends them by up to 1e-4, to more than 18 bits: for a function that
             ///< is fitted to f(inverse(x)) and follows
  };
  /// `output_level`: the level of results; none: the highest. A lower one is cheaper, with the same keys. Throws
  /// InputError for a set that cannot bootstrap, naming those that can, and for a level out of its reach.
  explicit Bootstrapping(const Context& context, Form form = Form::linear, std::optional<int> output_level = {});
  /// Ciphertexts must be at this level at least.
  int input_level() const;
  int output_level() const;
  /// What a slot z becomes, noise aside, and back.
  double result(double z) const;
  double inverse(double result) const;
};

/// Arithmetic on ciphertexts, slot by slot. Every operation returns a new ciphertext.
/// Where two operands differ in level, the higher one is first brought to the level, and for sums the scale, of the
/// lower one. Throws InputError when a level or the key of an operation is missing, naming it, and for a sum of
/// operands at one level whose scales differ; KeyMismatch for a ciphertext under another secret key than the evaluation
/// keys.
class TACIT_API Evaluator : public detail::Handle<const struct EvaluatorImpl> {
 public:
  Evaluator(const Context& context, const EvaluationKeys& keys);

  Ciphertext add(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext sub(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext negate(const Ciphertext& a) const;
  /// Product, relinearised and rescaled: one level. The result's scale is a.scale * b.scale / (the prime that went).
  Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext square(const Ciphertext& a) const;

  /// The plaintext has the ciphertext's level and scale.
  Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) const;
  /// Encodes for the ciphertext's level and scale. At most `slots` values, missing ones are zero.
  Ciphertext add_plain(const Ciphertext& a, std::span<const double> values) const;
  Ciphertext sub_plain(const Ciphertext& a, std::span<const double> values) const;
  /// The plaintext has the ciphertext's level; no rescale: the scales multiply, the level stays.
  Ciphertext multiply_plain(const Ciphertext& a, const Plaintext& b) const;
  /// Encodes, multiplies and rescales: one level, and the scale of `a` exactly.
  Ciphertext multiply_plain(const Ciphertext& a, std::span<const double> values) const;
  /// Every slot by one number: one level, and the scale of `a` exactly.
  Ciphertext multiply_scalar(const Ciphertext& a, double factor) const;

  /// Divides the scale by the last prime: one level.
  Ciphertext rescale(const Ciphertext& a) const;
  /// A lower level at the same scale: nothing is computed, the ciphertext shrinks.
  Ciphertext drop_to_level(const Ciphertext& a, int level) const;
  /// A lower level and exactly this scale, through a product with one.
  Ciphertext adjust(const Ciphertext& a, int level, double scale) const;

  /// Slot i of the result is slot i + steps of `a`, around the end. Any sign.
  Ciphertext rotate(const Ciphertext& a, std::int64_t steps) const;
  /// Several rotations of one ciphertext for little more than the price of one (hoisting, Halevi, Shoup 2018).
  std::vector<Ciphertext> rotate(const Ciphertext& a, std::span<const std::int64_t> steps) const;
  Ciphertext conjugate(const Ciphertext& a) const;
  /// Every slot of the result holds the sum of all slots; log2(slots) rotations, by the powers of two.
  Ciphertext sum_slots(const Ciphertext& a) const;

  /// M x, at level `transform.input_level() - 1` and the scale of `x` exactly. `x` is at the input level or above.
  Ciphertext apply(const LinearTransform& transform, const Ciphertext& x) const;
  /// sum over k of coefficients[k] * T_k(x), T_k the Chebyshev polynomials, for x in [-1, 1] (Paterson, Stockmeyer
  /// 1973). ceil(log2(number of coefficients)) levels; the scale of `x` exactly. At most 1024 coefficients.
  Ciphertext polynomial(const Ciphertext& x, std::span<const double> coefficients) const;

  /// `x` at how.output_level() and the set's scale, from how.input_level() or above and any scale that an `adjust`
  /// leaves room for; see Bootstrapping. The keys were requested with KeyRequest::bootstrap.
  Ciphertext bootstrap(const Bootstrapping& how, const Ciphertext& x) const;
  /// In two iterations, which take twice the time: 13 bits more in every slot, as far as `x` itself has them, at
  /// 2^13 times the set's scale. In the linear form, to a level above the input level.
  Ciphertext bootstrap_twice(const Bootstrapping& how, const Ciphertext& x) const;
  /// Two at once, for less than the price of two.
  std::pair<Ciphertext, Ciphertext> bootstrap(const Bootstrapping& how, const Ciphertext& x, const Ciphertext& y) const;
};

}  // namespace tacit::ckks
