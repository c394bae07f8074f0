"""Actions on files, in the order in which they are offered. One module per service."""

from handlers.file_actions import bulk, emails, localization
from handlers.file_actions.file_action import FileAction
from handlers.file_actions.offers import register

__all__ = ["ACTIONS", "register"]

ACTIONS: tuple[FileAction, ...] = (*localization.ACTIONS, *bulk.ACTIONS, *emails.ACTIONS)
