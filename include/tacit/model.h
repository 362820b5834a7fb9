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

#include <tacit/compile_options.h>
#include <tacit/disclosure.h>
#include <tacit/error.h>
#include <tacit/handle.h>
#include <tacit/insecure.h>
#include <tacit/progress.h>
#include <tacit/sink.h>
#include <tacit/source.h>

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

/// Bounds the threads of the whole process. 0, the default, means all processors that the process may run on.
TACIT_API void set_threads(int threads);

/// Returns the shipped prices as JSON, in the format of CompileOptions::costs.
TACIT_API std::string default_costs();

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
  /// Throws InputError for damage, and for insecure parameters unless they are allowed.
  static ClientModel load(const Source& source, InsecureParameters insecure = InsecureParameters::refuse);
  void save(const Sink& sink) const;

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
  /// Throws InputError for damage, and for insecure parameters unless they are allowed.
  static ServerModel load(const Source& source, InsecureParameters insecure = InsecureParameters::refuse);
  void save(const Sink& sink) const;

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

/// Measures on the calibration samples what compile() needs of them, so that they need not travel. Returns JSON for
/// CompileOptions::ranges: with it, and otherwise the same options, the same model compiles to the same program. It
/// holds no sample, but the smallest and the largest value of every feature of an input, and on integers the mean. Of
/// few samples that says much of each. Ranges serve one scheme. Throws InputError as compile() does, and for a scheme
/// that is automatic.
TACIT_API std::string calibrate(const std::filesystem::path& onnx_file, const CompileOptions& options);
TACIT_API std::string calibrate_bytes(std::string_view onnx, const std::string& name, const CompileOptions& options);

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
  void save(const Sink& sink) const;
  /// Reads results, for the client, and checks everything before use. Throws InputError for inputs that were not
  /// evaluated.
  static EncryptedTensors load(const ClientModel& model, const Source& source);
  /// Reads inputs, for the server, with the same checks. Refuses results.
  static EncryptedTensors load(const ServerModel& model, const Source& source);
  /// Reads inputs that this client encrypted earlier, to compare answers with them. `kept` is their kept_values(). For
  /// a file it may be empty: the values are read from the file next to it.
  static EncryptedTensors load_questions(const ClientModel& model, const Source& source,
                                         std::span<const std::byte> kept = {});
  /// Returns the values that the client keeps of these inputs, in the clear, because the model returns them unchanged.
  /// Empty for most models. `save` writes them next to a file, with the suffix ".kept" and mode 0600, and to no other
  /// place.
  std::vector<std::byte> kept_values() const;

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
  void save(const Sink& sink) const;
  /// Reads keys. Refuses a secret key, and says so.
  static ModelKeys load(const ServerModel& model, const Source& source);

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
  /// naming the sink.
  void save(const Sink& sink) const;
  /// Reads a key that `save` or `tacit keygen --public` wrote. Throws KeyMismatch for a key of another model, and
  /// InputError for a damaged file and for a file of another kind, such as a secret key.
  static ModelPublicKey load(const ClientModel& model, const Source& source);

  /// Encrypts one input. The result is evaluated and decrypted as that of Client::encrypt. It is larger, because no
  /// seed stands for a part of it: twice as large on slots. Throws InputError as Client::encrypt does.
  EncryptedTensors encrypt(const Tensors& inputs) const;
  /// Encrypts many inputs for one call of `Server::evaluate`.
  EncryptedTensors encrypt_all(std::span<const Tensors> inputs, Progress& progress = Progress::silent()) const;

 private:
  using Handle::Handle;
};

/// The owner of the data and of the secret key. Thread safe.
class TACIT_API Client : public detail::Handle<const detail::Owner> {
 public:
  /// Draws a fresh secret key.
  explicit Client(const ClientModel& model);
  /// Reads the secret key that `save_secret_key` wrote. Throws InputError for a file of this user that others may read
  /// or change.
  Client(const ClientModel& model, const Source& secret_key);

  /// Writes the key in the clear. A file has mode 0600: only its owner may read it. Throws InputError for an existing
  /// file, because it may hold another key. Wipe memory that holds the bytes.
  void save_secret_key(const Sink& sink) const;
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
