// SPDX-License-Identifier: Apache-2.0
// Keeps files still while a connection sends straight from their pages, until the client has acknowledged the bytes;
// and sees to it that who wants to change one waits no longer than a second.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/base/clock.h"
#include "server-stub/http/limits.h"
#include "server-stub/http/pages_on_the_way.h"
#include "server-stub/http/wire.h"

namespace arkvory::server {

// Lives in a connection. All functions on the I/O thread.
class PageKeeper {
 public:
  // `reset` is called where a client takes no more of what is on its way, or not soon enough for who waits to change
  // its file: it has to reset the wire, and to `stop` this.
  PageKeeper(Wire& wire, const Clock& clock, const Limits& limits, std::function<void()> reset);

  // Whether bytes of this file may go out from its pages from now on. `owner` holds this.
  bool begin(std::shared_ptr<ObjectFile> file, const std::shared_ptr<void>& owner);
  // False too where someone waits to change the file: the rest is to be copied.
  bool may_send() const { return current_ != nullptr; }
  // No more goes out from its pages.
  void end() { current_.reset(); }

  // So many bytes were written to the wire, copied ones; and from the pages of the file begun.
  void wrote(std::uint64_t bytes) { written_ += bytes; }
  void wrote_from_pages(std::uint64_t bytes);

  // Someone waits to change a file: sees to it where it is one of these.
  void give_way();
  // Whether the client has all that was sent to it from pages. A wire that is closed earlier has to be reset.
  bool has_settled();
  // Calls back once it has, or after `reset`. `owner` is kept until then.
  void when_settled(std::function<void()> then, std::shared_ptr<void> owner);
  // The wire is closed: lets all files go and calls nobody back.
  void stop();

 private:
  std::uint64_t acknowledged();
  void look();

  Wire& wire_;
  const Clock& clock_;
  const Limits& limits_;
  std::function<void()> reset_;
  boost::asio::steady_timer timer_;
  std::weak_ptr<void> owner_;

  std::uint64_t written_ = 0;  // since the connection began
  PagesOnTheWay pages_;
  std::shared_ptr<ObjectFile> current_;
  std::optional<Instant> gives_way_until_;
  std::uint64_t last_acknowledged_ = 0;
  std::optional<Instant> last_progress_;  // of it, while something is on its way
  std::function<void()> on_settled_;
};

}  // namespace arkvory::server
