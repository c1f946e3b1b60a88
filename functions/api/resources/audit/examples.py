"""Audit records."""

from functions.api.examples import CURSOR, JOB_ID, NOW, Examples

AUDIT_PAGE: Examples = {
    "one_of_more": {
        "records": [
            {
                "id": "aud_nwcxke572kk1mh0w",
                "at": NOW,
                "actor": "tenant",
                "key_id": "cymqrse1wp1e5sk2",
                "operation": "pauseJob",
                "target": JOB_ID,
                "before": "edb064968a895ddb40918024e314cf2e043d8993fb10c5e90106ef624bc75776",
                "after": "b00d4900de33eaa880c8411163e2fd300d56acf36e88af864b1a3ad591e920ca",
                "request_id": "4fe87409-1eee-4a0a-bec8-a864ab623f42",
            }
        ],
        "next_cursor": CURSOR,
    }
}
