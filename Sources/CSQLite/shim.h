#pragma once
#include <sqlite3.h>

// A macro that casts -1 to a function pointer, which Swift cannot import.
static inline sqlite3_destructor_type _Nonnull durable_sqlite_transient(void) {
    return SQLITE_TRANSIENT;
}

// sqlite3_db_config is variadic; this is its form for switches.
static inline int durable_sqlite_switch(sqlite3 *_Nonnull database, int option, int on) {
    return sqlite3_db_config(database, option, on, (int *)0);
}
