"""One repository a table: synchronous, inside a transaction somebody else made."""
