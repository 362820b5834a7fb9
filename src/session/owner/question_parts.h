#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "graph/owned_inputs.h"
#include "runtime/model_half.h"
#include "session/owner/client_half.h"

namespace tacit::session {

/// The place of a tensor among the parts of a question.
struct PartPlace {
  std::size_t part = 0, tensor = 0;
};

/// The parts of a question of a model, one for each owner of inputs. `On` is ClientOnSlots or ClientOnIntegers. Every
/// encrypted tensor of the model is in exactly one part. Immutable.
template <class On>
class QuestionParts {
 public:
  /// Opens the parts. Throws as ClientHalf::combine_questions does. `model` and `context` must outlive this object.
  QuestionParts(const typename On::ClientModel& model, const graph::ClientParts& parts,
                const typename On::ContextPtr& context, const std::vector<runtime::Source>& sources,
                const std::optional<runtime::KeySetId>& key_set)
      : model_(model), context_(context) {
    if (sources.empty()) base::refuse("no part of a question was given; give what encrypt --only wrote");
    for (const runtime::Source& source : sources) open(source, key_set);
    find_tensors(parts);
  }

  /// Writes the question, one sample at a time.
  CombinedQuestion save(const runtime::Sink& sink, base::Progress& progress) const {
    const auto& first = readers_.front();
    const std::size_t samples = first.samples();
    const runtime::SampleFileHead head{.role = runtime::CiphertextRole::inputs,
                                       .binding = first.head().binding,
                                       .names = runtime::input_names(model_),
                                       .batched = first.batched()};
    auto writer = On::create_samples(sink, context_, head);
    progress.begin("combining", samples);
    for (std::size_t sample = 0; sample < samples; ++sample) {
      std::vector<std::vector<typename On::Question>> of_parts;
      for (const auto& reader : readers_) of_parts.push_back(On::read_question(reader, sample, context_));
      std::vector<typename On::Question> question;
      for (const PartPlace& place : places_) question.push_back(std::move(of_parts[place.part][place.tensor]));
      On::add(writer, context_, question);
      progress.advance();
    }
    const base::Digest root = writer.finish();
    progress.end();
    return {root, first.batched().inputs};
  }

 private:
  void open(const runtime::Source& source, const std::optional<runtime::KeySetId>& key_set) {
    auto reader = On::open_samples(source, context_, runtime::CiphertextRole::some_inputs);
    const runtime::Binding& found = reader.head().binding;
    const runtime::Binding of_model{model_.id, context_->parameters().hash(), key_set.value_or(found.key_set)};
    runtime::require_same_model(of_model, "the model '" + model_.name + "'", found, reader.name(),
                                runtime::kEncryptInputs);
    if (key_set) runtime::require_same_keys(of_model, "the group", found, reader.name(), runtime::kEncryptInputs);
    if (!readers_.empty()) {
      const auto& first = readers_.front();
      runtime::require_same_keys(first.head().binding, first.name(), found, reader.name(), runtime::kEncryptInputs);
      if (reader.batched() != first.batched())
        base::refuse("{} holds {} inputs and {} holds {}; all owners must encrypt the same number, in the same order",
                     first.name(), first.batched().inputs, reader.name(), reader.batched().inputs);
    }
    readers_.push_back(std::move(reader));
  }

  void find_tensors(const graph::ClientParts& parts) {
    const std::vector<std::string> names = runtime::input_names(model_);
    std::vector<std::optional<PartPlace>> found(names.size());
    const std::vector<std::vector<std::string>> origins = graph::origins_of_encrypted(parts);
    const auto inputs = [&](std::size_t tensor) { return fmt::format("'{}'", fmt::join(origins.at(tensor), "', '")); };
    for (std::size_t part = 0; part < readers_.size(); ++part) {
      const std::vector<std::string>& held = readers_[part].head().names;
      for (std::size_t tensor = 0; tensor < held.size(); ++tensor) {
        const auto name = std::ranges::find(names, held[tensor]);
        if (name == names.end())
          base::refuse("{} holds tensor '{}', which the model '{}' does not have; the file was not written by Tacit",
                       readers_[part].name(), held[tensor], model_.name);
        const auto place = static_cast<std::size_t>(name - names.begin());
        if (found[place])
          base::refuse("{} and {} both hold input {}; leave one of them out", readers_[found[place]->part].name(),
                       readers_[part].name(), inputs(place));
        found[place] = PartPlace{part, tensor};
      }
    }
    for (std::size_t place = 0; place < found.size(); ++place) {
      if (!found[place])
        base::refuse("input {} of model '{}' is missing; ask its owner for it (encrypt --only)", inputs(place),
                     model_.name);
      places_.push_back(*found[place]);
    }
  }

  const typename On::ClientModel& model_;
  typename On::ContextPtr context_;
  std::vector<typename On::SampleReader> readers_;
  std::vector<PartPlace> places_;  ///< by encrypted tensor of the model
};

}  // namespace tacit::session
