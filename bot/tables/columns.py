"""Finding columns by the names that people give them."""

import unicodedata
from collections.abc import Collection, Mapping, Sequence

from bot.domain.files.tables import Flaw, TableProblem


def find_columns(
    header: Sequence[str], wanted: Mapping[str, Collection[str]], *, required: Collection[str] = ()
) -> dict[str, int]:
    """Zero-based positions of the wanted columns, by our names for them.

    Names are compared without case, accents, blanks and punctuation: ``E-Mail`` is ``email``. Our own name counts
    too. A column with exactly our name takes precedence over synonyms.

    Args:
        header: the names in the file.
        wanted: our names, each with other names that mean the same.
        required: our names that must be found.

    Raises:
        TableProblem: two columns mean the same, or a required one is missing.
    """
    names = [loose(name) for name in header]
    found: dict[str, int] = {}
    for name, others in wanted.items():
        places = _places(names, name, others)
        if len(places) > 1:
            raise TableProblem(Flaw.AMBIGUOUS_COLUMN, names=[name, *(header[place] for place in places)])
        if places:
            found[name] = places[0]
    missing = [name for name in wanted if name in required and name not in found]
    if missing:
        raise TableProblem(Flaw.MISSING_COLUMNS, names=missing, counts={0: len(header)})
    return found


def clear_columns(header: Sequence[str], wanted: Mapping[str, Collection[str]]) -> dict[str, int]:
    """The same, only for the wanted columns that match exactly one column; the others are left out."""
    found: dict[str, int] = {}
    for name, others in wanted.items():
        try:
            found |= find_columns(header, {name: others})
        except TableProblem:
            continue
    return found


def same_names(header: Sequence[str], wanted: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Our names for which two columns are called the same, so that only a person can say which one is meant."""
    names = [loose(name) for name in header]
    places = {name: _places(names, name, others) for name, others in wanted.items()}
    return frozenset(name for name, at in places.items() if len({names[place] for place in at}) < len(at))


def _places(names: Sequence[str], name: str, others: Collection[str]) -> list[int]:
    places = [place for place, given in enumerate(names) if given == loose(name)]
    if places:
        return places
    meant = {loose(other) for other in others}
    return [place for place, given in enumerate(names) if given in meant]


def loose(name: str) -> str:
    """Only letters and digits, without case and accents."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in apart if letter.isalnum())
