"""Values, rules and decisions. Standard library and pydantic only; no I/O."""
