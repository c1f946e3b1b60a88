"""Commands of the user that print a secret."""

import subprocess
from collections.abc import Sequence

from punctual.errors import ConfigurationError

COMMAND_SECONDS = 60


def output_of(words: Sequence[str], what: str) -> str:
    """What a command prints; it runs without a shell, and may ask on the terminal. Raises ConfigurationError.

    `what` is how errors call the command. They have the first word of it, and never its output.
    """
    try:
        done = subprocess.run(  # noqa: S603 - the command is the user's own
            words, stdout=subprocess.PIPE, check=True, text=True, timeout=COMMAND_SECONDS
        )
    except subprocess.CalledProcessError as error:
        raise ConfigurationError(f"{what} {words[0]!r} ended with {error.returncode}") from None
    except subprocess.TimeoutExpired:
        raise ConfigurationError(f"{what} {words[0]!r} took longer than {COMMAND_SECONDS} s") from None
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{what} {words[0]!r} cannot be run: {type(error).__name__}") from None
    return done.stdout
