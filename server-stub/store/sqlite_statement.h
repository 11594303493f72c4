// SPDX-License-Identifier: Apache-2.0
// One statement of SQLite, finalised at its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace arkvory::server {

class Statement {
 public:
  Statement(sqlite3* database, const char* text);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // The next value; texts and bytes have to live until the last step.
  Statement& bind(std::span<const std::byte> bytes);
  Statement& bind(std::int64_t number);
  Statement& bind(std::string_view text);
  Statement& bind_null();

  // SQLITE_ROW, SQLITE_DONE or what went wrong.
  int step();

  std::int64_t number(int column = 0);
  std::string text(int column);
  bool is_null(int column);
  std::span<const std::byte> bytes();

 private:
  Statement& note(int code);

  sqlite3_stmt* statement_ = nullptr;
  int code_;
  int bound_ = 0;
};

// Whether this result of SQLite means that the file will never do, rather than not now.
bool is_damage(int code);

}  // namespace arkvory::server
