"""Every deliberate mistake, by what it is about."""

from tests.mutants import authority, doors, money, outcomes, sampled, services, stored, words

MUTANTS = (
    *money.MUTANTS,
    *outcomes.MUTANTS,
    *authority.MUTANTS,
    *stored.MUTANTS,
    *doors.MUTANTS,
    *services.MUTANTS,
    *sampled.MUTANTS,
    *words.MUTANTS,
)
