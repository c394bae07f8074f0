"""Every deliberate mistake, by what it is about."""

from tests.mutants import (
    authority,
    doors,
    facts_bulk,
    facts_delivery,
    facts_documents,
    facts_emails,
    facts_lists,
    facts_localization,
    money,
    outcomes,
    sampled,
    sealed,
    services,
    stored,
    tables,
    words,
)

MUTANTS = (
    *money.MUTANTS,
    *outcomes.MUTANTS,
    *authority.MUTANTS,
    *sealed.MUTANTS,
    *stored.MUTANTS,
    *doors.MUTANTS,
    *services.MUTANTS,
    *tables.MUTANTS,
    *sampled.MUTANTS,
    *words.MUTANTS,
    *facts_bulk.MUTANTS,
    *facts_delivery.MUTANTS,
    *facts_documents.MUTANTS,
    *facts_lists.MUTANTS,
    *facts_emails.MUTANTS,
    *facts_localization.MUTANTS,
)
