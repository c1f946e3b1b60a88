"""Requests to the API: conditions, refusals, and bodies that nothing reads."""

from tests.mutants.mutant import Mutant

_CONDITIONS = "tests/unit/api/test_conditions.py"
_HTTP = "tests/unit/api/test_http_semantics.py"
_REFUSALS = "tests/unit/api/test_refusals.py"
_SETTINGS = "tests/unit/api/test_tenant_settings.py"

REQUESTS = (
    Mutant(
        name="settings of a tenant that every key may read",
        file="functions/api/http/admission.py",
        old='"/v1/keys", "/v1/settings", "/v1/signing-secrets")',
        new='"/v1/keys", "/v1/signing-secrets")',
        killer=_SETTINGS,
    ),
    Mutant(
        name="identity that only readers may ask for",
        file="functions/api/http/admission.py",
        old="    if method in _READS and path == _IDENTITY_PATH:\n",
        new="    if not method and path == _IDENTITY_PATH:\n",
        killer="tests/unit/api/test_whoami.py",
    ),
    Mutant(
        name="settings that are changed without a record",
        file="functions/api/resources/settings/routes.py",
        old='    context.audit.record(request, "changeSettings"',
        new='    context.audit and (lambda *_: None)(request, "changeSettings"',
        killer=_SETTINGS,
    ),
    Mutant(
        name="weak tag that fulfils If-Match",
        file="functions/api/http/conditions.py",
        old="for value in self.strong if _REVISION",
        new="for value in self.strong | self.weak if _REVISION",
        killer=_CONDITIONS,
    ),
    Mutant(
        name="only the largest tag of a list",
        file="functions/api/http/conditions.py",
        old="return present if present in revisions else max",
        new="return max",
        killer=_CONDITIONS,
    ),
    Mutant(
        name="patch with a star that loses to a rival",
        file="functions/api/resources/jobs/routes.py",
        old="            if not tags.is_any:",
        new="            if tags:",
        killer=_CONDITIONS,
    ),
    Mutant(
        name="trigger that ignores If-Match",
        file="shared/usecases/jobs/file_trigger.py",
        old="    check_revision(job, revision)\n",
        new="    check_revision(job, None)\n",
        killer=_CONDITIONS,
    ),
    Mutant(
        name="body that nothing reads accepted",
        file="functions/api/app.py",
        old="        if route.body is None:",
        new="        if route.body is not None and not route:",
        killer=_HTTP,
    ),
    Mutant(
        name="bytes that a gateway replaced accepted",
        file="functions/api/http/strict_json.py",
        old="    if _REPLACEMENT in body:",
        new="    if _REPLACEMENT in body and not body:",
        killer=_HTTP,
    ),
    Mutant(
        name="pointers into branches of unions",
        file="functions/api/http/schema_errors.py",
        old='        elif not (is_missing and re.fullmatch("[a-z_]+", str(part))):',
        new="        elif not is_missing and not is_there and number < 0:",
        killer=_REFUSALS,
    ),
    Mutant(
        name="only the errors of the schema",
        file="functions/api/resources/jobs/job_errors.py",
        old="    return merged(refused, errors_problem(more)) if more else refused",
        new="    return refused",
        killer=_REFUSALS,
    ),
    Mutant(
        name="first broken header alone",
        file="shared/domain/errors.py",
        old="        raise found[0] if len(found) == 1 else InvalidValuesError(found)",
        new="        raise found[0]",
        killer=_REFUSALS,
    ),
)
