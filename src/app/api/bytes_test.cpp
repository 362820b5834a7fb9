#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tacit/tacit.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit {
namespace {

using base::expect_refusal;
using Bytes = std::vector<std::byte>;

Bytes file_bytes(const std::filesystem::path& path) {
  const std::vector<char> text = base::read_file(path);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// The bytes as a stream of pieces of at most `most` bytes.
Source streamed(const Bytes& bytes, std::size_t most) {
  std::size_t at = 0;
  return Source::stream(
      [&](std::span<std::byte> room) -> std::optional<std::size_t> {
        if (at == bytes.size()) return std::nullopt;
        const std::size_t count = std::min({most, room.size(), bytes.size() - at});
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, room.begin());
        at += count;
        return count;
      },
      bytes.size(), bytes.size());
}

class BytesApi : public ::testing::Test {
 protected:
  /// The bytes that `save` writes are the same in a file, in memory and in a stream. Returns them.
  template <class Save>
  Bytes same_everywhere(const Save& save) {
    const std::filesystem::path file = temporary.path() / std::to_string(++files_);
    save(Sink(file));
    const Bytes bytes = file_bytes(file);
    Bytes memory, stream;
    save(Sink::memory(memory));
    EXPECT_TRUE(memory == bytes);
    save(
        Sink::stream([&](std::span<const std::byte> piece) { stream.insert(stream.end(), piece.begin(), piece.end()); },
                     [&](const SavedFacts& facts) {
                       EXPECT_EQ(facts.bytes, bytes.size());
                       EXPECT_EQ(facts.root, root_of(file));
                       return std::uint64_t{0};
                     }));
    EXPECT_TRUE(stream == bytes);
    EXPECT_EQ(root_of(Source::memory(bytes)), root_of(file));
    return bytes;
  }
  const base::TemporaryFolder temporary;

 private:
  int files_ = 0;
};

Tensors wave() {
  Tensors image(1);
  for (int i = 0; i < 784; ++i) image[0].push_back(0.8 * std::sin(0.05 * i));
  return image;
}

TEST_F(BytesApi, EveryObjectOfANetworkTravelsWithoutAFile) {
  const auto saved = [&](const auto& object) {
    const Bytes bytes = same_everywhere([&](const Sink& sink) { object.save(sink); });
    EXPECT_TRUE(to_bytes(object) == bytes);
    return bytes;
  };
  const CompiledModel compiled = compile(TACIT_EXAMPLES "/fashion/model.onnx", {.input_range = std::pair{-1.0, 2.1}});
  const Bytes client_half = saved(compiled.client), server_half = saved(compiled.server);
  const ClientModel client = ClientModel::load(Source::memory(client_half));
  const ServerModel server = ServerModel::load(streamed(server_half, 100'000));
  EXPECT_EQ(client.id(), compiled.client.id());
  EXPECT_EQ(client.plan().json, compiled.client.plan().json);

  const Client drawn(client);
  const Bytes secret = same_everywhere([&](const Sink& sink) { drawn.save_secret_key(sink); });
  const Client owner(client, Source::memory(secret));
  const Bytes evaluation = saved(owner.evaluation_keys()), question = saved(owner.encrypt(wave()));
  const ModelKeys keys = ModelKeys::load(server, streamed(evaluation, 1 << 20));
  const Bytes answer = saved(Server(server, keys).evaluate(EncryptedTensors::load(server, Source::memory(question))));
  const EncryptedTensors results = EncryptedTensors::load(client, streamed(answer, 4097));
  const EncryptedTensors asked = EncryptedTensors::load_questions(client, Source::memory(question));
  EXPECT_TRUE(asked.kept_values().empty());
  EXPECT_NO_THROW(results.require_answers_to(asked));
  EXPECT_NEAR(owner.decrypt(results)[0][8], 5.1394, 1e-3);

  expect_refusal<InputError>([&] { ModelKeys::load(server, Source::memory(secret, "my bytes")); },
                             "my bytes: this is a secret key, and the computing side must never get one");
  expect_refusal<InputError>([&] { ServerModel::load(Source::memory(client_half)); },
                             "the given bytes: it holds a client model where a server model is needed");
  expect_refusal<InputError>([&] { EncryptedTensors::load(client, Source::memory(question)); },
                             "no server has evaluated");
  expect_refusal<InputError>([&] { ClientModel::load(Source::memory(std::span(client_half).first(1000))); },
                             "the given bytes: the file has 1000 bytes where its header says");
  Bytes newer = client_half;
  newer[8] = std::byte{200};
  expect_refusal<InputError>([&] { ClientModel::load(Source::memory(newer)); }, "format version 200");
  Bytes damaged = evaluation;
  damaged[damaged.size() / 2] ^= std::byte{1};
  expect_refusal<InputError>([&] { ModelKeys::load(server, Source::memory(damaged)); }, "is damaged");
  const Client stranger(client);
  expect_refusal<KeyMismatch>([&] { Server(server, keys).evaluate(stranger.encrypt(wave())); },
                              "do not belong together");
}

TEST_F(BytesApi, ObjectsWithoutAModelTravelWithoutAFile) {
  const char* const small = R"({"name": "small", "log_n": 10, "q_bits": [50, 40], "p_bits": [50], "log_scale": 40,
                               "insecure": true})";
  const ckks::Context context(ckks::Parameters::from_json(small, InsecureParameters::allow));
  const ckks::KeyGenerator generator(context);
  const ckks::SecretKey drawn = generator.secret_key();
  const auto saved = [&](const auto& object) { return same_everywhere([&](const Sink& sink) { object.save(sink); }); };
  const auto secret = ckks::SecretKey::load(context, Source::memory(saved(drawn)));
  const Bytes public_key = saved(generator.public_key(secret));
  const Bytes evaluation = saved(generator.evaluation_keys(secret, {.rotations = {1}}));
  const auto encrypted = ckks::Encryptor(context, ckks::PublicKey::load(context, streamed(public_key, 1000)))
                             .encrypt(std::vector<double>{1, 2});
  const Bytes ciphertext = saved(encrypted);
  const ckks::Evaluator evaluator(context, ckks::EvaluationKeys::load(context, Source::memory(evaluation)));
  const auto turned = evaluator.rotate(ckks::Ciphertext::load(context, Source::memory(ciphertext)), 1);
  EXPECT_NEAR(ckks::Decryptor(context, secret).decrypt(turned)[0], 2, 1e-4);
}

TEST_F(BytesApi, IntegersTravelWithoutAFile) {
  const auto saved = [&](const auto& object) { return same_everywhere([&](const Sink& sink) { object.save(sink); }); };
  const tfhe::Parameters parameters = tfhe::Parameters::named("T2");
  const Bytes secret = saved(tfhe::SecretKey(parameters));
  const auto key = tfhe::SecretKey::load(parameters, Source::memory(secret));
  const Bytes evaluation = saved(key.evaluation_keys());
  const auto keys = tfhe::EvaluationKeys::load(parameters, streamed(evaluation, 1 << 20));
  EXPECT_TRUE(to_bytes(keys) == evaluation);
  const Bytes fresh = saved(key.encrypt(std::vector<std::int64_t>{3, 1}));
  const auto integers = tfhe::Ciphertexts::load(parameters, Source::memory(fresh));
  const std::size_t second[] = {1};
  const Bytes computed = saved(integers.select(second));
  EXPECT_EQ(key.decrypt(tfhe::Ciphertexts::load(parameters, Source::memory(computed))), std::vector<std::int64_t>{1});
  expect_refusal<KeyMismatch>(
      [&] { tfhe::EvaluationKeys::load(tfhe::Parameters::named("T3"), Source::memory(evaluation)); },
      "do not belong together");
}

TEST_F(BytesApi, TilesTravelWithoutAFile) {
  const char* const small = "slots 64, depth 3, fraction 40 bits, integer 5 bits, security 0";
  const auto insecure = InsecureParameters::allow;
  const tile::Session rehearsal = tile::Session::cost(small, insecure);
  const tile::Session owner = tile::Session::encrypted(small, rehearsal, insecure);
  Bytes secret, keys;
  owner.save_keys(Sink::memory(secret), Sink::memory(keys));
  const tile::Shape shape("{n any|64}");
  const tile::Tensor encrypted = tile::encrypt(owner, shape, {2}, std::vector<double>{1, 2});
  const Bytes question = same_everywhere([&](const Sink& sink) { save(encrypted, sink); });
  const auto server = tile::Session::from_keys(small, {}, Source::memory(keys), insecure);
  const tile::Tensor tensor = tile::load(server, streamed(question, 999));
  Bytes answer;
  save(tile::add(tensor, tensor), Sink::memory(answer));
  const auto client = tile::Session::from_keys(small, Source::memory(secret), {}, insecure);
  EXPECT_NEAR(tile::load(client, Source::memory(answer)).decrypt()[1], 4, 1e-3);
}

TEST_F(BytesApi, ASinkThatFailsLeavesNothingWhole) {
  const char* const small = R"({"name": "small", "log_n": 10, "q_bits": [50, 40], "p_bits": [50], "log_scale": 40,
                               "insecure": true})";
  const ckks::Context context(ckks::Parameters::from_json(small, InsecureParameters::allow));
  const ckks::SecretKey secret = ckks::KeyGenerator(context).secret_key();
  Bytes given;
  expect_refusal<std::runtime_error>(
      [&] {
        secret.save(Sink::stream([&](std::span<const std::byte> piece) {
          if (!given.empty()) throw std::runtime_error("the disk is full");
          given.assign(piece.begin(), piece.end());
        }));
      },
      "the disk is full");
  EXPECT_THROW(ckks::SecretKey::load(context, Source::memory(given)), InputError);
  Bytes room(10);
  expect_refusal<InputError>([&] { secret.save(Sink::memory([&](std::uint64_t) { return std::span(room); })); },
                             "it has room for 10 bytes where");
  expect_refusal<InputError>(
      [&] {
        secret.save(
            Sink::stream([](std::span<const std::byte>) {}, [](const SavedFacts& facts) { return facts.bytes + 1; }));
      },
      "it asks for bytes from");
}

TEST_F(BytesApi, StreamsAreBounded) {
  const Bytes bytes(100);
  const auto next = [&](std::span<std::byte> room) { return std::optional(std::min<std::size_t>(room.size(), 64)); };
  expect_refusal<InputError>([&] { Source::stream(next, 99); }, "it has more than the 99 bytes that are accepted");
  expect_refusal<InputError>([&] { Source::stream(next, 99, 100); }, "it says that it has 100 bytes");
  expect_refusal<InputError>(
      [&] { Source::stream([](std::span<std::byte>) { return std::optional<std::size_t>(0); }, 9); },
      "it gave none 1000 times in a row");
  expect_refusal<std::runtime_error>(
      [&] {
        Source::stream([](std::span<std::byte>) -> std::optional<std::size_t> { throw std::runtime_error("cut off"); },
                       9);
      },
      "cut off");
  expect_refusal<InputError>([] { ServerModel::load(Source()); }, "cannot open the file");
}

}  // namespace
}  // namespace tacit
