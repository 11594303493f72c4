// SPDX-License-Identifier: Apache-2.0
#include "cli/watched_descriptors.h"

#include <sys/epoll.h>

namespace arkvory::cli {

WatchedDescriptors::WatchedDescriptors(int always, int at_times)
    : set_(epoll_create1(EPOLL_CLOEXEC)), always_(always), at_times_(at_times) {
  if (!set_.is_open() || always_ < 0) return;
  epoll_event readable{};
  readable.events = EPOLLIN;
  epoll_ctl(set_.number(), EPOLL_CTL_ADD, always_, &readable);
}

void WatchedDescriptors::want(bool is_wanted) {
  if (is_wanted == is_wanted_ || !set_.is_open() || at_times_ < 0) return;
  is_wanted_ = is_wanted;
  epoll_event readable{};
  readable.events = EPOLLIN;
  epoll_ctl(set_.number(), is_wanted ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, at_times_, &readable);
}

}  // namespace arkvory::cli
