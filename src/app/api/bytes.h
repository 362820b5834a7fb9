#pragma once

#include <tacit/sink.h>
#include <tacit/source.h>

#include "app/api/access.h"
#include "runtime/sink.h"
#include "runtime/source.h"

/// The places of <tacit/source.h> and <tacit/sink.h>.
namespace tacit {

struct detail::SourceImpl {
  runtime::Source value;
};

struct detail::SinkImpl {
  runtime::Sink value;
};

inline const runtime::Source& open(const Source& source) { return detail::Access::impl(source).value; }
inline const runtime::Sink& open(const Sink& sink) { return detail::Access::impl(sink).value; }

/// Throws InputError if the sink is a file that exists, because it may hold another secret key.
void require_new(const Sink& secret_key);

}  // namespace tacit
