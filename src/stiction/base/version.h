// The version of this build: what `stiction --version`, recordings, checkpoints and reports say.
#pragma once

#include <string_view>

namespace stiction {

/// "0.1.0" from a tarball; "0.1.0+1a2b3c4d5e" from a clone, with ".modified" where files differ from that commit. The
/// text ends with a null character.
std::string_view version();

}  // namespace stiction
