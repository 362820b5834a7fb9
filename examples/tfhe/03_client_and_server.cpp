// Two parties that share files only: the client owns the secret key, the server looks tables up and never sees it.

#include <tacit/tfhe.h>

#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace tfhe = tacit::tfhe;
namespace fs = std::filesystem;

namespace {

void client_asks(const fs::path& client, const fs::path& server) {
  const tfhe::SecretKey secret(tfhe::Parameters::named("T3"));
  secret.save(client / "secret.key");
  secret.evaluation_keys().save(server / "evaluation.keys");
  secret.encrypt(std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}).save(server / "question");
}

void server_answers(const fs::path& server) {
  const auto parameters = tfhe::Parameters::named("T3");
  const tfhe::Evaluator evaluator(tfhe::EvaluationKeys::load(parameters, server / "evaluation.keys"));
  const tfhe::Table square(parameters, [](std::int64_t n) { return n * n % 8; });
  evaluator.lookup(tfhe::Ciphertexts::load(parameters, server / "question"), square).save(server / "answer");
}

std::vector<std::int64_t> client_reads(const fs::path& client, const fs::path& server) {
  const auto parameters = tfhe::Parameters::named("T3");
  return tfhe::SecretKey::load(parameters, client / "secret.key")
      .decrypt(tfhe::Ciphertexts::load(parameters, server / "answer"));
}

bool server_refuses_the_secret_key(const fs::path& client) {
  try {
    tfhe::EvaluationKeys::load(tfhe::Parameters::named("T3"), client / "secret.key");
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
  const std::vector<std::int64_t> answer = client_reads(client, server);
  const bool refused = server_refuses_the_secret_key(client);
  std::printf("squares modulo 8:");
  for (const std::int64_t square : answer) std::printf(" %lld", static_cast<long long>(square));
  std::printf("\n");
  fs::remove_all(folder);
  return answer == std::vector<std::int64_t>{0, 1, 4, 1, 0, 1, 4, 1} && refused ? 0 : 1;
}
