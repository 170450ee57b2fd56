// Body of Database.hpp.
#pragma once

#include <poplar/impl/profile/Database.hpp>

#include <poplar/impl/base/Config.hpp>

#if defined(POPLAR_WITH_SQLITE)

namespace cottonwood::profile {

POP_INLINE Database::Database(std::string const &path, Mode mode) {
  sqlite3 *handle = nullptr;
  int const flags =
      mode == Mode::Read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  int const result = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  handle_.reset(handle); // there is one even if that failed
  if (result != SQLITE_OK)
    throw DatabaseError(handle ? sqlite3_errmsg(handle) : "out of memory");
}

POP_INLINE void Database::execute(char const *sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    throw DatabaseError(sqlite3_errmsg(handle_.get()));
}

POP_INLINE Statement::Statement(Database const &database, char const *sql) : database_(database) {
  sqlite3_stmt *statement = nullptr;
  int const result = sqlite3_prepare_v2(database.handle(), sql, -1, &statement, nullptr);
  statement_.reset(statement);
  check(result);
}

POP_INLINE void Statement::check(int result) const {
  if (result != SQLITE_OK && result != SQLITE_ROW && result != SQLITE_DONE)
    throw DatabaseError(sqlite3_errmsg(database_.handle()));
}

POP_INLINE bool Statement::next() {
  int const result = sqlite3_step(statement_.get());
  check(result);
  return result == SQLITE_ROW;
}

POP_INLINE std::string_view Statement::bytes(int column) const {
  auto const *data = static_cast<char const *>(sqlite3_column_blob(statement_.get(), column));
  auto const size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return data ? std::string_view(data, size) : std::string_view();
}

POP_INLINE void Statement::bind(int column, std::string const &value) {
  check(sqlite3_bind_text64(statement_.get(), column, value.data(), value.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
}

POP_INLINE void Statement::bind(int column, Blob const &value) {
  check(sqlite3_bind_blob64(statement_.get(), column, value.bytes.data(), value.bytes.size(),
                            SQLITE_TRANSIENT));
}

POP_INLINE void Statement::bind(int column, Optional const &value) {
  if (value.value != ~std::uint32_t{0})
    bind(column, std::uint64_t{value.value});
  else
    check(sqlite3_bind_null(statement_.get(), column));
}

} // namespace cottonwood::profile

#endif
