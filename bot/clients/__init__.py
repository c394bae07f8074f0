"""Clients of the outside services: the route table, the transport, and one package per service.

A request with an effect returns ``Done``, ``NotExecuted`` or ``Unknown`` and is never repeated here. Readers of JSON
are pure and raise ``Unfit``. Use ``transport.open_session``: other sessions of aiohttp resend PUT, DELETE and GET.
"""
