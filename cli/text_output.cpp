// SPDX-License-Identifier: Apache-2.0
#include "cli/text_output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace arkvory::cli {

void DescriptorOutput::write(std::string_view text) {
  while (failure_ == 0 && !text.empty()) {
    const auto written = ::write(descriptor_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN) {
      // Somebody who shares the descriptor made it non-blocking: wait for room as a blocking write would.
      pollfd room{descriptor_, POLLOUT, 0};
      ::poll(&room, 1, -1);
      continue;
    }
    failure_ = errno;
  }
}

}  // namespace arkvory::cli
