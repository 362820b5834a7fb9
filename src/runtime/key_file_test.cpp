#include "runtime/key_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::runtime {
namespace {

using testing::HasSubstr;

/// The file of a key that belongs to this.
std::filesystem::path key_file(const base::TemporaryFolder& folder, ArtefactKind kind, const Binding& binding = {}) {
  const std::filesystem::path path = folder.path() / "key";
  ArtefactWriter writer(path, kind);
  writer.add_section(kAboutSection, SectionType::text, to_json(binding).dump());
  writer.finish();
  return path;
}

TEST(KeyFile, OfASecretKeyIsReadByItsOwnerAlone) {
  const base::TemporaryFolder folder;
  const auto objection = [](const std::filesystem::path& path, ArtefactKind kind) {
    return base::refusal([&] { open_key(path, {kind, ArtefactScheme::ckks}); });
  };
  const std::filesystem::path path = key_file(folder, ArtefactKind::secret_key);
  EXPECT_EQ(objection(path, ArtefactKind::secret_key), base::kNotRefused);
  EXPECT_EQ(objection(path, ArtefactKind::public_key),
            path.string() + ": it holds a secret key where a public key is needed");
  EXPECT_THAT(objection(path, ArtefactKind::evaluation_keys),
              HasSubstr(": this is a secret key, and the computing side must never get one"));
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  EXPECT_THAT(objection(path, ArtefactKind::secret_key),
              HasSubstr("others may read or change this secret key (mode 0640)"));
  for (const ArtefactKind kind : {ArtefactKind::public_key, ArtefactKind::evaluation_keys}) {
    std::filesystem::permissions(key_file(folder, kind), std::filesystem::perms(0644));
    EXPECT_EQ(objection(path, kind), base::kNotRefused);
  }
}

TEST(KeyFile, IsHeldToTheParametersAndToAModelWhereOneIsNamed) {
  const base::TemporaryFolder folder;
  Binding binding;
  binding.model = {1};
  binding.parameters = {2};
  binding.key_set = {3};
  const std::filesystem::path path = key_file(folder, ArtefactKind::evaluation_keys, binding);
  const ArtefactReader reader(path, ArtefactKind::evaluation_keys);
  params::ParameterIdentity parameters;
  parameters.name = "P";
  parameters.hash = binding.parameters;
  for (const ModelId* model : {static_cast<const ModelId*>(nullptr), static_cast<const ModelId*>(&binding.model)}) {
    const Provenance found = checked_provenance(reader, parameters, model);
    EXPECT_EQ(static_cast<const Binding&>(found), binding);
    EXPECT_EQ(found.root, reader.root());
  }
  const std::string between = path.string() + " and the model with the parameter set P do not belong together: ";
  const ModelId other{9};
  EXPECT_EQ(base::refusal<base::KeyMismatch>([&] { checked_provenance(reader, parameters, &other); }),
            between + "model 01000000 against 09000000; make the keys for this model");
  parameters.hash = {7};
  EXPECT_EQ(base::refusal<base::KeyMismatch>([&] { checked_provenance(reader, parameters, nullptr); }),
            between + "parameter set 02000000 against 07000000; make the keys for this model");
}

}  // namespace
}  // namespace tacit::runtime
