#include "params/owner_flood.h"

#include <cmath>

#include "params/noise.h"

namespace tacit::params {
namespace {

/// How far the noise of a ciphertext may lie above the modelled one.
constexpr double kMostToModelled = 2;

}  // namespace

double part_flood(const CkksParameters& parameters, double noise, double scale, const Sharing& sharing) {
  return owners_flood(noise, 1, sharing) / slot_deviation(parameters, 1, scale);
}

double owners_flood(double noise, int parts, const Sharing& sharing) {
  return flooding_deviation(kMostToModelled * noise, sharing) * std::sqrt(static_cast<double>(parts));
}

}  // namespace tacit::params
