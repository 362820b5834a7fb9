#include "session/owner/kept_inputs.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/byte_fields.h"
#include "base/error.h"
#include "base/naming.h"
#include "graph/serialize.h"
#include "session/bounded_file.h"
#include "session/output_files.h"

namespace tacit::session {
namespace {

constexpr std::uint32_t kInputsFormat = 0x54434b01;  // "TCK" and the version
constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 32;
constexpr std::size_t kRunBytes = 40, kSampleBytes = 8;

struct Run {
  std::vector<std::int64_t> digest;
  std::vector<std::vector<std::uint8_t>> samples;
};

template <class Fields>
void fields(Fields& f, base::Of<Fields, std::vector<Run>>& runs) {
  f.format(kInputsFormat, "these are not the kept inputs of this version; encrypt the inputs again");
  f.list(runs, kRunBytes, [&](auto& run) {
    f.indices(run.digest);
    f.require(run.digest.size() == base::Digest{}.size(), "the digest of a run has another length");
    f.list(run.samples, kSampleBytes, [&](auto& sample) {
      f.list(sample, 1, [&](auto& byte) {
        f.by(
            byte, [](base::ByteWriter& to, std::uint8_t one) { to.u8(one); },
            [](base::ByteReader& from) { return from.u8(); });
      });
    });
  });
}

}  // namespace

std::filesystem::path KeptInputs::beside(const std::filesystem::path& question) { return question.string() + ".kept"; }

void KeptInputs::add(const base::Digest& run, std::vector<std::vector<graph::Tensor>> samples) {
  runs_[run] = std::move(samples);
}

const std::vector<std::vector<graph::Tensor>>& KeptInputs::of(const base::Digest& run) const {
  const auto found = runs_.find(run);
  if (found == runs_.end())
    throw base::InputError(
        "outputs of the model are inputs as they came in, and those that were kept are of another question: decrypt "
        "with "
        "what encrypted them, or name the file that encrypt wrote for these results (--question)");
  return found->second;
}

std::vector<std::byte> KeptInputs::to_bytes() const {
  std::vector<Run> runs;
  for (const auto& [digest, samples] : runs_) {
    Run& run = runs.emplace_back();
    run.digest.assign(digest.begin(), digest.end());
    for (const std::vector<graph::Tensor>& sample : samples) run.samples.push_back(graph::to_bytes(sample));
  }
  base::FieldWriter out;
  fields(out, runs);
  const std::vector<std::uint8_t> bytes = out.to.take();
  const auto view = std::as_bytes(std::span(bytes));
  return {view.begin(), view.end()};
}

void KeptInputs::save(const std::filesystem::path& path) const {
  const std::vector<std::byte> bytes = to_bytes();
  create_private_file(path);
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

KeptInputs KeptInputs::load(const std::filesystem::path& path) {
  const std::string text = base::naming(path.string(), [&] { return read_bounded(path, kLargestFile); });
  return from_bytes(std::as_bytes(std::span(text)), path.string());
}

KeptInputs KeptInputs::from_bytes(std::span<const std::byte> bytes, const std::string& name) {
  return base::naming(name, [&] {
    base::FieldReader in{{{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, "kept inputs"}};
    std::vector<Run> runs;
    fields(in, runs);
    in.from.expect_end();
    KeptInputs kept;
    for (const Run& run : runs) {
      base::Digest digest{};
      for (std::size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<std::uint8_t>(run.digest[i]);
      std::vector<std::vector<graph::Tensor>>& samples = kept.runs_[digest];
      for (const std::vector<std::uint8_t>& sample : run.samples) samples.push_back(graph::tensors_from_bytes(sample));
    }
    return kept;
  });
}

}  // namespace tacit::session
