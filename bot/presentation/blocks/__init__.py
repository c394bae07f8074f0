"""Building blocks: escaped text, facts, tables, a link as a picture."""
