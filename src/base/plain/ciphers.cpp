#include "base/cipher/cipher.h"

namespace tacit::base {

const Ciphers& ciphers() { return own_ciphers(); }

}  // namespace tacit::base
