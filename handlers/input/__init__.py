"""Input: grammar, fields, dispatch and limits that commands and forms share."""
