#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tacit::app::service {

/// Replaces the server's file in a sentence by its name for the client ("the upload").
inline std::string named_sentence(std::string sentence, const std::filesystem::path& file, std::string_view name) {
  for (std::size_t at = sentence.find(file.string()); at != std::string::npos; at = sentence.find(file.string(), at))
    sentence.replace(at, file.string().size(), name);
  return sentence;
}

}  // namespace tacit::app::service
