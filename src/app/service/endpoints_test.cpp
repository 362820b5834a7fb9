#include "app/service/endpoints.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "app/service/server_half_for_test.h"
#include "base/private_file.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::app::service {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

/// A service of one model without threads that evaluate: tests end jobs by hand.
class EndpointsTest : public testing::Test {
 protected:
  EndpointsTest() {
    auto half = std::make_unique<AnyKeys>();
    half_ = half.get();
    half_->inputs.key_set = AnyKeys::kKeySet;
    const std::filesystem::path client_half = folder_.path() / "client.tacit";
    std::ofstream(client_half) << "a client's half";
    models_.add(std::make_unique<OfferedModel>(OfferedModel{.id = model_,
                                                            .half = std::move(half),
                                                            .client_half = client_half,
                                                            .most_key_bytes = 1 << 20,
                                                            .facts = {{"id", model_}, {"name", "small"}}}));
    add_endpoints(server_, desk_);
    listener_ = std::thread([this] { server_.serve(); });
    server_.wait_until_serving();
    caller_.emplace("127.0.0.1", port_);
    caller_->set_bearer_token_auth(anna_.c_str());
  }
  ~EndpointsTest() override {
    jobs_.stop(true);
    server_.stop_serving();
    listener_.join();
  }

  std::string artefact(runtime::ArtefactKind kind, std::size_t length = 300, int sections = 1) {
    const std::filesystem::path path = folder_.path() / "artefact";
    runtime::ArtefactWriter writer(path, kind);
    for (int i = 0; i < sections; ++i)
      writer.add_section("content" + std::string(static_cast<std::size_t>(i), 'x'), runtime::SectionType::text,
                         std::string(length, '.'));
    writer.finish();
    const std::vector<char> bytes = base::read_file(path);
    return {bytes.begin(), bytes.end()};
  }
  /// What comes back, with its status in front.
  static std::string told(const httplib::Result& result) {
    return result ? fmt::format("{} {}", result->status, result->body) : "nothing";
  }
  static json content(const httplib::Result& result, int status) {
    if (!result || result->status != status) {
      ADD_FAILURE() << told(result);
      return {};
    }
    return json::parse(result->body);
  }
  std::string refusal(const httplib::Result& result, int status) { return content(result, status).value("error", ""); }
  httplib::Result put(const std::string& body, const std::string& range = "") {
    httplib::Headers headers;
    if (!range.empty()) headers.emplace("Content-Range", range);
    return caller_->Put(keys_address_.c_str(), headers, body, "application/octet-stream");
  }
  httplib::Result submit(const std::string& body, const std::string& query = "") {
    return caller_->Post((jobs_address_ + query).c_str(), body, "application/octet-stream");
  }
  httplib::Result get(const std::string& address) { return caller_->Get(address.c_str()); }
  /// The id of a job that was accepted.
  std::string accepted() {
    if (!jobs_of_keys_) content(put(artefact(runtime::ArtefactKind::evaluation_keys)), 200);
    jobs_of_keys_ = true;
    return content(submit(artefact(runtime::ArtefactKind::ciphertexts)), 202)["job"];
  }

  base::TemporaryFolder folder_;
  const std::string model_ = std::string(63, '0') + "a";
  const std::string keys_address_ = "/v1/models/" + model_ + "/keys",
                    jobs_address_ = "/v1/models/" + model_ + "/evaluations";
  const std::string anna_ = TokenFile::add(folder_.path() / "tokens", "anna"),
                    operator_ = TokenFile::add(folder_.path() / "tokens", "operator");
  ModelShelf models_;
  KeyShelf keys_{folder_.path(), {.in_memory = 1 << 20}};
  JobBook jobs_{folder_.path(), {.runs = 10, .result_bytes = 1000}};
  TokenFile tokens_{folder_.path() / "tokens"};
  QuestionQuota questions_{folder_.path(), 3};
  GroupBoard groups_{folder_.path(), {}};
  const Desk desk_{.models = models_,
                   .keys = keys_,
                   .jobs = jobs_,
                   .tokens = tokens_,
                   .questions = questions_,
                   .groups = groups_,
                   .most_input_bytes = 5000,
                   .most_waiting = 1};
  HttpServer server_{std::nullopt, {}, {}};
  const int port_ = server_.bind("127.0.0.1", 0);
  std::thread listener_;
  std::optional<httplib::Client> caller_;
  AnyKeys* half_ = nullptr;
  bool jobs_of_keys_ = false;
};

TEST_F(EndpointsTest, StoresTakeQuestionsUntilTheLimitOfTheDay) {
  content(put(artefact(runtime::ArtefactKind::evaluation_keys)), 200);
  models_.find(model_)->inputs = runtime::ArtefactKind::search_question;
  half_->runs = 2;
  EXPECT_THAT(refusal(submit(artefact(runtime::ArtefactKind::ciphertexts)), 400), HasSubstr("no file of questions"));
  content(submit(artefact(runtime::ArtefactKind::search_question)), 202);
  EXPECT_THAT(refusal(submit(artefact(runtime::ArtefactKind::search_question, 200)), 429),
              HasSubstr("3 questions a day, 2 are used"));
}

TEST_F(EndpointsTest, ModelsAreOfferedWithTheirFacts) {
  EXPECT_EQ(content(get("/v1/models"), 200), (json{{"models", {{{"id", model_}, {"name", "small"}}}}}));
  EXPECT_EQ(content(get("/v1/models/" + model_), 200)["name"], "small");
  EXPECT_THAT(refusal(get("/v1/models/" + std::string(64, '0')), 404), HasSubstr("offers no such model"));
  const httplib::Result client = get("/v1/models/" + model_ + "/client");
  EXPECT_EQ(told(client), "200 a client's half");
  EXPECT_EQ(client->get_header_value("Content-Disposition"), "attachment; filename=\"client.tacit\"");
  EXPECT_EQ(client->get_header_value("Cache-Control"), "no-store");
  EXPECT_EQ(client->get_header_value("X-Content-Type-Options"), "nosniff");
}

TEST_F(EndpointsTest, AllButTheFirstPageNeedsAToken) {
  caller_->set_bearer_token_auth("another");
  for (const std::string& address :
       {std::string("/v1/models"), "/v1/models/" + model_, keys_address_, std::string("/v1/jobs"),
        "/v1/jobs/" + std::string(32, '0'), std::string("/metrics")}) {
    const httplib::Result answer = get(address);
    EXPECT_THAT(refusal(answer, 401), StartsWith("send a token")) << address;
    EXPECT_EQ(answer->get_header_value("WWW-Authenticate"), "Bearer");
  }
  for (const char* address : {"/health", "/", "/page.js", "/page.css", "/openapi.json"})
    EXPECT_EQ(get(address)->status, 200) << address;
}

TEST_F(EndpointsTest, MetricsAreForTheOperator) {
  EXPECT_THAT(refusal(get("/metrics"), 403), HasSubstr("--add-client operator"));
  accepted();
  caller_->set_bearer_token_auth(operator_.c_str());
  const httplib::Result metrics = get("/metrics");
  EXPECT_THAT(told(metrics), HasSubstr("\ntacit_jobs_queued 1\n"));
  EXPECT_EQ(metrics->get_header_value("Content-Type"), "text/plain; version=0.0.4");
}

TEST_F(EndpointsTest, KeysAreToldByTheirState) {
  EXPECT_EQ(content(get(keys_address_), 200), (json{{"state", "none"}}));
  const std::string file = artefact(runtime::ArtefactKind::evaluation_keys);
  const std::size_t size = file.size();
  EXPECT_EQ(content(put(file.substr(0, 100), fmt::format("bytes 0-99/{}", size)), 202),
            (json{{"state", "partial"}, {"upload", {{"received", 100}, {"total", size}}}}));
  EXPECT_EQ(content(get(keys_address_), 200)["upload"]["received"], 100);
  const json ready = content(put(file.substr(100), fmt::format("bytes 100-{}/{}", size - 1, size)), 200);
  EXPECT_EQ(ready["state"], "ready");
  EXPECT_EQ(ready["bytes"], size);
  EXPECT_EQ(ready["root"].get<std::string>().size(), 64U);
  EXPECT_FALSE(ready.contains("upload"));
  // Keys that another upload is to replace are both.
  const json both = content(put(file.substr(0, 10), fmt::format("bytes 0-9/{}", size)), 202);
  EXPECT_EQ(both["state"], "ready");
  EXPECT_EQ(both["upload"]["received"], 10);
  EXPECT_EQ(content(caller_->Delete(keys_address_.c_str()), 200), (json{{"state", "none"}}));
}

TEST_F(EndpointsTest, AStretchSaysWhichBytesOfHowMany) {
  const std::string hundred(100, 'x');
  for (const char* range : {"bytes 0-98/200", "bytes 0-100/200", "bytes 100-1/200", "bytes 0-99/99", "octets 0-99/200",
                            "bytes 0/99-200", "bytes -99/200", "bytes 0-99", "bytes 0-99/", "bytes x-99/200"})
    EXPECT_THAT(refusal(put(hundred, range), 400), HasSubstr("FIRST-LAST/TOTAL")) << range;
  EXPECT_EQ(
      content(put(artefact(runtime::ArtefactKind::evaluation_keys).substr(0, 100), "bytes 0-99/101"), 202)["state"],
      "partial");
}

TEST_F(EndpointsTest, KeysOfWaitingJobsStay) {
  accepted();
  EXPECT_THAT(refusal(caller_->Delete(keys_address_.c_str()), 409), StartsWith("jobs wait for these keys"));
  EXPECT_EQ(content(get(keys_address_), 200)["state"], "ready");
}

TEST_F(EndpointsTest, JobsAreToldByTheirState) {
  const std::string first = accepted(), second = accepted();
  const json queued = content(get("/v1/jobs/" + second), 200);
  EXPECT_EQ(queued["job"], second);
  EXPECT_EQ(queued["model"], model_);
  EXPECT_EQ(queued["state"], "queued");
  EXPECT_EQ(queued["position"], 1);
  EXPECT_GT(queued["accepted"], 0);
  EXPECT_EQ(queued.size(), 5U);
  auto claim = jobs_.next();
  claim->progress->begin("evaluating", 4);
  claim->progress->advance(3);
  const json running = content(get("/v1/jobs/" + first), 200);
  EXPECT_EQ(running["state"], "running");
  EXPECT_EQ(running["progress"], (json{{"stage", "evaluating"}, {"done", 3}, {"total", 4}}));
  EXPECT_FALSE(running.contains("position"));
  const httplib::Result early = get("/v1/jobs/" + first + "/result");
  EXPECT_THAT(refusal(early, 409), StartsWith("the job is not done yet"));
  EXPECT_EQ(early->get_header_value("Retry-After"), "1");
  EXPECT_FALSE(get("/v1/jobs/" + std::string(32, '0'))->has_header("Retry-After")) << "waiting does not help";
  std::ofstream(jobs_.output(claim->job)) << std::string(200000, 'y');
  std::ofstream(jobs_.receipt(claim->job)) << "{}";
  jobs_.finish(*claim, 6, 0.25);
  const json done = content(get("/v1/jobs/" + first), 200);
  EXPECT_EQ(done["state"], "done");
  EXPECT_EQ(done["inputs"], 6);
  EXPECT_EQ(done["seconds"], 0.25);
  EXPECT_GE(done["finished"], done["accepted"]);
  EXPECT_FALSE(done.contains("error"));
  EXPECT_FALSE(done.contains("progress"));
  const httplib::Result result = get("/v1/jobs/" + first + "/result");
  EXPECT_EQ(told(result), "200 " + std::string(200000, 'y'));
  EXPECT_EQ(result->get_header_value("Content-Disposition"), "attachment; filename=\"results.ct\"");
  EXPECT_EQ(told(get("/v1/jobs/" + first + "/receipt")), "200 {}");

  auto other = jobs_.next();
  jobs_.fail(*other, "why");
  const json failed = content(get("/v1/jobs/" + second), 200);
  EXPECT_EQ(failed["state"], "failed");
  EXPECT_EQ(failed["error"], "why");
  EXPECT_FALSE(failed.contains("inputs"));
  EXPECT_EQ(refusal(get("/v1/jobs/" + second + "/receipt"), 409), "the job failed: why");

  EXPECT_EQ(content(get("/v1/jobs"), 200)["jobs"].size(), 2U);
  EXPECT_EQ(content(caller_->Delete(("/v1/jobs/" + first).c_str()), 200), (json{{"job", first}, {"state", "deleted"}}));
  EXPECT_THAT(refusal(get("/v1/jobs/" + first), 404), StartsWith("you have no such job"));
  EXPECT_EQ(content(get("/v1/jobs"), 200)["jobs"][0]["job"], second);
}

TEST_F(EndpointsTest, AnAnswerSaysWhereItsJobIs) {
  const std::string job = accepted();
  EXPECT_EQ(get("/v1/jobs/" + job)->get_header_value("Location"), "/v1/jobs/" + job);
}

TEST_F(EndpointsTest, WaitsForAJobWhereThereIsRoomToWait) {
  EXPECT_EQ(refusal(get("/v1/jobs/" + std::string(32, '0') + "?wait=x"), 400), "wait is no number of seconds");
  const std::string job = accepted();
  const auto asked = std::chrono::steady_clock::now();
  EXPECT_EQ(content(get("/v1/jobs/" + job), 200)["state"], "queued");
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::milliseconds(900)) << "nobody asked to wait";
  std::thread ending([&] {
    auto claim = jobs_.next();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    jobs_.finish(*claim, 1, 1);
  });
  EXPECT_EQ(content(get("/v1/jobs/" + job + "?wait=30"), 200)["state"], "done");
  ending.join();
  // Of two requests one may wait: the other is answered at once.
  const std::string later = accepted();
  std::thread waiting([&] {
    httplib::Client second("127.0.0.1", port_);
    second.set_bearer_token_auth(anna_.c_str());
    while (content(second.Get(("/v1/jobs/" + later + "?wait=30").c_str()), 200)["state"] != "done") {
    }
  });
  auto claim = jobs_.next();
  for (bool at_once = false; !at_once;) {
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(content(get("/v1/jobs/" + later + "?wait=1"), 200)["state"], "running");
    at_once = std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(500);
  }
  jobs_.finish(*claim, 1, 1);
  waiting.join();
}

TEST_F(EndpointsTest, InputsAreBoundedAndHeldToTheKeys) {
  const std::string inputs = artefact(runtime::ArtefactKind::ciphertexts);
  EXPECT_THAT(refusal(submit(inputs), 409), StartsWith("there are no keys of yours for this model"));
  accepted();
  EXPECT_THAT(refusal(submit(std::string(5001, 'x')), 413),
              HasSubstr("4.9 KiB of inputs are more than the 4.9 KiB that one job may have"));
  const std::string largest = artefact(runtime::ArtefactKind::ciphertexts, 4700);
  EXPECT_LE(largest.size(), 5000U);
  EXPECT_EQ(content(submit(largest), 202)["state"], "queued");
  EXPECT_THAT(refusal(submit(artefact(runtime::ArtefactKind::secret_key)), 400), HasSubstr("not stored"));
  half_->inputs.key_set[0] = 8;
  const std::string others = refusal(submit(inputs), 400);
  EXPECT_THAT(others, HasSubstr("your keys at this server"));
  EXPECT_THAT(others, HasSubstr("the body"));
  EXPECT_EQ(jobs_.counts().accepted, 2U);
}

TEST_F(EndpointsTest, TheWorkOfAJobIsBoundedBeforeItIsAccepted) {
  const std::string inputs = artefact(runtime::ArtefactKind::ciphertexts);
  accepted();
  half_->runs = 11;
  EXPECT_EQ(refusal(submit(inputs), 413),
            "11 runs of the model are more than the 10 that one job may have; send fewer inputs");
  half_->runs = 10;
  half_->result_bytes = 1001;
  EXPECT_EQ(refusal(submit(inputs), 413),
            "1001 B of results are more than the 1000 B that one job may have; send fewer inputs");
  half_->result_bytes = 1000;
  EXPECT_EQ(content(submit(inputs), 202)["state"], "queued");
  // A table of many samples is not read.
  EXPECT_EQ(content(submit(artefact(runtime::ArtefactKind::ciphertexts, 1, 12)), 202)["state"], "queued");
  EXPECT_EQ(refusal(submit(artefact(runtime::ArtefactKind::ciphertexts, 1, 13)), 413),
            "a file of 13 sections has more samples than the 10 that one job may have; send fewer inputs");
  EXPECT_EQ(jobs_.counts().accepted, 3U);
}

TEST_F(EndpointsTest, WhatIsNotThereIsRefusedByName) {
  EXPECT_EQ(refusal(caller_->Post("/nowhere", "x", "text/plain"), 404), "there is nothing at this address");
  EXPECT_EQ(refusal(caller_->Put("/v1/models", "x", "text/plain"), 404), "there is nothing at this address");
  EXPECT_EQ(refusal(caller_->Delete("/v1/jobs/x"), 404), "there is nothing at this address");
  EXPECT_NE(refusal(get("/v1/nothing"), 404), "");
}

TEST_F(EndpointsTest, AStretchMayBeOneByte) {
  const std::string file = artefact(runtime::ArtefactKind::evaluation_keys);
  EXPECT_EQ(content(put(file.substr(0, 1), "bytes 0-0/200"), 202)["upload"], (json{{"received", 1}, {"total", 200}}));
  EXPECT_EQ(content(put(file.substr(1, 1), "bytes 1-1/200"), 202)["upload"], (json{{"received", 2}, {"total", 200}}));
}

TEST_F(EndpointsTest, TheNewestTwoHundredJobsAreListed) {
  std::vector<json> records;
  for (int i = 1; i <= 201; ++i)
    records.push_back({{"accepted", fmt::format("{:032x}", i)},
                       {"client", "anna"},
                       {"model", model_},
                       {"bytes", 3U},
                       {"time", 1000 + i}});
  JobJournal(folder_.path() / "journal").add_all(records);
  const json jobs = content(get("/v1/jobs"), 200)["jobs"];
  ASSERT_EQ(jobs.size(), 200U);
  EXPECT_EQ(jobs[0]["job"], fmt::format("{:032x}", 201));
  EXPECT_EQ(jobs[0]["accepted"], 1201);
  EXPECT_EQ(jobs[0]["position"], 200);
  EXPECT_EQ(jobs[199]["job"], fmt::format("{:032x}", 2));
}

TEST_F(EndpointsTest, AWaitIsANumberOfSeconds) {
  const std::string job = accepted();
  EXPECT_EQ(refusal(get("/v1/jobs/" + job + "?wait=long"), 400), "wait is no number of seconds");
  EXPECT_EQ(refusal(submit(artefact(runtime::ArtefactKind::ciphertexts), "?wait=-1"), 400),
            "wait is no number of seconds");
  EXPECT_EQ(content(get("/v1/jobs/" + job + "?wait=0"), 200)["state"], "queued");
  EXPECT_EQ(jobs_.counts().accepted, 1U);
}

TEST_F(EndpointsTest, WhatIsTooShortToBeInputsIsRefused) {
  accepted();
  for (const std::size_t length : {1, 12, 100})
    EXPECT_EQ(refusal(submit(std::string(length, 'x')), 400), "this is no file of inputs; send what encrypt wrote");
  EXPECT_EQ(jobs_.counts().accepted, 1U);
}

TEST_F(EndpointsTest, GroupsAreRefusedWithASentenceAndLeaveNothing) {
  const std::string groups = "/v1/models/" + model_ + "/groups", group = "/v1/groups/" + std::string(64, '0');
  const auto post = [&](const std::string& address, const std::string& body) {
    return caller_->Post(address.c_str(), body, "application/octet-stream");
  };
  EXPECT_EQ(content(get("/v1/groups"), 200), (json{{"groups", json::array()}}));
  for (const std::string& address : {group, group + "/files/group"})
    EXPECT_THAT(refusal(get(address), 404), HasSubstr("no such group of yours")) << address;
  EXPECT_THAT(refusal(post(group + "/files", artefact(runtime::ArtefactKind::key_part)), 404),
              HasSubstr("no such group of yours"));
  EXPECT_THAT(refusal(post(groups, std::string(300, 'x')), 400), HasSubstr("no file that Tacit wrote"));
  EXPECT_THAT(refusal(post(groups, artefact(runtime::ArtefactKind::secret_key)), 400), HasSubstr("it was not stored"));
  EXPECT_THAT(refusal(post(groups + "?hours=x", artefact(runtime::ArtefactKind::owner_group)), 400),
              HasSubstr("hours is no number"));
  EXPECT_THAT(refusal(post(groups, artefact(runtime::ArtefactKind::owner_group, 6000)), 413),
              HasSubstr("more than a group"));
  models_.find(model_)->inputs = runtime::ArtefactKind::search_question;
  EXPECT_THAT(refusal(post(groups, artefact(runtime::ArtefactKind::owner_group)), 400),
              HasSubstr("this model has one owner"));
  EXPECT_EQ(caller_->Delete(group.c_str())->status, 404);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path() / "groups"));
  caller_->set_bearer_token_auth("another");
  EXPECT_THAT(refusal(get("/v1/groups"), 401), StartsWith("send a token"));
}

}  // namespace
}  // namespace tacit::app::service
