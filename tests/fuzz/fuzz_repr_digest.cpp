// SPDX-License-Identifier: Apache-2.0
// Each line is a Repr-Digest field.
#include "core/base/base64.h"
#include "core/http/repr_digest.h"
#include "core/http/structured_field.h"
#include "tests/fuzz/fuzz_target.h"

using arkvory::ensure;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = arkvory::fuzz::as_text(data, size);
  if (const auto bytes = arkvory::from_base64(text))
    ensure(arkvory::from_base64(arkvory::to_base64(*bytes)) == bytes, "base 64 comes back");
  if (const auto members = arkvory::parse_dictionary(text)) {
    for (const auto& member : *members) ensure(!member.key.empty(), "a member has a key");
    ensure(members->size() <= size, "a member takes a character at least");
  }

  arkvory::Headers headers;
  for (auto rest = text; !rest.empty();) headers.add("Repr-Digest", std::string(arkvory::fuzz::take_line(rest)));
  const auto digest = arkvory::repr_digest(headers);
  if (!digest) return 0;
  arkvory::Headers again;
  again.add("Repr-Digest", arkvory::repr_digest_value(*digest));
  ensure(arkvory::repr_digest(again) == digest, "what is printed is read as the same");
  return 0;
}
