"""Each worker runs when it has work: by its rows, by the clock, or at every tick."""

from inline_snapshot import snapshot

from bot.wiring import workers


def test_each_worker_becomes_due_in_one_way() -> None:
    by_rows = set(workers._DUE)
    assert set(workers.WORKERS) == by_rows | workers.BY_THE_CLOCK | workers.EVERY_TICK
    assert sorted(by_rows & workers.EVERY_TICK) == sorted(workers.BY_THE_CLOCK & workers.EVERY_TICK) == []
    assert sorted(by_rows & workers.BY_THE_CLOCK) == []


def test_the_workers() -> None:
    assert sorted(workers._DUE) == snapshot(
        [
            "boards",
            "booking polls",
            "bookings",
            "bulk",
            "bulk polls",
            "callbacks",
            "cancellations",
            "deadlines",
            "files",
            "instructions",
            "lists",
            "localization localization.media",
            "localization localization.text",
            "orphans",
            "outbox",
            "polls",
            "purchases",
            "store events",
            "stores",
            "whole files",
        ]
    )
    assert sorted(workers.BY_THE_CLOCK) == snapshot(
        ["anchors", "clock", "leftovers", "lost", "reach", "retention", "survey"]
    )
    assert sorted(workers.EVERY_TICK) == snapshot(
        [
            "damage",
            "denials",
            "disk",
            "probe delivery",
            "probe localization",
            "probe payments",
            "processes",
            "silence",
            "unread",
        ]
    )
    assert snapshot(("anchors", "disk", "unread", "damage", "retention", "reach")) == workers.CHORES
    assert [one.name for one in workers.WATCHED] == snapshot(["payments", "delivery", "localization"])


def test_the_rows_of_each_queue() -> None:
    assert (
        snapshot(
            {
                "callbacks": (("inbox", ""),),
                "webhooks": (("store_event", ""),),
                "messages": (("outbox", ""),),
                "files": (("dropped_file", ""),),
                "jobs": (
                    ("job", "localization.media"),
                    ("job", "localization.text"),
                    ("job", "email.run"),
                    ("job", "email.file"),
                ),
                "requests": (("instruction", ""),),
                "polls": (("tracked", "payout"), ("tracked", "bulk"), ("tracked", "purchase"), ("tracked", "orphan")),
                "bookings": (("booking", ""),),
                "cards": (("board", ""),),
                "stores": (("store", ""),),
            }
        )
        == workers.QUEUES
    )
