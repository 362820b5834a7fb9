#include "program/client_interface.h"

#include "base/error.h"

namespace tacit::program {

std::vector<double> in_units(std::span<const double> units, std::vector<double> tensor) {
  if (!units.empty() && units.size() != tensor.size())
    throw base::InternalError("an input has another number of units than elements");
  for (std::size_t i = 0; i < units.size(); ++i) tensor[i] *= units[i];
  return tensor;
}

std::vector<double> from_units(const ClientOutput& output, std::vector<double> decrypted) {
  for (double& value : decrypted) value *= output.unit;
  return decrypted;
}

std::vector<std::vector<double>> from_units(const ClientInterface& client,
                                            const std::vector<std::vector<double>>& results) {
  std::vector<std::vector<double>> tensors;
  for (const ClientOutput& output : client.outputs)
    tensors.push_back(from_units(output, results.at(output.program_output)));
  return tensors;
}

}  // namespace tacit::program
