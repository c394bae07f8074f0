"""The content localization service (interface document 1).

Requests are never retried here: a call may be billed although its answer was lost. The key is sent only to the
configured address.
"""

from bot.clients.localization.client import LocalizationClient
from bot.clients.multipart import Upload, UploadTrouble, upload_as

__all__ = ["LocalizationClient", "Upload", "UploadTrouble", "upload_as"]
