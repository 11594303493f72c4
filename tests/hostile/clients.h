// SPDX-License-Identifier: Apache-2.0
// How each client is asked to do the same job as well as it can.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace arkvory::hostile {

enum class Kind { ours, curl, aria2c, wget, wget2 };

struct Client {
  Kind kind = Kind::ours;
  std::string program;
};

// By name, or a path to arkvoryctl. Nothing where the name is of no client we know.
std::optional<Client> client_called(const std::string& name);
bool is_installed(const Client& client);

bool knows_http2(const Client& client);
// Against a digest that the user gives.
bool checks_digests(const Client& client);

struct Wish {
  std::string url;
  std::string target;                // empty: the name that the client finds
  std::string sha256;                // empty: none is known
  std::string state;                 // a folder of its own
  std::string ca_file;               // empty: the system's
  bool plain = false;                // for people to read
  std::vector<std::string> options;  // of ours
};

std::vector<std::string> command(const Client& client, const Wish& wish);

}  // namespace arkvory::hostile
