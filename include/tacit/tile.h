#pragma once

/// Tile tensors: tensors cut into ciphertexts by shapes that say where every element lies, and a planner that finds the
/// shapes. The same code runs in one of three sessions: in the clear, as costs (no key, no value, no time), or
/// encrypted.
///
/// A shape has one brace a dimension; the extents of a tile multiply to the slots of a ciphertext:
///   {rows 10|4}    size 10 in tiles of 4, three tiles       {rows any|4}   any size: a recipe
///   {copy 64}      64 copies of one value                   {rows 10}      tiles of 1
///   {c 1|64 junk}  unknown values beyond the size           {w 32|8 woven} interleaved: neighbours in different tiles
/// Slots that hold no element are zero unless the shape says so (`junk`).
///
/// A requirement says what a session must hold: "slots 16384, depth 8, fraction 40 bits, integer 20 bits, security
/// 128". What it leaves out has these values.
///
/// Objects are immutable once built and cheap to copy. Encrypted sessions use all threads inside; sessions in the clear
/// and of costs belong to one thread. Errors: InputError names the thing, the bound and the way out.

#include <tacit/error.h>
#include <tacit/handle.h>
#include <tacit/insecure.h>
#include <tacit/model.h>

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

/// How a tensor is cut into tiles.
class TACIT_API Shape : public detail::Handle<const struct ShapeImpl> {
 public:
  /// Throws InputError naming the place.
  explicit Shape(std::string_view text);
  std::string to_string() const;
  Sizes sizes() const;
  std::int64_t tiles() const;
  std::int64_t slots() const;
  /// The same with one value in all places of a dimension.
  Shape with_replicated(int dim) const;
  bool operator==(const Shape& other) const;

 private:
  using Handle::Handle;
};

/// What the work of a cost session took.
struct Cost {
  double seconds = 0;      ///< by prices
  double peak_bytes = 0;   ///< tensors alive together
  double key_bytes = 0;    ///< evaluation keys
  std::int64_t tiles = 0;  ///< encrypted
  std::int64_t products = 0, relinearisations = 0, rotations = 0;
};

/// One reading of tile arithmetic.
class TACIT_API Session : public detail::Handle<const struct SessionImpl> {
 public:
  /// Exact slot semantics in double precision.
  static Session clear(std::string_view requirement);
  /// Counts and prices; encrypted values have no content, decrypt() throws InputError.
  static Session cost(std::string_view requirement, InsecureParameters insecure = InsecureParameters::refuse);
  /// With a fresh secret and exactly the evaluation keys that the work of `rehearsal`, a cost session, needs. "security
  /// 0" makes a set for tests and must be allowed.
  static Session encrypted(std::string_view requirement, const Session& rehearsal,
                           InsecureParameters insecure = InsecureParameters::refuse);
  /// With keys from files, for the same requirement: with the secret it encrypts and decrypts, with the evaluation keys
  /// it computes. One of the paths may be empty: a server has no secret. Throws InputError on damage, KeyMismatch for
  /// keys of other parameters, or of two owners.
  static Session from_keys(std::string_view requirement, const std::filesystem::path& secret,
                           const std::filesystem::path& evaluation,
                           InsecureParameters insecure = InsecureParameters::refuse);
  /// Of an encrypted session that made its keys: the secret (a file of mode 0600), and the evaluation keys.
  void save_keys(const std::filesystem::path& secret, const std::filesystem::path& evaluation) const;
  std::int64_t slots() const;
  /// Products in sequence that a fresh tensor can take.
  int max_level() const;
  /// Of a cost session. Throws InputError for another.
  Cost cost() const;

 private:
  using Handle::Handle;
};

/// An encrypted tensor (in an encrypted session), or what the session makes of one.
class TACIT_API Tensor : public detail::Handle<const struct TensorImpl> {
 public:
  Shape shape() const;
  /// Products that it can still take.
  int level() const;
  /// Memory of its tiles.
  double estimated_bytes() const;
  /// Its elements, row-major, for the owner of the key: with noise as ckks::Decryptor::decrypt adds it.
  std::vector<double> decrypt() const;

 private:
  using Handle::Handle;
};

/// A tensor that is not encrypted, ready to meet encrypted ones. Encoded when first used, and kept.
class TACIT_API Plain : public detail::Handle<const struct PlainImpl> {
 public:
  Plain(const Session& session, const Shape& shape, const Sizes& sizes, std::span<const double> values);

 private:
  using Handle::Handle;
};

/// How a sum within tiles goes.
struct Fold {
  /// Sum over every place of a tile, those that hold nothing too: a leading dimension then ends replicated. Otherwise
  /// copies are made when an operator reads them.
  bool all_places = false;
  /// 2^hoist places at a time, by 2^hoist - 1 rotations of which all but one are cheap. 1 to 6; more keys the more.
  int hoist = 1;
};

/// Encrypts a row-major tensor. A level below the maximum makes everything that follows cheaper; -1 is the maximum.
TACIT_API Tensor encrypt(const Session& session, const Shape& shape, const Sizes& sizes, std::span<const double> values,
                         int level = -1);

/// Writes an encrypted tensor with its shape. Throws InputError naming the path.
TACIT_API void save(const Tensor& tensor, const std::filesystem::path& path);
/// Reads it into an encrypted session. Throws InputError on damage and for another kind of file, KeyMismatch for a
/// tensor under other keys.
TACIT_API Tensor load(const Session& session, const std::filesystem::path& path);

/// Element-wise, over dimensions that agree in tiles, and in size unless one side is replicated. A product takes a
/// level.
TACIT_API Tensor add(const Tensor& a, const Tensor& b);
TACIT_API Tensor subtract(const Tensor& a, const Tensor& b);
TACIT_API Tensor multiply(const Tensor& a, const Tensor& b);
TACIT_API Tensor add(const Tensor& a, const Plain& b);
/// Clears unknowns on the way.
TACIT_API Tensor multiply(const Tensor& a, const Plain& b);
TACIT_API Tensor add(const Tensor& a, double addend);
TACIT_API Tensor multiply(const Tensor& a, double factor);

/// Sum over a dimension without unknowns. A leading dimension (no tile above 1 before it) can be replicated afterwards
/// without a mask; another leaves unknowns.
TACIT_API Tensor sum(const Tensor& a, int dim, Fold fold = {});
/// sum(multiply(a, b), dim) with one relinearisation a result: matrix times vector, matrix times matrix.
TACIT_API Tensor multiply_sum(const Tensor& a, const Tensor& b, int dim, Fold fold = {});
TACIT_API Tensor multiply_sum(const Tensor& a, const Plain& b, int dim, Fold fold = {});
/// Zeros instead of unknowns: one level.
TACIT_API Tensor clear_unknowns(const Tensor& a);
/// One value into all places of a dimension.
TACIT_API Tensor replicate(const Tensor& a, int dim, Fold fold = {});

/// Element c + steps moves to c, cyclically.
TACIT_API Tensor rotate(const Tensor& a, int dim, std::int64_t steps);
TACIT_API Tensor slice(const Tensor& a, int dim, std::int64_t begin, std::int64_t count);
TACIT_API Tensor concat(const Tensor& a, const Tensor& b, int dim);
/// The same elements in another shape; one level unless nothing changes.
TACIT_API Tensor reshard(const Tensor& a, const Shape& target);
/// Sum over a dimension straight into another shape, where the sums of different outputs share rotations: one level.
TACIT_API Tensor sum_into(const Tensor& a, int dim, const Shape& target);
/// A plain matrix [rows, columns], row-major, times the elements of `a`, by generalised diagonals: one level.
TACIT_API Tensor matrix_times(std::span<const double> matrix, const Tensor& a, const Shape& target);
/// Cross-correlation of an image [channels, rows, columns, …] in interleaved rows and columns with filters
/// [filters, channels, rows, columns], without padding: one level.
TACIT_API Tensor convolve(const Tensor& image, const Sizes& filter_sizes, std::span<const double> filters,
                          std::int64_t stride = 1, Fold fold = {});
/// Filters [filters, channels, rows, columns] encrypted in the shape in which they meet images of this shape.
TACIT_API Tensor encrypt_filters(const Session& session, const Shape& image, const Sizes& filter_sizes,
                                 std::span<const double> filters, int level = -1);
/// The same with such filters: one relinearisation a result.
TACIT_API Tensor convolve(const Tensor& image, const Tensor& filters, std::int64_t stride = 1, Fold fold = {});

/// What comparing a tensor with its operator on decrypted operands found.
struct Comparison {
  double worst_error = 0, mean_error = 0;
  bool failed = false;
  std::int64_t index = 0;             ///< of the first element that is off
  double encrypted = 0, message = 0;  ///< it, and what it should be
  std::string text;                   ///< "validate failed at sum[3]: 0.5 != 0.25"; empty if nothing failed
};
/// An operator, or several, written once for ciphertexts and for their messages.
using Operator = std::function<Tensor(const std::vector<Tensor>& tensors, const std::vector<Plain>& plains)>;
/// Decrypts the operands, carries the operator out in the clear, decrypts `result` and compares the first `length`
/// elements within 10^epsilon. Plaintexts are read as they were given. For whoever holds the secret key, as an
/// encrypted session does: throws InputError in a cost session, which has no values, and for operands of another
/// session.
TACIT_API Comparison validate(std::string_view name, const Tensor& result, const std::vector<Tensor>& tensors,
                              const std::vector<Plain>& plains, const Operator& made_by, std::int64_t length,
                              double epsilon);

/// A computation, written once for any session: it encrypts its inputs and returns its outputs.
using Computation = std::function<std::vector<Tensor>(const Session& session)>;
/// Writes a computation down instead of carrying it out. The values that it encrypts are not looked at, and may be
/// absent: every encrypted tensor becomes an input of the model that results, in order, every tensor that it returns an
/// output. The model is one like those of compile(): it has a plan and files, a Client and a Server, and the commands
/// keygen, encrypt, evaluate, decrypt. An input has the sizes of the tensor that was encrypted; of encrypt_filters they
/// are [filters, rows, columns] and then those of the image with 1 for all but its channels. Throws InputError for a
/// computation that decrypts.
TACIT_API CompiledModel record(std::string_view requirement, std::string_view name, const Computation& computation,
                               InsecureParameters insecure = InsecureParameters::refuse);

/// What a plan may choose and must keep.
struct PlanRequest {
  enum class Objective { latency, throughput, memory } objective = Objective::latency;
  std::optional<double> latency;  ///< seconds, upper bound
  std::optional<double> memory;   ///< bytes of keys and tensors, upper bound
  /// Parts of the computation with tile extents of their own, between which it changes shapes (reshard, sum_into): the
  /// search finds the extents of all. With more than one, walks from the best extents that all share.
  int stages = 1;
};
struct PlannedPacking {
  Sizes extents;  ///< of the tiles, one for each dimension that was open, stage by stage
  Fold fold;
  double latency = 0;    ///< seconds of one batch
  double amortised = 0;  ///< seconds an item
  double memory = 0;     ///< bytes
};
struct Plan {
  std::vector<PlannedPacking> best;  ///< up to ten, best first; empty if nothing keeps the bounds
  std::int64_t priced = 0;
  double seconds = 0;  ///< that the search took
  bool exhaustive = false;
};
/// Carries out one batch in a session with these tile extents (`dims` a stage, one stage after another) and tells how
/// many items it served. An InputError means that it does not fit these tiles.
using Batch = std::function<std::int64_t(const Session& session, const Sizes& extents, Fold fold)>;
/// Searches the tile extents of a computation, and how sums fold, by running it in cost sessions: all of a small space,
/// walks through a large one.
TACIT_API Plan plan(std::string_view requirement, int dims, const PlanRequest& request, const Batch& batch);

}  // namespace tacit::tile
