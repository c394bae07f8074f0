"""Lists of e-mail addresses to be processed."""
