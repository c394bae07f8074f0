"""The content localization service."""

from bot.clients.localization.client import LocalizationClient
from bot.clients.multipart import Upload, UploadTrouble, upload_as

__all__ = ["LocalizationClient", "Upload", "UploadTrouble", "upload_as"]
