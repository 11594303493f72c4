// SPDX-License-Identifier: Apache-2.0
// One request on one libcurl handle: its options, its call-backs and how it ended.
#pragma once

#include <curl/curl.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/http/curl_transport.h"
#include "core/http/head_reader.h"
#include "core/http/transport.h"

namespace arkvory {

struct CurlEasyDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using CurlEasy = std::unique_ptr<CURL, CurlEasyDeleter>;

// What the transfers of one transport share. It outlives them.
struct CurlShared {
  const TransportOptions options;
  std::uint64_t call_backs = 0;  // made so far, of all sinks
  // Sockets of HTTP/1 connections on which an answer has ended, by our own end (address and port). Nothing may come on
  // them until the next request is sent.
  std::map<std::string, curl_socket_t> quiet_sockets{};
};

class CurlTransfer {
 public:
  // `handle` is fresh or reset; it points back here until `release_handle`, so a transfer is never moved.
  // `shared` and `sink` must outlive the transfer.
  CurlTransfer(CurlEasy handle, const Request& request, CurlShared& shared, ResponseSink& sink);
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  CURL* handle() const { return handle_.get(); }
  ResponseSink& sink() const { return sink_; }
  // The request can't be sent as it is (a control character in a field, an option libcurl refuses).
  const std::optional<TransferEnd>& unfit() const { return own_verdict_; }
  // The request went to a kept-alive connection that had something else to say: the 408 of an idle time-out (hostile
  // case C22), or bytes beyond the last answer (B5, C6). Once on a fresh connection, it may go again.
  bool is_to_go_again(CURLcode code) const;
  void go_again();
  void limit_rate(std::uint64_t rate_limit);
  // What libcurl's result means; to be asked once, before `release_handle`.
  TransferEnd end(CURLcode code);
  // Hands the handle back for another request, forgetting all about this one; nothing where it can't serve another.
  // It must be in no multi handle.
  CurlEasy release_handle();

 private:
  struct ListDeleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  template <typename Value>
  void set(CURLoption option, Value value);
  void set_request(const Request& request);
  void set_fields(const Headers& headers);
  void set_connection(const Request& request);
  void set_trust(const Request& request);
  bool is_on_noisy_connection(const std::string& own_end) const;
  void remember_connection();
  void append_field(const std::string& line);

  std::size_t take_header(std::string_view line);
  void take_proxy_header(std::string_view line);
  std::size_t take_body(std::span<const std::byte> bytes);
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_write(char* data, std::size_t size, std::size_t count, void* self);
  static int on_connected(void* self, char* peer, char* local, int peer_port, int local_port);
  static int on_debug(CURL* handle, curl_infotype type, char* data, std::size_t size, void* self);

  CurlEasy handle_;
  ResponseSink& sink_;
  CurlShared& shared_;
  std::string host_;
  std::unique_ptr<curl_slist, ListDeleter> fields_;
  std::array<char, CURL_ERROR_SIZE> words_{};
  HeadReader head_;
  HeadReader proxy_head_;      // of the newest answer to CONNECT
  bool is_connected_ = false;  // what comes from now on is the origin's
  bool answer_began_ = false;
  bool found_noise_ = false;
  // Set where we ended the transfer ourselves: libcurl then only knows that a call-back said no.
  std::optional<TransferEnd> own_verdict_;
};

}  // namespace arkvory
