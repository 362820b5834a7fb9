#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/held_json.h"
#include "runtime/artefact.h"
#include "runtime/binding.h"

/// The JSON section "about" that the artefacts of a model, its keys and its ciphertexts begin with.
namespace tacit::runtime {

inline constexpr std::string_view kAboutSection = "about";
/// Bounds on the "about" of an artefact, so that a file cannot make the JSON parser eat memory. Models hold a plan.
/// Keys and ciphertexts, which strangers send to a server, need a few hundred bytes and the names of tensors.
base::JsonBounds about_bounds(ArtefactKind kind);

/// Runs a parser of what a file holds; every InputError, and every JSON error, becomes an InputError that begins with
/// the path.
void parsing(const std::filesystem::path& path, const std::function<void()>& body);

/// Throws InputError for an "about" that breaks the bounds of its kind, before any of it is parsed.
base::HeldJson about(const ArtefactReader& reader);
/// The text of an "about" to write. Throws InputError where no reader would take it.
std::string about_text(ArtefactKind kind, const nlohmann::json& json);
/// As many bytes as `out` has from a hexadecimal string. Throws InputError.
void from_hexadecimal(const std::string& text, std::span<std::uint8_t> out);

nlohmann::json to_json(const Binding& binding);
Binding binding_from_json(const nlohmann::json& json);

}  // namespace tacit::runtime
