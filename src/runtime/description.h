#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/held_json.h"
#include "runtime/artefact.h"
#include "runtime/binding.h"

/// The JSON section "about", the first one of artefacts of a model, its keys and its ciphertexts.
namespace tacit::runtime {

inline constexpr std::string_view kAboutSection = "about";
/// Returns bounds on the "about" of an artefact, so that a file cannot exhaust memory in the JSON parser. Models hold a
/// plan. Keys and ciphertexts, which strangers send to a server, need a few hundred bytes and the names of tensors.
base::JsonBounds about_bounds(ArtefactKind kind);

/// Runs a parser of a file's content. Every InputError and every JSON error becomes an InputError that begins with the
/// name of its source.
void parsing(const std::string& source, const std::function<void()>& body);

/// Returns the "about". Throws InputError if it breaks the bounds of its kind, before any of it is parsed.
base::HeldJson about(const ArtefactReader& reader);
/// Returns the text of an "about" to write. Throws InputError if a reader would refuse it.
std::string about_text(ArtefactKind kind, const nlohmann::json& json);
/// Reads as many bytes as `out` has from a hexadecimal string. Throws InputError.
void from_hexadecimal(const std::string& text, std::span<std::uint8_t> out);

nlohmann::json to_json(const Binding& binding);
Binding binding_from_json(const nlohmann::json& json);

}  // namespace tacit::runtime
