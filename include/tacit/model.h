#pragma once

/// Trained networks on encrypted data. An ONNX model is compiled into two halves. A client with the small half makes
/// keys, encrypts and decrypts. A server with the other half evaluates and never holds the secret key. The files are
/// those of the `tacit` command, so one side may be a program and the other the command. A network runs on real numbers
/// (CKKS) or on integers with tables (TFHE). All steps after compilation are the same for both.
///
/// Trust: the server is honest but curious, and one party owns the secret key. Others see decrypted results through a
/// `Disclosure` (Li, Micciancio 2021). A server cannot see values. Therefore the client refuses inputs outside the
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
// The implementations of the classes below. Each has a form for every scheme.
struct ClientHalf;
struct ServerHalf;
struct EncryptedFile;
struct KeySet;
struct InputKey;
struct Owner;
struct PreparedHalf;
struct Evaluation;
struct Origin;
}  // namespace tacit::detail

namespace tacit {

/// One number per element, row-major, for every input (or output) of a model in its order.
using Tensors = std::vector<std::vector<double>>;
using Shape = std::vector<std::int64_t>;

/// Bounds the threads of the whole process. 0, the default, means all processors that the process may run on.
TACIT_API void set_threads(int threads);

/// Returns the shipped prices as JSON, in the format of CompileOptions::costs.
TACIT_API std::string default_costs();

/// The encryption scheme of a network.
enum class Scheme {
  ckks,       ///< real numbers in slots: convolutional networks, wide layers, many outputs as real numbers
  tfhe,       ///< integers and tables: decision trees, small networks at low latency, functions that jump
  automatic,  ///< for CompileOptions: the scheme with the shorter planned time; a note in the plan says why
};

/// For CompileOptions::batch: the number of inputs per run that makes an input cheapest within the memory budget.
inline constexpr std::int64_t kCheapestBatch = 0;

/// Options of compile(). A field marked "slots" (CKKS) or "integers" (TFHE) applies to that scheme only. Setting it for
/// the other one is an error (InputError). With Scheme::automatic each scheme reads its own fields.
struct CompileOptions {
  /// Public inputs, already preprocessed, from which the ranges of approximated functions are measured. Models with
  /// functions that are not polynomials need them. Never use private inputs.
  std::vector<Tensors> calibration{};
  /// A publicly known range of every input element, such as the range of preprocessed bytes.
  std::optional<std::pair<double, double>> input_range{};
  /// The largest number (1 or more) or share (below 1) of calibration samples that may be set aside. These are samples
  /// far from all others, and a warning names them. 0: none. Not given: 1 or 2, or 1 % of many.
  std::optional<double> calibration_trim{};
  /// Shapes by name, for inputs that have open axes in the model. A leading 1 takes the rows of a fixed batch one at a
  /// time.
  std::map<std::string, Shape> shapes{};
  /// Inputs, by name, that are public and the same for everybody, such as a sampling rate. The number fills the input's
  /// shape. These inputs are not encrypted.
  std::map<std::string, double> constants{};
  /// The name of a parameter set of `scheme`, or its JSON literal. Empty: chosen by cost. InputError if `scheme` is
  /// automatic.
  std::string parameters{};
  /// Allows or refuses a literal in `parameters` that is marked insecure.
  InsecureParameters insecure = InsecureParameters::refuse;
  /// A hard bound on keys, encoded weights and values together; 0: the memory of this machine. If another machine will
  /// compute the model, give the memory of that one.
  std::uint64_t memory_bytes = 0;
  /// Slots: the largest degree of an approximating polynomial. 0: 59, and more if probabilities or numbers would be off
  /// by a 1000th of their range.
  int max_degree = 0;
  /// Slots: the largest error of an approximating polynomial, as a share of the function's largest value on its
  /// interval. A model with a larger error is refused.
  double max_polynomial_error = 0.1;
  /// The largest expected error of an output, as a share of its range. A model with a larger error is refused. The
  /// error is stated from the calibration samples, so a bound without them is refused. None: no bound.
  std::optional<double> max_error{};
  /// Allows the client to run operators of the model on its inputs, in the clear, before it encrypts.
  bool client_before = true;
  /// Nodes, by name, that the client may not run, because they hold secrets of the model's owner.
  std::vector<std::string> keep_private{};
  /// Slots: prices of the machine that will compute, as the JSON that `tacit bench cost --output FILE` writes. Empty:
  /// the shipped prices. InputError if `scheme` is automatic.
  std::string costs{};
  /// Receives the progress of compilation, and may cancel it.
  Progress* progress = nullptr;
  /// Slots: the number of inputs that one run takes side by side, 1 to 4096. They share ciphertexts, so that each takes
  /// less time, and a single input takes more.
  std::int64_t batch = 1;
  Scheme scheme = Scheme::ckks;
  /// Integers: bits of a table's argument, of weights, and of the features of trees, 2 to 8; 0: 6.
  int bits = 0;
  /// Integers: log2 of the probability that a lookup, or the decryption of a result, fails: -40, -64 or -128; 0: -128.
  double log2_failure = 0;
  /// Integers: rounds sums that have more bits than tables exactly, bit by bit or by wider tables. Decrypted results
  /// then equal `simulate`. Otherwise noise may move an argument of a table to the next box, and evaluation
  /// takes a fraction of the time. InputError if `scheme` is automatic.
  bool exact_rounding = false;
  /// Slots: meshes that nodes run on, instead of the compiler's choice. Each entry is an argument of the command's
  /// --shard or the content of such a file:
  /// - text such as "conv1=x:4,y:2",
  /// - the name of a file,
  /// - a JSON object of nodes and their meshes,
  /// - lines that `tacit plan --explain sharding` prints.
  /// InputError if `scheme` is automatic.
  std::vector<std::string> shard{};
};

/// The way a model will be computed, before any key exists.
struct Plan {
  Scheme scheme = Scheme::ckks;
  int security_bits = 0;                          ///< 0: insecure parameters
  int log_n = 0;                                  ///< log2 of the ring degree
  double log_qp = 0;                              ///< slots: bits of the largest modulus
  int levels = 0;                                 ///< slots
  std::int64_t rotations = 0, rotation_keys = 0;  ///< slots
  std::int64_t bootstraps = 0;                    ///< in one run
  std::int64_t lookups = 0;                       ///< integers: for one input
  double log2_failure = 0;                        ///< integers: log2 of a lookup's probability of failure
  std::int64_t input_ciphertexts = 0, output_ciphertexts = 0;
  double seconds = 0;  ///< for one input on `threads` threads of `machine`, by prices
  double threads = 1;
  std::string machine;  ///< machine of the prices
  double key_bytes = 0, weight_bytes = 0, ciphertext_bytes = 0;
  std::vector<std::string> warnings;  ///< facts that users of the model should know
  std::string text;                   ///< the plan for people
  std::string json;                   ///< the whole plan, with approximated functions and the client's steps
  std::int64_t batch = 1;             ///< inputs that one run takes; counts are per run
};

/// The client's half of a compiled model: shapes, ranges and parameters, no weights. Cheap to copy, thread safe.
class TACIT_API ClientModel : public detail::Handle<const detail::ClientHalf> {
 public:
  /// Throws InputError for a damaged file, and for insecure parameters unless they are allowed.
  static ClientModel load(const std::filesystem::path& path, InsecureParameters insecure = InsecureParameters::refuse);
  void save(const std::filesystem::path& path) const;

  /// Shapes with the batch dimension, which is 1.
  std::vector<Shape> input_shapes() const;
  /// Shapes of the results, after the client's computations on decrypted values.
  std::vector<Shape> output_shapes() const;
  /// Returns the names of every output's elements if the model states them (the classes of probabilities), or none.
  std::vector<std::vector<std::string>> output_columns() const;
  /// The parameter set as JSON.
  std::string parameters() const;
  Scheme scheme() const;
  /// Returns 64 hexadecimal digits: SHA-256 over parameters, program, client interface and the client's part. Both
  /// halves compute it when they are loaded, and receipts name it.
  std::string id() const;
  /// Returns the plan. Throws InputError for a file whose plan is damaged.
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
  /// The model that validate() compares with. Shared, and not part of any file.
  std::shared_ptr<const detail::Origin> origin{};
};

/// Compiles an ONNX file. Takes seconds for large models. Throws InputError
/// - for a file that is no supported model, naming node and operator,
/// - for missing calibration data,
/// - for a depth or memory budget that no parameter set meets.
TACIT_API CompiledModel compile(const std::filesystem::path& onnx_file, const CompileOptions& options = {});
/// Compiles the content of an ONNX file. `name` represents it in plans and errors.
TACIT_API CompiledModel compile_bytes(std::string_view onnx, const std::string& name,
                                      const CompileOptions& options = {});

/// Returns the plan with every operation, which is in no file. For a model that was read from files, returns the plan
/// of its client's half.
TACIT_API Plan plan(const CompiledModel& model);

/// Returns the answers that a compiled model would give under encryption. It runs the clear reading, with noise drawn
/// as the parameters predict it. Use it to test the accuracy on a whole data set. Takes the inputs that
/// `Client::encrypt` takes. Throws InputError for a model that was read from files.
TACIT_API std::vector<Tensors> simulate(const CompiledModel& model, std::span<const Tensors> inputs,
                                        Progress& progress = Progress::silent());

/// Encrypted inputs of one evaluation or of many, or their encrypted results. The object knows which. Cheap to copy,
/// thread safe.
class TACIT_API EncryptedTensors : public detail::Handle<const detail::EncryptedFile> {
 public:
  /// The number of inputs.
  std::size_t size() const;
  void save(const std::filesystem::path& path) const;
  /// Reads results, for the client, and checks everything before use. Throws InputError for a file of inputs that were
  /// not evaluated.
  static EncryptedTensors load(const ClientModel& model, const std::filesystem::path& path);
  /// Reads inputs, for the server, with the same checks. Refuses a file of results.
  static EncryptedTensors load(const ServerModel& model, const std::filesystem::path& path);
  /// Reads inputs that this client encrypted earlier, to compare answers with them.
  static EncryptedTensors load_questions(const ClientModel& model, const std::filesystem::path& path);

  /// Throws KeyMismatch unless these are results, one for each of `questions` and in their order. The server states
  /// which input a result answers. The check finds a server that swaps, drops or repeats answers by mistake.
  void require_answers_to(const EncryptedTensors& questions) const;

 private:
  using Handle::Handle;
};

/// The keys that a server needs from a client, for one model: to multiply and rotate, or to look up tables. Cheap to
/// copy, thread safe.
class TACIT_API ModelKeys : public detail::Handle<const detail::KeySet> {
 public:
  void save(const std::filesystem::path& path) const;
  /// Reads keys. Refuses a file with a secret key, and says so.
  static ModelKeys load(const ServerModel& model, const std::filesystem::path& path);

 private:
  using Handle::Handle;
};

/// A key for one model that encrypts inputs and does not decrypt. Whoever has inputs gets it from the owner of the
/// secret key, over a channel that keeps it unchanged: with another key, inputs are readable by the owner of that other
/// key. Everybody who has it can encrypt, so that encrypted inputs do not show who sent them. Cheap to copy, thread
/// safe.
class TACIT_API ModelPublicKey : public detail::Handle<const detail::InputKey> {
 public:
  /// Writes the key: 16 KiB for networks on integers, a megabyte to some ten megabytes on slots. Throws InputError
  /// naming the path.
  void save(const std::filesystem::path& path) const;
  /// Reads a key that `save` or `tacit keygen --public` wrote. Throws KeyMismatch for a key of another model, and
  /// InputError for a damaged file and for a file of another kind, such as a secret key.
  static ModelPublicKey load(const ClientModel& model, const std::filesystem::path& path);

  /// Encrypts one input. The result is evaluated and decrypted as that of Client::encrypt. It is larger, because no
  /// seed stands for a part of it: twice as large on slots. Throws InputError as Client::encrypt does.
  EncryptedTensors encrypt(const Tensors& inputs) const;
  /// Encrypts many inputs for one call of `Server::evaluate`.
  EncryptedTensors encrypt_all(std::span<const Tensors> inputs, Progress& progress = Progress::silent()) const;

 private:
  using Handle::Handle;
};

/// The parts of decrypted results that others will see. Numbers for others are flooded with noise and rounded, so that
/// they say nothing about the secret key (IND-CPA-D; Li, Micciancio, Schultz, Sorrell 2022).
struct Disclosure {
  std::optional<int> bits{};     ///< numbers for others, as multiples of 2^-bits; refused on integers
  double statistical_bits = 30;  ///< s, 20 to 80: all shared results of n numbers diverge from noiseless ones by at
                                 ///< most n / (24 * 2^s) (Kullback, Leibler)
  double decryptions = 1024;     ///< 1 to 2^40: the most results under one key that are ever shared
  bool labels = false;           ///< labels for others, and no numbers
};

/// The owner of the data and of the secret key. Thread safe.
class TACIT_API Client : public detail::Handle<const detail::Owner> {
 public:
  /// Draws a fresh secret key.
  explicit Client(const ClientModel& model);
  /// Reads the secret key that `save_secret_key` wrote. Throws InputError for a file of this user that others may read
  /// or change.
  Client(const ClientModel& model, const std::filesystem::path& secret_key);

  /// Writes the key in the clear, in a file that only its owner may read (mode 0600). Throws InputError for an existing
  /// file, because it may hold another key.
  void save_secret_key(const std::filesystem::path& path) const;
  /// Generates the keys that the server needs: megabytes to gigabytes, depending on the model. Throws InputError if the
  /// free memory is too small for them.
  ModelKeys evaluation_keys(Progress& progress = Progress::silent()) const;
  /// Makes a public key to the secret key. Every call makes another one, and all serve. Throws InputError for a network
  /// on integers whose parameters leave no room for the noise of public keys, naming the layer.
  ModelPublicKey public_key() const;

  /// Encrypts one input. Throws InputError for a wrong size, NaN, infinity, and a value outside the accepted interval.
  /// The error names the input, the element and the interval.
  EncryptedTensors encrypt(const Tensors& inputs) const;
  /// Encrypts many inputs for one call of `Server::evaluate`.
  EncryptedTensors encrypt_all(std::span<const Tensors> inputs, Progress& progress = Progress::silent()) const;
  /// Decrypts the results of one input, for the owner of the key. Numbers carry added noise as large as the noise of
  /// the ciphertexts, which costs half a bit (see <tacit/ckks.h>). Throws InputError for
  /// - inputs that were not evaluated,
  /// - ciphertexts at another level or scale than the model ends at,
  /// - values that are no valid result within the noise, or outside the calibrated bounds,
  /// - results of many inputs.
  Tensors decrypt(const EncryptedTensors& outputs) const;
  std::vector<Tensors> decrypt_all(const EncryptedTensors& outputs, Progress& progress = Progress::silent()) const;
  /// Decrypts results that others may see. Throws InputError as above. Throws it also for bits that cannot be shared,
  /// naming the most that can, and for a label within noise of another.
  std::vector<Tensors> decrypt_all(const EncryptedTensors& outputs, const Disclosure& disclosure,
                                   Progress& progress = Progress::silent()) const;
};

/// A server's half with its weights encoded, once for all clients. Cheap to copy, thread safe.
class TACIT_API PreparedModel : public detail::Handle<const detail::PreparedHalf> {
 public:
  /// Encodes weights and tables. Takes seconds, and the memory that `client.plan()` states. `clients` evaluate at once
  /// within the memory budget (0: the free memory of this machine). `held` are keys that are in memory already, one per
  /// client; the free memory need not hold them again. Throws InputError if the budget cannot be met, and KeyMismatch
  /// for keys of another model.
  explicit PreparedModel(const ServerModel& model, std::uint64_t memory_bytes = 0, int clients = 1,
                         Progress& progress = Progress::silent(), std::span<const ModelKeys> held = {});
};

/// Evaluates a model for one client.
class TACIT_API Server : public detail::Handle<detail::Evaluation> {
 public:
  /// Uses no memory except that of the client's keys and values. Throws KeyMismatch for keys of another model.
  Server(const PreparedModel& model, const ModelKeys& keys);
  /// Prepares the model for this client alone. Throws InputError if the memory budget (0: the free memory) cannot be
  /// met, and KeyMismatch for keys of another model.
  Server(const ServerModel& model, const ModelKeys& keys, std::uint64_t memory_bytes = 0);
  /// Evaluates every input of a batch, one after the other. Thread safe: calls of one server wait for each other, and
  /// each uses all threads. Servers of several clients run at once. Throws KeyMismatch for another client's inputs, and
  /// InputError for results of an evaluation.
  EncryptedTensors evaluate(const EncryptedTensors& inputs, Progress& progress = Progress::silent());
};

}  // namespace tacit
