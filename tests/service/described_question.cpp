#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "runtime/artefact.h"

/// described_question FROM TO VALUES: copies encrypted inputs and puts so many values more into their description, as
/// nobody who means well does.
int main(int count, char** arguments) {
  using namespace tacit::runtime;
  if (count != 4) return 2;
  try {
    const ArtefactReader from(arguments[1], ArtefactKind::ciphertexts, std::nullopt);
    ArtefactWriter to(arguments[2], ArtefactKind::ciphertexts, from.scheme());
    for (const Section& section : from.sections()) {
      if (section.type != SectionType::text) {
        to.add_section(section.name, section.type, from.read(section));
        continue;
      }
      nlohmann::json about = nlohmann::json::parse(from.read_text(section));
      about["more"] = std::vector<int>(std::strtoul(arguments[3], nullptr, 10), 1234567);
      to.add_section(section.name, section.type, about.dump());
    }
    to.finish();
    return 0;
  } catch (const tacit::base::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
