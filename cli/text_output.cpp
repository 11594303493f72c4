// SPDX-License-Identifier: Apache-2.0
#include "cli/text_output.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace arkvory::cli {

// False where the watched descriptor became readable while there was no room.
bool DescriptorOutput::wait_for_room() {
  while (watched_ >= 0) {
    std::array<pollfd, 2> either{pollfd{descriptor_, POLLOUT, 0}, pollfd{watched_, POLLIN, 0}};
    if (::poll(either.data(), either.size(), -1) < 0) continue;
    if (either[0].revents != 0) return true;
    if ((either[1].revents & POLLIN) != 0) return false;
    watched_ = -1;  // closed: nobody can give way any more
  }
  return true;
}

void DescriptorOutput::write(std::string_view text) {
  while (failure_ == 0 && !text.empty()) {
    if (!wait_for_room()) return;
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
