// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/site.h"

#include <utility>

namespace arkvory::hostile {

namespace {

template <typename T>
std::vector<T> from(std::vector<T> all, std::size_t first) {
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(first, all.size())));
  return all;
}

}  // namespace

Site::Site(const Object& object, const test::RawOriginOptions& options, test::RawOrigin::Greeter greeter)
    : object_(&object), answer_(std::make_shared<const Answer>(ok())) {
  origin_ = std::make_unique<test::RawOrigin>(
      [this](const test::RawRequest& request, test::RawConnection& wire) {
        std::unique_lock lock(mutex_);
        const auto answer = answer_;
        const auto* served_object = object_;
        lock.unlock();
        (*answer)({request, wire, *served_object, *this});
      },
      std::move(greeter), options);
}

Site::~Site() = default;

void Site::answer_with(Answer answer) {
  const auto requests = origin_->served().size();
  const auto connections = origin_->accepted().size();
  const std::lock_guard lock(mutex_);
  answer_ = std::make_shared<const Answer>(std::move(answer));
  first_request_ = requests;
  first_connection_ = connections;
}

void Site::serve(const Object& object) {
  const std::lock_guard lock(mutex_);
  object_ = &object;
}

std::vector<test::Served> Site::served() const { return from(origin_->served(), first_request_); }

std::vector<Instant> Site::accepted() const { return from(origin_->accepted(), first_connection_); }

}  // namespace arkvory::hostile
