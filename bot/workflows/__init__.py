"""What the bot does: one use case a function, one transaction each, effects through the outbox."""
