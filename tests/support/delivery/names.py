"""A name server on the loopback interface, and a look-up that asks it instead of the system's."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from socket import AF_INET, SOCK_DGRAM, socket
from threading import Event, Thread

from dnslib import AAAA, CNAME, QTYPE, RCODE, RR, A, DNSRecord

from shared.adapters.http.look_up import LookUp

Answers = list[list[str]]
"""The results of successive look-ups of a name; the last result repeats."""
HOST = "127.0.0.1"


@dataclass(slots=True)
class NameServer:
    """Answers A and AAAA questions from a table. A name in `silent` is never answered."""

    zone: Mapping[str, Answers]
    aliases: dict[str, str]
    silent: set[str]
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The number of questions per name and record type."""
    port: int = 0
    closing: Event = field(default_factory=Event)

    def look_up(self, name: str) -> list[str]:
        """The addresses of a name, IPv4 first: a `LookUp`. One that is not answered lasts until the server ends."""
        found = [text for kind in ("A", "AAAA") for text in self._ask(name, kind)]
        if not found:
            raise OSError("no such name")
        return found

    def _ask(self, name: str, kind: str) -> list[str]:
        with socket(AF_INET, SOCK_DGRAM) as asking:
            asking.settimeout(0.05)
            asking.sendto(DNSRecord.question(name, kind).pack(), (HOST, self.port))
            while not self.closing.is_set():
                with suppress(TimeoutError):
                    reply = DNSRecord.parse(asking.recv(4096))
                    return [str(record.rdata) for record in reply.rr if QTYPE[record.rtype] == kind]
        raise OSError("no answer")

    def serve(self, listening: socket) -> None:
        """Answer datagrams until an empty one comes."""
        while True:
            data, sender = listening.recvfrom(4096)
            if not data:
                return
            question = DNSRecord.parse(data)
            name, kind = str(question.q.qname).rstrip("."), QTYPE[question.q.qtype]
            turn = self.asked[name, kind]
            self.asked[name, kind] += 1
            if name not in self.silent:
                listening.sendto(self._reply(question, name, kind, turn).pack(), sender)

    def _reply(self, question: DNSRecord, name: str, kind: str, turn: int) -> DNSRecord:
        reply = question.reply()
        if target := self.aliases.get(name):
            reply.add_answer(RR(name, QTYPE.CNAME, rdata=CNAME(target)))
            name = target
        if name not in self.zone:
            reply.header.rcode = RCODE.NXDOMAIN
            return reply
        for text in self.zone[name][min(turn, len(self.zone[name]) - 1)]:
            is_v4 = ip_address(text).version == 4
            if is_v4 == (kind == "A"):
                rdata = A(text) if is_v4 else AAAA(text)
                reply.add_answer(RR(name, getattr(QTYPE, kind), rdata=rdata))
        return reply


@contextmanager
def name_server(
    zone: Mapping[str, Answers], *, aliases: dict[str, str] | None = None, silent: set[str] | None = None
) -> Iterator[NameServer]:
    """A name server while the context is open; its `look_up` asks it over UDP."""
    server = NameServer(zone=zone, aliases=aliases or {}, silent=silent or set())
    with socket(AF_INET, SOCK_DGRAM) as listening:
        listening.bind((HOST, 0))
        server.port = listening.getsockname()[1]
        thread = Thread(target=server.serve, args=(listening,))
        thread.start()
        try:
            yield server
        finally:
            server.closing.set()
            with socket(AF_INET, SOCK_DGRAM) as ending:
                ending.sendto(b"", (HOST, server.port))
            thread.join()


def always(*addresses: str) -> LookUp:
    """Every name has these addresses."""
    return lambda _: list(addresses)
