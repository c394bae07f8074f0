"""The content localization service."""

from bot.clients.localization.client import LocalizationClient
from bot.clients.localization.uploads import upload_as
from bot.clients.multipart import Upload, UploadTrouble

__all__ = ["LocalizationClient", "Upload", "UploadTrouble", "upload_as"]
