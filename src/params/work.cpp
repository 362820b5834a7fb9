#include "params/work.h"

#include <numeric>

namespace tacit::params {
namespace {
/// Beside the transforms.
constexpr double Work::*kParts[] = {&Work::macs,    &Work::key_macs,  &Work::products, &Work::embeddings,
                                    &Work::touched, &Work::additions, &Work::bytes};
}  // namespace

double Work::transform_words() const { return std::accumulate(transforms.begin(), transforms.end(), 0.0); }

Work& Work::operator+=(const Work& other) {
  for (std::size_t bits = 0; bits < transforms.size(); ++bits) transforms[bits] += other.transforms[bits];
  for (double Work::*const part : kParts) this->*part += other.*part;
  return *this;
}

Work operator+(Work a, const Work& b) { return a += b; }

Work operator*(double times, Work work) {
  for (double& words : work.transforms) words *= times;
  for (double Work::*const part : kParts) work.*part *= times;
  return work;
}

double seconds(const Work& work, const CostTable& table) {
  return 1e-9 * (work.transform_words() * table.ntt_ns + (work.macs + work.additions) * table.mac_ns +
                 work.key_macs * table.key_ns + work.products * table.product_ns + work.embeddings * table.embed_ns +
                 work.touched * table.touch_ns);
}

}  // namespace tacit::params
