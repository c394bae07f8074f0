"""Slack's limits of blocks, messages and views, refused with Slack's error names.

A limit is beside the object it belongs to.
"""
