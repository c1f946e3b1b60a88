"""Files of searches in memory."""


class FakeSearchFiles:
    """A URL names its file and how many have been signed before, so that each is another one."""

    def __init__(self) -> None:
        self.files: dict[tuple[str, str, int], bytes] = {}
        self.signed = 0

    def put(self, tenant_id: str, search_id: str, number: int, content: bytes) -> None:
        self.files[tenant_id, search_id, number] = content

    def get(self, tenant_id: str, search_id: str, number: int) -> bytes | None:
        return self.files.get((tenant_id, search_id, number))

    def url(self, tenant_id: str, search_id: str, number: int, *, seconds: int) -> str:
        self.signed += 1
        return f"https://files.example/{tenant_id}/{search_id}/{number}?for={seconds}&signature={self.signed}"

    def delete_some(self, tenant_id: str) -> int:
        """Two at once, so that more than a page is there sometimes."""
        some = [key for key in self.files if key[0] == tenant_id][:2]
        for key in some:
            del self.files[key]
        return len(some)
