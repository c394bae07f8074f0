"""The e-mail processing service."""

from bot.clients.emails.client import SERVICE, EmailsClient

__all__ = ["SERVICE", "EmailsClient"]
