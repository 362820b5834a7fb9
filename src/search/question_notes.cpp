#include <fcntl.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/held_json.h"
#include "base/private_file.h"
#include "runtime/description.h"
#include "search/client.h"

namespace tacit::search {
namespace {
constexpr std::uint64_t kMostNoteBytes = 1 << 20;
}  // namespace

std::filesystem::path notes_beside(const std::filesystem::path& question) {
  std::filesystem::path path = question;
  return path += ".notes";
}

void save(const QuestionNotes& notes, const std::filesystem::path& path) {
  nlohmann::json list = nlohmann::json::array();
  for (const AskedQuestion& asked : notes.questions)
    list.push_back({{"digest", base::hexadecimal(asked.digest)}, {"norm", asked.norm}, {"record", asked.record}});
  const nlohmann::json json{{"store", base::hexadecimal(notes.store)},
                            {"asks", asks_name(notes.asks)},
                            {"top", notes.top},
                            {"questions", list}};
  const std::string text = json.dump(1) + "\n";
  std::error_code error;
  std::filesystem::remove(path, error);  // an older file may have another mode
  base::FileDescriptor file(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!file.is_open() || !file.write(0, std::as_bytes(std::span(text))) || !file.close())
    base::refuse("{}: cannot write the notes of the question: {}", path.string(), std::strerror(errno));
}

QuestionNotes load_notes(const std::filesystem::path& path) {
  base::require_private(path, "notes of a question");
  const base::FileDescriptor file(path, O_RDONLY);
  if (!file.is_open() || !file.is_regular())
    base::refuse("{}: cannot open the notes of the question, which query wrote beside it; ask again", path.string());
  if (file.size() > kMostNoteBytes)
    base::refuse("{}: {} bytes are too many for notes of a question", path.string(), file.size());
  std::string text(file.size(), '\0');
  file.read_all(path, 0, std::as_writable_bytes(std::span(text)));
  QuestionNotes notes;
  runtime::parsing(path, [&] {
    const base::HeldJson held(text, "the notes", {.bytes = kMostNoteBytes, .values = 1 << 16, .depth = 4});
    const nlohmann::json& json = *held;
    runtime::from_hexadecimal(json.at("store").get<std::string>(), notes.store);
    notes.asks = asks_from(json.at("asks").get<std::string>());
    notes.top = json.at("top").get<std::uint64_t>();
    for (const nlohmann::json& item : json.at("questions")) {
      AskedQuestion& asked = notes.questions.emplace_back();
      runtime::from_hexadecimal(item.at("digest").get<std::string>(), asked.digest);
      asked.norm = item.at("norm").get<double>();
      asked.record = item.at("record").get<std::uint64_t>();
    }
  });
  return notes;
}

}  // namespace tacit::search
