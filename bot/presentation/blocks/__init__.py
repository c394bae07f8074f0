"""Building blocks: escaped text, facts, tables, QR codes of links."""
