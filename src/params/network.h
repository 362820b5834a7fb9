#pragma once

#include <string_view>

namespace tacit::params {

/// What lies between the ranks of a computation, as plans see it. Every rank has a link of its own, which carries so
/// many bits a second each way at once. The switch between the links holds nobody up. What ranks send each other before
/// one instruction takes the latency once, and the time of the fullest link.
struct Network {
  double bits_per_second = 0;
  double latency_seconds = 0;

  /// "10Gb,20us": bits a second with k, M, G or T, then a time with s, ms, us or ns. Throws InputError.
  static Network parse(std::string_view text);
  /// Of one exchange whose fullest link carries so many bytes one way; nothing where none travel.
  double seconds(double bytes) const { return bytes > 0 ? latency_seconds + 8 * bytes / bits_per_second : 0; }
};

}  // namespace tacit::params
