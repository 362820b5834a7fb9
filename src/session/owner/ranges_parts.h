#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_fields.h"
#include "base/json_text.h"
#include "base/sha256.h"
#include "graph/far_row.h"
#include "graph/range.h"

/// The parts that files of ranges of both schemes have. Every reader throws InputError naming the field that is wrong.
namespace tacit::session::ranges {

inline constexpr std::string_view kOnSlots = "tacit ranges 1", kOnIntegers = "tacit integer ranges 1";  ///< formats
inline constexpr base::JsonBounds kBounds{std::size_t{64} << 20, std::size_t{1} << 22, 8};
inline constexpr double kLargest = 1e100;
inline constexpr std::uint64_t kMostSamples = std::uint64_t{1} << 40;
inline constexpr std::size_t kMostOutputs = 4096;

[[noreturn]] void refuse(const std::string& why);

nlohmann::ordered_json both(const graph::Range& range);

double bounded_number(const nlohmann::json& value, std::string_view what);
std::vector<double> numbers(const nlohmann::json& list, std::string_view what);
const nlohmann::json& object(const nlohmann::json& value, std::string_view what);
bool flag(base::JsonFields& fields, const char* name);
graph::Range range_of(double lowest, double highest, std::string_view what);
graph::Range pair(const nlohmann::json& list, std::string_view what);
/// Reads the name of a node in the field `node`.
std::string node_from(base::JsonFields& fields, const std::string& what);
/// Reads the names of nodes that the client may not run.
std::set<std::string> kept_private_from(base::JsonFields& fields);
base::Digest digest_from(const std::string& hexadecimal, std::string_view what);
/// Reads numbers that are not below 0. null is infinity, if there may be any.
std::vector<double> deviations(const nlohmann::json& list, std::string_view what, bool may_be_infinite);

/// Reads the number of samples, at least 1.
std::size_t samples_from(base::JsonFields& fields);
/// Returns the rows far from all others, as files of ranges and plans state them.
nlohmann::ordered_json far_rows_json(const graph::FarRows& far);
graph::FarRows far_rows_from(const nlohmann::json& value);

/// Returns the text of JSON. Names that are not UTF-8 become others.
std::string text_of(const nlohmann::ordered_json& json);
/// Returns the text of a file of ranges. Throws InputError if it does not exist or is larger than 64 MiB.
std::string text_of_file(const std::filesystem::path& file);
/// Throws InputError if a file of these ranges would not give the same ranges. `reads` reads them again and compares.
/// It throws InputError for a number or a name that no such file may hold.
void require_read_again(const std::function<bool()>& reads);

}  // namespace tacit::session::ranges
