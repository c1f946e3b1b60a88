"""The command that exports a tenant to a file."""

from argparse import Namespace
from collections import Counter
from functools import partial

import orjson

from functions.admin.actions import Document, record, tenant_out
from functions.admin.new_file import new_file
from shared.bootstrap.use_cases import UseCases
from shared.domain.errors import InvalidStateError, InvalidValueError


def export_tenant(cases: UseCases, given: Namespace) -> Document:
    """Write one JSON document a line, and the numbers of documents last: a file without them is incomplete."""
    tenant = cases.tenancy.find_tenant.execute(given.tenant)
    counts: Counter[str] = Counter()
    try:
        with new_file(given.file) as file:
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
