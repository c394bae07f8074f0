"""From typed lines and forms to values: shared by commands, buttons and forms, and imports none of them."""
