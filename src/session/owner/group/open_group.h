#pragma once

#include <memory>

#include "runtime/compiled_model.h"
#include "runtime/slots/owner_group.h"
#include "runtime/source.h"
#include "scheme/ckks/context.h"

namespace tacit::session {

/// A model for several owners. Immutable.
struct GroupModel {
  std::shared_ptr<const runtime::ClientModel> model;
  scheme::ckks::ContextPtr context;
};

/// Reads the client's half of a model. Throws InputError, with the reason, for a model on integers, and as
/// runtime::load_client_model does.
GroupModel load_group_model(const runtime::Source& client);

/// Throws InputError unless the model was compiled for a key of as many parts.
void require_parts(const GroupModel& model, const params::OwnerParts& parts);

/// A group of owners of the key of a model. Immutable.
struct OpenGroup : GroupModel {
  std::string name;  ///< of the group's file
  runtime::OwnerGroup group;

  /// Throws InputError if the group is only proposed.
  void require_agreed() const;
  /// Returns the name of an owner, in quotes.
  std::string owner(int index) const;
};
/// Reads a model and a group. Throws InputError and KeyMismatch as their loaders do.
OpenGroup open_group(const runtime::Source& client, const runtime::Source& group);

}  // namespace tacit::session
