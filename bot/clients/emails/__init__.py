"""The e-mail processing service (interface document 3, section B); its answers are undocumented."""

from bot.clients.emails.client import RESULT_BYTES, SERVICE, EmailsClient

__all__ = ["RESULT_BYTES", "SERVICE", "EmailsClient"]
