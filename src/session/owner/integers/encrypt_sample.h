#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/client_parts.h"
#include "runtime/integers/integer_client.h"

namespace tacit::session {

/// Counts the samples whose features lie beyond the grid that trees read, where they count as its end.
class BeyondGrids {
 public:
  void add(const integers::ClientInterface& interface, const std::vector<std::vector<double>>& tensors);
  /// One for each feature, the first few; no value of a sample is told.
  std::vector<std::string> sentences(const integers::ClientInterface& interface) const;

 private:
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> samples_;  ///< by input and element
};

/// Runs the client's part before encryption on a sample of the model and encrypts what comes out. What is held of the
/// sample on the way is wiped. `beyond`, where it is given, counts the sample. Throws InputError as graph::run_before
/// and IntegerClient::encrypt.
std::vector<scheme::tfhe::SeededLweCiphertexts> encrypt_sample(const runtime::IntegerClient& client,
                                                               const graph::ClientParts& parts,
                                                               const std::vector<graph::Tensor>& sample,
                                                               BeyondGrids* beyond = nullptr);

}  // namespace tacit::session
