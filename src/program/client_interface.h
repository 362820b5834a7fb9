#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "program/slots/program.h"

namespace tacit::program {

/// The data for feeding one input of a program. They hold no weights. The client's own part of the model makes the
/// tensor from the model's inputs.
struct ClientInput {
  std::string name;
  layout::Layout layout;  ///< how the tensor is packed; layout.shape() is the tensor's shape
  int level = 0;          ///< level to encrypt at
  double scale = 0;
  double lowest = 0, highest = 0;  ///< accepted values, margin included; equal = any finite value
  std::vector<double> units{};     ///< unit * element is encrypted, one unit per logical element; empty = all 1
  /// The program begins with the trace that copies the slots 2^log_gap times. The client encrypts the copies, as a thin
  /// ciphertext (scheme/ckks/encryptor.h). All elements are then within the first slots / 2^log_gap slots of `layout`.
  int log_gap = 0;
};

/// Returns a tensor in the units that are encrypted: unit * element. `units` is empty or as long as the tensor
/// (InternalError).
std::vector<double> in_units(std::span<const double> units, std::vector<double> tensor);

/// The data for reading one output.
struct ClientOutput {
  std::string name;
  layout::Layout layout;           ///< layout of the program's output
  std::size_t program_output = 0;  ///< index of the program's output that is read
  double unit = 1;                 ///< an element of the tensor is unit * decrypted value, or a share of it
  double lowest = 0, highest = 0;  ///< accepted decrypted values, margin included; equal = any
  int level = 0;     ///< level at which the program ends; a result at another level is not from this program
  double scale = 0;  ///< scale for decoding the result
  double noise = 0;  ///< modelled deviation of the decrypted values; 0 = not known
  /// The unit of every logical element as a share of `unit`, from 0 to 1; empty = all 1.
  std::vector<double> shares{};
};

/// The client's half of a compiled model.
struct ClientInterface {
  std::vector<ClientInput> inputs;
  std::vector<ClientOutput> outputs;
  /// The samples of one run of the program. A tensor holds those of all samples, interleaved.
  std::int64_t batch = 1;
};

/// Returns the tensors of a run from the tensors of 1 to `batch` samples, in the order of the interface. A place
/// without a sample repeats the last one. Throws InputError for another number of samples, and for tensors of different
/// sizes.
std::vector<std::vector<double>> side_by_side(const ClientInterface& client,
                                              std::span<const std::vector<std::vector<double>>> samples);
/// Returns the part of a run's tensors for one sample, by its place below `batch`.
std::vector<std::vector<double>> of_sample(const ClientInterface& client,
                                           const std::vector<std::vector<double>>& tensors, std::size_t sample);

/// Returns the tensor of decrypted values: unit * share * value. `shares` is empty or as long as the tensor
/// (InternalError).
std::vector<double> from_units(const ClientOutput& output, std::vector<double> decrypted);
/// Returns the tensors of a program's results, by output of the interface.
std::vector<std::vector<double>> from_units(const ClientInterface& client,
                                            const std::vector<std::vector<double>>& results);

/// Convert an interface to bytes and back. The bytes are little-endian and versioned; equal interfaces give equal
/// bytes. Reading takes untrusted bytes and throws InputError naming the byte.
std::vector<std::uint8_t> to_bytes(const ClientInterface& interface);
ClientInterface client_interface_from_bytes(std::span<const std::uint8_t> bytes);

}  // namespace tacit::program
