// SPDX-License-Identifier: Apache-2.0
#include "server-stub/store/sqlite_statement.h"

#include <sqlite3.h>

namespace arkvory::server {

Statement::Statement(sqlite3* database, const char* text)
    : code_(sqlite3_prepare_v2(database, text, -1, &statement_, nullptr)) {}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(std::span<const std::byte> bytes) {
  return note(sqlite3_bind_blob(statement_, ++bound_, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC));
}

Statement& Statement::bind(std::int64_t number) { return note(sqlite3_bind_int64(statement_, ++bound_, number)); }

Statement& Statement::bind(std::string_view text) {
  return note(sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_STATIC));
}

Statement& Statement::bind_null() { return note(sqlite3_bind_null(statement_, ++bound_)); }

int Statement::step() { return code_ == SQLITE_OK ? sqlite3_step(statement_) : code_; }

std::int64_t Statement::number(int column) { return sqlite3_column_int64(statement_, column); }

std::string Statement::text(int column) {
  const auto* begin = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return begin == nullptr ? std::string()
                          : std::string(begin, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

bool Statement::is_null(int column) { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

std::span<const std::byte> Statement::bytes() {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_, 0));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, 0))};
}

Statement& Statement::note(int code) {
  if (code_ == SQLITE_OK) code_ = code;
  return *this;
}

bool is_damage(int code) {
  const int kind = code & 0xFF;
  return kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB;
}

}  // namespace arkvory::server
