// A database of SQLite: what of its C interface profile files need.
#pragma once

#if defined(POPLAR_WITH_SQLITE)

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cottonwood::profile {

/// What SQLite says.
struct DatabaseError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Database {
public:
  enum class Mode { Read, Create };
  /// \throws DatabaseError  as all functions here.
  Database(std::string const &path, Mode mode);
  void execute(char const *sql);
  sqlite3 *handle() const { return handle_.get(); }

private:
  struct Close {
    void operator()(sqlite3 *handle) const { sqlite3_close(handle); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

/// Bytes that are no text.
struct Blob {
  std::string bytes;
};

/// The number of a row; NONE is NULL.
struct Optional {
  std::uint32_t value;
};

class Statement {
public:
  Statement(Database const &database, char const *sql);

  /// Executes an INSERT with these values.
  template <class... T> void insert(T const &...values) {
    int column = 0;
    (bind(++column, values), ...);
    next();
    check(sqlite3_reset(statement_.get()));
  }
  /// Begins a SELECT anew with that text.
  void find(std::string const &text) {
    check(sqlite3_reset(statement_.get()));
    bind(1, text);
  }
  /// The next row of a SELECT; false behind the last.
  bool next();
  std::uint64_t number(int column) const {
    return static_cast<std::uint64_t>(sqlite3_column_int64(statement_.get(), column));
  }
  double real(int column) const { return sqlite3_column_double(statement_.get(), column); }
  bool isNull(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
  }
  /// Text or bytes, until the next row.
  std::string_view bytes(int column) const;
  std::string text(int column) const { return std::string(bytes(column)); }

private:
  struct Finalize {
    void operator()(sqlite3_stmt *statement) const { sqlite3_finalize(statement); }
  };
  void check(int result) const;
  void bind(int column, std::uint64_t value) {
    check(sqlite3_bind_int64(statement_.get(), column, static_cast<sqlite3_int64>(value)));
  }
  void bind(int column, std::uint32_t value) { bind(column, std::uint64_t{value}); }
  void bind(int column, double value) {
    check(sqlite3_bind_double(statement_.get(), column, value));
  }
  void bind(int column, bool value) { bind(column, std::uint64_t{value}); }
  void bind(int column, std::string const &value);
  void bind(int column, Blob const &value);
  void bind(int column, Optional const &value);

  Database const &database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

} // namespace cottonwood::profile

#endif
