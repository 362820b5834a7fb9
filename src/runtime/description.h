#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "runtime/artefact.h"
#include "runtime/binding.h"

/// The JSON section "about" that the artefacts of a model, its keys and its ciphertexts begin with.
namespace tacit::runtime {

inline constexpr std::string_view kAboutSection = "about";
/// Longest "about" that is read, so that a file cannot make the JSON parser eat memory.
inline constexpr std::uint64_t kMostAboutBytes = 16 << 20;

/// Runs a parser of what a file holds; every InputError, and every JSON error, becomes an InputError that begins with
/// the path.
void parsing(const std::filesystem::path& path, const std::function<void()>& body);

nlohmann::json about(const ArtefactReader& reader);
/// As many bytes as `out` has from a hexadecimal string. Throws InputError.
void from_hexadecimal(const std::string& text, std::span<std::uint8_t> out);

nlohmann::json to_json(const Binding& binding);
Binding binding_from_json(const nlohmann::json& json);

}  // namespace tacit::runtime
