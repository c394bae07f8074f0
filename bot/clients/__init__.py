"""Clients of the external services: the route table, the transport, and one package per service.

A request with an effect returns ``Done``, ``NotExecuted`` or ``Unknown`` and is never retried here. JSON readers are
pure and raise ``Unfit``. Use ``transport.open_session``: other aiohttp sessions resend PUT, DELETE and GET.
"""
