// SPDX-License-Identifier: Apache-2.0
// The server of one case: what it does may change from one run of the client to the next, and each run is seen apart.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "tests/hostile/answers.h"
#include "tests/support/raw_origin.h"

namespace arkvory::hostile {

class Site {
 public:
  Site(const Object& object, const test::RawOriginOptions& options, test::RawOrigin::Greeter greeter = {});
  ~Site();
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  // From now on requests are answered so, for so that object, and `served` begins anew. What still goes on of answers
  // begun before is counted with those.
  void answer_with(Answer answer);
  void serve(const Object& object);

  // The client's folder, for servers that meddle with it.
  std::filesystem::path client_folder{};

  test::RawOrigin& origin() { return *origin_; }
  std::string url(const std::string& path = "/f.bin") const { return origin_->url(path); }
  std::vector<test::Served> served() const;
  std::vector<Instant> accepted() const;

 private:
  mutable std::mutex mutex_;
  const Object* object_;
  std::shared_ptr<const Answer> answer_;
  std::size_t first_request_ = 0;
  std::size_t first_connection_ = 0;
  std::unique_ptr<test::RawOrigin> origin_;
};

}  // namespace arkvory::hostile
