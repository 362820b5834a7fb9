#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/service/endpoints.h"

/// What the handlers of several addresses read from requests, and how they answer.
namespace tacit::app::service {

/// Returns the client that a request comes from. Throws Refusal 401.
std::string client_of(const Desk& desk, const httplib::Request& request);
/// Returns the model that the address names by its first part in parentheses. Throws Refusal 404.
OfferedModel& model_of(const Desk& desk, const httplib::Request& request);
/// Returns the length of the body. Throws Refusal 411 and 400.
std::uint64_t length_of(const httplib::Request& request);
/// Answers with a file, piece by piece. Throws Refusal 404 for a file that is gone.
void answer_file(httplib::Response& response, const std::filesystem::path& path, const std::string& name);

}  // namespace tacit::app::service
