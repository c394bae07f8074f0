"""Secrets in what a service says, and what of it is told."""

from tests.mutants.mutant import Mutant

_DOOR = ("tests/clients/test_secrets.py",)
_EVERYTHING = ("tests/flow/test_secrets_in_words.py",)

MUTANTS = (
    Mutant(
        name="what a service says keeps our secrets",
        file="bot/clients/transport.py",
        old="            return without_secrets(reply, self._secrets, brings=request.brings)",
        new="            return reply",
        breaks="no secret of ours is repeated to people, log or database",
        tests=_DOOR,
    ),
    Mutant(
        name="secrets stay in the names of fields",
        file="bot/domain/text.py",
        old="clean[self.hidden(name)] = self.without(value, brings=brings)",
        new="clean[name] = self.without(value, brings=brings)",
        breaks="no secret of ours is repeated, wherever it stands",
        tests=_DOOR,
    ),
    Mutant(
        name="half a secret at the end of a text is kept",
        file="bot/clients/transport.py",
        old="_TEXT_READ: Final = 4 * _TEXT_KEPT",
        new="_TEXT_READ: Final = _TEXT_KEPT",
        breaks="a secret is found before a text is cut",
        tests=_DOOR,
    ),
    Mutant(
        name="an e-mail answer keeps our secrets",
        file="bot/clients/emails/client.py",
        old="            return without_secrets(reply, self._secrets)",
        new="            return reply",
        breaks="no secret of ours is repeated to people, log or database",
        tests=("tests/clients/test_emails.py",),
    ),
    Mutant(
        name="an event of a store keeps our secrets",
        file="handlers/callbacks.py",
        old='self.secrets.hidden_body(body.decode(errors="replace"))',
        new='body.decode(errors="replace")',
        breaks="no secret of ours is kept in the database",
        tests=("tests/workflows/bookings/test_store_events.py", "-k", "a_secret_in_an_event"),
    ),
    Mutant(
        name="the password of the database is no secret of the services",
        file="bot/settings.py",
        old="        return tuple(one for one in self.secrets() if not any(",
        new="        return tuple(one for one in self.secrets()[:-2] if not any(",
        breaks="every configured secret is taken out",
        tests=("tests/test_settings.py",),
    ),
    Mutant(
        name="a transport knows the secrets of no other service",
        file="bot/wiring/services.py",
        old="            secrets=self.secrets,\n        )",
        new="        )",
        breaks="no service repeats the secret of another",
        tests=_EVERYTHING,
    ),
    Mutant(
        name="kept keys of stores are not known at start",
        file="bot/app.py",
        old="            await at_start(partial(database.store.read, delivery.client.learn_keys))",
        new="            delivery.client.learn_keys",
        breaks="no service repeats the key of a store that the database holds",
        tests=_EVERYTHING,
    ),
    Mutant(
        name="what localization says with a 500 is not told",
        file="bot/workflows/localization/running.py",
        old="reason=Reason(OfCall.UNKNOWN, why=lost.full_reason)",
        new="reason=Reason(OfCall.UNKNOWN, why=lost.reason)",
        breaks="what a service says in a 5xx reaches the person",
        tests=_EVERYTHING,
    ),
    Mutant(
        name="what a list says with a 500 is not told",
        file="bot/clients/payments/calls.py",
        old="scan.broken_off(error.full_reason)",
        new="scan.broken_off(error.reason)",
        breaks="what a service says in a 5xx reaches the person",
        tests=("tests/laws/test_outcome.py", "-k", "reads_once_more and create_payout"),
    ),
)
