// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/http2_breaker.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/ensure.h"
#include "tests/support/process.h"
#include "tests/support/raw_origin.h"
#include "tests/support/relay.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tls_server.h"

namespace arkvory::hostile {

namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr std::size_t kFrameHead = 9;
constexpr std::uint64_t kBodyBeforeReset = 1'000'000;

enum FrameType : unsigned char { kData = 0, kHeaders = 1, kReset = 3, kGoaway = 7 };
enum ErrorCode : unsigned char {
  kNoError = 0,
  kProtocolError = 1,
  kInternalError = 2,
  kRefusedStream = 7,
  kCancel = 8
};

struct Frame {
  unsigned char type;
  std::uint32_t stream;
  std::string_view whole;
};

std::string number(std::uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>((value >> shift) & 0xFFU);
  return text;
}

std::string frame(FrameType type, std::uint32_t stream, const std::string& payload) {
  auto head = number(static_cast<std::uint32_t>(payload.size())).substr(1);
  head += static_cast<char>(type);
  head += '\0';  // no flags
  return head + number(stream) + payload;
}

std::string reset(std::uint32_t stream, ErrorCode code) { return frame(kReset, stream, number(code)); }

// `:status: 416` and `content-range: bytes */0`, both as literals that no table remembers (RFC 7541 §6.2.2).
std::string not_satisfiable(std::uint32_t stream) {
  constexpr char kEndOfHeaders = 4;
  auto whole = frame(kHeaders, stream, std::string("\x08\x03") + "416" + std::string("\x0F\x0F\x09") + "bytes */0");
  whole[4] = kEndOfHeaders;
  return whole;
}

std::string goaway(std::uint32_t last_stream) { return frame(kGoaway, 0, number(last_stream) + number(kNoError)); }

// One direction of a connection, cut into frames.
class FrameStream {
 public:
  using Handler = std::function<std::string(const Frame&)>;  // what goes on in its place
  explicit FrameStream(std::size_t preface) : preface_(preface) {}

  void change(std::string& bytes, const Handler& handler) {
    held_ += bytes;
    bytes.clear();
    const auto opening = std::min(preface_, held_.size());
    bytes += held_.substr(0, opening);
    preface_ -= opening;
    std::size_t at = opening;
    while (held_.size() - at >= kFrameHead) {
      const auto byte = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(held_[at + i]));
      };
      const std::size_t size = kFrameHead + ((byte(0) << 16U) | (byte(1) << 8U) | byte(2));
      if (held_.size() - at < size) break;
      const auto stream = ((byte(5) & 0x7FU) << 24U) | (byte(6) << 16U) | (byte(7) << 8U) | byte(8);
      bytes += handler({static_cast<unsigned char>(byte(3)), stream, std::string_view(held_).substr(at, size)});
      at += size;
    }
    held_.erase(0, at);
  }

 private:
  std::size_t preface_;
  std::string held_;
};

struct Shared {
  Http2Fault fault;
  std::atomic<int> requests = 0;
  std::atomic<int> faults = 0;
  std::atomic<std::uint64_t> bytes = 0;
};

// Both directions of one connection. Used by one thread.
class Breaker {
 public:
  Breaker(Shared& shared, test::RawConnection& client) : shared_(shared), client_(client) {}

  bool to_server(std::string& bytes) {
    client_frames_.change(bytes, [this](const Frame& one) { return from_client(one); });
    return true;
  }

  bool to_client(std::string& bytes) {
    server_frames_.change(bytes, [this](const Frame& one) { return from_server(one); });
    return true;
  }

 private:
  std::string from_client(const Frame& one) {
    std::string whole(one.whole);
    if (one.type != kHeaders) return gone_.contains(one.stream) ? std::string() : whole;
    ++shared_.requests;
    ++streams_;
    if (shared_.fault == Http2Fault::goaway_after_three && streams_ > 3) {
      if (streams_ == 4) client_.send(goaway(last_stream_));
      ++shared_.faults;
      gone_.insert(one.stream);
      return {};
    }
    last_stream_ = one.stream;
    if (shared_.fault == Http2Fault::reset_after_416 && once()) {
      gone_.insert(one.stream);
      client_.send(not_satisfiable(one.stream) + reset(one.stream, kProtocolError));
      return whole + reset(one.stream, kCancel);
    }
    if (streams_ == 2 && shared_.fault == Http2Fault::refused && once()) {
      gone_.insert(one.stream);
      client_.send(reset(one.stream, kRefusedStream));
      return whole + reset(one.stream, kCancel);
    }
    if (streams_ == 2 && shared_.fault == Http2Fault::reset_in_body && once()) doomed_ = one.stream;
    return whole;
  }

  std::string from_server(const Frame& one) {
    std::string whole(one.whole);
    if (one.stream != 0 && gone_.contains(one.stream)) return {};
    if (one.type == kData) shared_.bytes += whole.size() - kFrameHead;
    if (one.type == kData && one.stream == doomed_) {
      doomed_bytes_ += whole.size();
      if (doomed_bytes_ < kBodyBeforeReset) return whole;
      gone_.insert(one.stream);
      return whole + reset(one.stream, kInternalError);
    }
    return whole;
  }

  bool once() { return shared_.faults.exchange(1) == 0; }

  Shared& shared_;
  test::RawConnection& client_;
  FrameStream client_frames_{kPreface.size()};
  FrameStream server_frames_{0};
  int streams_ = 0;
  std::uint32_t last_stream_ = 0;
  std::uint32_t doomed_ = 0;
  std::uint64_t doomed_bytes_ = 0;
  std::set<std::uint32_t> gone_;  // streams that the client takes for ended
};

std::string settings(const std::string& here, std::uint16_t port) {
  std::string text = "daemon off; master_process off; pid " + here + "/pid; error_log stderr; events {}\nhttp {\n";
  for (const auto* module : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
    text += std::string(module) + "_temp_path " + here + "/" + module + ";\n";
  return text + "access_log off; root " + here + ";\nserver { listen 127.0.0.1:" + std::to_string(port) +
         " http2; }\n}\n";
}

}  // namespace

struct Http2Breaker::State {
  test::TempFolder folder;
  Shared shared;
  std::uint16_t port = 0;
  std::unique_ptr<test::Process> nginx;
  std::shared_ptr<test::TlsServer> tls;
  std::unique_ptr<test::RawOrigin> front;  // last, so that it stops first
};

Http2Breaker::Http2Breaker(const std::string& nginx, const Object& object, Http2Fault fault)
    : state_(std::make_unique<State>()) {
  auto& state = *state_;
  state.shared.fault = fault;
  state.port = test::closed_port();
  const auto here = state.folder.path().string();
  std::ofstream(here + "/f.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(object.bytes.data()), static_cast<std::streamsize>(object.size()));
  std::ofstream(here + "/nginx.conf") << settings(here, state.port);
  state.nginx =
      std::make_unique<test::Process>(std::vector<std::string>{nginx, "-e", "stderr", "-c", here + "/nginx.conf"});
  while (!test::accepts(state.port))
    ensure(!state.nginx->wait(std::chrono::milliseconds(20)), "nginx runs with a configuration of ours");
  state.tls = std::make_shared<test::TlsServer>(test::TlsSettings{.protocol = "h2"});
  state.front = std::make_unique<test::RawOrigin>(
      test::RawOrigin::Handler(),
      [&state](int, test::RawConnection& client) {
        Breaker breaker(state.shared, client);
        test::relay(
            client, state.port, [&](std::string& bytes) { return breaker.to_server(bytes); },
            [&](std::string& bytes) { return breaker.to_client(bytes); });
        client.close();
      },
      test::RawOriginOptions{.tls = state.tls});
}

Http2Breaker::~Http2Breaker() = default;

std::string Http2Breaker::url() const { return state_->front->url("/f.bin"); }
const std::string& Http2Breaker::certificate_pem() const { return state_->tls->certificate_pem(); }
int Http2Breaker::requests() const { return state_->shared.requests; }
int Http2Breaker::faults() const { return state_->shared.faults; }
std::uint64_t Http2Breaker::bytes_sent() const { return state_->shared.bytes; }

}  // namespace arkvory::hostile
