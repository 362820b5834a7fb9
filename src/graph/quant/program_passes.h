#pragma once

namespace tacit::graph::quant {

struct IntegersDraft;

// The passes that make a program on integers of a network with ranges, and its client's part.

/// Quantises the network to the cheapest program with the cheapest parameters (choose_parameters.h), or notes what it
/// lacks.
void search_programs(IntegersDraft& draft);
/// Throws InputError with what the network lacks, if the search found no program.
void take_parameters(IntegersDraft& draft);
/// Notes what is chosen, and reports the program.
void take_program(IntegersDraft& draft);
/// Hands the client's part over. It says which inputs show borders of grids to the client.
void describe_to_client(IntegersDraft& draft);
/// Refuses results of integers that would be other integers (whole_sums.h).
void check_whole_outputs(IntegersDraft& draft);
/// States the errors that guards of the client's part allow.
void settle_client(IntegersDraft& draft);
/// Predicts how often a lookup reads the next box.
void predict_neighbours(IntegersDraft& draft);

}  // namespace tacit::graph::quant
