"""Files from people and the tables in them: formats by first bytes, columns, limits, flaws."""
