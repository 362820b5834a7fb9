#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/client_parts.h"
#include "runtime/integers/integer_client.h"

namespace tacit::session {

/// Counts the samples with features beyond the grid of a tree's thresholds. Such a feature counts as the nearer end of
/// the grid.
class BeyondGrids {
 public:
  void add(const integers::ClientInterface& interface, const std::vector<std::vector<double>>& tensors);
  /// Returns a sentence for each of the first features. The sentences state no value of a sample.
  std::vector<std::string> sentences(const integers::ClientInterface& interface) const;

 private:
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> samples_;  ///< by input and element
};

/// Runs the client's part before encryption on a sample of the model and encrypts the result. Intermediate values of
/// the sample are wiped. `beyond`, if it is given, counts the sample. Throws InputError as graph::run_before and
/// IntegerClient::encrypt do.
std::vector<scheme::tfhe::FreshLweCiphertexts> encrypt_sample(const runtime::IntegerClient& client,
                                                              const graph::ClientParts& parts,
                                                              const std::vector<graph::Tensor>& sample,
                                                              BeyondGrids* beyond = nullptr);

}  // namespace tacit::session
