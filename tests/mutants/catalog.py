"""Every deliberate mistake, by what it is about."""

from tests.mutants import authority, doors, money, services, stored

MUTANTS = (*money.MUTANTS, *authority.MUTANTS, *stored.MUTANTS, *doors.MUTANTS, *services.MUTANTS)
