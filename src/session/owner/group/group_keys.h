#pragma once

#include <vector>

#include "base/progress.h"
#include "runtime/sink.h"
#include "runtime/slots/key_part_file.h"
#include "scheme/ckks/relinearisation_rounds.h"
#include "session/owner/group/open_group.h"
#include "session/owner/key_files.h"

/// Sums of the parts that owners send.
namespace tacit::session {

/// Convert what the first round of relinearisation makes to what a file holds, and back. `halves_of` throws InputError
/// for another level, or another number of polynomials.
scheme::ckks::RelinearisationRound round_of(const scheme::ckks::RelinearisationRounds& rounds,
                                            scheme::ckks::RelinearisationHalves halves);
scheme::ckks::RelinearisationHalves halves_of(const scheme::ckks::RelinearisationRounds& rounds,
                                              scheme::ckks::RelinearisationRound round);

/// Adds a first part to a sum. Throws InputError if it has other keys.
void add_part(const OpenGroup& group, runtime::FirstPart& sum, const runtime::FirstPart& part);

/// Returns the sum of the first parts of all owners. Throws InputError for a part that is missing, given twice, or not
/// the one that its owner committed to, naming the owner. Throws KeyMismatch for a part of other keys.
runtime::FirstPart sum_of_first_parts(const OpenGroup& group, const std::vector<runtime::Source>& parts,
                                      base::Progress& progress);

/// Writes the public key and the evaluation keys of a group from the parts of all owners in any order, or neither.
/// Throws as above, for second parts alike.
KeyRoots combine_keys(const OpenGroup& group, const std::vector<runtime::Source>& parts, const runtime::Sink& open,
                      const runtime::Sink& evaluation, base::Progress& progress);

}  // namespace tacit::session
