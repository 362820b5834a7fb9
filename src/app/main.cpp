#include "app/command_line.h"

int main(int argc, char** argv) { return tacit::app::run_on_ranks(argc, argv); }
