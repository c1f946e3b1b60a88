"""The signing secrets of commands for receivers: from a file, the environment or a profile, and never an argument."""

from typing import Annotated

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.session import Session

SecretFile = Annotated[
    str | None,
    typer.Option(
        "--secret-file",
        metavar="FILE",
        help="A file with the signing secret, or with several; - is standard input. The default is "
        "PUNCTUAL_SIGNING_SECRET, or signing_secret in the profile.",
        show_default=False,
    ),
]


def signing_secrets_of(session: Session, file: str | None) -> list[str]:
    """The signing secrets, or none if none is configured. CommandError or ConfigurationError for what is none."""
    from punctual._config import signing_secrets, split_secrets
    from punctual.webhooks._keys import signing_keys

    if file is None:
        found = signing_secrets(session.profile, session.around.environ)
    else:
        found = split_secrets(session.content(file).decode("latin-1"))
        if not found:
            raise CommandError("the file of --secret-file is empty", Exit.USAGE)
    secrets = [each.reveal() for each in found]
    if secrets:
        signing_keys(secrets)  # Its errors name no secret, and are about the configuration.
    return secrets
