#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tacit/client_c.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "graph/reference/run.h"
#include "runtime/artefact.h"
#include "session/evaluation.h"
#include "session/owner/halves.h"
#include "session/owner/small_perceptron_for_test.h"

namespace tacit {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Bytes = std::vector<char>;

TacitBytes view(const Bytes& bytes) { return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}; }

/// Collects bytes. Fails at the piece of number `fails_at`, or at the beginning for 0.
struct Collector {
  Bytes bytes{};
  std::uint64_t announced = 0;
  int fails_at = -1, calls = 0;

  TacitSink sink() {
    return {this,
            [](void* self, std::uint64_t size, const std::uint8_t*) {
              auto& it = *static_cast<Collector*>(self);
              it.announced = size;
              return it.calls++ == it.fails_at ? 1 : 0;
            },
            [](void* self, const std::uint8_t* piece, std::size_t size) {
              auto& it = *static_cast<Collector*>(self);
              it.bytes.insert(it.bytes.end(), piece, piece + size);
              return it.calls++ == it.fails_at ? 1 : 0;
            }};
  }
};

struct Model {
  TacitClientModel* handle = nullptr;
  explicit Model(const Bytes& client) { EXPECT_EQ(tacit_client_model_open(view(client), 1, &handle), TACIT_OK); }
  ~Model() { tacit_client_model_free(handle); }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
};

/// The halves of a small perceptron, and keys for it.
class ClientC : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = new Shared;
    const base::TemporaryFolder folder;
    const session::Halves halves = session::halves_of(session::small_perceptron());
    runtime::save(halves.client, folder.path() / "client");
    runtime::save(halves.server, folder.path() / "server");
    shared->client = base::read_file(folder.path() / "client");
    shared->server = base::read_file(folder.path() / "server");
    const Model model(shared->client);
    Collector evaluation, secret;
    const TacitSink to_evaluation = evaluation.sink(), to_secret = secret.sink();
    ASSERT_EQ(tacit_client_make_keys(model.handle, &to_evaluation, nullptr, &to_secret, nullptr), TACIT_OK)
        << tacit_client_sentence();
    EXPECT_EQ(evaluation.announced, evaluation.bytes.size());
    shared->evaluation = evaluation.bytes;
    shared->secret = secret.bytes;
  }
  static void TearDownTestSuite() { delete shared; }

  /// Encrypts rows of four numbers.
  TacitStatus encrypt(const std::vector<std::vector<double>>& rows, Collector& question,
                      const Bytes& key = shared->secret, const TacitProgress* progress = nullptr) const {
    std::vector<TacitArray> arrays;
    for (const std::vector<double>& row : rows) arrays.push_back({row.data(), kShape, 2});
    const TacitSink sink = question.sink();
    return tacit_client_encrypt(model.handle, view(key), 0, arrays.data(), 1, rows.size(), &sink, nullptr, progress);
  }
  Bytes evaluated(const Bytes& question) const {
    base::write_file(folder.path() / "server", shared->server);
    base::write_file(folder.path() / "keys", shared->evaluation);
    base::write_file(folder.path() / "x", question);
    session::EvaluationFiles files;
    files.model = folder.path() / "server";
    files.keys = folder.path() / "keys";
    files.input = folder.path() / "x";
    files.output = folder.path() / "y";
    session::evaluate(
        files, {}, [](const params::ParameterIdentity&) {}, base::Progress::silent());
    return base::read_file(files.output);
  }
  Bytes receipt() const { return base::read_file(folder.path() / "y.receipt"); }
  TacitStatus decrypt(const Bytes& results, const Bytes& question, TacitAnswers** answers) const {
    return tacit_client_decrypt(model.handle, view(shared->secret), view(results), view(question), {nullptr, 0},
                                nullptr, answers);
  }

  struct Shared {
    Bytes client, server, evaluation, secret;
  };
  static Shared* shared;
  static constexpr std::int64_t kShape[] = {1, 4};
  const Model model{shared->client};
  const base::TemporaryFolder folder;
};
ClientC::Shared* ClientC::shared = nullptr;

TEST_F(ClientC, AnswersWhatTheNetworkAnswers) {
  const auto facts = nlohmann::json::parse(tacit_client_model_facts(model.handle));
  EXPECT_EQ(facts["name"], "small");
  EXPECT_EQ(facts["scheme"], "CKKS");
  EXPECT_EQ(facts["security_bits"], 0);
  EXPECT_EQ(facts["batch"], 1);
  const auto ratio = facts["key_bytes"].get<double>() / static_cast<double>(shared->evaluation.size());
  EXPECT_GT(ratio, 0.5);
  EXPECT_LT(ratio, 3) << "the file has fewer bits of each number, and descriptions beside them";
  EXPECT_EQ(facts["id"].get<std::string>().size(), 64u);
  EXPECT_EQ(facts["inputs"][0]["shape"], (std::vector<int>{1, 4}));
  EXPECT_EQ(facts["outputs"][0]["shape"], (std::vector<int>{1, 3}));

  const auto samples = graph::passes::deep_samples(3, 4, 5);
  std::vector<std::vector<double>> rows;
  for (const auto& sample : samples) rows.push_back(sample.at(0).data);
  Collector question;
  ASSERT_EQ(encrypt(rows, question), TACIT_OK) << tacit_client_sentence();
  TacitAnswers* answers = nullptr;
  ASSERT_EQ(decrypt(evaluated(question.bytes), question.bytes, &answers), TACIT_OK) << tacit_client_sentence();
  EXPECT_EQ(tacit_client_answers_inputs(answers), 3u);
  ASSERT_EQ(tacit_client_answers_outputs(answers), 1u);
  EXPECT_EQ(facts["outputs"][0]["name"], tacit_client_answers_name(answers, 0));
  EXPECT_EQ(tacit_client_answers_name(answers, 1), nullptr);
  EXPECT_EQ(tacit_client_answers_text(answers, 0, 0, 0), nullptr);
  const graph::Graph network = graph::passes::deep_perceptron(1, 4);
  for (std::size_t i = 0; i < 3; ++i) {
    TacitArray array{};
    ASSERT_EQ(tacit_client_answers_get(answers, i, 0, &array), TACIT_OK);
    ASSERT_EQ(array.dimensions, 2u);
    ASSERT_EQ(array.shape[1], 3);
    const std::vector<double> expected = graph::reference::run(network, samples[i]).at(0).data;
    for (std::size_t e = 0; e < 3; ++e) EXPECT_NEAR(array.values[e], expected[e], 1e-3) << i << " " << e;
  }
  TacitArray array{};
  EXPECT_EQ(tacit_client_answers_get(answers, 3, 0, &array), TACIT_REFUSED);
  EXPECT_STREQ(tacit_client_sentence(),
               "there is no output 0 of input 3; the answers have 3 inputs with 1 outputs each");
  tacit_client_answers_free(answers);
}

TEST_F(ClientC, BytesThatAreNoModelAreRefused) {
  const auto refusal = [](const Bytes& bytes, int allow_insecure = 1) {
    TacitClientModel* opened = nullptr;
    EXPECT_EQ(tacit_client_model_open(view(bytes), allow_insecure, &opened), TACIT_REFUSED);
    EXPECT_EQ(opened, nullptr);
    return std::string(tacit_client_sentence());
  };
  EXPECT_THAT(refusal(shared->client, 0), StartsWith("the model asks for INSECURE parameters (N = 2^8"));
  EXPECT_THAT(refusal({}), HasSubstr("the client's half"));
  EXPECT_THAT(refusal(Bytes(1000, 'x')), HasSubstr("the client's half"));
  EXPECT_THAT(refusal(Bytes(shared->client.begin(), shared->client.end() - 1)), HasSubstr("where its header says"));
  EXPECT_THAT(refusal(shared->secret), HasSubstr("it holds a secret key where a client model is needed"));
  EXPECT_THAT(refusal(shared->server), HasSubstr("it holds a server model where a client model is needed"));
  for (std::size_t at = 0; at < shared->client.size(); at += 97) {
    Bytes damaged = shared->client;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_NE(refusal(damaged), "") << at;
  }
}

TEST_F(ClientC, WrongInputsAndKeysAreRefused) {
  const auto refusal = [&](const std::vector<double>& row, const Bytes& key) {
    Collector question;
    EXPECT_EQ(encrypt({row}, question, key), TACIT_REFUSED);
    EXPECT_TRUE(question.bytes.empty());
    return std::string(tacit_client_sentence());
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal({0, nan, 0, 0}, shared->secret), HasSubstr("element 1 is nan"));
  EXPECT_THAT(refusal({0, 0, 1e9, 0}, shared->secret), HasSubstr("element 2 is"));
  EXPECT_THAT(refusal({0, 0, 0, 0}, shared->evaluation), HasSubstr("it holds evaluation keys where a secret key"));
  EXPECT_THAT(refusal({0, 0, 0, 0}, shared->client), HasSubstr("it holds a client model where a secret key"));
  Collector question;
  const double row[4] = {};
  const std::int64_t shape[] = {1, 3}, huge[] = {std::int64_t{1} << 62, 4}, negative[] = {-1, -4};
  const TacitSink sink = question.sink();
  for (const std::int64_t* const extents : {shape, huge, negative}) {
    const TacitArray array{row, extents, 2};
    EXPECT_EQ(tacit_client_encrypt(model.handle, view(shared->secret), 0, &array, 1, 1, &sink, nullptr, nullptr),
              TACIT_REFUSED);
    EXPECT_THAT(tacit_client_sentence(), HasSubstr("and the model takes [1, 4], which are 4 elements"));
  }
  const TacitArray none{nullptr, kShape, 2};
  EXPECT_EQ(tacit_client_encrypt(model.handle, view(shared->secret), 0, &none, 1, 1, &sink, nullptr, nullptr),
            TACIT_REFUSED);
  EXPECT_STREQ(tacit_client_sentence(), "the values of an input: a null pointer was given; give an object or bytes");
  EXPECT_EQ(tacit_client_encrypt(nullptr, view(shared->secret), 0, &none, 1, 1, &sink, nullptr, nullptr),
            TACIT_REFUSED);
  EXPECT_STREQ(tacit_client_sentence(), "the model: a null pointer was given; give an object or bytes");
  EXPECT_EQ(tacit_client_encrypt(model.handle, view(shared->secret), 0, &none, 2, 1, nullptr, nullptr, nullptr),
            TACIT_REFUSED);
}

TEST_F(ClientC, ResultsOfOthersAreRefused) {
  Collector first, second;
  ASSERT_EQ(encrypt({{0.1, 0.2, 0.3, 0.4}}, first), TACIT_OK);
  ASSERT_EQ(encrypt({{0.4, 0.3, 0.2, 0.1}}, second), TACIT_OK);
  const Bytes results = evaluated(first.bytes);
  TacitAnswers* answers = nullptr;
  EXPECT_EQ(decrypt(results, second.bytes, &answers), TACIT_KEY_MISMATCH);
  EXPECT_EQ(answers, nullptr);
  EXPECT_EQ(decrypt(first.bytes, {}, &answers), TACIT_REFUSED);
  EXPECT_THAT(tacit_client_sentence(), HasSubstr("no server has evaluated"));
  Bytes damaged = results;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  EXPECT_EQ(decrypt(damaged, first.bytes, &answers), TACIT_REFUSED);
  EXPECT_THAT(tacit_client_sentence(), HasSubstr("the answer"));

  Collector evaluation, secret;
  const TacitSink to_evaluation = evaluation.sink(), to_secret = secret.sink();
  ASSERT_EQ(tacit_client_make_keys(model.handle, &to_evaluation, nullptr, &to_secret, nullptr), TACIT_OK);
  EXPECT_NE(secret.bytes, shared->secret);
  EXPECT_EQ(tacit_client_decrypt(model.handle, view(secret.bytes), view(results), {nullptr, 0}, {nullptr, 0}, nullptr,
                                 &answers),
            TACIT_KEY_MISMATCH);
}

TEST_F(ClientC, ReceiptsAreHeldToWhatWasSentAndCameBack) {
  Collector first, second;
  ASSERT_EQ(encrypt({{0.1, 0.2, 0.3, 0.4}}, first), TACIT_OK);
  ASSERT_EQ(encrypt({{0.4, 0.3, 0.2, 0.1}}, second), TACIT_OK);
  const Bytes results = evaluated(first.bytes), text = receipt();
  std::uint8_t signer[32], root[32] = {};
  std::fill_n(signer, 32, std::uint8_t{7});
  const auto check = [&](const Bytes& receipt_bytes, const std::uint8_t* keys, const Bytes& question,
                         const Bytes& answer) {
    return tacit_client_check_receipt(model.handle, view(receipt_bytes), keys, view(question), view(answer), signer);
  };
  EXPECT_EQ(check(text, nullptr, first.bytes, results), TACIT_OK) << tacit_client_sentence();
  EXPECT_THAT(signer, ::testing::Each(0)) << "it is not signed";
  EXPECT_EQ(check(text, nullptr, {}, {}), TACIT_OK);
  EXPECT_EQ(check(text, nullptr, second.bytes, results), TACIT_KEY_MISMATCH);
  EXPECT_THAT(tacit_client_sentence(), StartsWith("the receipt is not of the question: its root is "));
  EXPECT_EQ(check(text, nullptr, first.bytes, second.bytes), TACIT_KEY_MISMATCH);
  EXPECT_THAT(tacit_client_sentence(), StartsWith("the receipt is not of the answer: its root is "));
  EXPECT_EQ(check(text, root, first.bytes, results), TACIT_KEY_MISMATCH);
  EXPECT_THAT(tacit_client_sentence(), StartsWith("the receipt is of other evaluation keys"));
  Bytes altered = text;
  const auto version = std::search(altered.begin(), altered.end(), std::begin("0.2"), std::end("0.2") - 1);
  ASSERT_NE(version, altered.end());
  *version = '9';
  EXPECT_EQ(check(altered, nullptr, {}, {}), TACIT_REFUSED);
  EXPECT_STREQ(tacit_client_sentence(),
               "the receipt: its commitment does not match its fields; it was altered or damaged");
  EXPECT_EQ(check({}, nullptr, {}, {}), TACIT_REFUSED);
  EXPECT_EQ(check(first.bytes, nullptr, {}, {}), TACIT_REFUSED);
}

/// Keeps bytes where they belong. Fails at the call of number `fails_at`.
struct Places {
  Bytes bytes{};
  std::uint64_t announced = 0;
  std::array<std::uint8_t, 32> root{};
  int fails_at = -1, calls = 0, ends = 0;

  TacitPlaces places() {
    return {this,
            [](void* self, std::uint64_t offset, const std::uint8_t* piece, std::size_t size) {
              auto& it = *static_cast<Places*>(self);
              EXPECT_EQ(it.ends, 0);
              it.bytes.resize(std::max<std::size_t>(it.bytes.size(), offset + size));
              std::copy_n(piece, size, it.bytes.begin() + static_cast<std::ptrdiff_t>(offset));
              return it.calls++ == it.fails_at ? 1 : 0;
            },
            [](void* self, std::uint64_t size, const std::uint8_t* fixed) {
              auto& it = *static_cast<Places*>(self);
              it.announced = size;
              std::copy_n(fixed, 32, it.root.begin());
              ++it.ends;
              return it.calls++ == it.fails_at ? 1 : 0;
            }};
  }
};

TEST_F(ClientC, KeysInPlacesAreThoseOfAFile) {
  Places evaluation;
  Collector secret;
  const TacitPlaces to_evaluation = evaluation.places();
  const TacitSink to_secret = secret.sink();
  ASSERT_EQ(tacit_client_place_keys(model.handle, &to_evaluation, nullptr, &to_secret, nullptr), TACIT_OK)
      << tacit_client_sentence();
  EXPECT_EQ(evaluation.ends, 1);
  EXPECT_EQ(evaluation.announced, evaluation.bytes.size());
  EXPECT_EQ(evaluation.bytes.size(), shared->evaluation.size());
  const runtime::ArtefactReader reader(runtime::Source::memory(std::as_bytes(std::span(evaluation.bytes))),
                                       runtime::ArtefactKind::evaluation_keys);
  reader.verify();
  EXPECT_EQ(reader.root(), evaluation.root);
  for (const int fails_at : {0, 1, evaluation.calls - 1}) {
    Places failing{.fails_at = fails_at};
    Collector none;
    const TacitPlaces to_failing = failing.places();
    const TacitSink to_none = none.sink();
    EXPECT_EQ(tacit_client_place_keys(model.handle, &to_failing, nullptr, &to_none, nullptr), TACIT_STOPPED);
    EXPECT_EQ(failing.calls, fails_at + 1) << "nothing follows";
    EXPECT_EQ(none.calls, 0) << "there is no secret whose keys are missing";
  }
  const TacitPlaces without{nullptr, nullptr, nullptr};
  EXPECT_EQ(tacit_client_place_keys(model.handle, &without, nullptr, &to_secret, nullptr), TACIT_REFUSED);
  EXPECT_STREQ(tacit_client_sentence(), "the evaluation keys: a null pointer was given; give an object or bytes");
}

TEST_F(ClientC, FunctionsOfTheCallerThatFailStopTheWork) {
  for (const int fails_at : {0, 1, 2}) {
    Collector evaluation{.fails_at = fails_at}, secret;
    const TacitSink to_evaluation = evaluation.sink(), to_secret = secret.sink();
    EXPECT_EQ(tacit_client_make_keys(model.handle, &to_evaluation, nullptr, &to_secret, nullptr), TACIT_STOPPED);
    EXPECT_STREQ(tacit_client_sentence(),
                 "the evaluation keys: the function that receives the bytes failed, so that the work stopped");
    EXPECT_EQ(evaluation.calls, fails_at + 1) << "nothing follows";
    EXPECT_EQ(secret.calls, 0) << "there is no secret whose keys are missing";
  }
  struct Counter {
    int calls = 0, cancels_at = 0;
  };
  for (const int cancels_at : {0, 1, 3}) {
    Counter counter{.cancels_at = cancels_at};
    const TacitProgress progress{&counter, [](void* self, const char* stage, std::uint64_t done, std::uint64_t total) {
                                   auto& it = *static_cast<Counter*>(self);
                                   EXPECT_STRNE(stage, "");
                                   EXPECT_LE(done, total);
                                   return it.calls++ == it.cancels_at ? 1 : 0;
                                 }};
    Collector question;
    EXPECT_EQ(encrypt({{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}, question, shared->secret, &progress),
              TACIT_CANCELLED);
    EXPECT_EQ(counter.calls, cancels_at + 1);
    EXPECT_TRUE(question.bytes.empty());
  }
  const TacitSink without{nullptr, nullptr, nullptr};
  EXPECT_EQ(tacit_client_make_keys(model.handle, &without, nullptr, &without, nullptr), TACIT_REFUSED);
  EXPECT_STREQ(tacit_client_sentence(), "the secret key: a null pointer was given; give an object or bytes");
}

TEST_F(ClientC, APublicKeyEncrypts) {
  Collector evaluation, public_key, secret;
  const TacitSink to_evaluation = evaluation.sink(), to_public = public_key.sink(), to_secret = secret.sink();
  ASSERT_EQ(tacit_client_make_keys(model.handle, &to_evaluation, &to_public, &to_secret, nullptr), TACIT_OK);
  const double row[4] = {0.1, 0.2, 0.3, 0.4};
  const TacitArray array{row, kShape, 2};
  Collector question;
  const TacitSink sink = question.sink();
  EXPECT_EQ(tacit_client_encrypt(model.handle, view(public_key.bytes), 1, &array, 1, 1, &sink, nullptr, nullptr),
            TACIT_OK);
  EXPECT_FALSE(question.bytes.empty());
  EXPECT_EQ(tacit_client_encrypt(model.handle, view(public_key.bytes), 0, &array, 1, 1, &sink, nullptr, nullptr),
            TACIT_REFUSED);
}

TEST(ClientCWithoutObjects, NullPointersAreNoObjects) {
  tacit_client_model_free(nullptr);
  tacit_client_answers_free(nullptr);
  EXPECT_STREQ(tacit_client_model_facts(nullptr), "");
  EXPECT_EQ(tacit_client_answers_inputs(nullptr), 0u);
  EXPECT_EQ(tacit_client_answers_outputs(nullptr), 0u);
  TacitArray array{};
  EXPECT_EQ(tacit_client_answers_get(nullptr, 0, 0, &array), TACIT_REFUSED);
  EXPECT_EQ(tacit_client_model_open({nullptr, 0}, 0, nullptr), TACIT_REFUSED);
  EXPECT_EQ(std::string(tacit_client_version()).find("0."), 0u);
}

}  // namespace
}  // namespace tacit
