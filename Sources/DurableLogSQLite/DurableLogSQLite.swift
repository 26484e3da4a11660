// DurableLogSQLite
