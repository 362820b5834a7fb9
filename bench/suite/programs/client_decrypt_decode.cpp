// Decrypts the scores of every input: client_decrypt_decode SIZE

#include <tacit/secrets.h>

#include "stage.h"

int main(int count, char** arguments) {
  return stage::run("client_decrypt_decode", [&] {
    tacit::forbid_core_dumps();
    const stage::Folders folders{stage::size_of(count, arguments)};
    stage::require(folders.secret_file(), "client_key_generation");
    stage::require(stage::part(folders.answers(), 0), "server_encrypted_compute");
    const tacit::ClientModel model = stage::client_model(stage::Workload::read(), folders.size);
    const tacit::Client client(model, folders.secret_file());
    stage::RowWriter rows(folders.scores_file(), stage::elements(model.output_shapes()[0]));
    // Every file of questions needs its answers. Names say which belong together.
    for (std::size_t number = 0; stage::fs::exists(stage::part(folders.questions(), number)); ++number) {
      stage::require(stage::part(folders.answers(), number), "server_encrypted_compute");
      const auto answers = tacit::EncryptedTensors::load(model, stage::part(folders.answers(), number));
      for (const tacit::Tensors& scores : client.decrypt_all(answers)) rows.write(scores[0]);
    }
    rows.close();
  });
}
