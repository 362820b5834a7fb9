// Encrypts the normalised inputs, a file at a time: client_encode_encrypt_input SIZE

#include <tacit/secrets.h>

#include "stage.h"

int main(int count, char** arguments) {
  return stage::run("client_encode_encrypt_input", [&] {
    tacit::forbid_core_dumps();
    const stage::Folders folders{stage::size_of(count, arguments)};
    stage::require(folders.secret_file(), "client_key_generation");
    stage::require(folders.inputs_file(), "client_preprocess_input");
    const tacit::Client client(stage::client_model(stage::Workload::read(), folders.size), folders.secret_file());
    stage::start_clean(folders.questions());
    stage::RowReader rows(folders.inputs_file());
    std::vector<double> row;
    std::vector<tacit::Tensors> inputs;
    std::size_t parts = 0;
    const auto write = [&] {
      client.encrypt_all(inputs).save(stage::part(folders.questions(), parts++));
      inputs.clear();
    };
    while (rows.read(row)) {
      inputs.push_back({row});
      if (inputs.size() == stage::kInputsPerFile) write();
    }
    if (!inputs.empty()) write();
  });
}
