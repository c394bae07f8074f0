"""One repository per table: synchronous, inside a transaction of the caller."""
