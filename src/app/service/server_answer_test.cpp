#include "app/service/server_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"

namespace tacit::app::service {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kWhere = "http://x: keys";

TEST(ServerAnswer, OfKeysIsReadAsAServerWritesIt) {
  const KeyAnswer none = read_key_answer(R"({"state": "none"})", kWhere);
  EXPECT_EQ(none.root, "");
  EXPECT_EQ(none.total, 0U);
  const KeyAnswer both =
      read_key_answer(R"({"state": "ready", "root": "ab", "upload": {"received": 5, "total": 9}})", kWhere);
  EXPECT_EQ(both.root, "ab");
  EXPECT_EQ(both.received, 5U);
  EXPECT_EQ(both.total, 9U);
}

TEST(ServerAnswer, OfAJobIsReadAsAServerWritesIt) {
  const JobAnswer done = read_job_answer(R"({"job": "0a-_Z", "state": "done", "inputs": 2, "seconds": 1})", kWhere);
  EXPECT_EQ(done.id, "0a-_Z");
  EXPECT_EQ(done.state, JobAnswer::State::done);
  EXPECT_EQ(done.inputs, 2U);
  EXPECT_EQ(done.seconds, 1.0);
  for (const char* state : {"queued", "running"})
    EXPECT_EQ(read_job_answer(R"({"job": "7", "state": ")" + std::string(state) + "\"}", kWhere).state,
              JobAnswer::State::waiting);
  EXPECT_EQ(read_job_answer(R"({"job": "7", "state": "failed", "error": "why"})", kWhere).error, "why");
}

TEST(ServerAnswer, OfAnotherFormIsTheServersFault) {
  for (const char* body : {"", "[]", "null", "7", "{", "{\"root\": \"\xff\"}"})
    EXPECT_THAT(base::refusal([&] { read_key_answer(body, kWhere); }),
                StartsWith("http://x: keys: its answer is no JSON of an object"))
        << body;
  for (const char* body :
       {R"({"root": 7})", R"({"root": null})", R"({"upload": []})", R"({"upload": {"received": -1}})",
        R"({"upload": {"received": "5"}})", R"({"upload": {"total": 1.5}})", R"({"upload": {"total": 1e30}})"})
    EXPECT_THAT(base::refusal([&] { read_key_answer(body, kWhere); }),
                testing::AllOf(StartsWith("http://x: keys: '"), HasSubstr("' in its answer is no ")))
        << body;
  for (const char* body :
       {R"({"job": 7, "state": "done"})", R"({"job": "7"})", R"({"job": "7", "state": "lost"})",
        R"({"job": "7", "state": ["done"]})", R"({"job": "../x", "state": "done"})", R"({"state": "done"})",
        R"({"job": "7", "state": "done", "inputs": "2"})", R"({"job": "7", "state": "done", "inputs": -2})",
        R"({"job": "7", "state": "done", "seconds": "1"})", R"({"job": "7", "state": "done", "seconds": -1})",
        R"({"job": "7", "state": "failed", "error": {}})"})
    EXPECT_THAT(base::refusal([&] { read_job_answer(body, kWhere); }),
                testing::AllOf(StartsWith("http://x: keys: '"), HasSubstr("' in its answer is no ")))
        << body;
}

TEST(ServerAnswer, OfARefusalIsItsSentenceOrItsStatus) {
  EXPECT_EQ(read_refusal(R"({"error": "why"})", 400), "why");
  for (const char* body : {"", "no JSON", "[]", "{}", R"({"error": 7})"})
    EXPECT_EQ(read_refusal(body, 418), "status 418");
  EXPECT_EQ(read_refusal("{\"error\": \"" + std::string(5000, 'x') + "\"}", 400), std::string(1000, 'x'));
}

}  // namespace
}  // namespace tacit::app::service
