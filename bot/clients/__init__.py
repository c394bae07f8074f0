"""Clients of the outside services: the route table, the transport, and one package for each service."""
