#pragma once

#include <string_view>

namespace tacit::params {

/// The network between the ranks of a computation, as plans see it. Every rank has its own link, which carries
/// `bits_per_second` each way at once. The switch between the links delays nobody. The exchange before one instruction
/// takes the latency once, and the time of the fullest link.
struct Interconnect {
  double bits_per_second = 0;
  double latency_seconds = 0;

  /// Parses "10Gb,20us": bits per second with k, M, G or T, then a time with s, ms, us or ns. Throws InputError.
  static Interconnect parse(std::string_view text);
  /// Returns the time of one exchange whose fullest link carries `bytes` one way. Without any bytes, it is 0.
  double seconds(double bytes) const { return bytes > 0 ? latency_seconds + 8 * bytes / bits_per_second : 0; }
};

}  // namespace tacit::params
