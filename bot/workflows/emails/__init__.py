"""Lists of e-mail addresses: checked row by row, or sent to the service as a whole file."""
