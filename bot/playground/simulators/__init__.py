"""Stateful local stand-ins for the outside services: they keep books, enforce limits and misbehave on demand."""
