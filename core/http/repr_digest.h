// SPDX-License-Identifier: Apache-2.0
// Repr-Digest (RFC 9530 §3): the digest of the whole object, whatever range is sent.
#pragma once

#include <optional>
#include <string>

#include "core/base/digest.h"
#include "core/http/headers.h"

namespace arkvory {

// The `sha-256` member of the answer's Repr-Digest dictionary (RFC 8941 §3.2, byte sequence). A malformed field, other
// algorithms, or a value of another length than 32 bytes: nothing. Of a member given twice the last counts.
std::optional<Sha256Digest> repr_digest(const Headers& headers);

// `sha-256=:base64:`
std::string repr_digest_value(const Sha256Digest& digest);

}  // namespace arkvory
