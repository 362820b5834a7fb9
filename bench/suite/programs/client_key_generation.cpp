// Draws the secret key, and writes the keys that the server needs: client_key_generation SIZE

#include <tacit/secrets.h>

#include "stage.h"

int main(int count, char** arguments) {
  return stage::run("client_key_generation", [&] {
    tacit::forbid_core_dumps();
    const stage::Folders folders{stage::size_of(count, arguments)};
    const tacit::Client client(stage::client_model(stage::Workload::read(), folders.size));
    stage::start_clean(folders.secret_key());
    stage::start_clean(folders.public_keys());
    client.save_secret_key(folders.secret_file());
    client.evaluation_keys().save(folders.keys_file());
  });
}
