#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tacit::app::service {

/// A sentence for a client: where it names the server's file, it says what that is to the client ("the upload").
inline std::string named_sentence(std::string sentence, const std::filesystem::path& file, std::string_view name) {
  for (std::size_t at = sentence.find(file.string()); at != std::string::npos; at = sentence.find(file.string(), at))
    sentence.replace(at, file.string().size(), name);
  return sentence;
}

}  // namespace tacit::app::service
