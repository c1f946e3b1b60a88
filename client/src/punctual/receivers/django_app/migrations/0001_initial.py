"""Create the table of seen calls."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):  # type: ignore[misc]  # Django has no types
    """The first one."""

    initial = True
    dependencies: ClassVar[list[tuple[str, str]]] = []
    operations: ClassVar[list[object]] = [
        migrations.CreateModel(
            name="SeenCall",
            fields=[
                ("call_id", models.CharField(max_length=128, primary_key=True, serialize=False)),
                ("entry", models.CharField(max_length=128)),
                ("forget_at", models.BigIntegerField(db_index=True)),
            ],
        ),
    ]
