"""PartiQL statements that write items."""

from typing import Any

from shared.adapters.dynamodb.codec.attributes import Item

ITEM_EXISTS = {"DuplicateItem", "DuplicateItemException"}
"""The codes of an INSERT whose key is taken: in a batch and alone."""


def insert_statement(table: str, item: Item) -> Any:
    """An INSERT, which never overwrites an item, as arguments of ExecuteStatement or of a batch."""
    members = ", ".join([f"'{name}': ?" for name in item])
    return {"Statement": f'INSERT INTO "{table}" VALUE {{{members}}}', "Parameters": list(item.values())}
