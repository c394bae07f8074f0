"""Files from people and the tables read from them: format by first bytes, columns, limits, flaws."""
