"""Incoming requests: receive, translate, call one workflow, render."""
