#include "app/service/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "app/service/refusal.h"
#include "base/error.h"

namespace tacit::app::service {
namespace {

/// A server of one address, which does what the test says.
class HttpServerTest : public testing::Test {
 protected:
  explicit HttpServerTest(AllowedOrigins origins = {}) {
    server_.allow_origins(std::move(origins));
    server_.Get("/here", [this](const httplib::Request&, httplib::Response& response) {
      if (act_) act_();
      HttpServer::answer(response, 200, {{"status", "ok"}});
    });
    PathNames names;
    names.add("/var/state", "the server's files");
    server_.call_paths(names);
    listener_ = std::thread([this] { server_.serve(); });
    server_.wait_until_serving();
    caller_.emplace("127.0.0.1", port_);
  }
  ~HttpServerTest() override {
    server_.stop_serving();
    listener_.join();
  }
  /// "status sentence".
  static std::string told(const httplib::Result& result) {
    if (!result) return "nothing";
    const nlohmann::json body = nlohmann::json::parse(result->body, nullptr, false);
    return std::to_string(result->status) + " " + (body.is_object() ? body.value("error", "") : result->body);
  }
  httplib::Result get_with(const char* header, const char* value) {
    return caller_->Get("/here", httplib::Headers{{header, value}});
  }

  std::function<void()> act_;
  HttpServer server_{std::nullopt, {}, {}};
  const int port_ = server_.bind("127.0.0.1", 0);
  std::thread listener_;
  std::optional<httplib::Client> caller_;
};

TEST_F(HttpServerTest, AddressesHaveUpTo512Characters) {
  EXPECT_EQ(told(caller_->Get("/" + std::string(511, 'a'))), "404 there is nothing at this address");
  EXPECT_EQ(told(caller_->Get("/" + std::string(512, 'a'))), "414 there is no address of this length");
}

TEST_F(HttpServerTest, RequestsOfOtherFormsAreRefusedBeforeTheirAddressIsLookedAt) {
  EXPECT_EQ(caller_->Get("/here")->status, 200);
  EXPECT_EQ(caller_->Head("/here")->status, 200);
  EXPECT_EQ(told(caller_->Options("/here")), "405 no address answers to this method");
  EXPECT_EQ(told(get_with("Content-Encoding", "gzip")), "415 send the body as it is, without Content-Encoding");
  EXPECT_EQ(told(get_with("Content-Type", "multipart/form-data; boundary=x")),
            "415 send the file itself as the body, not a form");
}

TEST_F(HttpServerTest, WhatAHandlerThrowsIsAnAnswer) {
  const auto answer = [&](const std::function<void()>& act) {
    act_ = act;
    const httplib::Result result = caller_->Get("/here");
    return told(result) + ", again after '" + (result ? result->get_header_value("Retry-After") : "") + "'";
  };
  EXPECT_EQ(answer([] { throw Refusal(409, "not yet", 1); }), "409 not yet, again after '1'");
  EXPECT_EQ(answer([] { throw Refusal(409, "never"); }), "409 never, again after ''");
  EXPECT_EQ(answer([] { throw std::bad_alloc(); }),
            "503 the server has too little memory for this at the moment, again after '30'");
  const std::string disk = "503 the server's disk is full, or cannot be used, at the moment, again after '30'";
  testing::internal::CaptureStderr();
  EXPECT_EQ(answer([] { throw base::InputError("state/journal: cannot write"); }), disk);
  EXPECT_EQ(answer([] { throw std::filesystem::filesystem_error("no room", std::error_code()); }), disk);
  EXPECT_EQ(answer([] { throw std::runtime_error("a secret of the server"); }),
            "500 internal error; the server's operator finds it in the log, again after ''");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::AllOf(testing::StartsWith("tacit: state/journal: cannot write\n"),
                             testing::EndsWith("tacit: internal error: a secret of the server\n")));
}

TEST_F(HttpServerTest, NoSentenceNamesAPathOfTheServer) {
  act_ = [] { throw Refusal(409, "the inputs and /var/state/keys/0a/m/upload do not belong together"); };
  EXPECT_EQ(told(caller_->Get("/here")), "409 the inputs and the server's files do not belong together");
}

TEST_F(HttpServerTest, AConnectionEndsWithARequestWhoseFormIsWrong) {
  caller_->set_keep_alive(true);
  for (const int status : {400, 404, 409, 411, 413, 415}) {
    act_ = [status] { throw Refusal(status, "why"); };
    const httplib::Result result = caller_->Get("/here");
    ASSERT_TRUE(result);
    const bool closes = status == 400 || status == 411 || status == 415;
    EXPECT_EQ(result->get_header_value("Connection"), closes ? "close" : "") << status;
    EXPECT_EQ(result->has_header("Keep-Alive"), !closes) << status;
  }
}

struct HttpServerOfPagesTest : HttpServerTest {
  HttpServerOfPagesTest() : HttpServerTest(AllowedOrigins({"https://example.org"})) {}
};

TEST_F(HttpServerOfPagesTest, AnswersPagesOfAllowedOrigins) {
  const auto preflight = [&](const char* origin, const char* method) {
    httplib::Headers headers{{"Origin", origin}};
    if (method != nullptr) headers.emplace("Access-Control-Request-Method", method);
    httplib::Request request;
    request.method = "OPTIONS";
    request.path = "/here";
    request.headers = headers;
    return caller_->send(request);
  };
  const httplib::Result allowed = preflight("https://example.org", "PUT");
  ASSERT_TRUE(allowed);
  EXPECT_EQ(allowed->status, 204);
  EXPECT_EQ(allowed->body, "");
  EXPECT_EQ(allowed->get_header_value("Access-Control-Allow-Origin"), "https://example.org");
  EXPECT_EQ(allowed->get_header_value("Access-Control-Allow-Methods"), "GET, PUT, POST, DELETE");
  EXPECT_EQ(allowed->get_header_value("Access-Control-Allow-Headers"), "Authorization, Content-Type, Content-Range");
  EXPECT_EQ(allowed->get_header_value("Access-Control-Max-Age"), "600");
  EXPECT_FALSE(allowed->has_header("Access-Control-Allow-Credentials"));

  const httplib::Result foreign = preflight("https://evil.example", "PUT");
  EXPECT_EQ(told(foreign), "403 pages of this origin may not call this server; its operator names origins that may");
  EXPECT_FALSE(foreign->has_header("Access-Control-Allow-Origin"));
  EXPECT_FALSE(foreign->has_header("Access-Control-Allow-Methods"));
  EXPECT_EQ(told(preflight("https://example.org", nullptr)), "405 this method is for the preflight of a browser alone");

  const httplib::Result read = get_with("Origin", "https://example.org");
  EXPECT_EQ(read->status, 200);
  EXPECT_EQ(read->get_header_value("Access-Control-Allow-Origin"), "https://example.org");
  EXPECT_EQ(read->get_header_value("Access-Control-Expose-Headers"), "Location, Retry-After");
  EXPECT_EQ(read->get_header_value("Vary"), "Origin");
  act_ = [] { throw Refusal(409, "not yet", 1); };
  EXPECT_EQ(get_with("Origin", "https://example.org")->get_header_value("Access-Control-Allow-Origin"),
            "https://example.org");
  for (const char* origin : {"https://evil.example", "null", "https://example.org/"})
    EXPECT_FALSE(get_with("Origin", origin)->has_header("Access-Control-Allow-Origin")) << origin;
}

TEST_F(HttpServerTest, OnlyWhoIsUnknownIsAskedForAToken) {
  for (const int status : {400, 401, 402}) {
    act_ = [status] { throw Refusal(status, "who is it"); };
    const httplib::Result result = caller_->Get("/here");
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, status);
    EXPECT_EQ(result->get_header_value("WWW-Authenticate"), status == 401 ? "Bearer" : "");
  }
}

}  // namespace
}  // namespace tacit::app::service
