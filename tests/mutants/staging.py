"""Stage files and the checks of a deployment: what is refused before anything is deployed."""

from tests.mutants.mutant import Mutant

_FILES = "tests/infra/test_stage_files.py"
_DEPLOY = "tests/infra/test_deploy.py"

STAGING = (
    Mutant(
        name="stage file outside its folder",
        file="infra/stage_files/read.py",
        old="    if not _STAGE_NAME.fullmatch(name):\n",
        new="    if not name:\n",
        killer=_FILES,
    ),
    Mutant(
        name="protected stage whose alarms reach no one",
        file="infra/stage_files/read.py",
        old="    if not stage.alarm_targets:\n",
        new="    if stage.alarm_targets is None:\n",
        killer=_FILES,
    ),
    Mutant(
        name="protected stage in the account of any credentials",
        file="infra/stage_files/read.py",
        old="    if stage.account is None:\n",
        new="    if stage.account == '':\n",
        killer=_FILES,
    ),
    Mutant(
        name="table of a stage file that forgets the preset",
        file="infra/stage_files/read.py",
        old="replace(getattr(base, field), **value)",
        new='replace(getattr(PRESETS["small"], field), **value)',
        killer=_FILES,
    ),
    Mutant(
        name="message with the URL of a pager",
        file="infra/stage_files/values.py",
        old='"" if self.is_secret else ',
        new='"" if not self.path else ',
        killer=_FILES,
    ),
    Mutant(
        name="exception that opens the metadata service",
        file="infra/stage_files/values.py",
        old="    if any(each in found for each in _METADATA):\n",
        new="    if found.prefixlen == 0:\n",
        killer=_FILES,
    ),
    Mutant(
        name="deployment into the account of other credentials",
        file="infra/deploy/preflight.py",
        old="    if stage.account in (None, owner):\n",
        new="    if stage.account != '':\n",
        killer=_DEPLOY,
    ),
    Mutant(
        name="own reservations as those of other stacks",
        file="infra/deploy/preflight.py",
        old=' + account.reserved_by(f"{stage.prefix}-service")',
        new="",
        killer=_DEPLOY,
    ),
    Mutant(
        name="domain with a certificate that is not issued yet",
        file="infra/deploy/preflight.py",
        old='    if found.status != "ISSUED":\n',
        new='    if found.status == "FAILED":\n',
        killer=_DEPLOY,
    ),
    Mutant(
        name="deployment that asks only where the operator has confirmed",
        file="infra/deploy/steps.py",
        old="    if ask is not None and not _is_confirmed(stage, ask, say):\n",
        new="    if ask is None and _is_confirmed(stage, input, say):\n",
        killer=_DEPLOY,
    ),
    Mutant(
        name="documentation at the rate of the whole API",
        file="infra/components/http_entry.py",
        old="        self._bound_open_paths(integration, default)\n",
        new="",
        killer="tests/infra/test_entrances.py",
    ),
    Mutant(
        name="job that calls the API by its domain",
        file="infra/stacks/service.py",
        old="        yield stage.domain.name\n",
        new="        yield from ()\n",
        killer="tests/infra/test_entrances.py",
    ),
)
