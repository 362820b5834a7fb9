#pragma once

#include <string>

namespace tacit::base {

/// Whether sentences may state private values: elements of inputs and of decrypted results. They may not, until
/// somebody says so: sentences reach logs. For the whole process; thread safe.
void show_private_values(bool shown);
bool private_values_shown();

/// A private value for a sentence, with so many digits; where it may not be stated, that it may not, and how to see it.
std::string private_value(double value, int digits = 6);
/// The part of a sentence that states private values; nothing where it may not be stated.
std::string private_part(const std::string& part);

}  // namespace tacit::base
