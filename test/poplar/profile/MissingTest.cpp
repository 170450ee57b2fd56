// Profile files of a library that was built without SQLite.
#undef POPLAR_WITH_SQLITE

#include "Profiled.hpp"

#include <poplar/exceptions.hpp>
#include <poplar/impl/profile/ReportFile.hpp>

#include <poplar/impl/profile/ReportFileMissing.ipp>

#include <doctest/doctest.h>

using namespace cottonwood::profile;
using namespace profileTest;

TEST_SUITE("poplar/profile/Missing") {
  TEST_CASE("nothing is written, and nothing fails") {
    Folder const folder("profile-missing");
    CHECK_FALSE(writeReport(folder.file("profile.pop"), ReportData()));
    CHECK_FALSE(writeReport(folder.file("profile.pop"), ReportData()));
    CHECK_FALSE(std::filesystem::exists(folder.path));
  }

  TEST_CASE("reading says what is missing") {
    CHECK_THROWS_WITH_AS(
        readReport("pva::openReport", "x/profile.pop"),
        "pva::openReport: the file 'x/profile.pop' cannot be read: this library was built without "
        "SQLite (Debian package libsqlite3-dev; header-only: define POPLAR_WITH_SQLITE and link "
        "sqlite3)",
        poplar::poplar_error);
  }
}
