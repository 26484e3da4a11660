#pragma once
#include <sqlite3.h>

// A macro that casts -1 to a function pointer, which Swift cannot import.
static inline sqlite3_destructor_type _Nonnull durable_sqlite_transient(void) {
    return SQLITE_TRANSIENT;
}
