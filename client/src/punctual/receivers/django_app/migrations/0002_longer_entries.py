"""Make room for the answers of tasks of workflows."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):  # type: ignore[misc]  # Django has no types
    """Entries of up to 4 KiB and some bytes."""

    dependencies: ClassVar[list[tuple[str, str]]] = [("punctual", "0001_initial")]
    operations: ClassVar[list[object]] = [
        migrations.AlterField(model_name="seencall", name="entry", field=models.TextField()),
    ]
