"""The example of a new service: a glossary, plugged in as an extension (``EXTENSIONS`` in ``bot/wiring/services.py``).

Nothing else of the bot changes. Add its slash command to the app's manifest by hand: ``manifest`` prints the commands
of the four services.
"""
