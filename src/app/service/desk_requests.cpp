#include "app/service/desk_requests.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "app/service/refusal.h"
#include "base/file_descriptor.h"
#include "base/parse_number.h"

namespace tacit::app::service {

std::string client_of(const Desk& desk, const httplib::Request& request) {
  if (auto name = desk.tokens.name_of(request.get_header_value("Authorization"))) {
    HttpServer::belongs_to(*name);
    return *name;
  }
  throw Refusal(401, "send a token that this server knows: Authorization: Bearer TOKEN");
}

OfferedModel& model_of(const Desk& desk, const httplib::Request& request) {
  OfferedModel* const model = desk.models.find(request.matches[1]);
  if (model == nullptr) throw Refusal(404, "this server offers no such model; GET /v1/models lists what it offers");
  return *model;
}

std::uint64_t length_of(const httplib::Request& request) {
  if (!request.has_header("Content-Length")) throw Refusal(411, "state the length of the body in Content-Length");
  const auto length = base::parse_number<std::uint64_t>(request.get_header_value("Content-Length"));
  if (!length) throw Refusal(400, "Content-Length is no number");
  return *length;
}

void answer_file(httplib::Response& response, const std::filesystem::path& path, const std::string& name) {
  const auto file = std::make_shared<base::FileDescriptor>(path, O_RDONLY);
  if (!file->is_open()) throw Refusal(404, "it is no longer here");
  response.set_header("Content-Disposition", fmt::format("attachment; filename=\"{}\"", name));
  response.set_content_provider(
      file->size(), "application/octet-stream",
      [file](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        std::array<char, 64 << 10> buffer{};
        const std::size_t count =
            file->read(offset, std::as_writable_bytes(std::span(buffer).first(std::min(length, buffer.size()))));
        return count > 0 && sink.write(buffer.data(), count);
      });
}

}  // namespace tacit::app::service
