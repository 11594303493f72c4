// SPDX-License-Identifier: Apache-2.0
// A name server (RFC 1035) that fails as often as it is told and then gives one IPv4 address for any name.
#pragma once

#include <array>
#include <atomic>
#include <string>
#include <thread>

namespace arkvory::hostile {

class NameServer {
 public:
  // On port 53 of `listen`, an IPv4 address. The first `failures` questions for an A record get SERVFAIL.
  NameServer(const std::string& listen, int failures, std::array<unsigned char, 4> address);
  ~NameServer();
  NameServer(const NameServer&) = delete;
  NameServer& operator=(const NameServer&) = delete;

  // False where the port could not be had.
  bool is_running() const { return socket_ >= 0; }
  int questions() const { return questions_; }

 private:
  void serve();

  int socket_ = -1;
  int stop_event_ = -1;
  int failures_;
  std::array<unsigned char, 4> address_;
  std::atomic<int> questions_ = 0;  // for A records
  std::thread thread_;
};

}  // namespace arkvory::hostile
