"""Lists of e-mail addresses: asked row by row, or given to the service as a file."""
