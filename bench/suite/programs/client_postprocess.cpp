// Writes the class with the largest score, one line per input: client_postprocess SIZE

#include <algorithm>

#include "stage.h"

int main(int count, char** arguments) {
  return stage::run("client_postprocess", [&] {
    const stage::Folders folders{stage::size_of(count, arguments)};
    stage::require(folders.scores_file(), "client_decrypt_decode");
    stage::RowReader rows(folders.scores_file());
    std::ofstream file(folders.predictions());
    std::vector<double> scores;
    while (rows.read(scores)) file << std::max_element(scores.begin(), scores.end()) - scores.begin() << "\n";
    file.close();
    if (!file) throw tacit::InputError(folders.predictions().string() + " cannot be written: is the disk full?");
  });
}
