#include "program/slots/operation_prices.h"

namespace tacit::slots {

LinearPrices OperationPrices::linear(int level) const { return params::seconds(account_.linear(level), table_); }

double OperationPrices::bootstraps(const params::BootstrapSchedule& schedule, std::int64_t ciphertexts) const {
  const std::int64_t second_of_pair = ciphertexts / 2;
  return static_cast<double>(ciphertexts - second_of_pair) * seconds(account_.bootstrap(schedule)) +
         static_cast<double>(second_of_pair) * seconds(account_.sine(schedule));
}

}  // namespace tacit::slots
