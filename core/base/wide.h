// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace arkvory {

// 128 bits, for products of two 64-bit numbers that must not overflow.
__extension__ typedef unsigned __int128 Wide;

}  // namespace arkvory
