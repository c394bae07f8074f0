"""From typed lines and forms to values: what commands, buttons and forms share."""
