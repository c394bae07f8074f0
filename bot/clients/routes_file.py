"""Loader of the route table: the shipped file with an operator's overrides, which are validated at start."""

import re
import tomllib
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields as dataclass_fields
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NoReturn, cast

from bot.clients.routes import A_MINUTE, PLACEHOLDER, Mark, Place, Route, RouteTable, ServiceDialect
from bot.domain.bookings.record import same_word
from bot.domain.errors import OperatorError
from bot.domain.overview import Word, WordTable
from bot.domain.unread import toml_key

_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
_PLACES: Final = ("path", "query", "header", "body", "both")
_PATH: Final = re.compile(r"/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|\{[a-z_]+\}|%[0-9A-Fa-f]{2})*")
_NAME: Final = re.compile(r"[^\x00-\x20\x7f\"]{1,100}")
_PREFIX: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,40}")
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")
_MAX_PAGE_SIZE: Final = 1000
_LISTS: Final = frozenset({"items", "payments"})
_DECIDED_ELSEWHERE: Final = {"list_operations": "list_parameters"}
_TABLES: Final[tuple[WordTable, ...]] = ("states", "events", "units")
_DOCUMENTED_STATE: Final = "ON_HOLD"
_LONGEST_WORD: Final = 80
_EXAMPLE: Final = 'path = "/v2/payouts/{id}/confirm"'

Table = dict[str, Any]


def load_routes(override: Path | None, *, environment: str, more: tuple[Path, ...] = ()) -> RouteTable:
    """Load the shipped route table and apply the operator's file ``override``.

    ``more``: files of the same form for additional services. ``OperatorError`` if the file can't be read or breaks
    a rule; names file, key, rule and a correct example.
    """
    if override is None:
        return _alone(environment, more)
    try:
        changes = tomllib.loads(override.read_text("utf-8-sig"))
    except OSError as error:
        raise OperatorError(
            f"SERVICES_FILE: {override} cannot be read ({error.strerror})", mend="name a readable file, or unset it"
        ) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        mend = f"write it like this: [payments.commit_payout] {_EXAMPLE}"
        raise OperatorError(f"{override}: it is no TOML ({error})", mend=mend) from error
    return _merged(changes, _Check(str(override)), environment, _shipped(more))


@cache
def _alone(environment: str, more: tuple[Path, ...]) -> RouteTable:
    """Build the table without overrides. It is immutable and needed by each service at start, hence cached."""
    return _merged({}, _Check(""), environment, _shipped(more))


def _merged(changes: Table, check: "_Check", environment: str, shipped: Table) -> RouteTable:
    for service in changes:
        if service not in shipped:
            check.refuse(service, f"no such service; there is: {', '.join(shipped)}", "[payments]")
    routes: list[Route] = []
    dialects: dict[str, ServiceDialect] = {}
    for service, table in shipped.items():
        over = check.table(service, changes.get(service, {}))
        merged = _ServiceTable(service=service, shipped=table, over=over, check=check)
        dialects[service] = merged.dialect
        routes += merged.routes()
    return RouteTable(routes=routes, dialects=dialects, environment=environment)


@cache
def _shipped(more: tuple[Path, ...]) -> Table:
    """Read the file in this package and those of additional services. Callers must not change the cached result."""
    own = tomllib.loads(resources.files("bot.clients").joinpath("routes.toml").read_text("utf-8"))
    for path in more:
        for name, table in tomllib.loads(path.read_text("utf-8")).items():
            if name in own:
                raise OperatorError(f"{path}: {name}: there is such a service already", mend="give it another name")
            own[name] = table
    return own


class _Check:
    """Rules for values in an operator's file."""

    def __init__(self, file: str) -> None:
        self._file = file

    def refuse(self, key: str, rule: str, example: str) -> NoReturn:
        raise OperatorError(f"{self._file}: {key}: {rule}", mend=f"for example: {example}")

    def table(self, key: str, value: object) -> Table:
        if not isinstance(value, dict):
            self.refuse(key, "it is a table", f"[{key}]")
        return cast(Table, value)

    def choice(self, key: str, value: object, choices: tuple[str, ...]) -> str:
        if not isinstance(value, str) or value not in choices:
            self.refuse(key, f"it is one of {', '.join(choices)}", f'{_last(key)} = "{choices[0]}"')
        return value

    def flag(self, key: str, value: object) -> bool:
        if not isinstance(value, bool):
            self.refuse(key, "it is true or false, without quotes", f"{_last(key)} = true")
        return value

    def name(self, key: str, value: object) -> str:
        if not isinstance(value, str) or _NAME.fullmatch(value) is None:
            self.refuse(key, "it is the service's name of that field, without spaces", f'{_last(key)} = "recipient"')
        return value

    def names(self, key: str, value: object) -> tuple[str, ...]:
        listed = value if isinstance(value, list) and value else [value]
        return tuple(self.name(key, one) for one in listed)

    def path(self, key: str, value: object, *, needed: frozenset[str], possible: frozenset[str]) -> str:
        if not isinstance(value, str) or _PATH.fullmatch(value) is None or ".." in value or "//" in value:
            self.refuse(key, "it begins with / and is a plain path, without address, query or spaces", _EXAMPLE)
        found = PLACEHOLDER.findall(value)
        if not needed <= set(found) <= needed | possible or len(set(found)) != len(found):
            wanted = ", ".join(f"{{{name}}}" for name in sorted(needed)) or "no placeholder"
            self.refuse(key, f"it contains exactly {wanted}, once", _EXAMPLE)
        return value


def _mark(theirs: str) -> Mark:
    return Mark.DOCUMENTED if theirs == _DOCUMENTED_STATE else Mark.STRONG_EVIDENCE


def _last(key: str) -> str:
    return key.rpartition(".")[2]


class _ServiceTable:
    """The shipped table of one service, merged with an operator's overrides."""

    def __init__(self, *, service: str, shipped: Table, over: Table, check: _Check) -> None:
        self._service = service
        self._check = check
        general = {item.name for item in dataclass_fields(ServiceDialect)} - {"words"}
        tables = ["records", *(name for name in _TABLES if name in shipped)]
        self._shipped = {key: value for key, value in shipped.items() if key not in {*general, *tables}}
        self._over = {key: value for key, value in over.items() if key not in {*general, *tables}}
        for operation in self._over:
            if operation not in self._shipped:
                known = ", ".join([*sorted(general), *tables, *self._shipped])
                check.refuse(f"{service}.{operation}", f"unknown; there is: {known}", f"[{service}.commit_payout]")
        both = {key: value for key, value in {**shipped, **over}.items() if key in general}
        words = (self._read_words(name, shipped[name], over.get(name, {})) for name in _TABLES if name in shipped)
        self.dialect = self._read_dialect(both, tuple(word for found in words for word in found))
        self._records = self._read_records(shipped.get("records", {}), over.get("records", {}))

    def _read_words(self, name: WordTable, shipped: Table, over: object) -> tuple[Word, ...]:
        """Merge the lines of a table; an operator's line replaces shipped ones of the same word or kind of event."""
        key, check = f"{self._service}.{name}", self._check
        known = tuple(A_MINUTE) if name == "units" else tuple(dict.fromkeys(shipped.values()))
        written: dict[str, Word] = {}
        for theirs, ours in check.table(key, over).items():
            here, example, same = f"{key}.{theirs}", f'{toml_key(theirs)} = "{known[0]}"', same_word(theirs)
            if name == "units" and theirs not in shipped:
                check.refuse(here, f"unknown; there is: {', '.join(shipped)}", 'cook_time = "minutes"')
            if not same or len(same) > _LONGEST_WORD or not theirs.isprintable():
                check.refuse(here, f"a word of the service has 1 to {_LONGEST_WORD} characters, in one line", example)
            if not isinstance(ours, str) or ours not in known:
                check.refuse(here, f"it is one of {', '.join(known)}", example)
            if same in written:
                check.refuse(here, f"{written[same].theirs} is the same word; leave one of the two", example)
            written[same] = Word(table=name, theirs=theirs, ours=ours, mark=_mark(theirs), overridden=True)
        replaced = {one.ours for one in written.values()} if name == "events" else written.keys()
        kept = [
            Word(table=name, theirs=theirs, ours=ours, mark=_mark(theirs))
            for theirs, ours in shipped.items()
            if (ours if name == "events" else same_word(theirs)) not in replaced
        ]
        return (*kept, *written.values())

    def _read_dialect(self, given: Table, words: tuple[Word, ...]) -> ServiceDialect:
        check, key = self._check, self._service
        prefix = given.get("field_prefix", "svc")
        if not isinstance(prefix, str) or _PREFIX.fullmatch(prefix) is None:
            check.refuse(f"{key}.field_prefix", "it is letters, digits and _", 'field_prefix = "acme"')
        size = given.get("list_page_size", 100)
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= _MAX_PAGE_SIZE:
            check.refuse(f"{key}.list_page_size", f"it is a number from 1 to {_MAX_PAGE_SIZE}", "list_page_size = 50")
        where = check.choice(f"{key}.list_parameters", given.get("list_parameters", "both"), ("query", "body", "both"))
        amount = check.choice(f"{key}.item_amount", given.get("item_amount", "unit"), ("unit", "line"))
        language = given.get("language", "en")
        if not isinstance(language, str) or _LANGUAGE.fullmatch(language) is None:
            check.refuse(f"{key}.language", "it is a language tag", 'language = "es"')
        return ServiceDialect(
            language=language,
            words=words,
            field_prefix=prefix.rstrip("_"),
            list_parameters=cast(Any, where),
            list_page_size=size,
            item_amount=cast(Any, amount),
        )

    def _read_records(self, shipped: Table, over: object) -> dict[str, Mapping[str, tuple[str, ...]]]:
        key = f"{self._service}.records"
        changes = self._check.table(key, over)
        for record in changes:
            if record not in shipped:
                self._check.refuse(f"{key}.{record}", f"unknown; there is: {', '.join(shipped)}", f"[{key}.operation]")
        return {
            record: self._reply(f"{key}.{record}", self._named(names), changes.get(record, {}))
            for record, names in shipped.items()
        }

    def _named(self, names: Table) -> dict[str, tuple[str, ...]]:
        """Replace ``svc`` by the service's own name in shipped names; an operator's names are taken literally."""
        listed = {ours: theirs if isinstance(theirs, list) else [theirs] for ours, theirs in names.items()}
        prefix = f"{self.dialect.field_prefix}_"
        return {ours: tuple(re.sub("^svc_", prefix, name) for name in theirs) for ours, theirs in listed.items()}

    def _reply(self, key: str, names: Mapping[str, tuple[str, ...]], over: object) -> Mapping[str, tuple[str, ...]]:
        merged = dict(names)
        for ours, theirs in self._check.table(key, over).items():
            if ours not in names:
                self._check.refuse(f"{key}.{ours}", f"unknown; there is: {', '.join(names)}", 'id = "operation_id"')
            merged[ours] = self._check.names(f"{key}.{ours}", theirs)
        return MappingProxyType(merged)

    def _fields(self, key: str, names: Table, over: object) -> Mapping[str, str]:
        merged = {ours: theirs for ours, (theirs,) in self._named(names).items()}
        for ours, theirs in self._check.table(key, over).items():
            if ours not in merged:
                known = ", ".join(merged) or "none"
                self._check.refuse(f"{key}.{ours}", f"unknown; there is: {known}", 'email = "recipient"')
            # An empty name means the body itself; it is allowed only if the shipped entry has it.
            merged[ours] = "" if theirs == "" == names[ours] else self._check.name(f"{key}.{ours}", theirs)
            twins = [other for other in merged if other != ours and merged[other] == theirs]
            # Item fields are nested in the body, so they may reuse the names of its fields.
            if any(other.startswith("item_") == ours.startswith("item_") for other in twins):
                self._check.refuse(f"{key}.{ours}", f"{theirs} is taken by {twins[0]} already", 'email = "recipient"')
        return MappingProxyType(merged)

    def routes(self) -> list[Route]:
        return [self._route(operation, entry) for operation, entry in self._shipped.items()]

    def _route(self, operation: str, entry: Table) -> Route:
        key, check = f"{self._service}.{operation}", self._check
        over = check.table(key, self._over.get(operation, {}))
        changeable = ("method", "path", "parameters", "fields", "reply", "confirmed")
        for name in over:
            if name not in changeable:
                check.refuse(f"{key}.{name}", f"it cannot be set; what can: {', '.join(changeable)}", _EXAMPLE)
        fields = self._fields(f"{key}.fields", entry.get("fields", {}), over.get("fields", {}))
        moves_money = entry.get("moves_money", False)
        method = check.choice(f"{key}.method", over.get("method", entry["method"]), _METHODS)
        if moves_money and method == "GET":
            # Any proxy may repeat or prefetch a GET.
            check.refuse(f"{key}.method", "an operation that moves money is no GET", 'method = "PUT"')
        place = check.choice(f"{key}.parameters", over.get("parameters", entry.get("parameters", "path")), _PLACES)
        # A parameter that an operator names may leave the path; it is then sent with the others.
        needed = frozenset(PLACEHOLDER.findall(entry["path"])) - over.get("fields", {}).keys()
        written = over.get("path", entry["path"])
        path = check.path(f"{key}.path", written, needed=needed, possible=needed | frozenset(fields))
        given = entry.get("reply", {})
        reply = self._records[given] if isinstance(given, str) else self._named(given)
        self._check_place(operation, place, outside=fields.keys() - set(PLACEHOLDER.findall(path)), over=over)
        return Route(
            service=self._service,
            operation=operation,
            method=method,
            path=path,
            mark=Mark(entry["mark"]),
            parameters=cast(Place, place),
            moves_money=moves_money,
            confirmed=check.flag(f"{key}.confirmed", over.get("confirmed", False)),
            overridden=bool(over),
            fields=fields,
            reply=self._reply(f"{key}.reply", reply, over.get("reply", {})),
        )

    def _check_place(self, operation: str, place: str, *, outside: AbstractSet[str], over: Table) -> None:
        """Refuse a place to which the parameters outside the path can't be sent."""
        key = f"{self._service}.{operation}.parameters"
        if operation in _DECIDED_ELSEWHERE and "parameters" in over:
            setting = _DECIDED_ELSEWHERE[operation]
            self._check.refuse(key, f"{setting} of [{self._service}] decides it", f'{setting} = "query"')
        if place == "path" and outside:
            names = ", ".join(sorted(outside))
            self._check.refuse(key, f"the path does not hold {names}; say where it goes", 'parameters = "query"')
        if place != "body" and outside & _LISTS:
            name = min(outside & _LISTS)
            self._check.refuse(key, f"{name} is a list, which only a body holds", 'parameters = "body"')
