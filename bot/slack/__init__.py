"""Slack as something we call: posting, editing, answering privately, knowing people."""
