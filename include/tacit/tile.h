#pragma once

/// Tile tensors: tensors that are cut into ciphertexts. A shape says which slot holds each element, and a planner
/// searches the shapes. The same code runs in one of three sessions:
/// - in the clear,
/// - as costs, without keys, values or real time,
/// - encrypted.
///
/// A shape has one brace per dimension. The product of the tile extents is the number of slots of a ciphertext.
///   {rows 10|4}    size 10 in tiles of 4, three tiles       {rows any|4}   any size: a recipe
///   {copy 64}      64 copies of one value                   {rows 10}      tiles of 1
///   {c 1|64 junk}  unknown values beyond the size           {w 32|8 woven} interleaved: neighbours in different tiles
/// Slots that hold no element are zero unless the shape says `junk`.
///
/// A requirement states the abilities of a session. Fields that it leaves out have the values of this example:
///   "slots 16384, depth 8, fraction 40 bits, integer 20 bits, security 128"
///
/// Objects are immutable once built and cheap to copy. Encrypted sessions use all threads inside. Sessions in the clear
/// and cost sessions belong to one thread. An InputError names the thing, the bound and the way out.

#include <tacit/error.h>
#include <tacit/handle.h>
#include <tacit/insecure.h>
#include <tacit/model.h>
#include <tacit/sink.h>
#include <tacit/source.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::tile {

using Sizes = std::vector<std::int64_t>;

/// The way a tensor is cut into tiles.
class TACIT_API Shape : public detail::Handle<const struct ShapeImpl> {
 public:
  /// Parses the text of a shape. Throws InputError naming the place.
  explicit Shape(std::string_view text);
  std::string to_string() const;
  Sizes sizes() const;
  std::int64_t tiles() const;
  std::int64_t slots() const;
  /// Returns the same shape with one value in all places of dimension `dim`.
  Shape with_replicated(int dim) const;
  bool operator==(const Shape& other) const;

 private:
  using Handle::Handle;
};

/// The work of a cost session.
struct Cost {
  double seconds = 0;      ///< by the prices of operations
  double peak_bytes = 0;   ///< most memory of tensors that are alive together
  double key_bytes = 0;    ///< size of the evaluation keys
  std::int64_t tiles = 0;  ///< encrypted tiles
  std::int64_t products = 0, relinearisations = 0, rotations = 0;
};

/// One way to carry out tile arithmetic.
class TACIT_API Session : public detail::Handle<const struct SessionImpl> {
 public:
  /// Returns a session that computes in double precision, with the exact meaning of slots.
  static Session clear(std::string_view requirement);
  /// Returns a session that counts operations and adds up their prices. Encrypted values have no content, and decrypt()
  /// throws InputError.
  static Session cost(std::string_view requirement, InsecureParameters insecure = InsecureParameters::refuse);
  /// Makes a fresh secret, and the evaluation keys that the work of the cost session `rehearsal` needs. The
  /// requirement "security 0" makes a parameter set for tests. `insecure` must allow it.
  static Session encrypted(std::string_view requirement, const Session& rehearsal,
                           InsecureParameters insecure = InsecureParameters::refuse);
  /// Returns an encrypted session with saved keys that were made for the same requirement. With the secret it encrypts
  /// and decrypts. With the evaluation keys it computes. One of the sources may be the empty path: a server has no
  /// secret. Throws InputError for damage. Throws KeyMismatch for keys of other parameters, or of two owners.
  static Session from_keys(std::string_view requirement, const Source& secret, const Source& evaluation,
                           InsecureParameters insecure = InsecureParameters::refuse);
  /// Writes the secret (a file has mode 0600) and the evaluation keys of an encrypted session that made its keys.
  void save_keys(const Sink& secret, const Sink& evaluation) const;
  std::int64_t slots() const;
  /// The number of products in sequence that a fresh tensor can take.
  int max_level() const;
  /// Returns the cost of a cost session. Throws InputError for another session.
  Cost cost() const;

 private:
  using Handle::Handle;
};

/// An encrypted tensor in an encrypted session. Other sessions hold the tensor in the clear, or its cost alone.
class TACIT_API Tensor : public detail::Handle<const struct TensorImpl> {
 public:
  Shape shape() const;
  /// The number of products that the tensor can still take.
  int level() const;
  /// The memory of the tensor's tiles.
  double estimated_bytes() const;
  /// Returns the elements in row-major order, for the owner of the key. They carry the noise that
  /// ckks::Decryptor::decrypt adds.
  std::vector<double> decrypt() const;

 private:
  using Handle::Handle;
};

/// A tensor in the clear that operators combine with encrypted ones. It is encoded at its first use, and the encoding
/// is kept.
class TACIT_API Plain : public detail::Handle<const struct PlainImpl> {
 public:
  Plain(const Session& session, const Shape& shape, const Sizes& sizes, std::span<const double> values);

 private:
  using Handle::Handle;
};

/// The way a sum within tiles is carried out.
struct Fold {
  /// The sum covers every place of a tile, also places without an element. A leading dimension then ends replicated.
  /// Otherwise copies are made when an operator reads them.
  bool all_places = false;
  /// Each step adds 2^hoist places with 2^hoist - 1 rotations, of which all but one are cheap. 1 to 6; larger values
  /// need more keys.
  int hoist = 1;
};

/// Encrypts a row-major tensor. A `level` below the maximum makes all later operations cheaper; -1 is the maximum.
TACIT_API Tensor encrypt(const Session& session, const Shape& shape, const Sizes& sizes, std::span<const double> values,
                         int level = -1);

/// Writes an encrypted tensor with its shape. Throws InputError naming the place.
TACIT_API void save(const Tensor& tensor, const Sink& sink);
/// Reads an encrypted tensor into an encrypted session. Throws InputError for damage and for another kind of
/// object. Throws KeyMismatch for a tensor under other keys.
TACIT_API Tensor load(const Session& session, const Source& source);

/// Element-wise operators. The dimensions of both operands agree in tiles. Their sizes agree too, unless one side is
/// replicated. A product uses one level.
TACIT_API Tensor add(const Tensor& a, const Tensor& b);
TACIT_API Tensor subtract(const Tensor& a, const Tensor& b);
TACIT_API Tensor multiply(const Tensor& a, const Tensor& b);
TACIT_API Tensor add(const Tensor& a, const Plain& b);
/// Element-wise product, which also replaces unknown values by zeros.
TACIT_API Tensor multiply(const Tensor& a, const Plain& b);
TACIT_API Tensor add(const Tensor& a, double addend);
TACIT_API Tensor multiply(const Tensor& a, double factor);

/// Sums over a dimension without unknown values. A leading dimension (no tile above 1 before it) can be replicated
/// afterwards without a mask. Another dimension leaves unknown values.
TACIT_API Tensor sum(const Tensor& a, int dim, Fold fold = {});
/// sum(multiply(a, b), dim) with one relinearisation per result: matrix times vector, or matrix times matrix.
TACIT_API Tensor multiply_sum(const Tensor& a, const Tensor& b, int dim, Fold fold = {});
TACIT_API Tensor multiply_sum(const Tensor& a, const Plain& b, int dim, Fold fold = {});
/// Replaces unknown values by zeros. Uses one level.
TACIT_API Tensor clear_unknowns(const Tensor& a);
/// Copies one value into all places of a dimension.
TACIT_API Tensor replicate(const Tensor& a, int dim, Fold fold = {});

/// Moves element c + steps to c, cyclically.
TACIT_API Tensor rotate(const Tensor& a, int dim, std::int64_t steps);
TACIT_API Tensor slice(const Tensor& a, int dim, std::int64_t begin, std::int64_t count);
TACIT_API Tensor concat(const Tensor& a, const Tensor& b, int dim);
/// Returns the same elements in another shape. Uses one level, unless the shape stays the same.
TACIT_API Tensor reshard(const Tensor& a, const Shape& target);
/// Sums over a dimension and writes the result in another shape. The sums of different outputs share rotations. Uses
/// one level.
TACIT_API Tensor sum_into(const Tensor& a, int dim, const Shape& target);
/// Multiplies a plain row-major matrix [rows, columns] by the elements of `a`, by generalised diagonals. Uses one
/// level.
TACIT_API Tensor matrix_times(std::span<const double> matrix, const Tensor& a, const Shape& target);
/// Cross-correlation of an image with filters, without padding. The image is [channels, rows, columns, …] with
/// interleaved rows and columns. The filters are [filters, channels, rows, columns]. Uses one level.
TACIT_API Tensor convolve(const Tensor& image, const Sizes& filter_sizes, std::span<const double> filters,
                          std::int64_t stride = 1, Fold fold = {});
/// Encrypts filters [filters, channels, rows, columns] in the shape that convolve() combines with images of shape
/// `image`.
TACIT_API Tensor encrypt_filters(const Session& session, const Shape& image, const Sizes& filter_sizes,
                                 std::span<const double> filters, int level = -1);
/// Cross-correlation with encrypted filters, with one relinearisation per result.
TACIT_API Tensor convolve(const Tensor& image, const Tensor& filters, std::int64_t stride = 1, Fold fold = {});

/// The result of a comparison of a tensor with its operator on decrypted operands.
struct Comparison {
  double worst_error = 0, mean_error = 0;
  bool failed = false;
  std::int64_t index = 0;             ///< position of the first wrong element
  double encrypted = 0, message = 0;  ///< that element, and its correct value
  std::string text;                   ///< "validate failed at sum[3]: 0.5 != 0.25"; empty if nothing failed
};
/// An operator or several, written once. It runs on ciphertexts and on their messages.
using Operator = std::function<Tensor(const std::vector<Tensor>& tensors, const std::vector<Plain>& plains)>;
/// Decrypts the operands, carries the operator `made_by` out in the clear and decrypts `result`. Then compares the
/// first `length` elements within 10^epsilon. Plaintexts are read as they were given. Only the holder of the secret key
/// can call it. Throws InputError in a cost session, which has no values, and for operands of another session.
TACIT_API Comparison validate(std::string_view name, const Tensor& result, const std::vector<Tensor>& tensors,
                              const std::vector<Plain>& plains, const Operator& made_by, std::int64_t length,
                              double epsilon);

/// A computation, written once for any session. It encrypts its inputs and returns its outputs.
using Computation = std::function<std::vector<Tensor>(const Session& session)>;
/// Records a computation instead of carrying it out. The values that it encrypts are not read, and may be absent. Every
/// encrypted tensor becomes an input of the resulting model, in order. Every returned tensor becomes an output.
///
/// The model is one like those of compile(). It has a plan and files, a Client and a Server. It works with the commands
/// keygen, encrypt, evaluate and decrypt.
///
/// An input has the sizes of the encrypted tensor. An input of encrypt_filters has the sizes [filters, rows, columns],
/// followed by those of the image with 1 for all dimensions except its channels. Throws InputError for a computation
/// that decrypts.
TACIT_API CompiledModel record(std::string_view requirement, std::string_view name, const Computation& computation,
                               InsecureParameters insecure = InsecureParameters::refuse);

/// The goal and the bounds of a search for a plan.
struct PlanRequest {
  enum class Objective { latency, throughput, memory } objective = Objective::latency;
  std::optional<double> latency;  ///< seconds, upper bound
  std::optional<double> memory;   ///< bytes of keys and tensors, upper bound
  /// The number of parts of the computation with their own tile extents. The computation changes shapes between them
  /// (reshard, sum_into), and the search finds the extents of all parts. With several stages the search walks from the
  /// best extents that all parts share.
  int stages = 1;
};
struct PlannedPacking {
  Sizes extents;  ///< tile extents, one per open dimension, stage by stage
  Fold fold;
  double latency = 0;    ///< seconds of one batch
  double amortised = 0;  ///< seconds per item
  double memory = 0;     ///< bytes
};
struct Plan {
  std::vector<PlannedPacking> best;  ///< up to ten, best first; empty if no candidate keeps the bounds
  std::int64_t priced = 0;
  double seconds = 0;  ///< duration of the search
  bool exhaustive = false;
};
/// Carries out one batch in a session with these tile extents: `dims` per stage, stage after stage. Returns the number
/// of items in the batch. An InputError means that the batch does not fit these tiles.
using Batch = std::function<std::int64_t(const Session& session, const Sizes& extents, Fold fold)>;
/// Searches the tile extents of a computation, and the way its sums fold, by running it in cost sessions. A small space
/// is searched completely, and a large one by walks.
TACIT_API Plan plan(std::string_view requirement, int dims, const PlanRequest& request, const Batch& batch);

}  // namespace tacit::tile
