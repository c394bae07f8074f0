"""The content localization service."""

from bot.clients.localization.client import LocalizationClient
from bot.clients.localization.multipart import Upload, UploadTrouble

__all__ = ["LocalizationClient", "Upload", "UploadTrouble"]
