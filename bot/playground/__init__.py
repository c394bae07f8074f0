"""The outside world in a box: a local workspace, its web page and simulators of the services."""
