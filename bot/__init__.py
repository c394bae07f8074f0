"""Switchboard: four outside services, run from a Slack workspace."""
