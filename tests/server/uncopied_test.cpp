// SPDX-License-Identifier: Apache-2.0
// Bytes that go out straight from the page cache, as to clients on other machines: right to the last one, and the file
// kept from being changed until they have arrived.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "server-stub/http/pages_on_the_way.h"
#include "server-stub/objects/posix_object_file.h"
#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/server/running_server.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

constexpr std::size_t kSize = 48 * 1024 * 1024;  // more than the sockets of both sides hold

std::string content() {
  std::string text(kSize, ' ');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + (i * 7 + i / 4099) % 26);
  return text;
}

// A server that copies nothing, though its clients are on this machine.
ServerSettings uncopied(std::optional<std::uint64_t> rate = {}) {
  ServerSettings settings;
  settings.limits.copies_for_local = false;
  settings.scheduler.bandwidth = rate;
  return settings;
}

// Whether the file can be opened for writing now; the kernel says at once where it would have to wait.
bool may_be_changed(const std::filesystem::path& path) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  return file.is_open();
}

// Waits for its turn, as any program would. The signal to the server, which is this process, may interrupt it.
Descriptor open_to_change(const std::filesystem::path& path) {
  for (;;) {
    Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.is_open() || errno != EINTR) return file;
  }
}

void overwrite(const std::filesystem::path& path, char with) {
  const auto file = open_to_change(path);
  REQUIRE(file.is_open());
  const std::string text(kSize, with);
  CHECK(write(file.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

struct Served {
  explicit Served(const ServerSettings& settings = uncopied()) : running((put_file(), folder.path()), settings) {}
  void put_file() const { test::put(path(), bytes); }
  std::filesystem::path path() const { return folder / "big"; }

  const std::string bytes = content();
  const test::TempFolder folder;
  test::RunningServer running;
};

std::shared_ptr<ObjectFile> opened(const std::filesystem::path& path) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  REQUIRE(fstat(file.number(), &status) == 0);
  return open_object(std::move(file), FileIdentity::of(status));
}

}  // namespace

TEST_CASE("uncopied bytes are right: whole objects, ranges, requests after one another, and few bytes") {
  const Served served;
  test::RawClient client(served.running.port);
  client.send(test::request("GET", "/files/big") + test::request("GET", "/files/big", "Range: bytes=1-1000000\r\n") +
              test::request("GET", "/files/big", "Range: bytes=-10\r\n"));
  CHECK((client.read_reply().body == served.bytes));
  CHECK((client.read_reply().body == served.bytes.substr(1, 1'000'000)));
  CHECK((client.read_reply().body == served.bytes.substr(kSize - 10)));
}

TEST_CASE("uncopied bytes keep to the total rate, and are right (B1)") {
  const Served served(uncopied(400'000'000));
  const auto began = served.running.clock.now();
  CHECK((test::ask(served.running.port, "GET", "/files/big").body == served.bytes));
  // The first moments may be faster (B1), by far less than half.
  CHECK(served.running.clock.now() - began > std::chrono::milliseconds(60));
}

TEST_CASE("a file on its way can't be changed") {
  const Served served;
  test::RawClient client(served.running.port);
  client.send(test::request("GET", "/files/big"));
  CHECK(client.read_head().status == 200);
  CHECK(!may_be_changed(served.path()));
}

TEST_CASE("once an answer has arrived its file may be changed, though the connection is kept") {
  const Served served;
  test::RawClient client(served.running.port);
  client.send(test::request("GET", "/files/big"));
  CHECK((client.read_reply().body == served.bytes));
  overwrite(served.path(), 'n');
  client.send(test::request("GET", "/files/big"));
  CHECK((client.read_reply().body == std::string(kSize, 'n')));
}

TEST_CASE("who changes a file waits for a slow client only so long, whose answer then ends short") {
  const Served served;
  test::RawClient client(served.running.port);
  client.receive_little();
  client.send(test::request("GET", "/files/big"));
  CHECK(client.read_head().status == 200);
  CHECK(client.read_some(1).size() == 1);  // more is on its way than the client takes
  overwrite(served.path(), 'n');
  CHECK(client.read_to_end().size() < kSize);
  CHECK(client.was_reset());  // what the kernel still held would no longer be the old content
  CHECK(test::ask(served.running.port, "GET", "/files/big", "Range: bytes=0-2\r\n").body == "nnn");
}

TEST_CASE("a client that takes nothing of what is on its way is given up, and its file let go") {
  auto settings = uncopied();
  settings.limits.send_stall = std::chrono::milliseconds(100);
  settings.stop_timeout = std::chrono::hours(1);
  Served served(settings);
  test::RawClient client(served.running.port);
  client.receive_little();
  // The server is done with it at once: the kernel has it all.
  client.send(test::request("GET", "/files/big", "Range: bytes=0-299999\r\nConnection: close\r\n"));
  CHECK(client.read_head().status == 206);
  // The stop would wait for what has not arrived.
  served.running.server.stop();
  served.running.thread.join();
  served.running.thread = std::thread([] {});
  CHECK(may_be_changed(served.path()));
  CHECK(client.read_to_end().size() < 300'000);
  CHECK(client.was_reset());
}

TEST_CASE("who opens a file without changing it breaks no answer of a client that reads on") {
  const Served served;
  test::RawClient client(served.running.port);
  client.send(test::request("GET", "/files/big"));
  CHECK(client.read_head().status == 200);
  std::thread opening([&] { CHECK(open_to_change(served.path()).is_open()); });
  std::string got;
  while (got.size() < kSize) {
    const auto some = client.read_some(kSize - got.size());
    REQUIRE(!some.empty());
    got += some;
  }
  opening.join();
  CHECK((got == served.bytes));
}

TEST_CASE("a client that is gone lets its file go") {
  const Served served;
  {
    test::RawClient client(served.running.port);
    client.send(test::request("GET", "/files/big"));
    CHECK(client.read_head().status == 200);
  }
  overwrite(served.path(), 'n');
  CHECK(test::ask(served.running.port, "GET", "/files/big", "Range: bytes=0-2\r\n").body == "nnn");
}

TEST_CASE("a client that closes its sending end still gets all that was sent to it, also at the server's end") {
  for (const bool is_stopping : {false, true}) {
    CAPTURE(is_stopping);
    Served served;
    test::RawClient client(served.running.port);
    // So much that it lies in the sockets when the server is done with it.
    client.send(test::request("GET", "/files/big", "Range: bytes=0-1999999\r\nConnection: close\r\n"));
    client.end_sending();
    CHECK(client.read_head().status == 206);
    if (is_stopping) served.running.server.stop();
    CHECK((client.read_to_end() == served.bytes.substr(0, 2'000'000)));
  }
}

TEST_CASE("without a lease bytes are copied") {
  const Served served;
  const Descriptor writer(open(served.path().c_str(), O_WRONLY | O_CLOEXEC));  // while one writes there is none
  REQUIRE(writer.is_open());
  CHECK((test::ask(served.running.port, "GET", "/files/big").body == served.bytes));
}

TEST_CASE("a file is held still until it is let go, and tells who wants it") {
  const test::TempFolder folder;
  test::put(folder / "a", "content");
  const auto file = opened(folder / "a");
  CHECK(may_be_changed(folder / "a"));
  REQUIRE(file->hold_still());
  CHECK(!file->is_wanted());
  CHECK(!may_be_changed(folder / "a"));
  CHECK(file->is_wanted());
  file->let_go();
  CHECK(may_be_changed(folder / "a"));

  test::wait_for_next_tick(folder / "a");
  test::put(folder / "a", "changed");
  CHECK(!file->hold_still());
  CHECK(may_be_changed(folder / "a"));
}

TEST_CASE("files are let go in the order in which their bytes arrive, and the one under way last") {
  const test::TempFolder folder;
  for (const char* name : {"a", "b"}) test::put(folder / name, "content");
  const auto first = opened(folder / "a");
  const auto second = opened(folder / "b");
  REQUIRE(first->hold_still());
  REQUIRE(second->hold_still());
  PagesOnTheWay pages;
  pages.handed_over(first, 100);
  pages.handed_over(first, 200);
  pages.handed_over(second, 300);
  pages.arrived(199, second.get());
  CHECK(!may_be_changed(folder / "a"));
  CHECK(pages.is_any_wanted());
  pages.arrived(200, second.get());
  CHECK(may_be_changed(folder / "a"));
  CHECK(!pages.is_any_wanted());
  pages.arrived(300, second.get());
  CHECK(!pages.is_empty());
  pages.arrived(300, nullptr);
  CHECK(pages.is_empty());
  CHECK(may_be_changed(folder / "b"));
}
