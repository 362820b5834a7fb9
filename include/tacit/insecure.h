#pragma once

namespace tacit {

/// Parameter sets whose literal says "insecure" encrypt for nobody: whoever sees a ciphertext can read it. They make
/// tests fast. Wherever parameters come in (a literal, a compiled model's file), such a set is an InputError unless the
/// caller allows it, so that a file from elsewhere cannot make a program encrypt for everyone to see.
enum class InsecureParameters { refuse, allow };

}  // namespace tacit
