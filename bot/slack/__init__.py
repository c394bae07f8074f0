"""Calls to Slack: posting, editing, private answers, users and their groups.

A post is sent once: Slack has no idempotency key, so the client has no retry handlers. The outbox handles unknown
outcomes.
"""
