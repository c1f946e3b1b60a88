"""The demo of `make run`: a tenant, and three jobs that call the local receiver."""

import secrets
import shlex
from dataclasses import dataclass
from typing import Any

from infra.local.api import Api
from infra.local.stack import LocalStack, Tenant
from infra.local.state_dir import LocalStackError, StateDir

FILE = "demo.json"
SCOPES = "read,write,admin"
REFUSED = (401, 403)

SCHEDULES: dict[str, dict[str, Any]] = {
    "once": {"delay_seconds": 5},
    "rate": {"rate_seconds": 5},
    "cron": {"cron": "*/1 * * * *", "timezone": "UTC"},
}


@dataclass(slots=True, kw_only=True)
class Demo:
    """The demo's tenant and active jobs, saved in a file for the next start."""

    home: StateDir
    api: Api
    tenant: Tenant
    jobs: list[str]

    def start_jobs(self, url: str) -> None:
        """Delete the jobs of an interrupted run, then create the three jobs."""
        self.stop_jobs()
        for kind, schedule in SCHEDULES.items():
            self.jobs.append(self._submit(kind, schedule, f"{url}/{kind}"))
            self._save()

    def stop_jobs(self) -> None:
        """Delete the jobs, so that restarts do not accumulate jobs.

        The API refuses to delete a finished job.
        """
        while self.jobs:
            self.api.request("DELETE", f"/v1/jobs/{self.jobs[-1]}")
            self.jobs.pop()
        self._save()

    def exports(self, api_url: str) -> str:
        """Return a shell line that sets the variables of the documentation."""
        tenant = self.tenant
        return f"export PUNCTUAL={api_url} KEY={tenant.api_key} SECRET={tenant.signing_secret}"

    def client_exports(self) -> str:
        """Return a shell line for the SDK and the command line, which follows that of `exports`."""
        return 'export PUNCTUAL_URL="$PUNCTUAL" PUNCTUAL_KEY="$KEY" PUNCTUAL_SIGNING_SECRET="$SECRET"'

    def console(self, api_url: str) -> str:
        """Return the address that opens the console with the demo's key.

        A browser sends no part of an address behind `#`, and the console removes the key from the address.
        """
        return f"{api_url}/console#key={self.tenant.api_key}"

    def curl(self, url: str) -> str:
        """Return a command that creates a job with these variables.

        The job calls the receiver in a second.
        """
        job = f'{{"schedule": {{"delay_seconds": 1}}, "request": {{"url": "{url}/ok"}}}}'
        return (
            'curl -sS "$PUNCTUAL/v1/jobs" -H "Authorization: Bearer $KEY" '
            f'-H "Content-Type: application/json" -d {shlex.quote(job)}'
        )

    def _submit(self, kind: str, schedule: dict[str, Any], url: str) -> str:
        request = {"method": "POST", "url": url, "json": {"demo": kind}}
        response = self.api.request(
            "POST", "/v1/jobs", {"name": f"demo {kind}", "schedule": schedule, "request": request}
        )
        if response.status not in (201, 202):
            raise LocalStackError(
                f"the API refused the {kind} job: {response.status} {response.body.decode()}"
            )
        return str(response.json()["id"])

    def _save(self) -> None:
        self.home.write(
            FILE,
            {
                "api_key": self.tenant.api_key,
                "signing_secret": self.tenant.signing_secret,
                "tenant": self.tenant.name,
                "jobs": self.jobs,
            },
        )


def load_demo(stack: LocalStack, home: StateDir) -> Demo:
    """Return the demo with its saved tenant, or with a new tenant if the saved key cannot manage keys."""
    saved = home.read(FILE)
    if saved and _manages_keys(stack.api(saved.get("api_key"))):
        tenant = Tenant(
            name=saved["tenant"], api_key=saved["api_key"], signing_secret=saved["signing_secret"]
        )
        jobs = list(saved.get("jobs", ()))
    else:
        # A new name each time, because the tenant may exist although the file with its key is lost.
        tenant, jobs = stack.create_tenant(f"demo-{secrets.token_hex(3)}", scopes=SCOPES), []
    return Demo(home=home, api=stack.api(tenant.api_key), tenant=tenant, jobs=jobs)


def _manages_keys(api: Api) -> bool:
    """Return whether the key is valid and has the scope `admin`."""
    return api.request("GET", "/v1/keys").status not in REFUSED
