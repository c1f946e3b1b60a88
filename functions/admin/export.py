"""The command that exports a tenant to a file."""

from argparse import Namespace
from collections import Counter
from functools import partial

import orjson

from functions.admin.actions import Document, record, tenant_out
from shared.bootstrap.use_cases import UseCases
from shared.domain.errors import InvalidStateError, InvalidValueError


def export_tenant(cases: UseCases, given: Namespace) -> Document:
    """Write one JSON document a line, and the numbers of documents last: a file without them is incomplete."""
    tenant = cases.tenancy.find_tenant.execute(given.tenant)
    counts: Counter[str] = Counter()
    try:
        with open(given.file, "xb") as file:  # noqa: PTH123 - the name is the operator's, whatever it is
            documents = cases.listings.export_tenant.execute(tenant.id, partial(tenant_out, cases))
            for document in documents:
                counts[str(document["kind"])] += 1
                file.write(orjson.dumps(document) + b"\n")
            file.write(orjson.dumps({"kind": "end", "documents": counts}) + b"\n")
    except FileExistsError as error:
        raise InvalidStateError("the file exists: name a new one") from error
    except OSError as error:
        raise InvalidValueError(f"the file cannot be written: {error.strerror}") from error
    result = {"tenant": tenant.id, "file": given.file, "documents": dict(counts)}
    record(cases, tenant.id, "exportTenant", tenant.id, None, {"documents": dict(counts)})
    return result
