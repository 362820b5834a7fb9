#include "params/work.h"

#include <numeric>

namespace tacit::params {

double Work::transform_words() const { return std::accumulate(transforms.begin(), transforms.end(), 0.0); }

Work& Work::operator+=(const Work& other) {
  for (std::size_t bits = 0; bits < transforms.size(); ++bits) transforms[bits] += other.transforms[bits];
  macs += other.macs;
  key_macs += other.key_macs;
  products += other.products;
  embeddings += other.embeddings;
  touched += other.touched;
  additions += other.additions;
  bytes += other.bytes;
  return *this;
}

Work operator+(Work a, const Work& b) { return a += b; }

Work operator*(double times, Work work) {
  for (double& words : work.transforms) words *= times;
  for (double* part :
       {&work.macs, &work.key_macs, &work.products, &work.embeddings, &work.touched, &work.additions, &work.bytes})
    *part *= times;
  return work;
}

double seconds(const Work& work, const CostTable& table) {
  return 1e-9 * (work.transform_words() * table.ntt_ns + (work.macs + work.additions) * table.mac_ns +
                 work.key_macs * table.key_ns + work.products * table.product_ns + work.embeddings * table.embed_ns +
                 work.touched * table.touch_ns);
}

}  // namespace tacit::params
