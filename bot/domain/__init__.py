"""What is true whatever the transport: values, rules and decisions. Standard library and pydantic only; no I/O."""
