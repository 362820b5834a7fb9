#pragma once

#include <string>

namespace tacit::base {

/// Sets if messages may state private values: elements of inputs and of decrypted results. The default is false,
/// because messages reach logs. The setting applies to the whole process. Thread safe.
void show_private_values(bool shown);
bool private_values_shown();

/// Returns the text of a private value with `digits` digits. If it is hidden, the text says so and says how to see it.
std::string private_value(double value, int digits = 6);
/// Returns `part`, a part of a sentence that states private values. If they are hidden, the result is empty.
std::string private_part(const std::string& part);

}  // namespace tacit::base
