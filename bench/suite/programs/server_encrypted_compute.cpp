// Evaluates the network on every file of encrypted inputs: server_encrypted_compute SIZE

#include "stage.h"

int main(int count, char** arguments) {
  return stage::run("server_encrypted_compute", [&] {
    const stage::Folders folders{stage::size_of(count, arguments)};
    const stage::Workload workload = stage::Workload::read();
    const stage::fs::path model_file = stage::model_folder(workload, folders.size) / "server.tacit";
    stage::require(model_file, "the submission's build");
    stage::require(folders.keys_file(), "client_key_generation");
    stage::require(stage::part(folders.questions(), 0), "client_encode_encrypt_input");
    stage::start_clean(folders.answers());

    stage::Steps steps;
    const auto model = steps.time("load model", [&] { return tacit::ServerModel::load(model_file); });
    const auto keys = steps.time("read keys", [&] { return tacit::ModelKeys::load(model, folders.keys_file()); });
    tacit::Server server = steps.time("encode weights", [&] { return tacit::Server(model, keys); });
    for (std::size_t number = 0; stage::fs::exists(stage::part(folders.questions(), number)); ++number) {
      const auto questions = steps.time("read inputs", [&] {
        return tacit::EncryptedTensors::load(model, stage::part(folders.questions(), number));
      });
      const auto answers = steps.time("evaluate", [&] { return server.evaluate(questions); });
      answers.save(stage::part(folders.answers(), number));
    }
    steps.write(folders.io() / "server_reported_steps.json");
  });
}
