from pathlib import Path

import pytest

from tests.drills.catalogue import DRILLS
from tests.drills.drill import Drill, Steps
from tests.drills.pages import RUNBOOKS, blocks_of_steps

PAGE = """# Fire

```sh
export TENANT=acme
```

## Confirm

```sh
look
```

## Act

1. Do it:

   ```sh
   first --flag
   ```

   ```json
   {}
   ```

2. Or this:

   ```sh
   second
   ```
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "README.md").write_text("# Runbooks\n\n## Set up the shell\n\n```sh\nsource it\n```\n")
    (tmp_path / "fire.md").write_text(PAGE)
    return tmp_path


def texts(folder: Path, *steps: Steps) -> list[str]:
    return [block.text.strip() for block in blocks_of_steps(*steps, folder=folder)]


def test_steps_are_run_after_the_setup_and_the_variables_of_their_page(folder: Path) -> None:
    steps = Steps(page="fire", section="Confirm", numbers=(1,)), Steps(page="fire", numbers=(2, 1))
    assert texts(folder, *steps) == ["source it", "export TENANT=acme", "look", "second", "first --flag"]


@pytest.mark.parametrize(
    "steps", [Steps(page="fire", numbers=(3,)), Steps(page="fire", section="Undo", numbers=(1,))]
)
def test_step_that_a_page_does_not_have_is_an_error(folder: Path, steps: Steps) -> None:
    with pytest.raises(KeyError):
        blocks_of_steps(steps, folder=folder)


@pytest.mark.parametrize("drill", DRILLS.values(), ids=DRILLS)
def test_drill_names_blocks_of_pages_that_exist(drill: Drill) -> None:
    assert len(blocks_of_steps(*drill.act, *drill.afterwards)) > len(drill.act)
    assert all((RUNBOOKS / f"{step.page}.md").exists() for step in drill.act)
