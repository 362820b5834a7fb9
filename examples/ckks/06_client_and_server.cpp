// Two parties that share files only: the client owns the secret key, the server computes and never sees it.

#include <tacit/ckks.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace ckks = tacit::ckks;
namespace fs = std::filesystem;

namespace {

// Both sides agree on the parameters; the literal travels as text.
const char* const kLiteral = R"({"name": "ours", "log_n": 13, "q_bits": [36, 30, 30, 30, 30], "p_bits": [50],
                                 "log_scale": 30})";

void client_asks(const fs::path& client, const fs::path& server) {
  const ckks::Context context(ckks::Parameters::from_json(kLiteral));
  const ckks::KeyGenerator generator(context);
  const auto secret = generator.secret_key();
  secret.save(client / "secret.key");
  generator.evaluation_keys(secret).save(server / "evaluation.keys");
  ckks::Encryptor(context, secret).encrypt(std::vector<double>{1.5, -2.0, 0.25}).save(server / "question");
}

void server_answers(const fs::path& server) {
  const ckks::Context context(ckks::Parameters::from_json(kLiteral));
  const ckks::Evaluator evaluator(context, ckks::EvaluationKeys::load(context, server / "evaluation.keys"));
  const auto question = ckks::Ciphertext::load(context, server / "question");
  evaluator.square(question).save(server / "answer");
}

std::vector<double> client_reads(const fs::path& client, const fs::path& server) {
  const ckks::Context context(ckks::Parameters::from_json(kLiteral));
  const ckks::Decryptor decryptor(context, ckks::SecretKey::load(context, client / "secret.key"));
  return decryptor.decrypt(ckks::Ciphertext::load(context, server / "answer"));
}

// What a server refuses: a secret key where evaluation keys belong.
bool server_refuses_the_secret_key(const fs::path& client) {
  const ckks::Context context(ckks::Parameters::from_json(kLiteral));
  try {
    ckks::EvaluationKeys::load(context, client / "secret.key");
  } catch (const tacit::InputError& error) {
    std::printf("refused: %s\n", error.what());
    return true;
  }
  return false;
}

}  // namespace

int main() {
  const fs::path folder = fs::temp_directory_path() / ("tacit-example-" + std::to_string(std::random_device{}()));
  const fs::path client = folder / "client", server = folder / "server";
  fs::create_directories(client);
  fs::create_directories(server);

  client_asks(client, server);
  server_answers(server);
  const auto answer = client_reads(client, server);
  const bool refused = server_refuses_the_secret_key(client);
  std::printf("squares of 1.5, -2 and 0.25: %.4f %.4f %.4f\n", answer[0], answer[1], answer[2]);
  fs::remove_all(folder);

  const bool right =
      std::abs(answer[0] - 2.25) < 1e-3 && std::abs(answer[1] - 4) < 1e-3 && std::abs(answer[2] - 0.0625) < 1e-3;
  return right && refused ? 0 : 1;
}
