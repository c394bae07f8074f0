"""What the services send us."""
