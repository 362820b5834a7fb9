#pragma once

namespace tacit::graph::passes {

struct SlotsDraft;

// The passes that make a program on slots of a calibrated network.

/// Fits series to the functions, or restores those of an earlier compilation.
void fit_series(SlotsDraft& draft);
/// Looks for finer series, if the answers of the samples ask for them.
void fit_finer_series(SlotsDraft& draft);
/// Lowers the network to the cheapest parameters and batch, or notes what it lacks. Series have lower degrees if no set
/// has the levels. Series of no use are lowered only if finer ones cannot be.
void search_programs(SlotsDraft& draft);
/// Lowers the finer series as well, and takes them if the answers that they keep are worth their time and memory.
void price_finer_series(SlotsDraft& draft);
/// Throws InputError with what the network lacks, if the search found no program.
void take_parameters(SlotsDraft& draft);
/// Notes what is chosen, and reports the decisions of its lowering.
void take_program(SlotsDraft& draft);
/// Refuses a program whose values overflow or drown in noise.
void check_program(SlotsDraft& draft);

}  // namespace tacit::graph::passes
