// SPDX-License-Identifier: Apache-2.0
// Sends one answer at a time to a socket without ever waiting: neither for the client nor for the disk.
//
// In plain, bytes of a file go out straight from the page cache (sendfile), while a lease keeps it from being changed:
// the kernel sends what the pages hold at the moment of transmission, so that a file overwritten meanwhile would come
// out mixed. Who wants to change it waits until the client has acknowledged what was handed over, a second at most;
// then the connection is reset. Of a client on this machine the kernel queues the very pages, acknowledged and unread,
// beyond any lease: there, and without a lease, through TLS and for little, bytes are copied. What is in memory is read
// here (RWF_NOWAIT); where the disk would have to be waited for, or the file system can't tell, a worker reads, one
// piece ahead of the socket.
//
// Memory while an answer runs: at most two pieces of 256 KiB, of which bytes that are not copied need none, and the
// second only where a worker reads; the socket's own buffer is the kernel's. At most one job of a worker.
//
// Where there is a rate to keep, bytes of a file go out only as the Pacer allows; heads and small texts go at once and
// are charged.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "server-stub/http/exchange.h"
#include "server-stub/http/gate.h"
#include "server-stub/http/limits.h"
#include "server-stub/http/pacer.h"
#include "server-stub/http/page_keeper.h"
#include "server-stub/http/patience.h"
#include "server-stub/http/permit.h"
#include "server-stub/http/server_counts.h"
#include "server-stub/http/wire.h"
#include "server-stub/objects/worker_pool.h"

namespace arkvory::server {

// Lives in a connection; every handler holds `owner`, so that it outlives them. All functions on the I/O thread.
class Sender {
 public:
  static constexpr std::size_t kPiece = 256 * 1024;

  struct Outcome {
    bool is_complete = false;     // to the last byte of what the head states
    std::uint64_t body_sent = 0;  // bytes the system took
  };
  using Done = std::function<void(const Outcome&)>;

  // `pacer`: null where there is no rate to keep.
  Sender(Wire& wire, WorkerPool& workers, const Limits& limits, const Clock& clock, Pacer* pacer, ServerCounts& counts);

  // Sends `head` and the answer's body; `done` is called once, when the permit is given back already. One at a time.
  // `gate`: of an answer that a mishap disturbs, else null.
  void send(std::string head, Answer answer, std::optional<Permit> permit, std::shared_ptr<void> owner, Done done,
            std::shared_ptr<Gate> gate = nullptr);
  // Closes the wire, so that nothing is read or written any more, and ends an answer under way as incomplete.
  void close();
  // What is not copied, and how far it has come.
  PageKeeper& pages() { return pages_; }

 private:
  struct Piece {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t filled = 0;
    std::size_t sent = 0;
    bool has_unsent() const { return sent < filled; }
  };

  void abandon();
  void pump();
  bool has_unsent() const { return sent_text_ < text_.size() || front_.has_unsent(); }
  bool has_lost_permit() const { return permit_ && !permit_->is_valid(); }
  bool is_cut_by_gate() const { return gate_ && gate_->is_over(sent_); }
  bool has_unread() const { return !has_failed_ && next_ < end_; }
  bool may_go_uncopied() const;
  void send_from_memory();
  void send_uncopied();
  void wait_until_writable();
  void read_from_memory();
  void start_reading();
  void on_read(const Result<void>& outcome, std::size_t length);
  void write_or_ask();
  void ask_for_allowance();
  std::uint64_t ask_gate();
  void on_allowed(std::uint64_t bytes);
  void start_writing(std::uint64_t most);
  void on_written(const Wire::Error& error, std::size_t count);
  void charge_file(std::uint64_t bytes);
  void watch_for_stall(int queued);
  void look_for_stall();
  void drop_pieces();
  void finish();

  Wire& wire_;
  WorkerPool& workers_;
  const Limits& limits_;
  Pacer* pacer_;
  ServerCounts& counts_;
  Patience patience_;  // with the client, which takes what is sent

  std::shared_ptr<void> owner_;  // while an answer runs
  Done done_;
  std::optional<Permit> permit_;
  std::shared_ptr<Gate> gate_;             // of a disturbed answer
  std::optional<Pacer::StreamId> stream_;  // while bytes of a file are sent at a rate
  std::uint64_t allowance_ = 0;            // bytes that may go out now
  bool has_asked_ = false;                 // for more of them
  std::string text_;                       // the head, and a body that is no file
  std::size_t head_length_ = 0;
  std::size_t sent_text_ = 0;
  std::shared_ptr<ObjectFile> file_;
  std::uint64_t next_ = 0;  // the first byte not read yet
  std::uint64_t end_ = 0;
  Piece front_;                    // being sent
  Piece back_;                     // read ahead by a worker
  std::uint64_t sent_ = 0;         // of the answer, head included
  std::uint64_t sent_before_ = 0;  // when it was last looked for a stall
  int queued_before_ = 0;          // likewise: not yet acknowledged
  bool is_writing_ = false;
  bool is_reading_ = false;
  bool is_cold_ = false;  // the last piece had to be waited for: read the next one ahead
  bool has_failed_ = false;
  PageKeeper pages_;
};

}  // namespace arkvory::server
