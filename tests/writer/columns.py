"""Every column of every table: whether it is attacked, or why what is in it leads to nothing that is sent."""

from typing import Final

from storage.tables.columns import metadata

ATTACKED: Final[dict[str, str]] = {
    "instruction": (
        "id reference kind payload code digest requirement state round version requester origin_channel created_at "
        "source_key recipient progress remote_id remote_status svc_hash reason decided_by refusal suspect posted_at "
        "expires_at exec_deadline sent_at held_at unknown_since reads last_read_at creates commits puts_off due_at "
        "lease_owner lease_until tries errors stopped closed_at payee_email cents chosen_code moves seal"
    ),
    "vote": "instruction_id round person choice at typed seal",
    "attempt": "instruction_id n kind request_hash claimed_at boot_at outcome detail finished_at seal",
    "audit": "seq at instruction_id actor action before after detail previous hash",
    "audit_head": "id seq hash",
    "audit_key": "id key_id",
    "callback_token": "token_hash instruction_id kind expires_at",
    "reservation": "instruction_id n day cents released",
    "tracked": (
        "kind remote_id instruction_id created_at due_at polls lease_owner lease_until tries errors stopped "
        "last_status stopped_at"
    ),
    "bulk_item": "instruction_id number email payee cents note status hash error attempt name operation",
    "bulk_flight": "instruction_id flying known taken_at",
    "inbox": (
        "id token_hash body_hash instruction_id kind body received_at state attempts due_at lease_owner lease_until "
        "tries errors stopped hints read_at"
    ),
    "outbox": (
        "seq id instruction_id subject key action place channel payload state attempts due_at lease_owner lease_until "
        "tries errors stopped sent_channel sent_ts created_at last_error urgent"
    ),
    "board": (
        "subject channel thread_ts requester ts shown_version wanted_version progress urgent edited_at due_at attempts "
        "instruction_id shown_in"
    ),
    "flag": "key value updated_at",
}
"""Table -> its columns that are changed, row by row."""

HARMLESS: Final[dict[str, tuple[str, str]]] = {
    "lookup": ("what people are told of recipients; nothing is decided by it", "about payee email recipient answer at"),
    "send_slot": ("how many requests leave in a second, not which", "n sent_at"),
    "seen_request": (
        "what Slack signed is refused a second time; a request that was captured counts for its own person only, and a "
        "vote counts once",
        "signature_hash seen_at",
    ),
    "job": (
        "localization and lists of addresses: no money, and nobody approves them",
        "id kind state payload detail requester channel thread_ts source_key version created_at due_at lease_owner "
        "lease_until tries errors stopped closed_at",
    ),
    "dropped_file": (
        "what is offered for a file; who takes the offer is asked again, and sees what was read",
        "id channel message_ts thread_ts user name size mimetype kind format duration_ms header state attempts "
        "created_at due_at lease_owner lease_until tries errors stopped rows cents batch",
    ),
    "result_block": ("results of localization: no money", "job_id part n content"),
    "email_run": ("lists of addresses: no money", "job_id header rows skipped total taken parked repeated outcomes"),
    "email_address": ("lists of addresses: no money", "job_id n address answer"),
    "email_block": ("lists of addresses: no money", "job_id part n content"),
    "store": (
        "deliveries: booked by one person, without an approval",
        "id name folded state sealed_key remote_id record created_at created_by seen_at due_at",
    ),
    "booking": (
        "deliveries: booked by one person, without an approval",
        "id reference kind store request stage version requester channel created_at source_key external_id remote_id "
        "numeric_id prebooking_id status detail reason sent_at search_at reads polls due_at lease_owner lease_until "
        "tries errors stopped closed_at",
    ),
    "store_hook": ("deliveries: only where events are reported", "token_hash id store kind created_at ended_at"),
    "store_event": (
        "deliveries: an event is believed after reading",
        "id token_hash body_hash store kind body received_at state attempts due_at lease_owner lease_until tries "
        "errors stopped",
    ),
    "unread_answer": (
        "shapes of answers, for the operator",
        "operation fingerprint detail first_seen last_seen count mended_at",
    ),
}
"""Table -> why, and its columns."""


def unclassified() -> dict[str, set[str]]:
    listed = {name: columns.split() for name, columns in ATTACKED.items()}
    listed |= {name: columns.split() for name, (_, columns) in HARMLESS.items()}
    real = {name: list(table.c.keys()) for name, table in metadata.tables.items()}
    wrong = {name: set(real.get(name, [])) ^ set(listed.get(name, [])) for name in real.keys() | listed.keys()}
    return {name: columns for name, columns in wrong.items() if columns}
