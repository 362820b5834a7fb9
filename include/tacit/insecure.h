#pragma once

namespace tacit {

/// Parameter sets whose literal says "insecure" protect nothing: anyone who sees a ciphertext can read it. They make
/// tests fast. In a literal or in a compiled model's file, such a set is an InputError unless the caller allows it. A
/// file from another party therefore cannot make a program encrypt without protection.
enum class InsecureParameters { refuse, allow };

}  // namespace tacit
