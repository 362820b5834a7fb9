#include "app/service/endpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <memory>
#include <mutex>
#include <vector>

#include "app/service/desk_requests.h"
#include "app/service/embedded_files.h"
#include "app/service/first_bytes.h"
#include "app/service/group_endpoints.h"
#include "app/service/metrics.h"
#include "app/service/path_names.h"
#include "app/service/refusal.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "runtime/artefact_format.h"
#include "session/bounded_file.h"

namespace tacit::app::service {
namespace {

using httplib::Request;
using httplib::Response;
using nlohmann::ordered_json;

constexpr std::uintmax_t kMostReceipt = 64 << 10;
constexpr std::size_t kMostListed = 200;
constexpr std::uint64_t kLongestWait = 60;  // seconds

constexpr auto number_in = base::parse_number<std::uint64_t>;

ordered_json json_of(const KeyState& state) {
  ordered_json json;
  json["state"] = state.ready ? "ready" : state.total > 0 ? "partial" : "none";
  if (state.ready) {
    json["root"] = state.ready->root;
    json["bytes"] = state.ready->bytes;
  }
  if (state.total > 0) json["upload"] = {{"received", state.received}, {"total", state.total}};
  return json;
}

ordered_json json_of(const Desk& desk, const Job& job) {
  ordered_json json{{"job", job.id}, {"model", job.model}, {"state", name_of(job.state)}, {"accepted", job.accepted}};
  if (job.state == JobState::queued) json["position"] = desk.jobs.position(job);
  if (job.state == JobState::running) {
    const base::StagedProgress::Stage stage = desk.jobs.progress(job);
    json["progress"] = {{"stage", stage.name}, {"done", stage.done}, {"total", stage.total}};
  }
  if (job.state == JobState::done) {
    json["inputs"] = job.inputs;
    json["seconds"] = job.seconds;
  }
  if (job.state == JobState::failed) json["error"] = job.error;
  if (job.finished > 0) json["finished"] = job.finished;
  return json;
}

/// "bytes 0-99/200". Without the header the whole file is sent.
KeyShelf::Stretch stretch_of(const Request& request) {
  const std::uint64_t length = length_of(request);
  if (!request.has_header("Content-Range")) return {.offset = 0, .bytes = length, .total = length};
  const std::string text = request.get_header_value("Content-Range");
  constexpr std::string_view kUnit = "bytes ";
  const auto dash = text.find('-'), slash = text.find('/');
  if (text.starts_with(kUnit) && dash != std::string::npos && slash != std::string::npos && dash < slash) {
    const std::string_view view = text;
    const auto first = number_in(view.substr(kUnit.size(), dash - kUnit.size()));
    const auto last = number_in(view.substr(dash + 1, slash - dash - 1));
    const auto total = number_in(view.substr(slash + 1));
    if (first && last && total && *first <= *last && *last < *total && *last - *first == length - 1)
      return {.offset = *first, .bytes = length, .total = *total};
  }
  throw Refusal(400, "Content-Range is not 'bytes FIRST-LAST/TOTAL' of a body of this length");
}

KeyShelf::Body body_of(const httplib::ContentReader& reader) {
  return [&reader](const std::function<bool(std::span<const char>)>& receive) {
    return reader([&](const char* data, std::size_t size) { return receive({data, size}); });
  };
}

void answer_text(Response& response, std::string_view text, const char* type) {
  response.status = 200;
  response.set_content(std::string(text), type);
}

/// Checks the header of inputs that are arriving, before the rest of them is read. Throws Refusal if it is damaged,
/// belongs to a file of another length, or announces more samples than a job may have.
void require_header_of_inputs(std::span<const char> start, runtime::ArtefactKind kind, std::uint64_t length,
                              std::size_t most_runs) {
  constexpr std::size_t kBeside = 2;  // the description, and one for what may come
  constexpr const char* kBody = "the body";
  require_kind(start, kind);
  try {
    runtime::format::HeaderBytes raw;
    if (start.size() < raw.size()) throw base::InputError(std::string(kBody) + ": it is shorter than a header");
    std::ranges::copy(std::as_bytes(start.first(raw.size())), raw.begin());
    const std::uint32_t sections = runtime::format::decode(raw, length, kBody).sections;
    if (sections > most_runs + kBeside)
      throw Refusal(413,
                    fmt::format("a file of {} sections has more samples than the {} that one job may have; send fewer "
                                "inputs",
                                sections, most_runs));
  } catch (const base::InputError& error) {
    throw Refusal(400, error.what());
  }
}

/// Takes room in the queue as they come.
void receive_inputs(JobBook::Place& place, runtime::ArtefactKind kind, std::uint64_t length, std::size_t most_runs,
                    const httplib::ContentReader& reader) {
  std::ofstream file(place.input(), std::ios::binary);
  std::uint64_t received = 0;
  std::vector<char> start;  // too little to tell what it is waits, so that a secret key is never stored
  const bool whole = reader([&](const char* data, std::size_t size) {
    received += size;
    if (received > length) return false;
    place.arrive(size);
    if (received - size < runtime::format::kHeaderBytes) {
      start.insert(start.end(), data, data + size);
      if (received < runtime::format::kHeaderBytes && received < length) return true;
      require_header_of_inputs(start, kind, length, most_runs);
      data = start.data();
      size = start.size();
    }
    return bool{file.write(data, static_cast<std::streamsize>(size))};
  });
  file.close();
  if (!file) throw Refusal(503, "the server's disk is full at the moment", 30);
  if (!whole || received != length) throw Refusal(400, "the body ended early; send the inputs again");
}

/// Throws Refusal unless a file holds inputs of the model under the client's keys. Returns what they cost. One file at
/// a time: its table and its description take memory that is in no budget.
JobWork check_inputs(const OfferedModel& model, const StoredKeys& keys, const std::filesystem::path& file) {
  static std::mutex checking;
  const std::lock_guard alone(checking);
  try {
    const session::FoundInputs found = model.half->inputs_of(file);
    runtime::Binding expected = model.half->model().binding;
    expected.key_set = keys.key_set;
    runtime::require_same_keys(expected, "your keys at this server", found.binding, file.string());
    return {.runs = found.runs, .result_bytes = found.result_bytes};
  } catch (const base::InternalError&) {
    throw;
  } catch (const base::Error& error) {
    throw Refusal(400, PathNames{{file, "the body"}}.named(error.what()));
  }
}

void add_public_addresses(HttpServer& server, const Desk& desk) {
  server.Get("/health", [](const Request&, Response& response) {
    HttpServer::answer(response, 200, {{"status", "ok"}});
  });
  server.Get("/", [](const Request&, Response& response) {
    response.set_header("Content-Security-Policy",
                        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors "
                        "'none'; base-uri 'none'; form-action 'none'");
    answer_text(response, page_html(), "text/html; charset=utf-8");
  });
  server.Get("/page.js", [](const Request&, Response& response) {
    answer_text(response, page_script(), "text/javascript; charset=utf-8");
  });
  server.Get("/page.css", [](const Request&, Response& response) {
    answer_text(response, page_style(), "text/css; charset=utf-8");
  });
  server.Get("/openapi.json",
             [](const Request&, Response& response) { answer_text(response, openapi(), "application/json"); });
  server.Get("/metrics", [&desk](const Request& request, Response& response) {
    // How much a server does tells of its clients.
    if (client_of(desk, request) != TokenFile::kOperator)
      throw Refusal(403, "metrics are for the operator; the server's command adds a token: --add-client operator");
    answer_text(response, metrics_text(desk.jobs.counts(), desk.keys.counts()), "text/plain; version=0.0.4");
  });
}

void add_model_addresses(HttpServer& server, const Desk& desk) {
  server.Get("/v1/models", [&desk](const Request& request, Response& response) {
    client_of(desk, request);
    ordered_json models = ordered_json::array();
    for (const auto& [id, model] : desk.models.all()) models.push_back(model->facts);
    HttpServer::answer(response, 200, {{"models", models}});
  });
  server.Get("/v1/models/([0-9a-f]{64})", [&desk](const Request& request, Response& response) {
    client_of(desk, request);
    HttpServer::answer(response, 200, model_of(desk, request).facts);
  });
  server.Get("/v1/models/([0-9a-f]{64})/client", [&desk](const Request& request, Response& response) {
    client_of(desk, request);
    answer_file(response, model_of(desk, request).client_half, "client.tacit");
  });
}

void add_key_addresses(HttpServer& server, const Desk& desk) {
  const char* const address = "/v1/models/([0-9a-f]{64})/keys";
  server.Get(address, [&desk](const Request& request, Response& response) {
    const std::string client = client_of(desk, request);
    HttpServer::answer(response, 200, json_of(desk.keys.state(client, model_of(desk, request).id)));
  });
  server.Put(address, [&desk](const Request& request, Response& response, const httplib::ContentReader& reader) {
    const std::string client = client_of(desk, request);
    const OfferedModel& model = model_of(desk, request);
    const KeyState state = desk.keys.upload(client, model, stretch_of(request), body_of(reader),
                                            [&desk] { return desk.jobs.unfinished(); });
    HttpServer::answer(response, state.total > 0 ? 202 : 200, json_of(state));
  });
  server.Delete(address, [&desk](const Request& request, Response& response, const httplib::ContentReader&) {
    const std::string client = client_of(desk, request);
    const OfferedModel& model = model_of(desk, request);
    desk.keys.remove(client, model.id, [&desk] { return desk.jobs.unfinished(); });
    HttpServer::answer(response, 200, json_of(desk.keys.state(client, model.id)));
  });
}

/// Seconds that a request wants to wait for its job: ?wait=30.
std::chrono::seconds wait_of(const Request& request) {
  if (!request.has_param("wait")) return std::chrono::seconds(0);
  const auto seconds = number_in(request.get_param_value("wait"));
  if (!seconds) throw Refusal(400, "wait is no number of seconds");
  return std::chrono::seconds(std::min(*seconds, kLongestWait));
}

/// The job as it is after the wait that the request asks for, if there is room to wait.
Job waited_for(const Desk& desk, const Request& request, const std::string& client, const std::string& id) {
  static std::atomic<std::size_t> waiting{0};
  const std::chrono::seconds wait = wait_of(request);
  struct Waiting {
    Waiting() { ++waiting; }
    ~Waiting() { --waiting; }
  } one;
  if (wait.count() == 0 || waiting > desk.most_waiting) return desk.jobs.find(client, id);
  return desk.jobs.wait(client, id, wait);
}

void answer_job(const Desk& desk, Response& response, const Job& job, int unfinished_status) {
  const bool finished = job.state == JobState::done || job.state == JobState::failed;
  HttpServer::answer(response, finished ? 200 : unfinished_status, json_of(desk, job));
  response.set_header("Location", "/v1/jobs/" + job.id);
}

/// A job whose results are there. Throws Refusal.
Job done_job(const Desk& desk, const Request& request) {
  const Job job = desk.jobs.find(client_of(desk, request), request.matches[1]);
  if (job.state == JobState::failed) throw Refusal(409, "the job failed: " + job.error);
  if (job.state != JobState::done) throw Refusal(409, "the job is not done yet", 1);
  return job;
}

void add_job_addresses(HttpServer& server, const Desk& desk) {
  server.Post("/v1/models/([0-9a-f]{64})/evaluations", [&desk](const Request& request, Response& response,
                                                               const httplib::ContentReader& reader) {
    const std::string client = client_of(desk, request);
    const OfferedModel& model = model_of(desk, request);
    const std::uint64_t length = length_of(request);
    if (length > desk.most_input_bytes)
      throw Refusal(413, fmt::format("{} of inputs are more than the {} that one job may have; send fewer at once",
                                     base::byte_size_text(static_cast<double>(length)),
                                     base::byte_size_text(static_cast<double>(desk.most_input_bytes))));
    const std::chrono::seconds wait = wait_of(request);
    const KeyState keys = desk.keys.state(client, model.id);
    if (!keys.ready) throw Refusal(409, "there are no keys of yours for this model; upload them first");
    const std::unique_ptr<JobBook::Place> place = desk.jobs.reserve(client, length);
    receive_inputs(*place, model.inputs, length, desk.jobs.bounds().runs, reader);
    const Job job = [&] {
      const KeyShelf::Steady steady = desk.keys.steady(client, model.id);
      const JobWork work = check_inputs(model, steady.keys, place->input());
      if (model.inputs != runtime::ArtefactKind::search_question) return desk.jobs.accept(*place, model.id, work);
      desk.questions.take(client, model.id, work.runs);
      try {
        return desk.jobs.accept(*place, model.id, work);
      } catch (...) {  // the queue is full: the question may be asked again
        desk.questions.give_back(client, model.id, work.runs);
        throw;
      }
    }();
    answer_job(desk, response, wait.count() > 0 ? waited_for(desk, request, client, job.id) : job, 202);
  });
  server.Get("/v1/jobs", [&desk](const Request& request, Response& response) {
    ordered_json jobs = ordered_json::array();
    for (const Job& job : desk.jobs.list(client_of(desk, request), kMostListed)) jobs.push_back(json_of(desk, job));
    HttpServer::answer(response, 200, {{"jobs", jobs}});
  });
  server.Get("/v1/jobs/([0-9a-f]{32})", [&desk](const Request& request, Response& response) {
    const std::string client = client_of(desk, request);
    answer_job(desk, response, waited_for(desk, request, client, request.matches[1]), 200);
  });
  server.Get("/v1/jobs/([0-9a-f]{32})/result", [&desk](const Request& request, Response& response) {
    answer_file(response, desk.jobs.output(done_job(desk, request)), "results.ct");
  });
  server.Get("/v1/jobs/([0-9a-f]{32})/receipt", [&desk](const Request& request, Response& response) {
    answer_text(response, session::read_bounded(desk.jobs.receipt(done_job(desk, request)), kMostReceipt),
                "application/json");
  });
  server.Delete("/v1/jobs/([0-9a-f]{32})",
                [&desk](const Request& request, Response& response, const httplib::ContentReader&) {
                  const std::string id = request.matches[1];
                  desk.jobs.remove(client_of(desk, request), id);
                  HttpServer::answer(response, 200, {{"job", id}, {"state", "deleted"}});
                });
}

}  // namespace

void add_endpoints(HttpServer& server, const Desk& desk) {
  add_public_addresses(server, desk);
  add_model_addresses(server, desk);
  add_key_addresses(server, desk);
  add_job_addresses(server, desk);
  add_group_addresses(server, desk);
  // The library would read the bodies of other requests into memory.
  const auto nothing = [](const Request&, Response&, const httplib::ContentReader&) {
    throw Refusal(404, "there is nothing at this address");
  };
  server.Post(".*", nothing).Put(".*", nothing).Delete(".*", nothing);
}

}  // namespace tacit::app::service
