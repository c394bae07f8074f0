"""Calls to Slack: posting, editing, private answers, users and their groups."""
