#pragma once

/// CKKS: approximate arithmetic on encrypted vectors (Cheon, Kim, Kim, Song 2017), leveled, without a model.
///
/// A ciphertext holds `slots` complex numbers (half the ring degree). Each is multiplied by a *scale* and rounded. The
/// *level* of a ciphertext is the number of products that it can still take. A product multiplies the scales. The
/// rescale after it divides by one prime and costs one level. Every scale is tracked exactly.
///
/// Trust: the party that evaluates is honest but curious, and one party owns the secret key. A decrypted vector carries
/// noise that depends on the key. Use Decryptor::decrypt_for_sharing before you show it to others (Li, Micciancio
/// 2021).
///
/// All objects are immutable once built, cheap to copy (they share their content) and safe to use from many threads at
/// once. Errors: InputError (a wrong argument), KeyMismatch (objects of different parameter sets, or of different
/// secret keys), InternalError.

#include <tacit/error.h>
#include <tacit/handle.h>
#include <tacit/insecure.h>
#include <tacit/sink.h>
#include <tacit/source.h>

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

/// A checked parameter set. Every set has 128-bit security or better by the 2024 guideline (Bossuat et al., ePrint
/// 2024/463, table 5.2). The exceptions are sets for tests: their literal says "insecure", and the caller must allow
/// them.
class TACIT_API Parameters : public detail::Handle<const struct ParametersImpl> {
 public:
  /// Returns a set that ships with the library. "N14-d7" has ring degree 2^14 (8192 slots) and 7 levels. Throws
  /// InputError with the known names.
  static Parameters named(std::string_view name);
  /// Returns the names of all sets that ship, smallest first.
  static std::vector<std::string> names();
  /// Reads a literal such as
  ///   {"name": "mine", "log_n": 13, "q_bits": [50, 40, 40], "p_bits": [50], "log_scale": 40}
  /// - q_bits: bits of the ciphertext primes, from the one that is dropped last,
  /// - p_bits: bits of the special primes,
  /// - log_scale: log2 of the scale.
  /// Throws InputError naming the broken bound and a value that would satisfy it. Throws it also for a literal with
  /// "insecure": true, unless `insecure` allows that.
  static Parameters from_json(std::string_view literal, InsecureParameters insecure = InsecureParameters::refuse);

  std::string to_json() const;
  std::string name() const;
  int log_n() const;
  /// The numbers in one ciphertext: 2^(log_n - 1), or 2^log_n real ones for a literal with "real_slots": true.
  std::size_t slots() const;
  /// The level of a fresh ciphertext: the number of products in sequence that it can take.
  int max_level() const;
  /// The default scale of encoded values.
  double scale() const;
  /// log2 of the product of all primes, which the security bound limits.
  double log_qp() const;
  /// 128, 192 or 256; 0 for an insecure set.
  int security_bits() const;

 private:
  using Handle::Handle;
};

/// Tables for one parameter set, from which every other object is made. Takes up to a second for the largest sets.
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
  /// The number of products that the ciphertext can still take, 0 to max_level.
  int level() const;
  /// The factor by which the encrypted numbers are multiplied.
  double scale() const;
  /// Writes the ciphertext. Throws InputError naming the place.
  void save(const Sink& sink) const;
  /// Reads a ciphertext and checks it before use, because it may come from anyone. Throws InputError for damage, and
  /// KeyMismatch for another parameter set.
  static Ciphertext load(const Context& context, const Source& source);

 private:
  using Handle::Handle;
};

/// The key that decrypts. It stays with its owner, and is wiped from memory when the last copy is destroyed.
class TACIT_API SecretKey : public detail::Handle<const struct SecretKeyImpl> {
 public:
  /// Writes the key in the clear. A file has mode 0600: only its owner may read it. Anyone who reads the bytes can
  /// decrypt everything. Wipe memory that holds them.
  void save(const Sink& sink) const;
  static SecretKey load(const Context& context, const Source& source);

 private:
  using Handle::Handle;
};

/// A key that encrypts. It may be given to anyone.
class TACIT_API PublicKey : public detail::Handle<const struct PublicKeyImpl> {
 public:
  void save(const Sink& sink) const;
  static PublicKey load(const Context& context, const Source& source);

 private:
  using Handle::Handle;
};

/// Keys that let a server multiply, rotate and conjugate, without decrypting. They may be given to the server.
class TACIT_API EvaluationKeys : public detail::Handle<const struct EvaluationKeysImpl> {
 public:
  void save(const Sink& sink) const;
  /// Reads keys. Refuses a secret key, and says so.
  static EvaluationKeys load(const Context& context, const Source& source);

 private:
  using Handle::Handle;
};

/// The operations that evaluation keys must support. Each rotation needs a key, megabytes at the larger sets. Request
/// only the rotations that the computation uses; LinearTransform::rotations lists them.
struct KeyRequest {
  bool multiply = true;
  bool conjugate = false;
  /// Steps of rotations, positive or negative.
  std::vector<std::int64_t> rotations{};
  /// Requests all keys that Evaluator::bootstrap needs, gigabytes at the larger sets. They do not depend on `level`.
  bool bootstrap = false;
  /// The highest level at which the keys are used. A lower one makes smaller keys. None: the top level.
  std::optional<int> level{};
};

class TACIT_API KeyGenerator {
 public:
  explicit KeyGenerator(Context context);
  /// Draws a fresh key from the operating system's entropy.
  SecretKey secret_key() const;
  PublicKey public_key(const SecretKey& secret) const;
  EvaluationKeys evaluation_keys(const SecretKey& secret, const KeyRequest& request = {}) const;

 private:
  Context context_;
};

/// Turns numbers into plaintexts and back.
class TACIT_API Encoder {
 public:
  explicit Encoder(Context context);
  /// Encodes at most `slots` values; the other slots are zero. The default level is the top level, and the default
  /// scale is that of the set. Throws InputError for NaN, infinity, or values too large for the modulus of the level.
  Plaintext encode(std::span<const double> values, std::optional<int> level = {},
                   std::optional<double> scale = {}) const;
  Plaintext encode(std::span<const std::complex<double>> values, std::optional<int> level = {},
                   std::optional<double> scale = {}) const;
  /// Returns all `slots` values. `decode` returns their real parts.
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
  /// Encrypts at the level and scale of the plaintext.
  Ciphertext encrypt(const Plaintext& plaintext) const;
  /// Encodes at most `slots` values at the top level and the set's scale, then encrypts.
  Ciphertext encrypt(std::span<const double> values) const;
};

/// The promises about decryptions that others see.
struct Sharing {
  /// s, 20 to 80: all shared vectors of n numbers diverge from noiseless ones by at most n / (24 * 2^s) (Kullback,
  /// Leibler).
  double statistical_bits = 30;
  /// 1 to 2^40: the most vectors under one key that are ever shared. A Decryptor counts its own, and refuses more. The
  /// caller adds up those of several Decryptors of the key.
  double decryptions = 1024;
  /// The deviation of the ciphertext's noise, if it is above the estimate. Sets of real slots do not show their noise:
  /// state it. State it also if it differs much between slots, as after a mask of a few large weights.
  double noise = 0;
};

/// Decrypts, and adds noise. The exact digits of one decryption would reveal the secret key to anyone who has the
/// ciphertext (Li, Micciancio 2021). The noise is drawn from the key and the ciphertext, so a second decryption of the
/// same ciphertext has the same noise. A ciphertext that was computed from it has other noise, and counts as another
/// decryption.
class TACIT_API Decryptor : public detail::Handle<const struct DecryptorImpl> {
 public:
  Decryptor(const Context& context, const SecretKey& key);
  /// Returns all `slots` values of a real message. The result is for the owner of the key. It is also for those who may
  /// know all about the message but have no ciphertext.
  ///
  /// The imaginary parts show the noise of the ciphertext. The same amount of noise is added, which costs half a bit. A
  /// message that is not real is a mistake: its imaginary parts count as noise. Sets of real slots have no imaginary
  /// parts, and the noise of one key switch is added.
  std::vector<double> decrypt(const Ciphertext& ciphertext) const;
  /// Returns all `slots` values of a complex message. Its noise cannot be measured, so `deviation` states the noise to
  /// add to each part. Throws InputError if `deviation` is below the noise of a fresh ciphertext.
  std::vector<std::complex<double>> decrypt_complex(const Ciphertext& ciphertext, double deviation) const;
  /// Returns values that others may see, with or without the ciphertext. Floods the noise with a wider
  /// Gaussian. The factor is 2^(s / 2) sqrt(12 t) for s statistical bits and t decryptions (Li, Micciancio, Schultz,
  /// Sorrell 2022).
  /// The default flood costs 22 bits. Then rounds to multiples of 2^-bits. The flood is at most a quarter of
  /// 2^-bits. Throws InputError for more bits, naming the most that can be shared.
  std::vector<double> decrypt_for_sharing(const Ciphertext& ciphertext, int bits, const Sharing& sharing = {}) const;
};

/// A matrix to multiply encrypted vectors by, prepared for one input level. The product uses one level for any matrix.
/// The method is generalised diagonals with baby steps and giant steps over hoisted rotations (Halevi, Shoup 2018;
/// Bossuat, Mouchet, Troncoso-Pastoriza, Hubaux 2021, section 4). A lower level needs less time and memory.
class TACIT_API LinearTransform : public detail::Handle<const struct LinearTransformImpl> {
 public:
  /// y = M x for a dense matrix. `entries` are row-major, and `rows` and `columns` are at most `slots`. The result is
  /// in slots 0 … rows - 1, and the other slots are zero. Slots of x from `columns` on are ignored. `input_level`, at
  /// least 1, is the level that x is brought down to; none: the top level.
  static LinearTransform from_matrix(const Context& context, std::size_t rows, std::size_t columns,
                                     std::span<const double> entries, std::optional<int> input_level = {});
  /// y[i] = sum over k of diagonals[k][i] * x[(i + k) mod slots], for k of any sign. A diagonal has `slots` entries, or
  /// a smaller power of two of them that repeat. Shorter diagonals use less memory.
  static LinearTransform from_diagonals(const Context& context,
                                        const std::map<std::int64_t, std::vector<double>>& diagonals,
                                        std::optional<int> input_level = {});
  /// Returns the rotation steps that keys at `input_level` must support.
  std::vector<std::int64_t> rotations() const;
  int input_level() const;

 private:
  using Handle::Handle;
};

/// A bootstrap, prepared for one parameter set. It brings ciphertexts that have used up their levels back to a high
/// level. The sets that can bootstrap are S8, S11, S14 and S15, with that many levels between bootstraps at N = 2^16,
/// N15-S5 with five, and P30 with seven and 5 bits more of precision in the folded form.
///
/// The bootstrap begins with the step from slots to coefficients. It uses a sparse secret only around the raising of
/// the modulus (Bossuat, Troncoso-Pastoriza, Hubaux 2022). Slots must be real and in [-1, 1]. Preparation takes seconds
/// and hundreds of megabytes.
class TACIT_API Bootstrapping : public detail::Handle<const struct BootstrappingImpl> {
 public:
  enum class Form {
    linear,  ///< the slots themselves, to more than 16 bits in the worst slot
    folded,  ///< `result` of the slots, a sine that changes them by up to 0.0016, to more than 20 bits. Use it before a
             ///< function that is fitted to f(inverse(x)).
  };
  /// `output_level` is the level of results; none: the highest. A lower one is cheaper, with the same keys. Throws
  /// InputError for a set that cannot bootstrap, naming the sets that can. Throws it also for a level that is out of
  /// reach.
  explicit Bootstrapping(const Context& context, Form form = Form::linear, std::optional<int> output_level = {});
  /// The lowest level of ciphertexts that can be bootstrapped.
  int input_level() const;
  int output_level() const;
  /// Returns what a slot z becomes, without noise. `inverse` returns the slot.
  double result(double z) const;
  double inverse(double result) const;
};

/// Arithmetic on ciphertexts, slot by slot. Every operation returns a new ciphertext. If two operands differ in level,
/// the higher one is first brought to the level of the lower one. For sums it is also brought to the scale of the lower
/// one. Throws InputError
/// - for a missing level or a missing key of an operation, naming it,
/// - for a sum of operands at one level whose scales differ.
/// Throws KeyMismatch if the ciphertext and the evaluation keys belong to different secret keys.
class TACIT_API Evaluator : public detail::Handle<const struct EvaluatorImpl> {
 public:
  Evaluator(const Context& context, const EvaluationKeys& keys);

  Ciphertext add(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext sub(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext negate(const Ciphertext& a) const;
  /// Product, relinearised and rescaled: one level. The result's scale is a.scale * b.scale / (the dropped prime).
  Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext square(const Ciphertext& a) const;

  /// Adds a plaintext that has the ciphertext's level and scale.
  Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) const;
  /// Encodes at most `slots` values for the ciphertext's level and scale; missing ones are zero.
  Ciphertext add_plain(const Ciphertext& a, std::span<const double> values) const;
  Ciphertext sub_plain(const Ciphertext& a, std::span<const double> values) const;
  /// Multiplies by a plaintext at the ciphertext's level, without a rescale: the scales multiply, the level stays.
  Ciphertext multiply_plain(const Ciphertext& a, const Plaintext& b) const;
  /// Encodes, multiplies and rescales. Uses one level, and keeps the scale of `a` exactly.
  Ciphertext multiply_plain(const Ciphertext& a, std::span<const double> values) const;
  /// Multiplies every slot by one number. Uses one level, and keeps the scale of `a` exactly.
  Ciphertext multiply_scalar(const Ciphertext& a, double factor) const;

  /// Divides the scale by the last prime. Uses one level.
  Ciphertext rescale(const Ciphertext& a) const;
  /// Returns the same values at a lower level and the same scale. Nothing is computed, and the ciphertext shrinks.
  Ciphertext drop_to_level(const Ciphertext& a, int level) const;
  /// Returns the same values at a lower level and exactly this scale, by a product with one.
  Ciphertext adjust(const Ciphertext& a, int level, double scale) const;

  /// Slot i of the result is slot (i + steps) mod slots of `a`. `steps` has any sign.
  Ciphertext rotate(const Ciphertext& a, std::int64_t steps) const;
  /// Rotates one ciphertext several times for little more than the price of one rotation (hoisting, Halevi, Shoup
  /// 2018).
  std::vector<Ciphertext> rotate(const Ciphertext& a, std::span<const std::int64_t> steps) const;
  Ciphertext conjugate(const Ciphertext& a) const;
  /// Every slot of the result holds the sum of all slots. Needs log2(slots) rotations, by the powers of two.
  Ciphertext sum_slots(const Ciphertext& a) const;

  /// Returns M x at level `transform.input_level() - 1` and exactly the scale of `x`. `x` is at the input level or
  /// above.
  Ciphertext apply(const LinearTransform& transform, const Ciphertext& x) const;
  /// Returns the sum over k of coefficients[k] * T_k(x) for x in [-1, 1], where T_k are the Chebyshev polynomials
  /// (Paterson, Stockmeyer 1973). Uses ceil(log2(number of coefficients)) levels, and keeps the scale of `x` exactly.
  /// At most 1024 coefficients.
  Ciphertext polynomial(const Ciphertext& x, std::span<const double> coefficients) const;

  /// Returns `x` at level how.output_level() and the set's scale. `x` is at how.input_level() or above, at any scale
  /// from which `adjust` has room. See Bootstrapping. The keys need KeyRequest::bootstrap.
  Ciphertext bootstrap(const Bootstrapping& how, const Ciphertext& x) const;
  /// Bootstraps in two iterations, which take twice the time. Every slot has 13 bits more, as far as `x` itself has
  /// them. The scale is 2^13 times the set's scale. Works in the linear form, to a level above the input level.
  Ciphertext bootstrap_twice(const Bootstrapping& how, const Ciphertext& x) const;
  /// Bootstraps two ciphertexts at once, for less than the price of two bootstraps.
  std::pair<Ciphertext, Ciphertext> bootstrap(const Bootstrapping& how, const Ciphertext& x, const Ciphertext& y) const;
};

}  // namespace tacit::ckks
