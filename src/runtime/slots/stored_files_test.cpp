#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>
#include <random>

#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "program/slots/key_manifest.h"
#include "program/slots/serialize.h"
#include "runtime/artefact.h"
#include "runtime/compiled_model.h"
#include "runtime/description.h"
#include "runtime/slots/ciphertext_file.h"
#include "runtime/slots/key_store.h"
#include "runtime/slots/small_program_for_test.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"
#include "scheme/ckks/serialize.h"

namespace tacit::runtime {
namespace {

using base::read_file;
using base::TemporaryFolder;
using base::write_file;
using layout::Layout;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

params::CkksLiteral tiny_literal() {
  return {.name = "tiny", .log_n = 5, .q_bits = {40, 30, 30}, .p_bits = {50}, .log_scale = 30, .insecure = true};
}

/// A model with everything that belongs to it, at a ring of 32 coefficients.
class StoredFilesTest : public testing::Test {
 protected:
  StoredFilesTest() {
    ProgramWriter writer(writer_slots());
    const Layout layout = Layout::row_major({2, 12}, writer_slots());
    const auto x = writer.input("x", layout);
    const auto h = writer.dense(x, Layout::row_major({3}, writer_slots()));
    writer.output(writer.multiply(h, h), "y");
    server_.name = client_.name = "small";
    server_.literal = client_.literal = tiny_literal();
    server_.program = writer.finish(context_->parameters());
    client_.interface.inputs = {{"x", layout, 2, 0x1p30, -1, 1}};
    client_.interface.outputs = {{"y", Layout::row_major({3}, writer_slots()), 0, 2, -4, 4, 0, 0x1p30}};
    client_.keys = slots::key_manifest(server_.program);
    client_.plan = "Two linear layers.\n";
    client_.parts = {1, 2, 3, 250};
    bind(server_, client_);
    binding_ = {server_.id, context_->parameters().hash(), new_key_set_id()};
  }
  layout::Index writer_slots() const { return static_cast<layout::Index>(context_->parameters().slots()); }
  std::filesystem::path path(const char* name) const { return folder_.path() / name; }

  using Samples = std::vector<std::vector<CiphertextArray>>;

  /// Two arrays a sample, of two ciphertexts and of one.
  Samples ciphertexts(std::size_t count) const {
    const scheme::ckks::Encryptor encryptor(context_, secret_);
    const scheme::ckks::Encoder encoder(context_);
    Samples samples;
    for (std::size_t s = 0; s < count; ++s) {
      std::vector<CiphertextArray>& sample = samples.emplace_back(2);
      for (std::size_t i = 0; i < 3; ++i)
        sample[i / 2].push_back(
            encryptor.encrypt(encoder.encode(std::vector<double>{0.25 * static_cast<double>(s + i)}, 1, 0x1p30)));
    }
    return samples;
  }
  void save_ciphertexts(const Samples& samples, CiphertextRole role = CiphertextRole::inputs) const {
    CiphertextWriter writer(path("ciphertexts"), context_, role, binding_, {"a", "b"});
    for (const std::vector<CiphertextArray>& sample : samples) {
      if (role == CiphertextRole::results)
        writer.add(sample, digest_of(*context_, sample));
      else
        writer.add(sample);
    }
    writer.finish();
  }
  void read_ciphertexts(const char* name = "ciphertexts") const {
    const CiphertextReader reader(path(name), context_, CiphertextRole::inputs);
    for (std::size_t s = 0; s < reader.samples(); ++s) reader.read(s);
  }

  /// Every truncation and one flipped bit in every byte: refused, as InputError or KeyMismatch.
  void expect_damage_refused(const std::filesystem::path& file, const std::function<void()>& load) {
    const std::vector<char> whole = read_file(file);
    const auto refused = [&](const std::string& what, std::size_t at) {
      try {
        load();
        ADD_FAILURE() << what << " at " << at << " of " << whole.size() << " was accepted";
      } catch (const base::InputError&) {
      } catch (const base::KeyMismatch&) {
      }
    };
    std::mt19937 random(3);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::vector<char> damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << (random() % 8)));
      write_file(file, damaged);
      refused("a flipped bit", at);
      if (at % 16 != 0 && at > 256 && at + 256 < whole.size()) continue;
      write_file(file, std::span(whole).first(at));
      refused("a truncation", at);
    }
    write_file(file, whole);
    EXPECT_NO_THROW(load());
  }

  TemporaryFolder folder_;
  scheme::ckks::ContextPtr context_ = scheme::ckks::Context::make(params::CkksParameters::check(tiny_literal()));
  scheme::ckks::KeyGenerator generator_{context_};
  scheme::ckks::SecretKey secret_ = generator_.secret_key();
  ServerModel server_;
  ClientModel client_;
  Binding binding_;
};

TEST_F(StoredFilesTest, ModelsRoundTrip) {
  save(server_, path("server"));
  const ServerModel server = load_server_model(path("server"));
  EXPECT_EQ(server.name, "small");
  EXPECT_EQ(server.id, server_.id);
  EXPECT_EQ(server.literal, server_.literal);
  EXPECT_EQ(slots::to_bytes(server.program), slots::to_bytes(server_.program));

  save(client_, path("client"));
  const ClientModel client = load_client_model(path("client"));
  EXPECT_EQ(client.id, server.id);
  EXPECT_EQ(client.literal, client_.literal);
  EXPECT_EQ(client.keys, client_.keys);
  EXPECT_EQ(client.plan, client_.plan);
  EXPECT_EQ(client.parts, client_.parts);
  EXPECT_EQ(program::to_bytes(client.interface), program::to_bytes(client_.interface));
}

TEST_F(StoredFilesTest, TheModelIdDependsOnEveryPart) {
  const auto id_with = [&](const auto& change) {
    ServerModel server = server_;
    ClientModel client = client_;
    change(server, client);
    bind(server, client);
    EXPECT_EQ(server.id, client.id);
    return server.id;
  };
  const auto differs = [&](const auto& change) { EXPECT_NE(id_with(change), server_.id); };
  differs([](ServerModel& server, ClientModel&) {
    auto& bias = std::get<slots::Linear>(server.program.instructions[1].operation).bias;
    bias = bias->times(layout::RepeatedReals(1 + 0x1p-50), 1);
  });
  differs([](ServerModel&, ClientModel& client) { client.interface.inputs[0].highest = 2; });
  differs([](ServerModel& server, ClientModel& client) { server.literal.log_scale = client.literal.log_scale = 29; });
  differs([](ServerModel&, ClientModel& client) { client.parts.back() = 251; });
  differs([](ServerModel&, ClientModel& client) { client.keys.rotations[7] = 1; });
  EXPECT_EQ(id_with([](ServerModel& server, ClientModel& client) {
              server.name = "other";
              client.plan = "other";
            }),
            server_.id);
}

TEST_F(StoredFilesTest, AHalfWhoseContentWasChangedIsRefusedUnderItsOldId) {
  const auto refused = HasSubstr("was changed after it was compiled");
  ServerModel server = server_;
  auto& bias = std::get<slots::Linear>(server.program.instructions[1].operation).bias;
  bias = bias->times(layout::RepeatedReals(1 + 0x1p-50), 1);
  save(server, path("server"));
  EXPECT_THAT([&] { load_server_model(path("server")); }, ThrowsMessage<base::InputError>(refused));
  ClientModel client = client_;
  client.interface.outputs[0].unit = 3;
  save(client, path("client"));
  EXPECT_THAT([&] { load_client_model(path("client")); }, ThrowsMessage<base::InputError>(refused));
  // Nor does another half's digest make up for it: the id is that of both.
  server.other_half[3] ^= 1;
  save(server, path("server"));
  EXPECT_THAT([&] { load_server_model(path("server")); }, ThrowsMessage<base::InputError>(refused));
}

TEST_F(StoredFilesTest, ResultsNameTheInputsThatTheyAnswer) {
  const Samples samples = ciphertexts(3);
  save_ciphertexts(samples);
  const CiphertextReader asked(path("ciphertexts"), context_, CiphertextRole::inputs);
  const std::vector<base::Digest> questions = asked.digests();
  ASSERT_EQ(questions.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(questions[i], digest_of(*context_, samples[i]));
  const auto answers = [&](const std::vector<std::size_t>& order) {
    CiphertextWriter writer(path("results"), context_, CiphertextRole::results, binding_, {"a", "b"});
    for (const std::size_t i : order) writer.add(samples[i], questions[i]);
    const base::Digest root = writer.finish();
    const CiphertextReader reader(path("results"), context_, CiphertextRole::results);
    EXPECT_EQ(reader.root(), root);
    require_answers({questions, asked.batched()}, "x.ct", {reader.questions(), reader.batched()}, "y.ct");
  };
  EXPECT_NO_THROW(answers({0, 1, 2}));
  EXPECT_THAT(
      [&] {
        answers({0, 2, 1});
      },
      ThrowsMessage<base::KeyMismatch>(HasSubstr("result 1 of y.ct answers input 2 of x.ct, not input 1")));
  EXPECT_THAT([&] { answers({0, 1}); }, ThrowsMessage<base::KeyMismatch>(HasSubstr("2 results for the 3 inputs")));
  EXPECT_THAT([&] { answers({0, 1, 1}); }, ThrowsMessage<base::InputError>(HasSubstr("answer the same input")));
  save_ciphertexts(ciphertexts(3));
  const CiphertextReader others(path("ciphertexts"), context_, CiphertextRole::inputs);
  const std::vector<base::Digest> unasked = others.digests();
  EXPECT_THAT(
      [&] {
        require_answers({unasked, {3, 1}}, "x.ct", {questions, {3, 1}}, "y.ct");
      },
      ThrowsMessage<base::KeyMismatch>(HasSubstr("result 0 of y.ct answers no input of x.ct")));
  EXPECT_THAT(
      [&] {
        require_answers({questions, {8, 3}}, "x.ct", {questions, {7, 3}}, "y.ct");
      },
      ThrowsMessage<base::KeyMismatch>(HasSubstr("7 results for the 8 inputs")));
}

TEST_F(StoredFilesTest, SamplesSayHowManyInputsTheyHold) {
  const Samples samples = ciphertexts(3);
  const auto written = [&](std::size_t inputs, std::size_t batch) {
    CiphertextWriter writer(path("batches"), context_, CiphertextRole::inputs, binding_, {"a", "b"},
                            BatchedInputs{inputs, batch});
    for (const std::vector<CiphertextArray>& sample : samples) writer.add(sample);
    writer.finish();
    return CiphertextReader(path("batches"), context_, CiphertextRole::inputs).batched();
  };
  EXPECT_EQ(written(7, 3), (BatchedInputs{7, 3}));
  EXPECT_EQ(written(7, 3).of(1), 3u);
  EXPECT_EQ(written(7, 3).of(2), 1u);
  // More or fewer than three samples hold, and numbers whose sums wrap around.
  for (const auto& [inputs, batch] : {std::pair{6ul, 3ul}, {10ul, 3ul}, {0ul, 1ul}, {3ul, 0ul}, {~0ul, ~0ul}})
    EXPECT_THROW(written(inputs, batch), base::InputError) << inputs << " " << batch;
  save_ciphertexts(samples);
  EXPECT_EQ(CiphertextReader(path("ciphertexts"), context_, CiphertextRole::inputs).batched(), (BatchedInputs{3, 1}));
}

TEST_F(StoredFilesTest, KeysRoundTrip) {
  params::KeyManifest manifest = client_.keys;
  manifest.conjugate_level = 1;
  const scheme::ckks::EvaluationKeys keys = generator_.evaluation_keys(secret_, manifest);
  const scheme::ckks::PublicKey public_key = generator_.public_key(secret_);
  save(context_, secret_, binding_, path("secret"));
  save(context_, public_key, binding_, path("public"));
  save(context_, keys, binding_, path("keys"));
  struct stat status {};
  ASSERT_EQ(::stat(path("secret").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);

  const auto bytes = [&](const auto& key) { return scheme::ckks::serialize(*context_, key); };
  Provenance found;
  EXPECT_EQ(bytes(load_secret_key(path("secret"), context_, &server_.id, found)), bytes(secret_));
  EXPECT_EQ(found, binding_);
  EXPECT_EQ(bytes(load_public_key(path("public"), context_, nullptr, found)), bytes(public_key));
  EXPECT_EQ(found, binding_);
  EXPECT_EQ(bytes(load_evaluation_keys(path("keys"), context_, &server_.id, found)), bytes(keys));
  EXPECT_EQ(found, binding_);
}

TEST_F(StoredFilesTest, CiphertextsRoundTripBySample) {
  const Samples samples = ciphertexts(3);
  save_ciphertexts(samples);
  const CiphertextReader reader(path("ciphertexts"), context_, CiphertextRole::inputs);
  EXPECT_EQ(reader.binding(), binding_);
  EXPECT_EQ(reader.names(), (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(reader.samples(), 3u);
  for (std::size_t s = 0; s < 3; ++s) {
    const auto found = reader.read(s);
    ASSERT_EQ(found.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_EQ(found[i].size(), 2 - i);
      for (std::size_t c = 0; c < 2 - i; ++c)
        EXPECT_EQ(scheme::ckks::serialize(*context_, found[i][c]),
                  scheme::ckks::serialize(*context_, samples[s][i][c]));
    }
  }
  EXPECT_THROW(reader.read(3), base::InputError);
}

TEST_F(StoredFilesTest, CiphertextsOfAnotherRoleAreRefused) {
  const auto read = [&](CiphertextRole expected) { CiphertextReader(path("ciphertexts"), context_, expected); };
  const auto refused = [&](CiphertextRole expected, const char* holds, const char* advice) {
    EXPECT_THAT([&] { read(expected); }, ThrowsMessage<base::InputError>(AllOf(HasSubstr("ciphertexts holds"),
                                                                               HasSubstr(holds), HasSubstr(advice))));
  };
  save_ciphertexts(ciphertexts(1), CiphertextRole::results);
  EXPECT_NO_THROW(read(CiphertextRole::results));
  refused(CiphertextRole::inputs, "evaluated already", "what encrypt made");
  save_ciphertexts(ciphertexts(1), CiphertextRole::inputs);
  refused(CiphertextRole::results, "no server has evaluated", "what evaluate made");
  save_ciphertexts(ciphertexts(1), CiphertextRole::vectors);
  refused(CiphertextRole::results, "without a model", "what evaluate made");

  ArtefactWriter writer(path("lie"), ArtefactKind::ciphertexts);
  nlohmann::json json = to_json(binding_);
  json["names"] = {"a"};
  json["role"] = "prayers";
  writer.add_section(kAboutSection, SectionType::text, json.dump());
  writer.finish();
  EXPECT_THAT([&] { read_ciphertexts("lie"); }, ThrowsMessage<base::InputError>(HasSubstr("role")));
}

TEST_F(StoredFilesTest, EveryDamageToEveryKindOfFileIsRefused) {
  Provenance found;
  save(server_, path("server"));
  expect_damage_refused(path("server"), [&] { load_server_model(path("server")); });
  save(client_, path("client"));
  expect_damage_refused(path("client"), [&] { load_client_model(path("client")); });
  save(context_, secret_, binding_, path("secret"));
  expect_damage_refused(path("secret"), [&] { load_secret_key(path("secret"), context_, nullptr, found); });
  save(context_, generator_.public_key(secret_), binding_, path("public"));
  expect_damage_refused(path("public"), [&] { load_public_key(path("public"), context_, nullptr, found); });
  params::KeyManifest few{.relinearise_level = 1, .conjugate_level = -1, .rotations = {{3, 0}}};
  save(context_, generator_.evaluation_keys(secret_, few), binding_, path("keys"));
  expect_damage_refused(path("keys"), [&] { load_evaluation_keys(path("keys"), context_, nullptr, found); });
  save_ciphertexts(ciphertexts(1));
  expect_damage_refused(path("ciphertexts"), [&] { read_ciphertexts(); });
}

TEST_F(StoredFilesTest, ASecretKeyIsRefusedAsEvaluationKeysInItsOwnSentence) {
  save(context_, secret_, binding_, path("secret"));
  Provenance found;
  EXPECT_THAT(
      [&] { load_evaluation_keys(path("secret"), context_, nullptr, found); },
      ThrowsMessage<base::InputError>(AllOf(HasSubstr("this is a secret key"), HasSubstr("must never get one"))));
  EXPECT_THAT([&] { read_ciphertexts("secret"); },
              ThrowsMessage<base::InputError>(HasSubstr("it holds a secret key where ciphertexts are needed")));
  save(client_, path("client"));
  EXPECT_THAT([&] { load_server_model(path("client")); },
              ThrowsMessage<base::InputError>(HasSubstr("it holds a client model where a server model is needed")));
}

TEST_F(StoredFilesTest, KeysOfAnotherModelOrParameterSetAreNamed) {
  save(context_, secret_, binding_, path("secret"));
  save_ciphertexts(ciphertexts(1));
  Provenance found;
  ModelId other = server_.id;
  other[0] ^= 1;
  EXPECT_THAT([&] { load_secret_key(path("secret"), context_, &other, found); },
              ThrowsMessage<base::KeyMismatch>(AllOf(HasSubstr("secret"),
                                                     HasSubstr(base::hexadecimal(std::span(other).first(4))),
                                                     HasSubstr(base::hexadecimal(std::span(server_.id).first(4))))));
  params::CkksLiteral literal = tiny_literal();
  literal.name = "another";
  literal.log_scale = 29;
  const auto context = scheme::ckks::Context::make(params::CkksParameters::check(literal));
  EXPECT_THAT([&] { load_secret_key(path("secret"), context, nullptr, found); },
              ThrowsMessage<base::KeyMismatch>(AllOf(HasSubstr("parameter set"), HasSubstr("another"))));
  EXPECT_THROW(CiphertextReader(path("ciphertexts"), context, CiphertextRole::inputs), base::KeyMismatch);

  Binding neighbour = binding_;
  neighbour.key_set = new_key_set_id();
  EXPECT_NO_THROW(require_same_model(binding_, "keys", neighbour, "ciphertexts"));
  EXPECT_THAT(
      [&] { require_same_keys(binding_, "my.keys", neighbour, "my.ciphertexts"); },
      ThrowsMessage<base::KeyMismatch>(AllOf(HasSubstr("my.keys"), HasSubstr("my.ciphertexts"), HasSubstr("key set"))));
}

TEST_F(StoredFilesTest, ADescriptionThatLiesIsRefused) {
  // A well-formed container around contents that contradict each other.
  const auto client_with = [&](const std::function<void(nlohmann::json&)>& change) {
    save(client_, path("client"));
    const ArtefactReader reader(path("client"), ArtefactKind::client_model);
    nlohmann::json json = *about(reader);
    change(json);
    const auto interface = reader.read(reader.section("interface", SectionType::program));
    ArtefactWriter writer(path("lie"), ArtefactKind::client_model);
    writer.add_section(kAboutSection, SectionType::text, json.dump());
    writer.add_section("interface", SectionType::program, interface);
    writer.add_section("parts", SectionType::program, std::as_bytes(std::span(client_.parts)));
    writer.add_section("plan.json", SectionType::text, "");
    writer.finish();
    return load_client_model(path("lie"));
  };
  EXPECT_NO_THROW(client_with([](nlohmann::json&) {}));
  // Whatever walks through nested values would run out of stack.
  nlohmann::json deep = nlohmann::json::array();
  for (int depth = 0; depth < 50; ++depth) deep = nlohmann::json::array({deep});
  EXPECT_THROW(client_with([&](nlohmann::json& json) { json["parameters"]["zz"] = deep; }), base::InputError);
  using Change = std::function<void(nlohmann::json&)>;
  const std::vector<Change> changes = {
      [](nlohmann::json& j) { j = nlohmann::json::array(); },
      [](nlohmann::json& j) { j.erase("model"); },
      [](nlohmann::json& j) { j["model"] = "xyz"; },
      [](nlohmann::json& j) { j["model"] = std::string(64, 'g'); },
      [](nlohmann::json& j) { j["name"] = 3; },
      [](nlohmann::json& j) { j["parameters"]["log_n"] = 40; },
      [](nlohmann::json& j) { j["parameters"]["insecure"] = false; },
      [](nlohmann::json& j) { j["keys"]["relinearise"] = 7; },
      [](nlohmann::json& j) { j["keys"]["relinearise"] = -2; },
      [](nlohmann::json& j) {
        j["keys"]["rotations"] = {{16, 1}};
      },
      [](nlohmann::json& j) {
        j["keys"]["rotations"] = {{0, 1}};
      },
      [](nlohmann::json& j) { j["keys"]["rotations"] = {{1}}; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i)
    EXPECT_THAT([&] { client_with(changes[i]); }, ThrowsMessage<base::InputError>(HasSubstr("lie: "))) << i;
}

}  // namespace
}  // namespace tacit::runtime
