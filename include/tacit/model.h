#pragma once

/// Trained networks on encrypted data: an ONNX model is compiled into two halves; a client with the small half makes
/// keys, encrypts and decrypts; a server with the other half evaluates and never holds the secret key. The files are
/// those of the `tacit` command, so that one side may be a program and the other the command. A network runs on real
/// numbers (CKKS) or on integers with tables (TFHE); what follows compilation is the same for both.
///
/// Trust: the server is honest but curious, one party owns the secret key, and others see decrypted results
/// through a `Disclosure` (Li, Micciancio 2021). A server cannot see values: the client refuses inputs outside the
/// range that the model was compiled for, and results outside the calibrated bounds.
///
/// Errors: InputError (a wrong argument, an unsupported model, a damaged file), KeyMismatch (objects of different
/// models or clients), Cancelled (by a `Progress`), InternalError.

#include <tacit/error.h>
#include <tacit/handle.h>
#include <tacit/insecure.h>
#include <tacit/progress.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tacit::detail {
// What stands behind the classes below; each has a form for every scheme.
struct ClientHalf;
struct ServerHalf;
struct EncryptedFile;
struct KeySet;
struct Owner;
struct PreparedHalf;
struct Evaluation;
struct Origin;
}  // namespace tacit::detail

namespace tacit {

/// One number per element, row-major, for every input (or output) of a model in its order.
using Tensors = std::vector<std::vector<double>>;
using Shape = std::vector<std::int64_t>;

/// Bounds the threads of the whole process; 0 means all processors it may run on, which is the default.
TACIT_API void set_threads(int threads);

/// The prices that are shipped, as JSON: what CompileOptions::costs may hold instead.
TACIT_API std::string default_costs();

/// What a network is computed with.
enum class Scheme {
  ckks,       ///< real numbers in slots: convolutional networks, wide layers, many outputs as real numbers
  tfhe,       ///< integers and tables: decision trees, small networks at once, functions that jump
  automatic,  ///< for CompileOptions: whichever is planned to take less time; the plan has a note that says why
};

/// For CompileOptions::batch: as many inputs a run as make an input cheapest within the memory budget.
inline constexpr std::int64_t kCheapestBatch = 0;

/// Fields that say "slots" or "integers" are for that scheme: InputError where the other one is asked for, and heeded
/// where `scheme` is automatic.
struct CompileOptions {
  /// Public inputs, already preprocessed, from which the ranges of approximated functions are measured. Required for
  /// models with functions that are not polynomials; never take private inputs.
  std::vector<Tensors> calibration{};
  /// What is publicly known about every input element, such as the range of preprocessed bytes.
  std::optional<std::pair<double, double>> input_range{};
  /// Calibration samples that lie far from all others are set aside, and a warning names them: at most so many (1 or
  /// more), or a share of all (below 1). 0: none is. Not given: 1 or 2, or 1 % of many.
  std::optional<double> calibration_trim{};
  /// Shapes of inputs, by name, whose axes the model leaves open. A leading 1 takes the rows of a fixed batch one at a
  /// time.
  std::map<std::string, Shape> shapes{};
  /// Inputs, by name, that are public and the same for everybody, as a sampling rate: the number fills the input's
  /// shape. They are not encrypted.
  std::map<std::string, double> constants{};
  /// The name of a parameter set of `scheme` or its JSON literal; empty: chosen by cost. InputError where `scheme` is
  /// automatic.
  std::string parameters{};
  /// Whether a literal in `parameters` may be marked insecure.
  InsecureParameters insecure = InsecureParameters::refuse;
  /// A hard bound on keys, encoded weights and values together; 0: what this machine has. For a model that another one
  /// will compute, give what that one has.
  std::uint64_t memory_bytes = 0;
  /// Slots: largest degree of an approximating polynomial; 0: 59, and more where probabilities or numbers would be off
  /// by a 1000th of their range.
  int max_degree = 0;
  /// Slots: largest error of an approximating polynomial, as a share of the function's largest value on its interval:
  /// beyond it a model is refused.
  double max_polynomial_error = 0.1;
  /// Largest expected error of an output, as a share of its range: above it a model is refused. It is stated from the
  /// calibration samples, without which this is refused. None: no bound.
  std::optional<double> max_error{};
  /// Whether the client may run operators of the model on its inputs, in the clear, before it encrypts.
  bool client_before = true;
  /// Nodes, by name, that the client may not run, because they hold what the model's owner keeps.
  std::vector<std::string> keep_private{};
  /// Slots: prices of the machine that will compute: JSON, as `tacit bench cost --output FILE` writes it; empty: those
  /// that are shipped. InputError where `scheme` is automatic.
  std::string costs{};
  /// Told how far compilation is; may cancel it.
  Progress* progress = nullptr;
  /// Slots: inputs that one run takes side by side, 1 to 4096: they share ciphertexts, so that each takes less time and
  /// one alone takes more.
  std::int64_t batch = 1;
  Scheme scheme = Scheme::ckks;
  /// Integers: 2 to 8, of a table's argument, of weights, and of the features of trees; 0: 6.
  int bits = 0;
  /// Integers: log2 of the probability that a lookup, or the decryption of a result, fails: -40, -64 or -128; 0: -128.
  double log2_failure = 0;
  /// Integers: whether sums that have more bits than tables are rounded exactly, bit by bit or by wider tables, so that
  /// what is decrypted equals `simulate`; otherwise noise may move an argument of a table to the next box, for a
  /// fraction of the time. InputError where `scheme` is automatic.
  bool exact_rounding = false;
  /// Slots: meshes that nodes run on, in place of the compiler's choice. Each is one of what the command takes for
  /// --shard: "conv1=x:4,y:2", the name of a file, or what such a file holds: a JSON object of nodes and their meshes,
  /// or lines that `tacit plan --explain sharding` prints. InputError where `scheme` is automatic.
  std::vector<std::string> shard{};
};

/// How a model will be computed, before any key exists.
struct Plan {
  Scheme scheme = Scheme::ckks;
  int security_bits = 0;                          ///< 0: insecure parameters
  int log_n = 0;                                  ///< of the ring
  double log_qp = 0;                              ///< slots: bits of the largest modulus
  int levels = 0;                                 ///< slots
  std::int64_t rotations = 0, rotation_keys = 0;  ///< slots
  std::int64_t bootstraps = 0;                    ///< of one run
  std::int64_t lookups = 0;                       ///< integers: of one input
  double log2_failure = 0;                        ///< integers: of a lookup
  std::int64_t input_ciphertexts = 0, output_ciphertexts = 0;
  double seconds = 0;  ///< of one input on so many threads of `machine`, by prices
  double threads = 1;
  std::string machine;  ///< whose prices these are
  double key_bytes = 0, weight_bytes = 0, ciphertext_bytes = 0;
  std::vector<std::string> warnings;  ///< what whoever relies on the model should know
  std::string text;                   ///< for people
  std::string json;                   ///< all of it, approximated functions and the client's steps too
  std::int64_t batch = 1;             ///< inputs that one run takes; counts are those of a run
};

/// The client's half of a compiled model: shapes, ranges and parameters, no weights. Cheap to copy, thread safe.
class TACIT_API ClientModel : public detail::Handle<const detail::ClientHalf> {
 public:
  /// Throws InputError for a damaged file, and for insecure parameters unless they are allowed.
  static ClientModel load(const std::filesystem::path& path, InsecureParameters insecure = InsecureParameters::refuse);
  void save(const std::filesystem::path& path) const;

  /// Shapes with the batch dimension, which is 1.
  std::vector<Shape> input_shapes() const;
  /// Shapes of the results, after what the client computes on decrypted values.
  std::vector<Shape> output_shapes() const;
  /// The names of every output's elements where the model states them (the classes of probabilities), or none.
  std::vector<std::vector<std::string>> output_columns() const;
  /// The parameter set as JSON.
  std::string parameters() const;
  Scheme scheme() const;
  /// 64 hexadecimal digits: SHA-256 over parameters, program, client interface and the client's part. Both halves
  /// compute it when they are loaded, and receipts name it.
  std::string id() const;
  /// Throws InputError for a file whose plan is damaged.
  Plan plan() const;

 private:
  using Handle::Handle;
};

/// The server's half: the computation with its weights. Cheap to copy, thread safe.
class TACIT_API ServerModel : public detail::Handle<const detail::ServerHalf> {
 public:
  /// Throws InputError for a damaged file, and for insecure parameters unless they are allowed.
  static ServerModel load(const std::filesystem::path& path, InsecureParameters insecure = InsecureParameters::refuse);
  void save(const std::filesystem::path& path) const;

 private:
  using Handle::Handle;
};

struct CompiledModel {
  ClientModel client;
  ServerModel server;
  /// What validate() compares with; shared, and not part of any file.
  std::shared_ptr<const detail::Origin> origin{};
};

/// Compiles an ONNX file. Throws InputError for a file that is no supported model (naming node and operator), for
/// missing calibration data, and for a depth or memory budget that no parameter set meets. Takes seconds for large
/// models.
TACIT_API CompiledModel compile(const std::filesystem::path& onnx_file, const CompileOptions& options = {});
/// The same for the content of such a file; `name` stands for it in plans and errors.
TACIT_API CompiledModel compile_bytes(std::string_view onnx, const std::string& name,
                                      const CompileOptions& options = {});

/// The plan with every operation, which is in no file. Of a model that was read from files, what its client's half
/// says.
TACIT_API Plan plan(const CompiledModel& model);

/// What a compiled model would answer under encryption: its clear reading, with noise drawn as the parameters predict
/// it. Answers "would it be right?" for a whole data set. Takes the inputs that `Client::encrypt` takes. Throws
/// InputError for a model that was read from files.
TACIT_API std::vector<Tensors> simulate(const CompiledModel& model, std::span<const Tensors> inputs,
                                        Progress& progress = Progress::silent());

/// Encrypted inputs of one evaluation or of many, or their encrypted results; it knows which. Cheap to copy, thread
/// safe.
class TACIT_API EncryptedTensors : public detail::Handle<const detail::EncryptedFile> {
 public:
  /// How many inputs.
  std::size_t size() const;
  void save(const std::filesystem::path& path) const;
  /// Results, for the client. Checks everything before use. Throws InputError for a file of inputs that nobody
  /// evaluated.
  static EncryptedTensors load(const ClientModel& model, const std::filesystem::path& path);
  /// Inputs, for the server. The same checks; a file of results is refused.
  static EncryptedTensors load(const ServerModel& model, const std::filesystem::path& path);
  /// Inputs that this client encrypted before, to compare answers with.
  static EncryptedTensors load_questions(const ClientModel& model, const std::filesystem::path& path);

  /// Throws KeyMismatch unless these are results, one of each of `questions` and in their order. The server says which
  /// input a result answers: a server that swaps, drops or repeats answers by mistake is found out.
  void require_answers_to(const EncryptedTensors& questions) const;

 private:
  using Handle::Handle;
};

/// What a server needs from a client, for one model: keys to multiply and rotate, or to look up tables with. Cheap to
/// copy, thread safe.
class TACIT_API ModelKeys : public detail::Handle<const detail::KeySet> {
 public:
  void save(const std::filesystem::path& path) const;
  /// Refuses a secret key in a sentence of its own.
  static ModelKeys load(const ServerModel& model, const std::filesystem::path& path);

 private:
  using Handle::Handle;
};

/// Who is going to see decrypted results, and what of them. Numbers for others are flooded with noise and rounded, so
/// that they tell nothing of the secret key (IND-CPA-D; Li, Micciancio, Schultz, Sorrell 2022).
struct Disclosure {
  std::optional<int> bits{};     ///< numbers for others, as multiples of 2^-bits; on integers refused
  double statistical_bits = 30;  ///< 20 to 80, s: all results of n numbers that are shared diverge from noiseless ones
                                 ///< by at most n / (24 * 2^s) (Kullback, Leibler)
  double decryptions = 1024;     ///< 1 to 2^40: so many results under one key are ever shared
  bool labels = false;           ///< labels for others, and no numbers
};

/// The owner of the data and of the secret key. Thread safe.
class TACIT_API Client : public detail::Handle<const detail::Owner> {
 public:
  /// Draws a fresh secret key.
  explicit Client(const ClientModel& model);
  /// Takes the secret key that `save_secret_key` wrote. Throws InputError for a file of this user's that others may
  /// read or change.
  Client(const ClientModel& model, const std::filesystem::path& secret_key);

  /// In the clear, in a file that only its owner may read (mode 0600). Throws InputError for a file that exists: it may
  /// be another key.
  void save_secret_key(const std::filesystem::path& path) const;
  /// Generates the keys that the server needs: megabytes to gigabytes, by model. Throws InputError where they do not
  /// fit the memory that is free.
  ModelKeys evaluation_keys(Progress& progress = Progress::silent()) const;

  /// Throws InputError naming the input, the element and the accepted interval for a wrong size, NaN, infinity or a
  /// value outside the interval.
  EncryptedTensors encrypt(const Tensors& inputs) const;
  /// Many inputs for one call of `Server::evaluate`.
  EncryptedTensors encrypt_all(std::span<const Tensors> inputs, Progress& progress = Progress::silent()) const;
  /// For the owner: numbers carry noise as large as that of the ciphertexts, half a bit (see <tacit/ckks.h>).
  /// Refuses (InputError) inputs that nobody evaluated, ciphertexts at another level or scale than the model ends at,
  /// and what is no valid result within the noise or left the calibrated bounds. The results of one input: InputError
  /// for those of many.
  Tensors decrypt(const EncryptedTensors& outputs) const;
  std::vector<Tensors> decrypt_all(const EncryptedTensors& outputs, Progress& progress = Progress::silent()) const;
  /// The same for a disclosure: results that others may see. Throws InputError also where bits cannot be shared, naming
  /// the most that can, and where a label is within noise of another.
  std::vector<Tensors> decrypt_all(const EncryptedTensors& outputs, const Disclosure& disclosure,
                                   Progress& progress = Progress::silent()) const;
};

/// A server's half with its weights encoded, once for any number of clients. Cheap to copy, thread safe.
class TACIT_API PreparedModel : public detail::Handle<const detail::PreparedHalf> {
 public:
  /// Encodes weights and tables: seconds, and what `client.plan()` says of memory. `clients` evaluate at once within
  /// the memory budget (0: what this machine has free). `held`: keys that are in memory already, of one client each;
  /// what is free need not hold those once more. Throws InputError when the budget cannot be met, KeyMismatch for keys
  /// of another model.
  explicit PreparedModel(const ServerModel& model, std::uint64_t memory_bytes = 0, int clients = 1,
                         Progress& progress = Progress::silent(), std::span<const ModelKeys> held = {});
};

/// Evaluates a model for one client.
class TACIT_API Server : public detail::Handle<detail::Evaluation> {
 public:
  /// Takes no memory but that of the client's keys and values. KeyMismatch for keys of another model.
  Server(const PreparedModel& model, const ModelKeys& keys);
  /// Prepares the model for this client alone. Throws InputError when the memory budget (0: what is free) cannot be
  /// met, KeyMismatch for keys of another model.
  Server(const ServerModel& model, const ModelKeys& keys, std::uint64_t memory_bytes = 0);
  /// Thread safe: calls of one server wait for each other, and each uses all threads; servers of several clients run at
  /// once. KeyMismatch for another client's inputs; InputError for results of an evaluation.
  /// Every input of a batch, one after the other.
  EncryptedTensors evaluate(const EncryptedTensors& inputs, Progress& progress = Progress::silent());
};

}  // namespace tacit
