#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "params/ckks_parameters.h"
#include "runtime/artefact.h"
#include "runtime/model_id.h"

namespace tacit::runtime {

/// What both halves of a compiled model say about it.
struct ModelHead {
  std::string name;
  ModelId id{};  ///< equal in both halves
  params::CkksLiteral literal;
};

/// Writes one half: the head and `more` as its description, then what `sections` adds. Throws InputError naming the
/// path.
void save_half(const std::filesystem::path& path, ArtefactKind kind, const ModelHead& head, const nlohmann::json& more,
               const std::function<void(ArtefactWriter&)>& sections);

/// Reads one half: fills the head, whose parameters must pass the security check, and lets `rest` read the others from
/// the file and its description. Throws InputError naming the path on anything but an undamaged file of that kind.
void load_half(const std::filesystem::path& path, ArtefactKind kind, ModelHead& head,
               const std::function<void(const ArtefactReader&, const nlohmann::json&)>& rest);

/// A section of a program's bytes, written and read.
void add_program(ArtefactWriter& writer, std::string_view name, std::span<const std::uint8_t> bytes);
std::vector<std::uint8_t> program_bytes(const ArtefactReader& reader, std::string_view name);

}  // namespace tacit::runtime
