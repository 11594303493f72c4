// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/batch_record.h"

#include <doctest/doctest.h>

#include "checkpoint/batch_log.h"
#include "tests/checkpoint/fake_processes.h"
#include "tests/sim/simulated_disk.h"

namespace arkvory {

namespace {

const BatchName kName{"/home/list \xFF", "/home/files", "https://h/d/"};

BatchRecord example() {
  BatchRecord record{.length = 12345, .digest = 0xFEDCBA9876543210U};
  record.done.add(ByteRange(1, 400));
  record.done.add(ByteRange(402, 403));
  record.elsewhere.add(ByteRange(7, 8));
  record.open.add(ByteRange(400, 402));
  return record;
}

}  // namespace

TEST_CASE("a batch's record is read as it was written") {
  const auto text = encode_batch_record(kName, example());
  CHECK(text.starts_with("{\"format\":1,"));
  const auto read = decode_batch_record(text, kName);
  REQUIRE(read);
  CHECK(*read == example());
}

TEST_CASE("a record with any byte changed or cut off is damaged, and one of another batch is not taken") {
  const auto text = encode_batch_record(kName, example());
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CHECK(!decode_batch_record(changed, kName));
    CHECK(!decode_batch_record(text.substr(0, at), kName));
  }
  for (auto other : {BatchName{"/home/other", kName.folder, kName.base_url},
                     BatchName{kName.list, "/home/other", kName.base_url}, BatchName{kName.list, kName.folder, ""}})
    CHECK(decode_batch_record(text, other).error().fault == Fault::state);
}

TEST_CASE("a newer record is known by its first field") {
  CHECK(is_newer_batch_record("{\"format\":2,\"more\":1}"));
  CHECK(!is_newer_batch_record(encode_batch_record(kName, example())));
  for (const auto* text : {"", "{", "{\"format\":", "{\"format\":x,", "{\"format\":99999999999999999999,", "[2]"})
    CHECK(!is_newer_batch_record(text));
}

TEST_CASE("the log of a batch survives a crash, and is gone once it is forgotten") {
  sim::SimulatedDisk disk;
  test::FakeProcesses processes;
  {
    auto log = BatchLog::claim(disk, processes, "/home/state", kName);
    REQUIRE(log);
    CHECK(!*log->restore());
    CHECK(log->record(example()));
    CHECK(**log->restore() == example());
    CHECK(BatchLog::claim(disk, processes, "/home/state", kName).error().fault == Fault::locked);
  }
  CHECK(*BatchLog::look(disk, "/home/state", kName) == example());
  auto again = BatchLog::claim(disk, processes, "/home/state", kName);
  REQUIRE(again);
  CHECK(again->forget());
  again->release();
  CHECK(!BatchLog::look(disk, "/home/state", kName));
  CHECK(disk.list("/home/state/batches")->empty());
}

}  // namespace arkvory
