// Reads the harness's text, and writes normalised numbers: client_preprocess_input SIZE

#include "stage.h"

namespace {

// The numbers of one line, normalised per channel. Channels follow each other.
std::vector<double> numbers(const stage::Workload& workload, const std::string& line, std::size_t number) {
  const std::size_t per_channel = workload.values / workload.mean.size();
  const auto wrong = [&](const std::string& what) {
    return tacit::InputError("line " + std::to_string(number) + " of the test pixels " + what + ", expected " +
                             std::to_string(workload.values) + " numbers from 0 to 1: is it of another workload?");
  };
  std::vector<double> row;
  row.reserve(workload.values);
  const char* const end = line.data() + line.size();
  for (const char* at = line.data();;) {
    while (at != end && (*at == ' ' || *at == '\t' || *at == '\r')) ++at;
    if (at == end) break;
    double value = 0;
    const auto [next, failure] = std::from_chars(at, end, value);
    if (failure != std::errc() || !(value >= 0 && value <= 1))
      throw wrong("has something else at number " + std::to_string(row.size() + 1));
    if (row.size() == workload.values) throw wrong("has more numbers");
    const std::size_t channel = row.size() / per_channel;
    row.push_back((value - workload.mean[channel]) / workload.std[channel]);
    at = next;
  }
  if (row.size() != workload.values) throw wrong("has " + std::to_string(row.size()) + " numbers");
  return row;
}

}  // namespace

int main(int count, char** arguments) {
  return stage::run("client_preprocess_input", [&] {
    const stage::Folders folders{stage::size_of(count, arguments)};
    const stage::Workload workload = stage::Workload::read();
    stage::require(folders.pixels(), "the harness's input generation");
    std::ifstream text(folders.pixels());
    stage::start_clean(folders.intermediate());
    stage::RowWriter rows(folders.inputs_file(), workload.values);
    std::string line;
    std::size_t number = 0;
    while (std::getline(text, line))
      if (!line.empty()) rows.write(numbers(workload, line, ++number));
    if (number == 0) throw tacit::InputError(folders.pixels().string() + " has no line");
    rows.close();
  });
}
