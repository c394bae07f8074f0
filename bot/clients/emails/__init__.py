"""The e-mail processing service."""

from bot.clients.emails.client import RESULT_BYTES, SERVICE, EmailsClient

__all__ = ["RESULT_BYTES", "SERVICE", "EmailsClient"]
