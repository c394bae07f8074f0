"""The outside services: the route table, the transport and one module a service."""
