"""Slack's own limits of messages and views, with Slack's error names."""
