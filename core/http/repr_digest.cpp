// SPDX-License-Identifier: Apache-2.0
#include "core/http/repr_digest.h"

#include <algorithm>

#include "core/base/base64.h"
#include "core/http/structured_field.h"

namespace arkvory {

std::optional<Sha256Digest> repr_digest(const Headers& headers) {
  // Several fields of one name are one list (RFC 8941 §4.2).
  std::string joined;
  for (const auto value : headers.all("Repr-Digest")) {
    if (value.empty()) continue;
    if (!joined.empty()) joined += ", ";
    joined += value;
  }
  const auto members = parse_dictionary(joined);
  if (!members) return std::nullopt;
  const auto last = std::find_if(members->rbegin(), members->rend(),
                                 [](const DictionaryMember& member) { return member.key == "sha-256"; });
  Sha256Digest::Bytes bytes{};
  if (last == members->rend() || !last->bytes || last->bytes->size() != bytes.size()) return std::nullopt;
  std::copy(last->bytes->begin(), last->bytes->end(), bytes.begin());
  return Sha256Digest(bytes);
}

std::string repr_digest_value(const Sha256Digest& digest) { return "sha-256=:" + to_base64(digest.bytes()) + ":"; }

}  // namespace arkvory
