"""The content localization service (interface document 1).

Requests are never repeated here: a call may be billed although its answer was lost. The key is sent to the configured
address only.
"""

from bot.clients.localization.client import LocalizationClient
from bot.clients.multipart import Upload, UploadTrouble, upload_as

__all__ = ["LocalizationClient", "Upload", "UploadTrouble", "upload_as"]
