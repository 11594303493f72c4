// SPDX-License-Identifier: Apache-2.0
#include "server-stub/store/ticket_key.h"

#include <algorithm>

#include "core/base/digest.h"

namespace arkvory::server {

TicketKey TicketKey::fresh() {
  Bytes bytes{};
  const auto first = random_128_bits();
  const auto second = random_128_bits();
  std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), bytes.begin()));
  return TicketKey(bytes);
}

}  // namespace arkvory::server
