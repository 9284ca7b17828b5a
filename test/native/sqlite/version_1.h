#pragma once

namespace nextid::sqlite {

// What nextid made before there were other kinds than plain counters.
inline constexpr const char* kVersion1 =
    "PRAGMA journal_mode = WAL;"
    "CREATE TABLE counters ("
    " name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text'),"
    " next INTEGER NOT NULL CHECK (typeof(next) = 'integer' AND next >= 0)"
    ") WITHOUT ROWID;"
    "PRAGMA application_id = 0x4e784964; PRAGMA user_version = 1;"
    "INSERT INTO counters VALUES ('orders', 1001), ('it''s', 0), ('last', 9223372036854775807)";

}  // namespace nextid::sqlite
