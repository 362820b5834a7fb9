#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "runtime/binding.h"

namespace tacit::search {

/// The numbers of a dimension in one tile: the ring degree of the search set.
inline constexpr std::size_t kTileNumbers = 4096;
/// Bounds of a store. A question has one coefficient for each dimension.
inline constexpr std::uint64_t kMostDimensions = kTileNumbers, kMostRecords = std::uint64_t{1} << 32,
                               kMostPayloadBytes = std::uint64_t{1} << 20;

/// The meaning of a score:
/// - cosine: the cosine of the angle between query and vector. Vectors have norm 1.
/// - dot: the inner product.
/// - euclid: the distance. A smaller one is nearer.
enum class Metric { cosine, dot, euclid };
std::string_view metric_name(Metric metric);
/// Throws InputError that lists the names.
Metric metric_from(std::string_view name);

/// The identity of a store, drawn when it is built. Keys, questions and answers carry it. Versions share it.
using StoreId = runtime::ModelId;

/// The form of the records of a store. Record r is in group r / per_group. A group is a dimension of the payload's
/// tiles. Its bytes lie one after the other, byte b as the int8 number b - 128.
struct PayloadShape {
  std::uint64_t bytes = 0;      ///< of each record
  std::uint64_t per_group = 1;  ///< records of a group
  std::uint64_t groups = 1;     ///< dimensions of the tiles
  std::uint64_t tiles() const { return (per_group * bytes + kTileNumbers - 1) / kTileNumbers; }
  bool operator==(const PayloadShape&) const = default;
};
/// Returns the form for so many records. It has the fewest groups whose bytes fit one tile, and at most
/// kMostDimensions: an expansion costs one key switch for each group.
PayloadShape payload_shape(std::uint64_t records, std::uint64_t bytes);

/// The statements of a store for its clients. Everybody may know them. Plain data; `from_json` checks it.
struct StoreShape {
  StoreId id{};
  std::uint64_t version = 1;  ///< counts from 1; every append and deletion adds 1
  Metric metric = Metric::cosine;
  std::uint64_t dimensions = 0;
  std::uint64_t records = 0;  ///< deleted ones included
  double step = 0;            ///< the value of one int8 unit: a component is step * its int8 number
  double largest_norm = 0;    ///< of a vector, before it is rounded; 1 for cosine
  std::optional<PayloadShape> payload{};

  std::uint64_t tiles() const { return (records + kTileNumbers - 1) / kTileNumbers; }
  /// Returns the largest norm of a vector of int8 numbers, rounding included.
  double largest_integer_norm() const;
  /// Returns the largest norm of a query of the metric euclid: twice that of a vector. Other metrics scale a query.
  double largest_query_norm() const { return 2 * largest_norm; }
  /// Returns the integer of a query component of value 1. Integer scores stay below 2^48 in absolute value, a quarter
  /// of the modulus.
  double query_scale() const;
  /// Returns the value of one unit of an integer score.
  double score_step() const { return step / query_scale(); }
  bool operator==(const StoreShape&) const = default;
};

nlohmann::json to_json(const StoreShape& shape);
/// Reads a shape from outside. Throws InputError on a missing field, another type, or a number out of its range.
StoreShape shape_from_json(const nlohmann::json& json);

}  // namespace tacit::search
