#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "search/quantiser.h"
#include "search/store_builder.h"

namespace tacit::search {

/// Random vectors of norm 1, or of a given norm, with a fixed seed.
class RandomVectors {
 public:
  RandomVectors(std::uint64_t count, std::uint64_t dimensions, unsigned seed, double norm = 1)
      : count_(count), dimensions_(dimensions), numbers_(count * dimensions) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (std::uint64_t i = 0; i < count; ++i) {
      double squares = 0;
      for (double& x : row(i)) {
        x = normal(random);
        squares += x * x;
      }
      for (double& x : row(i)) x *= norm / std::sqrt(squares);
    }
  }
  std::span<double> row(std::uint64_t i) { return std::span(numbers_).subspan(i * dimensions_, dimensions_); }
  Vectors vectors() {
    return {.count = count_, .dimensions = dimensions_, .read = [this](std::uint64_t i, std::span<double> out) {
              std::copy_n(row(i).begin(), dimensions_, out.begin());
            }};
  }

 private:
  std::uint64_t count_, dimensions_;
  std::vector<double> numbers_;
};

/// Byte b of record r is a fixed function of both.
inline std::uint8_t payload_byte(std::uint64_t record, std::uint64_t b) {
  return static_cast<std::uint8_t>(record * 31 + b * 7 + record / 256);
}
inline Payload test_payload(std::uint64_t bytes, std::uint64_t first_record = 0) {
  return {.bytes = bytes, .read = [first_record](std::uint64_t record, std::span<std::uint8_t> out) {
            for (std::uint64_t b = 0; b < out.size(); ++b) out[b] = payload_byte(record + first_record, b);
          }};
}

}  // namespace tacit::search
