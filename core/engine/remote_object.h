// SPDX-License-Identifier: Apache-2.0
// What is known of the object behind a URL: enough to tell whether two answers speak of the same bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/digest.h"
#include "core/http/entity_tag.h"

namespace arkvory {

struct RemoteObject {
  std::optional<std::uint64_t> size{};
  std::optional<StrongTag> tag{};
  std::string last_modified{};  // as sent; empty: none
  // Last-Modified was at least 60 s older than the answer's Date, so that it can serve as a strong validator
  // (RFC 9110 §8.8.2.2).
  bool date_is_strong = false;
  std::optional<Sha256Digest> digest{};  // from Repr-Digest
  std::string media_type{};              // of Content-Type, in lower case and without parameters; empty: none
  // Further tags under which the same bytes came, as comparing them has shown: the edges of a network that copies
  // objects may each have their own. Known to one run only.
  std::vector<StrongTag> other_tags{};

  bool is_named_by(const StrongTag& other) const {
    return tag == other || std::find(other_tags.begin(), other_tags.end(), other) != other_tags.end();
  }

  // The value for If-Range: a strong tag, else a date that is strong; nothing where the object has neither.
  std::optional<std::string> validator() const {
    if (tag) return tag->text();
    if (date_is_strong) return last_modified;
    return std::nullopt;
  }

  friend bool operator==(const RemoteObject&, const RemoteObject&) = default;
};

}  // namespace arkvory
